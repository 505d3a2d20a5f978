"""Talks to Daybook with the published Python clients of mem0, synchronous and not.

    mem0_client.py URL KEY

Every public method of both clients is called: those that are offered must do what they
say, the others must be refused as not offered. Exits with an error where one is not as it should be.
"""

import asyncio
import inspect
import os
import sys

os.environ["MEM0_TELEMETRY"] = "False"

from mem0 import AsyncMemoryClient, MemoryClient  # noqa: E402
from mem0.exceptions import MemoryError as RefusedError  # noqa: E402
from mem0.exceptions import MemoryNotFoundError, ValidationError  # noqa: E402

NOT_OFFERED = "not offered"


class Driver:
    """Calls methods of either client, and remembers which."""

    def __init__(self, client, user):
        self.client, self.user, self.called = client, user, set()

    async def do(self, method, /, *args, **kwargs):
        self.called.add(method)
        result = getattr(self.client, method)(*args, **kwargs)
        return await result if inspect.isawaitable(result) else result

    async def refused(self, method, /, *args, kinds=(RefusedError,), word=NOT_OFFERED, **kwargs):
        try:
            got = await self.do(method, *args, **kwargs)
        except kinds as e:
            assert word in str(e), (method, e)
        else:
            raise AssertionError(f"{method} is not refused: {got}")

    async def story(self):
        mine = {"user_id": self.user}
        first = await self.do("add", "My dentist is Dr. Weiss.", user_id=self.user, timestamp=1767225600,
                              metadata={"kind": "health"}, async_mode=False)
        assert first["event_id"] and len(first["results"]) == 1, first
        first = first["results"][0]["id"]
        second = await self.do("add", [{"role": "user", "content": "I changed dentists, I go to Dr. Moreau now."},
                                       {"role": "assistant", "content": "Good to know."}],
                               user_id=self.user, run_id="spring", async_mode=False)
        second = second["results"][0]["id"]
        raw = await self.do("add", "The code of the gate is 4711.", user_id=self.user, infer=False)
        raw = raw["results"][0]["id"]

        found = await self.do("search", "Who is the dentist?", filters=mine, top_k=5)
        roles = {m["id"]: m["role"] for m in found["results"] if m.get("role")}
        assert roles[first] == "historical" and roles[second] == "current", found
        found = await self.do("search", "dentist", filters={"AND": [mine, {"metadata": {"kind": "health"}}]})
        assert [m["id"] for m in found["results"]] == [first], found

        listed = await self.do("get_all", filters=mine, page=1, page_size=2)
        assert listed["count"] == 4 and len(listed["results"]) == 2 and listed["next"], listed
        got = await self.do("get", first)
        assert got["memory"] == "My dentist is Dr. Weiss." and got["metadata"] == {"kind": "health"}, got

        history = await self.do("history", first)
        assert [h["event"] for h in history] == ["ADD", "UPDATE"] and history[1]["superseded_by"] == second, history
        updated = await self.do("update", raw, text="The code of the gate is 4712.", metadata={"kind": "code"})
        assert updated["id"] == raw and "4712" in updated["memory"], updated
        history = await self.do("history", raw)
        assert [h["event"] for h in history] == ["ADD", "UPDATE"] and "4711" in history[1]["old_memory"], history
        await self.do("update", raw, expiration_date="2020-01-01")
        assert (await self.do("get_all", filters=mine))["count"] == 3
        await self.do("update", raw, expiration_date=None)
        assert (await self.do("get_all", filters=mine))["count"] == 4
        done = await self.do("batch_update", [{"memory_id": raw, "text": "The code of the gate is 4713."}])
        assert "1" in done["message"], done

        users = await self.do("users")
        assert self.user in [u["name"] for u in users["results"]], users
        profile = await self.do("get_profile", self.user)
        assert profile["status"] == "succeeded" and "Moreau" in str(profile["profile"]), profile
        export = await self.do("create_memory_export", schema="{}", filters=mine)
        export = await self.do("get_memory_export", memory_export_id=export["id"])
        assert len(export["memories"]) == 4 and export["facts"], export
        export = await self.do("get_memory_export", filters=mine)
        assert len(export["memories"]) == 4, export

        await self.do("delete", second, delete_linked=True)
        for gone in (first, second):
            await self.refused("get", gone, kinds=(MemoryNotFoundError,), word="no memory")
        await self.do("batch_delete", [{"memory_id": raw}])
        await self.do("delete_all", user_id=self.user)
        assert (await self.do("get_all", filters=mine))["count"] == 0
        await self.do("add", "I have a cat.", user_id=self.user)
        await self.do("delete_users", user_id=self.user)
        assert (await self.do("get_all", filters=mine))["count"] == 0
        await self.refused("delete_users", user_id="nobody", kinds=(MemoryNotFoundError,), word="nobody")
        await self.refused("get_all", filters={}, kinds=(ValidationError,), word="whose")

    async def platform(self):
        await self.refused("get_summary", filters={"user_id": self.user})
        await self.refused("generate_profile", self.user)
        await self.refused("get_profile_settings")
        await self.refused("update_profile_settings", enabled=True)
        await self.refused("sample_profiles")
        await self.refused("get_profile_job", "7")
        await self.refused("get_webhooks", "p")
        await self.refused("create_webhook", url="https://example.com", name="n", project_id="p", event_types=["memory_add"])
        await self.refused("update_webhook", 1, name="n")
        await self.refused("delete_webhook", 1)
        await self.refused("feedback", "x", feedback="POSITIVE")
        await self.project()
        await self.refused("get_project")
        await self.refused("update_project", custom_instructions="x")
        await self.refused("chat", kinds=(NotImplementedError,), word="")

    async def project(self):
        for name, args in {
            "get": (), "create": ("n",), "update": ("x",), "delete": (), "get_members": (), "add_member": ("a@example.com",),
            "update_member": ("a@example.com", "READER"), "remove_member": ("a@example.com",),
        }.items():
            try:
                result = getattr(self.client.project, name)(*args)
                result = await result if inspect.isawaitable(result) else result
            except RefusedError as e:
                assert NOT_OFFERED in str(e), (name, e)
            else:
                raise AssertionError(f"project.{name} is not refused: {result}")

    async def run(self):
        await self.story()
        await self.platform()
        await self.do("add", "I have a dog.", user_id=self.user)
        await self.do("reset")
        methods = {n for n, _ in inspect.getmembers(type(self.client), inspect.isfunction) if not n.startswith("_")}
        assert self.called == methods, ("not called", methods - self.called)


async def main(url, key):
    await Driver(MemoryClient(api_key=key, host=url), "sync").run()
    async with AsyncMemoryClient(api_key=key, host=url) as client:
        await Driver(client, "async").run()
    try:
        MemoryClient(api_key="wrong", host=url)
    except ValueError as e:
        assert "key" in str(e), e
    else:
        raise AssertionError("a wrong key is taken")
    print("ok")


asyncio.run(main(*sys.argv[1:]))
