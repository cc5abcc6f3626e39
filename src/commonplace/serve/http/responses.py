"""Results and errors as HTTP responses with security headers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commonplace.errors import CommonplaceError
from commonplace.shapes import encode_json_line, problem_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.responses import Response

    from commonplace.serve.http.auth import Refusal
JSON_TYPE = "application/json"
INTERNAL_ERROR_STATUS = 500
STATUS_BY_CODE = {  # of errors by their code; any other is a fault of ours
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
SECURITY_HEADERS = (  # headers of every reply: nothing is kept, framed, sniffed, or read by a page of another origin
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)


def json_response(body: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A value as JSON."""
    from starlette.responses import Response

    return Response(encode_json_line(body), status, headers, JSON_TYPE)


def refusal_response(refusal: Refusal) -> Response:
    """What is said to who is not let in."""
    headers = {401: {"WWW-Authenticate": "Bearer"}, 413: {"Connection": "close"}}.get(refusal.status)
    told = {"code": refusal.code, "message": refusal.message, "path": "", "line": 0, "hint": refusal.hint}
    return json_response(told, refusal.status, headers)


def error_response(error: CommonplaceError) -> Response:
    """`commonplace.error.v1` with the status that says the same."""
    status = STATUS_BY_CODE.get(error.code, INTERNAL_ERROR_STATUS)
    return json_response(problem_json(error), status, {"Retry-After": "1"} if status == 503 else None)
