"""A session of the OpenAI Agents SDK on Daybook: pip install daybook-memory[openai-agents].

The session keeps every item of a conversation to the letter, and Daybook learns from what
user and assistant say, so that later sessions of the same user can recall it.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, cast

from . import types as t
from ._async import AsyncDaybook

if TYPE_CHECKING:
    from agents.items import TResponseInputItem
    from agents.memory import SessionSettings

PAGE = 1000


class DaybookSession:
    """A conversation that is kept in Daybook; fits the SDK's Session protocol."""

    session_settings: SessionSettings | None = None

    def __init__(self, session_id: str, memory: AsyncDaybook | None = None) -> None:
        self.session_id = session_id
        self.memory = (memory or AsyncDaybook()).scoped(session=session_id)

    async def recall(self, query: str, *, k: int = 8) -> str:
        """What the user's memory holds for a question, over all sessions, as lines for a prompt."""
        rows = (await self.memory.recall(query, k=k)).rows
        return "\n".join(f"[{row.role or 'said'}] {row.text}" for row in rows)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        kept = await self._kept()
        items = [json.loads((m.metadata or {})["item"]) for m in kept]
        return cast("list[TResponseInputItem]", items[-limit:] if limit else items)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        for item in items:
            data = cast("dict[str, Any]", item)
            text, role = _text(data), str(data.get("role", ""))
            message = {"role": role or "assistant", "content": text or json.dumps(data)}
            beside = {"item": json.dumps(data), "at": time.time_ns()}
            await self.memory.add([message], metadata=beside, learn=bool(text and role), wait=True)

    async def pop_item(self) -> TResponseInputItem | None:
        kept = await self._kept()
        if not kept:
            return None
        await self.memory.delete(kept[-1].id)
        return cast("TResponseInputItem", json.loads((kept[-1].metadata or {})["item"]))

    async def clear_session(self) -> None:
        await self.memory.forget(session=self.session_id)

    async def _kept(self) -> list[t.Memory]:
        """The items of the session, oldest first."""
        found: list[t.Memory] = []
        while len(page := await self.memory.memories(limit=PAGE, page=len(found) // PAGE + 1)) == PAGE:
            found += page
        items = [m for m in found + page if "item" in (m.metadata or {})]
        return sorted(items, key=lambda m: int((m.metadata or {})["at"]))


def _text(item: dict[str, Any]) -> str:
    """What a message says; empty for tool calls and other items."""
    content = item.get("content")
    if isinstance(content, list):
        content = "\n".join(part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str))
    return content.strip() if isinstance(content, str) else ""
