"""The synchronous client, made from _async.py by clients/generate.py; do not edit."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypeVar
from urllib.parse import quote

import httpx

from . import types as t
from ._http import Call, Events, Settings, Time, build, commit_of, failure, given, headers, may_retry, pause, query, settings, unreachable
from .errors import error_for

T = TypeVar("T")
View = Literal["current", "historical", "change", "neutral"]
Format = Literal["json", "xml", "yaml", "markdown"]
Scorer = Literal["blend", "embedding", "words", "exact", "entailment", "llm"]
After = t.Receipt | t.TreeReceipt | t.ImportReceipt | str


class Daybook:
    """A memory on a Daybook server.

        memory = Daybook(user="ana")
        memory.add("I moved to Lisbon.", wait=True)
        print((memory.ask("Where does Ana live?")).answer)

    base_url is DAYBOOK_URL if not given, else http://127.0.0.1:7077; api_key is
    DAYBOOK_API_KEY. user, agent and session say whose memory every call means; scoped
    returns a client for others that shares the connections. Times are ISO 8601 strings;
    arguments may be datetime, too. Errors are those of daybook.errors.
    """

    def __init__(
        self, base_url: str | None = None, api_key: str | None = None, *, user: str | None = None, agent: str | None = None,
        session: str | None = None, timeout: float = 60.0, max_retries: int = 2, http_client: httpx.Client | None = None,
    ) -> None:
        scope = {"user_id": user, "agent_id": agent, "run_id": session}
        self._settings: Settings = settings(base_url, scope, max_retries)
        self._http = http_client or httpx.Client(timeout=timeout)
        self._headers = headers(api_key)

    def scoped(self, *, user: str | None = None, agent: str | None = None, session: str | None = None) -> Daybook:
        """The same server with another user, agent or session; what is not given stays."""
        other = object.__new__(Daybook)
        scope = {**self._settings.scope, **given({"user_id": user, "agent_id": agent, "run_id": session})}
        other._settings = Settings(self._settings.base_url, scope, self._settings.max_retries)
        other._http, other._headers = self._http, self._headers
        return other

    def close(self) -> None:
        """Closes the connections, also of clients that scoped returned."""
        self._http.close()

    def __enter__(self) -> Daybook:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Messages

    def add(
        self, messages: str | Sequence[Mapping[str, Any]], *, id: str | None = None, wait: bool = False, learn: bool = True,
        timestamp: Time | float | None = None, metadata: Mapping[str, Any] | None = None, reason: str | None = None,
    ) -> t.Receipt:
        """Keeps a message, or several in OpenAI's chat form. It is durable when this returns;
        with wait it is learned from, too. A message with an id is kept once."""
        body = {
            "messages": messages, "custom_id": id, "ack": "indexed" if wait else None, "infer": None if learn else False,
            "timestamp": timestamp, "metadata": metadata, "commit_message": reason,
        }
        return build(t.Receipt, self._write("/v1/memories", body))

    def recall(
        self, query: str, *, k: int | None = None, view: View | None = None, as_of: Time | None = None, known_at: Time | None = None,
        budget_tokens: int | None = None, explain: bool = False, why_not: str | None = None, after: After | None = None,
    ) -> t.Recall:
        """The messages that a question needs, best first; role says whether each still holds.
        after is the receipt of a write that has to be found."""
        body = {
            "query": query, "k": k, "view": view, "as_of": as_of, "known_at": known_at, "budget_tokens": budget_tokens,
            "explain": explain or None, "why_not": why_not, "min_commit": commit_of(after),
        }
        return build(t.Recall, self._read("/v1/recall", body))

    def ask(
        self, query: str, *, view: View | None = None, as_of: Time | None = None, known_at: Time | None = None,
        budget_tokens: int | None = None, llm: bool = False, after: After | None = None,
    ) -> t.Answer:
        """An answer with its sources. known is False where the memory does not say."""
        return build(t.Answer, self._read("/v1/ask", _question(query, view, as_of, known_at, budget_tokens, llm, after)))

    def ask_stream(
        self, query: str, *, view: View | None = None, as_of: Time | None = None, known_at: Time | None = None,
        budget_tokens: int | None = None, llm: bool = False, after: After | None = None,
    ) -> Iterator[str | t.Answer]:
        """The pieces of an answer as they are written, then the whole Answer."""
        body = {**_question(query, view, as_of, known_at, budget_tokens, llm, after), "stream": True}
        call = Call("POST", "/v1/ask", body={**self._settings.scope, **given(body)}, accept="text/event-stream")
        events = Events()
        try:
            with self._http.stream(call.method, self._url(call), json=call.body, headers=self._sent(call)) as reply:
                if reply.is_error:
                    reply.read()
                    raise failure(reply)
                for line in reply.iter_lines():
                    event = events.feed(line)
                    if event is None:
                        continue
                    name, data = event
                    if name == "error":
                        raise error_for(data.get("status", 500), data, reply.headers.get("X-Request-Id", ""), None)
                    yield data["text"] if name == "delta" else build(t.Answer, data)
        except httpx.TransportError as err:
            raise unreachable(self._settings.base_url, err) from err

    def label(
        self, query: str, rows: Sequence[t.ForeignRow | Mapping[str, Any]], *, view: View | None = None, subject: str | None = None, now: Time | None = None,
    ) -> t.Labelled:
        """Labels rows that another memory returned for a question. Nothing is kept."""
        body = given({"query": query, "rows": list(rows), "view": view, "subject": subject, "now": now})
        return build(t.Labelled, self._send(Call("POST", "/v1/packets", body=body)))

    # Single memories

    def memories(self, *, limit: int = 100, page: int = 1, filters: Mapping[str, Any] | None = None) -> list[t.Memory]:
        """Single messages, newest first; filters are mem0's and are met together with the scope."""
        body = {"filters": _filters(self._settings.scope, filters)}
        reply = self._send(Call("POST", "/v3/memories", params={"page": page, "page_size": limit}, body=body))
        return build(list[t.Memory], reply["results"])

    def search(self, query: str, *, limit: int = 10, filters: Mapping[str, Any] | None = None, latest_only: bool = False) -> list[t.Memory]:
        """Single messages that fit a query, with ids that get, update and delete take."""
        body = {"query": query, "top_k": limit, "latest_only": latest_only, "filters": _filters(self._settings.scope, filters)}
        return build(list[t.Memory], (self._send(Call("POST", "/v3/memories/search", body=body)))["results"])

    def get(self, id: str) -> t.Memory:
        return build(t.Memory, self._send(Call("GET", f"/v1/memories/{_part(id)}")))

    def update(self, id: str, text: str, *, metadata: Mapping[str, Any] | None = None) -> t.Memory:
        """Corrects a memory; what it said before stays in its history."""
        return build(t.Memory, self._send(Call("PUT", f"/v1/memories/{_part(id)}", body=given({"text": text, "metadata": metadata}), safe=False)))

    def delete(self, id: str) -> t.Done:
        """Erases a memory and all that was learned from it."""
        return build(t.Done, self._send(Call("DELETE", f"/v1/memories/{_part(id)}", safe=False)))

    def memory_history(self, id: str) -> list[t.MemoryChange]:
        return build(list[t.MemoryChange], self._send(Call("GET", f"/v1/memories/{_part(id)}/history")))

    def owners(self) -> list[t.Owner]:
        """Users and agents that have memories."""
        return build(list[t.Owner], (self._send(Call("GET", "/v1/entities")))["results"])

    # Facts

    def facts(
        self, *, subject: str | None = None, relation: str | None = None, as_of: Time | None = None, known_at: Time | None = None,
        all: bool = False, limit: int | None = None, after: After | None = None,
    ) -> list[t.State]:
        """What holds now, at a past time, or as it was known at a past time; with all also what does not."""
        params = {"subject": subject, "relation": relation, "as_of": as_of, "known_at": known_at, "all": all, "limit": limit, "min_commit": commit_of(after)}
        return build(t.Facts, self._list("/v1/facts", params)).facts

    def add_fact(
        self, subject: str, relation: str, object: str, *, valid_from: Time | None = None, valid_until: Time | None = None,
        holds: Literal["one", "many"] | None = None, confidence: float | None = None, modality: str | None = None, why: str | None = None,
        sources: Sequence[str] | None = None, supersedes: Sequence[str] | None = None, reason: str | None = None,
    ) -> t.Receipt:
        """States a fact. holds says whether the relation has one value at a time or many."""
        body = {
            "subject": subject, "relation": relation, "object": object, "valid_from": valid_from, "valid_until": valid_until,
            "holds": holds, "confidence": confidence, "modality": modality, "why": why, "sources": sources,
            "supersedes": supersedes, "commit_message": reason,
        }
        return build(t.Receipt, self._write("/v1/facts", body))

    def history(
        self, subject: str, *, relation: str | None = None, as_of: Time | None = None, known_at: Time | None = None, after: After | None = None,
    ) -> list[t.History]:
        """Every value of a subject, and how it changed."""
        params = {"subject": subject, "relation": relation, "as_of": as_of, "known_at": known_at, "min_commit": commit_of(after)}
        return build(list[t.History], (self._list("/v1/history", params))["history"])

    def retract(self, id: str, *, why: str | None = None) -> t.Receipt:
        """Withdraws a note, fact, event or link; it stays in the ledger."""
        return build(t.Receipt, self._write("/v1/retract", {"id": id, "why": why}))

    # Ledger

    def changes(self, since: Time, *, after: After | None = None) -> t.Diff:
        """What is believed now and was not at a commit or a time, and the other way round."""
        return build(t.Diff, self._list("/v1/changes", {"since": since, "min_commit": commit_of(after)}))

    def log(self, *, limit: int | None = None) -> list[t.Commit]:
        return build(list[t.Commit], (self._list("/v1/log", {"limit": limit}))["commits"])

    def commit(self, ref: str) -> t.Commit:
        return build(t.Commit, self._list(f"/v1/commits/{_part(ref)}", {}))

    def diff(self, from_: str | None = None, to: str | None = None) -> t.Diff:
        return build(t.Diff, self._list("/v1/diff", {"from": from_, "to": to}))

    def revert(self, commit: str, *, reason: str | None = None) -> t.Receipt:
        """Undoes one commit and only it."""
        return build(t.Receipt, self._write("/v1/revert", {"commit": commit, "commit_message": reason}))

    def stats(self) -> t.Stats:
        return build(t.Stats, self._list("/v1/stats", {}))

    # Trees and queries

    def query(
        self, query: str, *, tree: str | None = None, limit: int | None = None, scorer: Scorer | None = None, threshold: float | None = None,
        known_at: Time | None = None, explain: bool = False, after: After | None = None,
    ) -> t.QueryResult:
        """Semantic XPath over a tree, or over the memory itself."""
        body = {
            "query": query, "tree": tree, "limit": limit, "scorer": scorer, "threshold": threshold, "known_at": known_at,
            "explain": explain or None, "min_commit": commit_of(after),
        }
        return build(t.QueryResult, self._read("/v1/query", body))

    def trees(self) -> list[t.TreeInfo]:
        return build(list[t.TreeInfo], (self._list("/v1/trees", {}))["trees"])

    def add_tree(self, name: str, content: str, *, format: Format = "json") -> t.TreeReceipt:
        """Keeps a plan or list as a tree with versions."""
        return build(t.TreeReceipt, self._write("/v1/trees", {"name": name, "content": content, "format": format}))

    def tree(self, name: str, *, version: int | None = None, format: Format | None = None) -> t.Tree:
        return build(t.Tree, self._list(f"/v1/trees/{_part(name)}", {"version": version, "format": format}))

    def tree_do(self, name: str, request: str, *, dry_run: bool = False, explain: bool = False, scorer: Scorer | None = None) -> t.TreeReply:
        """Asks or changes a tree in plain words."""
        body = {"request": request, "dry_run": dry_run or None, "explain": explain or None, "scorer": scorer}
        return build(t.TreeReply, self._write(f"/v1/trees/{_part(name)}/do", body))

    def tree_edit(
        self, name: str, changes: Sequence[t.TreeChange | Mapping[str, Any]], *, base: int | None = None, reason: str | None = None,
    ) -> t.TreeReceipt:
        """Changes nodes by their ids; base is the version that the changes were made on."""
        body = {"changes": list(changes), "base": base, "message": reason}
        return build(t.TreeReceipt, self._write(f"/v1/trees/{_part(name)}/edit", body))

    def tree_rollback(self, name: str, version: int, *, reason: str | None = None) -> t.TreeReceipt:
        return build(t.TreeReceipt, self._write(f"/v1/trees/{_part(name)}/rollback", {"version": version, "message": reason}))

    # Erasure

    def forget(
        self, *, ids: Sequence[str] | None = None, entity: str | None = None, session: str | None = None, tree: str | None = None,
        everything: bool = False, user: bool = False, dry_run: bool = False,
    ) -> t.Erasure:
        """Erases content and all that was learned from it, for good, and returns certificates."""
        body = {
            "ids": ids, "entity": entity, "session": session, "tree": tree, "everything": everything or None,
            "user": user or None, "dry_run": dry_run or None,
        }
        return build(t.Erasure, self._write("/v1/forget", body))

    def verify(self, certificate: t.Certificate | Mapping[str, Any]) -> str:
        """Checks a certificate of erasure against the ledger; raises where it does not hold."""
        return str((self._send(Call("POST", "/v1/forget/verify", body=given({"certificate": certificate}))))["status"])

    # Import and export

    def export(self) -> Iterator[bytes]:
        """The scope as JSON lines, in pieces."""
        call = Call("GET", "/v1/export", accept="application/x-ndjson")
        try:
            with self._http.stream("GET", self._url(call), params=dict(self._settings.scope), headers=self._sent(call)) as reply:
                if reply.is_error:
                    reply.read()
                    raise failure(reply)
                for piece in reply.iter_bytes():
                    yield piece
        except httpx.TransportError as err:
            raise unreachable(self._settings.base_url, err) from err

    def import_(
        self, content: bytes | str, *, format: str = "auto", me: str | None = None, time: Time | None = None, skip_bad: bool = False, wait: bool = False,
    ) -> t.ImportReceipt:
        """Takes in messages, documents or an export, in any format that 'daybook import' knows."""
        params = {"format": format, "me": me, "time": time, "skip_bad": skip_bad, "ack": "indexed" if wait else None}
        data = content.encode() if isinstance(content, str) else content
        call = Call("POST", "/v1/import", params={**self._settings.scope, **given(params)}, content=data, safe=False)
        return build(t.ImportReceipt, self._send(call))

    # Jobs, webhooks, the server

    def jobs(self, *, state: Literal["queued", "failed"] | None = None, everyone: bool = False) -> t.Jobs:
        """What is still to be learned from, and what failed."""
        return build(t.Jobs, self._list("/v1/jobs", {"state": state, "everyone": everyone}))

    def job(self, id: str) -> t.Job:
        return build(t.Job, self._list(f"/v1/jobs/{_part(id)}", {}))

    def retry_job(self, id: str) -> t.Job:
        return build(t.Job, self._write(f"/v1/jobs/{_part(id)}/retry", {}))

    def webhooks(self) -> list[t.Webhook]:
        return build(list[t.Webhook], (self._send(Call("GET", "/v1/webhooks")))["webhooks"])

    def add_webhook(self, url: str, events: Sequence[str], *, secret: str | None = None) -> t.Webhook:
        """The secret that deliveries are signed with is returned this once."""
        body = given({"url": url, "events": list(events), "secret": secret})
        return build(t.Webhook, self._send(Call("POST", "/v1/webhooks", body=body, safe=False)))

    def delete_webhook(self, id: str) -> None:
        self._send(Call("DELETE", f"/v1/webhooks/{_part(id)}", safe=False))

    def health(self) -> str:
        return str((self._send(Call("GET", "/health")))["status"])

    def ready(self) -> str:
        return str((self._send(Call("GET", "/health/ready")))["status"])

    def version(self) -> t.Version:
        return build(t.Version, self._send(Call("GET", "/version")))

    # Requests

    def _write(self, path: str, body: Mapping[str, Any]) -> Any:
        return self._send(Call("POST", path, body={**self._settings.scope, **given(body)}, safe=False))

    def _read(self, path: str, body: Mapping[str, Any]) -> Any:
        return self._send(Call("POST", path, body={**self._settings.scope, **given(body)}))

    def _list(self, path: str, params: Mapping[str, Any]) -> Any:
        return self._send(Call("GET", path, params={**self._settings.scope, **given(params)}))

    def _send(self, call: Call) -> Any:
        attempt = 0
        while True:
            try:
                reply = self._http.request(
                    call.method, self._url(call), params=query(call.params), json=call.body, content=call.content, headers=self._sent(call),
                )
            except httpx.TransportError as err:
                raise unreachable(self._settings.base_url, err) from err
            if not reply.is_error:
                return reply.json()
            if attempt == self._settings.max_retries or not may_retry(call, reply):
                raise failure(reply)
            time.sleep(pause(reply, attempt))
            attempt += 1

    def _url(self, call: Call) -> str:
        return self._settings.base_url + call.path

    def _sent(self, call: Call) -> dict[str, str]:
        sent = {**self._headers, "Accept": call.accept}
        return sent if call.content is None else {**sent, "Content-Type": "application/octet-stream"}


def _question(
    query: str, view: View | None, as_of: Time | None, known_at: Time | None, budget_tokens: int | None, llm: bool, after: After | None,
) -> dict[str, Any]:
    return {
        "query": query, "view": view, "as_of": as_of, "known_at": known_at, "budget_tokens": budget_tokens,
        "llm": llm or None, "min_commit": commit_of(after),
    }


def _filters(scope: Mapping[str, str], more: Mapping[str, Any] | None) -> dict[str, Any]:
    """Filters of mem0's endpoints for a scope."""
    whose = dict(scope) or {"user_id": "*"}
    return {"AND": [{name: value} for name, value in whose.items()] + ([dict(more)] if more else [])}


def _part(text: str) -> str:
    """One part of a path."""
    return quote(text, safe="")
