"""Answers and errors as HTTP has them: JSON bytes, a status for each error, and the headers of every reply."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commonplace.errors import CommonplaceError
from commonplace.shapes import error_json, line_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.responses import Response

    from commonplace.daemon.door import Refusal

JSON_TYPE = "application/json"
FAULT = 500
STATUS = {  # of errors by their code; any other is a fault of ours
    "bad-argument": 400,
    "outside-workspace": 403,
    "not-found": 404,
    "suspicious-loss": 409,
    "write-conflict": 409,
    "bad-settings": 503,
    "cancelled": 503,
    "embedder-unavailable": 503,
    "interrupted": 503,
    "lock-busy": 503,
    "no-receipt": 503,
    "too-busy": 503,
    "workspace-not-found": 503,
    "workspace-unusable": 503,
    "deadline-passed": 504,
}
GUARDS = (  # headers of every reply: nothing is kept, framed, sniffed, or read by a page of another origin
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)


def answer(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A value as JSON."""
    from starlette.responses import Response

    return Response(line_of(value), status, headers, JSON_TYPE)


def refused(refusal: Refusal) -> Response:
    """What is said to who is not let in."""
    headers = {401: {"WWW-Authenticate": "Bearer"}, 413: {"Connection": "close"}}.get(refusal.status)
    told = {"code": refusal.code, "message": refusal.message, "path": "", "line": 0, "hint": refusal.hint}
    return answer(told, refusal.status, headers)


def failed(error: CommonplaceError) -> Response:
    """`commonplace.error.v1` with the status that says the same."""
    status = STATUS.get(error.code, FAULT)
    return answer(error_json(error), status, {"Retry-After": "1"} if status == 503 else None)
