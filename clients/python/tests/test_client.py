"""Calls every method of both clients against the server that DAYBOOK_URL names, and checks
that no endpoint of Daybook's own API was left out."""

import asyncio
import inspect
import json
import os
import re
import unittest
from datetime import datetime, timezone
from typing import Any
from urllib.parse import urlsplit

import httpx

import daybook
from daybook import AsyncDaybook, Daybook, types

CALLED: set[tuple[str, str]] = set()
NULL_FIELDS: set[str] = set()
WEBHOOK = "https://daybook.invalid/hook"


def noted(reply: httpx.Response) -> None:
    """Remembers what was called."""
    CALLED.add((reply.request.method, urlsplit(str(reply.request.url)).path))


async def noted_async(reply: httpx.Response) -> None:
    noted(reply)


def nulls(path: str, value: Any) -> None:
    """Remembers where a reply has null, which the types do not expect in lists."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if inner is None:
                NULL_FIELDS.add(f"{path}.{name}")
            nulls(f"{path}.{name}", inner)
    if isinstance(value, list):
        for inner in value:
            nulls(f"{path}[]", inner)


def client(user: str, **more: Any) -> Daybook:
    http = httpx.Client(timeout=60, event_hooks={"response": [noted]})
    return Daybook(user=user, http_client=http, **more)


class Walk(unittest.TestCase):
    def test_messages(self) -> None:
        with client("py-messages") as memory:
            first = memory.add([{"id": "m1", "role": "user", "content": "My dentist is Dr. Weiss."}], timestamp=datetime(2026, 1, 5, tzinfo=timezone.utc))
            self.assertEqual((first.added, first.known), (1, 0))
            again = memory.add([{"id": "m1", "role": "user", "content": "My dentist is Dr. Weiss."}], timestamp=datetime(2026, 1, 5, tzinfo=timezone.utc))
            self.assertEqual((again.added, again.known), (0, 1))
            done = memory.add([{"id": "m2", "role": "user", "content": "I changed dentists, I go to Dr. Moreau now."}], timestamp="2026-03-01", reason="told")
            found = memory.recall("Who is the dentist?", k=5, after=done, explain=True)
            self.assertEqual([(r.role, r.source_id) for r in found.rows], [("current", "m2"), ("historical", "m1")])
            assert found.rows[0].explain is not None
            self.assertTrue(found.rows[0].explain.parts)
            answer = memory.ask("Who was the dentist before?")
            self.assertEqual((answer.answer, answer.known), ("Dr. Weiss", True))
            self.assertEqual(memory.ask("Who is the dentist?", as_of="2026-02-01").answer, "Dr. Weiss")
            pieces = list(memory.ask_stream("Who is the dentist?"))
            assert isinstance(pieces[-1], types.Answer)
            self.assertEqual(pieces[-1].answer, "Dr. Moreau")
            self.assertFalse(memory.ask("What is the name of the dog?").known)

    def test_label(self) -> None:
        with client("py-label") as memory:
            rows: list[types.ForeignRow | dict[str, Any]] = [types.ForeignRow(id="a", text="Ana's bank is Granite Trust.", created_at="2026-01-01"),
                    {"id": "b", "text": "Ana switched banks, her bank is Cobalt Savings now.", "created_at": "2026-05-01"}]
            labelled = memory.label("Which bank does Ana use?", rows)
            self.assertEqual({r.id: r.role for r in labelled.rows}, {"a": "historical", "b": "current"})
            self.assertIn("Cobalt", labelled.text)

    def test_single_memories(self) -> None:
        with client("py-single") as memory:
            memory.add("The gate code is 4711.", metadata={"kind": "code"}, wait=True)
            (one,) = memory.memories(filters={"kind": "code"})
            self.assertEqual(memory.search("gate code")[0].id, one.id)
            self.assertEqual(memory.get(one.id).metadata, {"kind": "code"})
            self.assertEqual(memory.update(one.id, "The gate code is 4712.").memory, "The gate code is 4712.")
            self.assertEqual([c.event for c in memory.memory_history(one.id)], ["ADD", "UPDATE"])
            self.assertIn("py-single", [o.name for o in memory.owners()])
            self.assertTrue(memory.delete(one.id).certificates)
            with self.assertRaises(daybook.NotFound):
                memory.get(one.id)

    def test_facts_and_ledger(self) -> None:
        with client("py-facts") as memory:
            first = memory.add_fact("Ana", "lives_in", "Lisbon", valid_from="2025-01-01", holds="one")
            memory.add_fact("Ana", "lives_in", "Porto", valid_from="2026-01-01", holds="one", why="new job", reason="moved")
            (state,) = memory.facts(subject="Ana")
            self.assertEqual([p.object for p in state.periods if p.role == "current"], ["Porto"])
            self.assertEqual(memory.facts(subject="Ana", as_of="2025-06-01")[0].periods[0].object, "Lisbon")
            (history,) = memory.history("Ana")
            self.assertEqual((history.transitions[-1].from_, history.transitions[-1].to), ("Lisbon", "Porto"))
            log = memory.log(limit=5)
            self.assertEqual(len(log), 2)
            self.assertTrue(memory.commit(first.commit).ops)
            self.assertTrue(memory.diff(log[1].id, log[0].id).states)
            self.assertTrue(memory.changes(first.commit).states)
            memory.revert(log[0].id, reason="wrong")
            self.assertEqual(memory.facts(subject="Ana")[0].periods[0].object, "Lisbon")
            memory.retract(memory.facts(subject="Ana")[0].periods[0].facts[0].id, why="never said")
            self.assertEqual(memory.facts(subject="Ana"), [])
            self.assertEqual(memory.stats().commits, 4)

    def test_trees(self) -> None:
        with client("py-trees") as memory:
            memory.add_tree("trip", "# Trip\n\n## Day 1\n\n- Visit the museum\n", format="markdown")
            self.assertEqual([x.name for x in memory.trees()], ["trip"])
            found = memory.query("//Item", tree="trip").nodes
            self.assertEqual(len(found), 1)
            memory.tree_edit("trip", [{"set": {"node": found[0].id, "attrs": [["description", "Visit the zoo"]]}}], base=1)
            self.assertIn("zoo", memory.tree("trip", format="markdown").content)
            reply = memory.tree_do("trip", "Cancel the visit to the zoo.", dry_run=True)
            self.assertEqual([c.remove for c in reply.changes], [found[0].id])
            memory.tree_rollback("trip", 1, reason="museum after all")
            self.assertIn("museum", memory.tree("trip", format="markdown").content)

    def test_erasure_and_transfer(self) -> None:
        with client("py-erase") as memory:
            memory.add([{"id": "m1", "role": "user", "content": "My cat is called Miso."}], wait=True)
            lines = b"".join(memory.export())
            self.assertIn(b"Miso", lines)
            looked = memory.forget(ids=["m1"], dry_run=True)
            self.assertEqual(looked.certificates, [])
            (certificate,) = memory.forget(ids=["m1"]).certificates
            self.assertEqual(memory.verify(certificate), "verified")
            self.assertEqual(memory.memories(), [])
        with client("py-import") as memory:
            got = memory.import_('{"role": "user", "content": "I play the cello."}\n', format="messages", wait=True)
            self.assertEqual((got.added, got.format), (1, "messages"))

    def test_server(self) -> None:
        with client("py-server") as memory:
            self.assertEqual((memory.health(), memory.ready()), ("ok", "ready"))
            self.assertTrue(memory.version().go)
            receipt = memory.add("I like tea.")
            assert receipt.job is not None
            self.assertEqual(memory.job(receipt.job).id, receipt.job)
            self.assertGreaterEqual(memory.jobs(everyone=True).waiting, 0)
            self.assertIn(memory.retry_job(receipt.job).state, ("queued", "done"))
            hook = memory.add_webhook(WEBHOOK, ["commit"])
            self.assertTrue(hook.secret)
            self.assertEqual([h.url for h in memory.webhooks()], [WEBHOOK])
            memory.delete_webhook(hook.id)
            self.assertEqual(memory.webhooks(), [])

    def test_scopes(self) -> None:
        with client("py-scope-a") as memory:
            memory.add("I live in Ghent.", wait=True)
            other = memory.scoped(user="py-scope-b")
            self.assertEqual(other.recall("Ghent").rows, [])
            self.assertEqual(len(memory.recall("Ghent").rows), 1)
            memory.scoped(session="s1").add("I bought a boat.", wait=True)
            self.assertEqual([m.run_id for m in memory.scoped(session="s1").memories()], ["s1"])

    def test_errors(self) -> None:
        with client("py-errors") as memory:
            memory.add([{"id": "x", "content": "one"}])
            with self.assertRaises(daybook.Conflict) as conflict:
                memory.add([{"id": "x", "content": "two"}])
            self.assertEqual(conflict.exception.status, 409)
            self.assertTrue(conflict.exception.request_id)
            with self.assertRaises(daybook.InvalidRequest) as invalid:
                memory.recall("")
            self.assertTrue(invalid.exception.errors)
            with self.assertRaises(daybook.NotFound):
                memory.tree("none")
        with Daybook("http://127.0.0.1:9", timeout=2) as nobody, self.assertRaises(daybook.ConnectionFailed) as gone:
            nobody.health()
        self.assertIn("daybook serve", str(gone.exception))


class Retries(unittest.TestCase):
    """How answers that ask to come again are met, with a server that is played."""

    def played(self, *answers: int) -> tuple[Daybook, list[str]]:
        seen: list[str] = []

        def reply(request: httpx.Request) -> httpx.Response:
            seen.append(request.url.path)
            status = answers[len(seen) - 1]
            body = {"added": 1, "known": 0, "commit": "c", "seq": 1, "waiting": 0, "jobs": [], "detail": "busy"}
            return httpx.Response(status, json=body, headers={"Retry-After": "0"})

        return Daybook(http_client=httpx.Client(transport=httpx.MockTransport(reply)), api_key="k"), seen

    def test_429_is_tried_again(self) -> None:
        memory, seen = self.played(429, 429, 200)
        self.assertEqual(memory.add("hello").added, 1)
        self.assertEqual(len(seen), 3)

    def test_503_only_for_reads(self) -> None:
        memory, seen = self.played(503, 200)
        memory.jobs()
        self.assertEqual(len(seen), 2)
        memory, seen = self.played(503, 200)
        with self.assertRaises(daybook.Unavailable):
            memory.add("hello")
        self.assertEqual(len(seen), 1)

    def test_gives_up(self) -> None:
        memory, seen = self.played(429, 429, 429, 429)
        with self.assertRaises(daybook.RateLimited) as limited:
            memory.add("hello")
        self.assertEqual((len(seen), limited.exception.retry_after), (3, 0.0))


class Async(unittest.TestCase):
    def test_the_same_calls(self) -> None:
        """The asynchronous client has the same methods with the same arguments."""
        for name, method in inspect.getmembers(Daybook, inspect.isfunction):
            if name.startswith("_") or name == "close":
                continue
            other = getattr(AsyncDaybook, name)
            self.assertEqual(list(inspect.signature(method).parameters), list(inspect.signature(other).parameters), name)

    def test_against_the_server(self) -> None:
        asyncio.run(self.walk())

    async def walk(self) -> None:
        http = httpx.AsyncClient(timeout=60, event_hooks={"response": [noted_async]})
        async with AsyncDaybook(user="py-async", http_client=http) as memory:
            receipts = await asyncio.gather(*(memory.add([{"id": f"m{i}", "content": f"Box {i} holds {what}."}]) for i, what in enumerate(("nails", "paint", "rope"))))
            rows = (await memory.recall("Which box holds the paint?", after=max(receipts, key=lambda r: r.seq))).rows
            self.assertEqual(rows[0].source_id, "m1")
            pieces = [piece async for piece in memory.ask_stream("Which box holds the paint?")]
            self.assertIsInstance(pieces[-1], types.Answer)
            self.assertIn(b"rope", b"".join([piece async for piece in memory.export()]))
            with self.assertRaises(daybook.Conflict):
                await memory.add([{"id": "m1", "content": "Box 1 is empty."}])


class Covered(unittest.TestCase):
    """Runs last, by its name's place in load_tests: what was called is held against the description."""

    def test_every_endpoint(self) -> None:
        api = httpx.get(os.environ["DAYBOOK_URL"] + "/openapi.json").json()
        missing = []
        for path, operations in api["paths"].items():
            pattern = re.compile(re.sub(r"\{\w+\}", "[^/]+", path) + "$")
            for method, operation in operations.items():
                called = any(m == method.upper() and pattern.match(p) for m, p in CALLED)
                if "mem0" not in operation["tags"] and not called:
                    missing.append(f"{method.upper()} {path}")
        self.assertEqual(missing, [])

    def test_lists_are_never_null(self) -> None:
        """A memory that holds nothing: every list is a list."""
        with httpx.Client(base_url=os.environ["DAYBOOK_URL"]) as http:
            for path in ("facts", "history?subject=x", "log", "trees", "jobs", "webhooks", "stats", "diff"):
                join = "&" if "?" in path else "?"
                nulls(path, http.get(f"/v1/{path}{join}user_id=py-empty").json())
            for path in ("recall", "ask"):
                nulls(path, http.post(f"/v1/{path}", json={"user_id": "py-empty", "query": "x"}).json())
        self.assertEqual(NULL_FIELDS, set())


def load_tests(loader: unittest.TestLoader, *_: Any) -> unittest.TestSuite:
    """Covered comes last."""
    return unittest.TestSuite(loader.loadTestsFromTestCase(case) for case in (Walk, Retries, Async, Covered))


if __name__ == "__main__":
    unittest.main()
