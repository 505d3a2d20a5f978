"""What the synchronous and the asynchronous client share: requests, replies, times."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import typing
from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeVar

import httpx

from .errors import ConnectionFailed, DaybookError, error_for

T = TypeVar("T")
Time = str | datetime


@dataclasses.dataclass(frozen=True)
class Call:
    """One request. safe says that sending it twice does no harm."""

    method: str
    path: str
    params: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    content: bytes | None = None
    safe: bool = True
    accept: str = "application/json"


@dataclasses.dataclass(frozen=True)
class Settings:
    """Where the server is, and whose memory is meant."""

    base_url: str
    scope: Mapping[str, str]
    max_retries: int


def settings(base_url: str | None, scope: Mapping[str, str | None], max_retries: int) -> Settings:
    url = base_url or os.environ.get("DAYBOOK_URL") or "http://127.0.0.1:7077"
    return Settings(url.rstrip("/"), given(scope), max_retries)


def headers(api_key: str | None) -> dict[str, str]:
    key = api_key or os.environ.get("DAYBOOK_API_KEY")
    return {"Authorization": f"Bearer {key}"} if key else {}


def given(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values that are not None, as JSON has them."""
    return {name: plain(value) for name, value in values.items() if value is not None}


def plain(value: Any) -> Any:
    """A value as JSON has it. Dataclasses lose what is empty; a time without a zone is local time."""
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.astimezone()).isoformat()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        pairs = {f.name.rstrip("_"): getattr(value, f.name) for f in dataclasses.fields(value)}
        return {name: plain(v) for name, v in pairs.items() if v is not None and v != []}
    if isinstance(value, Mapping):
        return {name: plain(v) for name, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value


def commit_of(after: Any) -> str | None:
    """The commit that a read waits for: a receipt's, or the text itself."""
    return getattr(after, "commit", after) or None


def query(params: Mapping[str, Any]) -> dict[str, str]:
    """Parameters of a URL; false is the server's default and is left out."""
    return {name: "true" if v is True else str(v) for name, v in params.items() if v is not False}


def may_retry(call: Call, reply: httpx.Response) -> bool:
    """429 is answered before anything is written; 503 may come after, so only reads are sent again."""
    return reply.status_code == 429 or (reply.status_code == 503 and call.safe)


def pause(reply: httpx.Response, attempt: int) -> float:
    """How long to wait before the next attempt, in seconds: what the server asks for, at most ten."""
    asked = retry_after(reply)
    return min(asked if asked is not None else 0.25 * 2**attempt, 10.0)


def retry_after(reply: httpx.Response) -> float | None:
    try:
        return float(reply.headers.get("Retry-After", ""))
    except ValueError:
        return None


def failure(reply: httpx.Response) -> DaybookError:
    """The error of a reply whose body was read."""
    try:
        problem = reply.json()
    except ValueError:
        problem = {"detail": reply.text[:200]}
    if not isinstance(problem, dict):
        problem = {}
    return error_for(reply.status_code, problem, reply.headers.get("X-Request-Id", ""), retry_after(reply))


def unreachable(base_url: str, err: httpx.TransportError) -> ConnectionFailed:
    if isinstance(err, httpx.TimeoutException):
        return ConnectionFailed(f"{base_url} did not answer in time; a higher timeout may help")
    return ConnectionFailed(f"cannot reach {base_url} ({err}); is 'daybook serve' running there?")


def build(kind: type[T], data: Any) -> T:
    """JSON as a type of types.py. Fields that this version does not know are left out."""
    return typing.cast(T, _convert(kind, data))


def _convert(kind: Any, data: Any) -> Any:
    args = typing.get_args(kind)
    if typing.get_origin(kind) is list:
        return [_convert(args[0], item) for item in data or []]
    if typing.get_origin(kind) is dict:
        return {name: _convert(args[1], item) for name, item in (data or {}).items()}
    if type(None) in args:
        return None if data is None else _convert(args[0], data)
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        known = _fields(kind)
        return kind(**{field: _convert(of, data[name]) for field, (name, of) in known.items() if name in data})
    return data


@functools.cache
def _fields(kind: Any) -> dict[str, tuple[str, Any]]:
    """The fields of a dataclass: their names in JSON, and their types."""
    hints = typing.get_type_hints(kind)
    return {f.name: (f.name.rstrip("_"), hints[f.name]) for f in dataclasses.fields(kind)}


class Events:
    """Reads server-sent events line by line."""

    def __init__(self) -> None:
        self._name, self._data = "", ""

    def feed(self, line: str) -> tuple[str, Any] | None:
        """Returns the event that a line ends, if it ends one."""
        if line.startswith("event:"):
            self._name = line[6:].strip()
        elif line.startswith("data:"):
            self._data += line[5:].strip()
        elif line == "" and self._data:
            event = (self._name, json.loads(self._data))
            self._name, self._data = "", ""
            return event
        return None
