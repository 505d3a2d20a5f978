"""LlamaIndex's memory on Daybook: pip install daybook-memory[llama-index].

get returns the last messages of the session and, before them, what earlier ones say to the
input (the user's last message if none is given), each with its role: current, historical
and so on.
"""

from __future__ import annotations

import time
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.memory.types import BaseMemory

from . import types as t
from ._sync import Daybook


class DaybookMemory(BaseMemory):
    """A chat memory whose messages are kept, learned from and recalled."""

    session: str
    k: int = 8
    last: int = 20
    _memory: Daybook = PrivateAttr()

    def __init__(self, memory: Daybook | None = None, **fields: Any) -> None:
        super().__init__(**fields)
        self._memory = (memory or Daybook()).scoped(session=self.session)

    @classmethod
    def class_name(cls) -> str:
        return "DaybookMemory"

    @classmethod
    def from_defaults(cls, **fields: Any) -> DaybookMemory:
        return cls(**fields)

    def get(self, input: str | None = None, **_: Any) -> list[ChatMessage]:
        recent = self._messages(self.last)
        shown = {m.content for m in recent}
        asked = input or next((m.content for m in reversed(recent) if m.role == MessageRole.USER), None)
        rows = self._memory.recall(asked, k=self.k).rows if asked else []
        known = "\n".join(f"[{row.role or 'said'}] {row.text}" for row in rows if row.text not in shown)
        if not known:
            return recent
        return [ChatMessage(role=MessageRole.SYSTEM, content=f"From memory; what is historical no longer holds:\n{known}"), *recent]

    def get_all(self) -> list[ChatMessage]:
        return self._messages(1000)

    def put(self, message: ChatMessage) -> None:
        text = message.content
        if not text or not text.strip():
            return
        said = {"role": message.role.value, "content": text}
        beside = {"role": message.role.value, "at": time.time_ns()}
        self._memory.add([said], metadata=beside, wait=True)

    def set(self, messages: list[ChatMessage]) -> None:
        self.reset()
        self.put_messages(messages)

    def reset(self) -> None:
        if self._memory.memories(limit=1):
            self._memory.forget(session=self.session)

    def _messages(self, limit: int) -> list[ChatMessage]:
        """The last messages of the session, oldest first."""
        kept = [m for m in self._memory.memories(limit=limit) if "at" in (m.metadata or {})]
        return [_message(m) for m in sorted(kept, key=lambda m: int((m.metadata or {})["at"]))]


def _message(m: t.Memory) -> ChatMessage:
    return ChatMessage(role=MessageRole((m.metadata or {})["role"]), content=m.memory)
