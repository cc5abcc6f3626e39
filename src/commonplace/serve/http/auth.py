"""Who is answered and how: checks the headers of every request, and replies with security headers."""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping
from typing import Any

import anyio
from msgspec import Struct
from starlette.responses import Response
from starlette.types import Receive

from commonplace.errors import CommonplaceError
from commonplace.shapes import encode_json_line, problem_json

Header = tuple[bytes, bytes]

SOCKET_HOST = b"localhost"  # what requests over the Unix socket name
SINGLE_HEADERS = (b"host", b"origin", b"authorization", b"sec-fetch-site", b"content-type", b"content-length")
OWN_SITES = frozenset({b"none", b"same-origin"})
MAX_HEADERS = 64
MAX_HEADER_BYTES = 32_768  # bytes of all headers
MAX_BODY_BYTES = 8 << 20  # bytes of a request
BODY_TIMEOUT_S = 20.0  # in which a body must be there
MAX_DEADLINE_MS = 600_000
BEARER = b"bearer "


JSON_TYPE = "application/json"
INTERNAL_ERROR_STATUS = 500
STATUS_BY_CODE = {  # of errors by their code; any other is a fault of ours
    **dict.fromkeys(("bad-settings", "cancelled", "embedder-unavailable", "interrupted", "lock-busy"), 503),
    **dict.fromkeys(("no-receipt", "too-busy", "workspace-not-found", "workspace-unusable"), 503),
    "bad-argument": 400,
    "outside-workspace": 403,
    "not-found": 404,
    "suspicious-loss": 409,
    "write-conflict": 409,
    "deadline-passed": 504,
}
SECURITY_HEADERS = (  # headers of every reply: nothing is kept, framed, sniffed, or read by a page of another origin
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)


class Refusal(Struct, frozen=True):
    """The refusal of a request: the status, and the error in its documented shape."""

    status: int
    code: str
    message: str
    hint: str = ""


BODY_TOO_LARGE = Refusal(413, "too-large", f"a request has at most {MAX_BODY_BYTES} bytes")
BODY_TOO_SLOW = Refusal(408, "too-slow", f"the body did not arrive within {BODY_TIMEOUT_S:g} s")
CUT_SHORT = Refusal(400, "cut-short", "the body ended before it was there")  # which nobody reads


class RequestAuth(Struct, frozen=True):
    """The requirements of a request: the token, and the host name to which it is sent.

    `port` is the one of TCP on loopback, 0 where only the Unix socket listens.
    """

    token: bytes
    port: int = 0

    def hosts(self, *, over_tcp: bool) -> frozenset[bytes]:
        """The names that `Host` may have."""
        if not over_tcp:
            return frozenset({SOCKET_HOST})
        return frozenset(b"%s:%d" % (name, self.port) for name in (b"127.0.0.1", b"localhost", b"[::1]"))


def check_request(auth: RequestAuth, headers: Iterable[Header], *, over_tcp: bool) -> Refusal | None:
    """The reason why a request with these headers is refused; None if it is accepted."""
    held = read_headers(headers)
    if isinstance(held, Refusal):
        return held
    return _check_origin(auth, held, over_tcp=over_tcp) or _check_token(auth, held)


def read_headers(headers: Iterable[Header]) -> dict[bytes, bytes] | Refusal:
    """The headers by name, or why there are too many of them, or one that may stand there once twice."""
    listed = list(headers)
    if len(listed) > MAX_HEADERS or sum(len(name) + len(raw_value) for name, raw_value in listed) > MAX_HEADER_BYTES:
        return Refusal(
            431, "large-head", f"a request has at most {MAX_HEADERS} headers of {MAX_HEADER_BYTES} bytes in all"
        )
    held: dict[bytes, bytes] = {}
    for name, raw_value in listed:
        if name in SINGLE_HEADERS and name in held:
            return Refusal(400, "bad-header", f"the header {name.decode('ascii')!r} stands there twice")
        held[name] = raw_value
    return held


def _check_origin(auth: RequestAuth, headers: dict[bytes, bytes], *, over_tcp: bool) -> Refusal | None:
    """The refusal of a request that was made for another host, or that comes from a page in a browser."""
    if headers.get(b"host", b"") not in auth.hosts(over_tcp=over_tcp):
        hint = "send `Host: localhost`" + (f", with the port {auth.port}" if over_tcp else "")
        return Refusal(421, "wrong-host", "the header `Host` names another server", hint)
    if headers.get(b"sec-fetch-site", b"none") not in OWN_SITES:
        return Refusal(403, "wrong-site", "pages of other sites are not answered")
    if b"origin" in headers:
        return Refusal(403, "wrong-origin", "pages in a browser are not answered", "send no header `Origin`")
    return None


def _check_token(auth: RequestAuth, headers: dict[bytes, bytes]) -> Refusal | None:
    shown = headers.get(b"authorization", b"")
    if shown[: len(BEARER)].lower() == BEARER and hmac.compare_digest(shown[len(BEARER) :], auth.token):
        return None
    hint = "send `Authorization: Bearer` with the token in the file beside the socket; it changes at each start"
    return Refusal(401, "no-token", "the token is missing or is not the one of this start", hint)


def check_body_headers(content_type: str, length: str) -> Refusal | None:
    """The refusal of a body by its headers; None for JSON of an acceptable size."""
    kind, _, parameter = content_type.lower().partition(";")
    if kind.strip() != "application/json" or parameter.replace(" ", "") not in ("", "charset=utf-8"):
        return Refusal(415, "no-json", "the body must be JSON", "send `Content-Type: application/json`")
    if length and int(length) > MAX_BODY_BYTES:
        return BODY_TOO_LARGE
    return None


async def read_body(receive: Receive, max_bytes: int, too_large: Refusal) -> bytes | Refusal:
    """The body of a request; one that is too long is read to its end, so that the client gets the refusal."""
    body, is_too_large = bytearray(), False
    with anyio.move_on_after(BODY_TIMEOUT_S):
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return CUT_SHORT
            body += message.get("body", b"")
            if len(body) > max_bytes:
                body, is_too_large = bytearray(), True
            if not message.get("more_body", False):
                return too_large if is_too_large else bytes(body)
    return too_large if is_too_large else BODY_TOO_SLOW


def json_response(body: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A value as JSON."""
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
