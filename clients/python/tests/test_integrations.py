"""The integrations against the server that DAYBOOK_URL names, with the packages they are for."""

import asyncio
import unittest
from typing import Any, cast

from agents.memory import Session
from langgraph.store.base import PutOp
from llama_index.core.llms import ChatMessage

from daybook import AsyncDaybook, Daybook
from daybook.langgraph import DaybookStore
from daybook.llama_index import DaybookMemory
from daybook.openai_agents import DaybookSession


class Store(unittest.TestCase):
    def test_items(self) -> None:
        store, here = DaybookStore(), ("lg", "ana")
        self.assertIsNone(store.get(here, "bank"))
        store.put(here, "bank", {"text": "Ana banks with Granite Trust.", "rank": 1})
        store.put(here, "food", {"text": "Ana eats no meat.", "rank": 2})
        store.put(here, "raw", {"n": 7}, index=False)
        item = store.get(here, "bank")
        assert item is not None
        self.assertEqual((item.key, item.namespace, item.value["rank"]), ("bank", here, 1))
        self.assertEqual(store.search(here, query="Which bank does Ana use?")[0].key, "bank")
        self.assertEqual([i.key for i in store.search(("lg",), filter={"rank": {"$gte": 2}})], ["food"])
        self.assertEqual({i.key for i in store.search(("lg",))}, {"bank", "food", "raw"})
        self.assertEqual([i.key for i in store.search(("lg",), filter={"n": 7})], ["raw"])
        self.assertEqual(store.search(("other",), query="bank"), [])

    def test_put_again_and_delete(self) -> None:
        store, here = DaybookStore(), ("lg2", "bo")
        store.put(here, "city", {"text": "Bo lives in Ghent."})
        store.put(here, "city", {"text": "Bo lives in Lille."})
        item = store.get(here, "city")
        assert item is not None
        self.assertEqual(item.value, {"text": "Bo lives in Lille."})
        self.assertGreaterEqual(item.updated_at, item.created_at)
        self.assertEqual(len(store.search(here)), 1)
        store.delete(here, "city")
        self.assertIsNone(store.get(here, "city"))
        store.delete(here, "city")  # again does nothing

    def test_namespaces(self) -> None:
        store = DaybookStore()
        store.batch([PutOp(("lg3", user, kind), "k", {"text": f"{user} {kind}"}) for user in ("a", "b") for kind in ("notes", "plans")])
        self.assertEqual(store.list_namespaces(prefix=("lg3", "a")), [("lg3", "a", "notes"), ("lg3", "a", "plans")])
        self.assertEqual(store.list_namespaces(prefix=("lg3",), suffix=("plans",)), [("lg3", "a", "plans"), ("lg3", "b", "plans")])
        self.assertEqual(store.list_namespaces(prefix=("lg3",), max_depth=2), [("lg3", "a"), ("lg3", "b")])

    def test_async(self) -> None:
        async def walk() -> Any:
            store = DaybookStore()
            await store.aput(("lg4",), "k", {"text": "The key is under the mat."})
            return await store.asearch(("lg4",), query="where is the key")

        self.assertEqual([i.key for i in asyncio.run(walk())], ["k"])

    def test_latest_only(self) -> None:
        store, here = DaybookStore(latest_only=True), ("lg5",)
        store.put(here, "1", {"text": "My dentist is Dr. Weiss."})
        store.put(here, "2", {"text": "I changed dentists, I go to Dr. Moreau now."})
        self.assertEqual([i.key for i in store.search(here, query="Who is my dentist?")], ["2"])


class Agents(unittest.TestCase):
    def test_session(self) -> None:
        asyncio.run(self.walk())

    async def walk(self) -> None:
        async with AsyncDaybook(user="agents-ana") as memory:
            session = DaybookSession("s1", memory)
            self.assertIsInstance(session, Session)
            items: Any = [
                {"role": "user", "content": "My cat is called Miso."},
                {"type": "function_call", "call_id": "c1", "name": "lookup", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "c1", "output": "a cat"},
                {"role": "assistant", "content": [{"type": "output_text", "text": "Nice name."}]},
            ]
            await session.add_items(items)
            self.assertEqual(await session.get_items(), items)
            self.assertEqual(await session.get_items(limit=2), items[2:])
            self.assertEqual(await session.pop_item(), items[3])
            self.assertEqual(await session.get_items(), items[:3])
            self.assertIn("Miso", await DaybookSession("s2", memory).recall("What is my cat called?"))
            await session.clear_session()
            self.assertEqual(await session.get_items(), [])
            self.assertIsNone(await session.pop_item())


class LlamaIndex(unittest.TestCase):
    def test_memory(self) -> None:
        user = Daybook(user="llama-ana")
        memory = DaybookMemory.from_defaults(memory=user, session="s1", k=2)
        memory.put_messages([ChatMessage(role="user", content="My cat is called Miso."), ChatMessage(role="assistant", content="Nice name.")])
        self.assertEqual([m.content for m in memory.get_all()], ["My cat is called Miso.", "Nice name."])
        later = DaybookMemory(user, session="s2", k=2)
        later.put(ChatMessage(role="user", content="What is my cat called?"))
        got = later.get()
        self.assertEqual([m.role.value for m in got], ["system", "user"])
        self.assertIn("] My cat is called Miso.", cast(str, got[0].content))
        memory.set([ChatMessage(role="user", content="I like tea.")])
        self.assertEqual([m.content for m in memory.get_all()], ["I like tea."])
        memory.reset()
        memory.reset()  # again does nothing
        self.assertEqual(memory.get_all(), [])
        self.assertEqual(len(later.get_all()), 1)


if __name__ == "__main__":
    unittest.main()
