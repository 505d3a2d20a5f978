"""The errors that calls raise. All are DaybookError."""

from __future__ import annotations

from typing import Any


class DaybookError(Exception):
    """A call that did not succeed.

    status is that of the HTTP answer (0 where there was none), detail what the server
    said, errors the fields that are wrong, request_id what to look for in the server's log.
    """

    def __init__(
        self, detail: str, *, status: int = 0, title: str = "", errors: list[dict[str, Any]] | None = None,
        request_id: str = "", retry_after: float | None = None,
    ) -> None:
        self.detail, self.status, self.title = detail, status, title
        self.errors, self.request_id, self.retry_after = errors or [], request_id, retry_after
        fields = "; ".join(f"{e.get('location', '')}: {e.get('message', '')}" for e in self.errors)
        super().__init__(f"{detail} ({fields})" if fields else detail)


class ConnectionFailed(DaybookError):
    """The server could not be reached, or did not answer in time."""


class InvalidRequest(DaybookError):
    """400, 413, 415, 422: the input is wrong. Sending it again does not help."""


class NotAllowed(DaybookError):
    """401, 403: no key, or a key without the right."""


class NotFound(DaybookError):
    """404: there is no such thing."""


class Conflict(DaybookError):
    """409: it contradicts what the ledger holds, such as another text under the same id."""


class RateLimited(DaybookError):
    """429: too many requests. retry_after says in how many seconds to try again."""


class Unavailable(DaybookError):
    """503: the store or a model did not serve; try again."""


_BY_STATUS: dict[int, type[DaybookError]] = {
    400: InvalidRequest, 413: InvalidRequest, 415: InvalidRequest, 422: InvalidRequest,
    401: NotAllowed, 403: NotAllowed, 404: NotFound, 409: Conflict, 429: RateLimited, 503: Unavailable,
}


def error_for(status: int, problem: dict[str, Any], request_id: str, retry_after: float | None) -> DaybookError:
    """The error for an answer of the server."""
    detail = problem.get("detail") or problem.get("title") or f"the server answered with status {status}"
    return _BY_STATUS.get(status, DaybookError)(
        detail, status=status, title=problem.get("title", ""), errors=problem.get("errors"),
        request_id=request_id, retry_after=retry_after,
    )
