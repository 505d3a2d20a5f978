"""LangGraph's long-term store on Daybook: pip install daybook-memory[langgraph].

A namespace is a memory of its own, an item a message in it. Its text is what the value has
under text, content or data, else the value as JSON; it is learned from, unless the item is
put with index=False. Putting a key again corrects the item and keeps what it said before;
deleting it erases it.
"""

from __future__ import annotations

import asyncio
import json
import operator
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from langgraph.store.base import BaseStore, GetOp, Item, ListNamespacesOp, MatchCondition, Op, PutOp, Result, SearchItem, SearchOp

from . import types as t
from ._sync import Daybook

PAGE = 1000
COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": operator.eq, "$ne": operator.ne, "$gt": operator.gt, "$gte": operator.ge, "$lt": operator.lt, "$lte": operator.le,
}


class DaybookStore(BaseStore):
    """A BaseStore whose items are found by meaning; with latest_only a search by meaning
    leaves out items that say what was superseded since."""

    def __init__(self, memory: Daybook | None = None, *, latest_only: bool = False) -> None:
        self.memory, self.latest_only = memory or Daybook(), latest_only

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        return [self._do(op) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await asyncio.to_thread(self.batch, list(ops))

    def _do(self, op: Op) -> Result:
        if isinstance(op, PutOp):
            self._put(op)
            return None
        if isinstance(op, GetOp):
            found = self._find(op.namespace, op.key)
            return Item(**_item(op.namespace, found)) if found else None
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        raise TypeError(f"unknown operation {type(op).__name__}")

    def _of(self, namespace: tuple[str, ...]) -> Daybook:
        return self.memory.scoped(user=".".join(namespace))  # LangGraph allows no period in a label

    def _find(self, namespace: tuple[str, ...], key: str) -> t.Memory | None:
        return next(iter(self._of(namespace).memories(filters={"key": key}, limit=1)), None)

    def _put(self, op: PutOp) -> None:
        memory, known = self._of(op.namespace), self._find(op.namespace, op.key)
        if op.value is None:
            if known:
                memory.delete(known.id)
            return
        metadata = {"key": op.key, "value": op.value}
        if known:
            memory.update(known.id, _text(op.value), metadata=metadata)
        else:
            memory.add(_text(op.value), metadata=metadata, learn=op.index is not False, wait=True)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        found: list[SearchItem] = []
        for namespace in self._known():
            if namespace[: len(op.namespace_prefix)] != op.namespace_prefix:
                continue
            memory, wanted = self._of(namespace), PAGE if op.filter else op.limit + op.offset
            rows = memory.search(op.query, limit=wanted, latest_only=self.latest_only) if op.query else memory.memories(limit=wanted)
            found += [SearchItem(**_item(namespace, m), score=m.score) for m in rows if _meets(m, op.filter)]
        found.sort(key=lambda item: item.score or 0, reverse=True)
        return found[op.offset : op.offset + op.limit]

    def _known(self) -> list[tuple[str, ...]]:
        return sorted(tuple(owner.name.split(".")) for owner in self.memory.owners() if owner.type == "user")

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        conditions = op.match_conditions or ()
        found = {n[: op.max_depth] for n in self._known() if all(_matches(c, n) for c in conditions)}
        return sorted(found)[op.offset : op.offset + op.limit]


def _text(value: Mapping[str, Any]) -> str:
    """What an item says."""
    for name in ("text", "content", "data"):
        if isinstance(value.get(name), str) and value[name].strip():
            return str(value[name])
    return json.dumps(dict(value), ensure_ascii=False)


def _item(namespace: tuple[str, ...], m: t.Memory) -> dict[str, Any]:
    beside = m.metadata or {}
    return {
        "namespace": namespace, "key": beside["key"], "value": beside["value"],
        "created_at": datetime.fromisoformat(_microseconds(m.created_at)), "updated_at": datetime.fromisoformat(_microseconds(m.updated_at)),
    }


def _microseconds(time: str) -> str:
    """An ISO time as Python 3.10 reads it: six digits, and an offset in numbers."""
    whole, _, part = time.rstrip("Z").partition(".")
    return f"{whole}.{part[:6]:0<6}+00:00"


def _meets(m: t.Memory, conditions: dict[str, Any] | None) -> bool:
    """Whether a memory is an item that meets a filter."""
    if "key" not in (m.metadata or {}):
        return False
    value = (m.metadata or {})["value"]
    for name, wanted in (conditions or {}).items():
        tests = wanted if isinstance(wanted, dict) and all(k in COMPARE for k in wanted) else {"$eq": wanted}
        if name not in value or not all(COMPARE[how](value[name], what) for how, what in tests.items()):
            return False
    return True


def _matches(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    path = tuple(condition.path)
    if len(path) > len(namespace):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return all(wanted in ("*", label) for wanted, label in zip(path, part))
