"""The routes: `POST /v1/<operation>` from the table of operations, and what can be got."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from commonplace.daemon import replies
from commonplace.daemon.door import MOST_BODY, MOST_DEADLINE_MS, Door, Refusal, refuse, too_large, unreadable
from commonplace.daemon.metrics import Metrics
from commonplace.errors import BadArgument, CommonplaceError
from commonplace.operations import OPERATIONS
from commonplace.operations.nouns import VERBS
from commonplace.shapes import decoded

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from commonplace.shapes import Json

BODY_S = 20.0  # for a body to arrive
DEADLINE = "commonplace-deadline-ms"
LIKENESS = "commonplace-likeness"
DEADLINE_MS = 60_000  # of a request that names none
METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Ask = Callable[[str, Any, int], Awaitable["Json"]]


class House(Struct, frozen=True):
    """What the routes stand on: who is let in, who is asked (with a deadline in ms), and what can be got.

    `say` answers our own command line with nouns, where that is of one `likeness` with the daemon.
    """

    door: Door
    metrics: Metrics
    ask: Ask
    say: Callable[[str, Any], Awaitable[bytes]]
    likeness: Callable[[], str]
    health: Callable[[], Json]
    schedule: Callable[[], Json]
    gauges: Callable[[], Awaitable[Mapping[str, float]]]


def application(house: House) -> ASGIApp:
    """The whole of it, as ASGI has it."""
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.routing import Route

    gets = {"/healthz": _health, "/metrics": _metrics, "/openapi.json": _openapi, "/v1/schedule": _schedule}
    routes = [Route(path, _bound(house, get), methods=["GET"]) for path, get in gets.items()]
    routes += [Route(f"/v1/{name}", _bound(house, partial(_operation, name)), methods=["POST"]) for name in OPERATIONS]
    routes += [Route(f"/nouns/{name}", _bound(house, partial(_noun, name)), methods=["POST"]) for name in VERBS]
    handlers: dict[Any, Any] = {HTTPException: _no_route, CommonplaceError: _failed, Exception: _fault}
    inner = Starlette(routes=routes, exception_handlers=handlers)
    inner.router.redirect_slashes = False
    return _Guarded(house, inner)


class _Guarded:
    """Lets in who may come in, puts the guarding headers on every reply, and counts."""

    def __init__(self, house: House, inner: ASGIApp) -> None:
        self._house, self._inner = house, inner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = time.perf_counter()
        status = 0

        async def guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message["headers"], *replies.GUARDS]}
            await send(message)

        over_tcp = bool(scope["server"] and scope["server"][1])
        refusal = refuse(self._house.door, scope["headers"], over_tcp=over_tcp)
        try:
            if refusal is not None:
                self._house.metrics.failed(refusal.code)
            await (replies.refused(refusal) if refusal else self._inner)(scope, receive, guarded)
        finally:
            self._house.metrics.answered(_label(scope["path"], status), status, time.perf_counter() - start)


def _label(path: str, status: int) -> str:
    """What is counted under: names of ours only, for a stranger's would be without end."""
    name = path.removeprefix("/v1/").lstrip("/")
    name = "nouns" if name.removeprefix("nouns/") in VERBS and path.startswith("/nouns/") else name
    known = name in OPERATIONS or name in ("healthz", "metrics", "openapi.json", "schedule", "nouns")
    return name if known and status not in (401, 403, 421, 431) else "other"


def _bound(house: House, reply: Callable[[House, Request], Awaitable[Response]]) -> Callable[[Request], Any]:
    async def route(request: Request) -> Response:
        return await reply(house, request)

    return route


async def _operation(name: str, house: House, request: Request) -> Response:
    body = await _body(request)
    if isinstance(body, Refusal):
        return _told(house, body)
    try:
        return replies.answer(await house.ask(name, _parsed(body), _deadline(request.headers.get(DEADLINE, ""))))
    except CommonplaceError as error:
        house.metrics.failed(error.code)
        return replies.failed(error)


async def _noun(name: str, house: House, request: Request) -> Response:
    """What our own command line asks, if it is of our version and sees the same folder under the same names."""
    from starlette.responses import Response

    if request.headers.get(LIKENESS) != house.likeness():
        return _told(house, Refusal(421, "not-alike", "another version, or other surroundings"))
    body = await _body(request)
    if isinstance(body, Refusal):
        return _told(house, body)
    try:
        return Response(await house.say(name, _parsed(body)), media_type=replies.JSON_TYPE)
    except CommonplaceError as error:
        house.metrics.failed(error.code)
        return replies.failed(error)


async def _body(request: Request) -> bytes | Refusal:
    """The bytes of the request, or why they are not taken."""
    from starlette.requests import ClientDisconnect

    headers = request.headers
    refusal = unreadable(headers.get("content-type", ""), headers.get("content-length", ""))
    if refusal is not None:
        return refusal
    held = bytearray()
    try:
        async with asyncio.timeout(BODY_S):
            async for piece in request.stream():
                held += piece
                if len(held) > MOST_BODY:
                    return too_large()
    except TimeoutError:
        return Refusal(408, "too-slow", f"the body did not arrive within {BODY_S:g} s")
    except ClientDisconnect:
        return Refusal(400, "cut-short", "the body ended before it was there")  # which nobody reads
    return bytes(held)


def _parsed(body: bytes) -> Any:
    try:
        return decoded(body or b"{}")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadArgument(f"the body is not valid JSON: {error}") from None


def _deadline(written: str) -> int:
    if not written:
        return DEADLINE_MS
    if not (written.isdecimal() and len(written) < 9 and 0 < int(written) <= MOST_DEADLINE_MS):
        raise BadArgument(f"{DEADLINE} must be a whole number from 1 to {MOST_DEADLINE_MS}, not {written!r}")
    return int(written)


async def _health(house: House, _request: Request) -> Response:
    return replies.answer(house.health())


async def _metrics(house: House, _request: Request) -> Response:
    from starlette.responses import Response

    return Response(house.metrics.text(await house.gauges()), media_type=METRICS_TYPE)


async def _openapi(_house: House, _request: Request) -> Response:
    from commonplace.daemon.openapi import document

    return replies.answer(document())


async def _schedule(house: House, _request: Request) -> Response:
    return replies.answer(house.schedule())


def _told(house: House, refusal: Refusal) -> Response:
    house.metrics.failed(refusal.code)
    return replies.refused(refusal)


async def _no_route(_request: Request, error: Any) -> Response:
    """What the routes say to a path that is none of ours, or a method that it does not have."""
    if error.status_code == 404:
        return replies.refused(Refusal(404, "not-found", "there is nothing at this path", "see /openapi.json"))
    refusal = Refusal(error.status_code, "bad-method", "this path has another method", "see /openapi.json")
    response = replies.refused(refusal)
    response.headers.update(error.headers or {})
    return response


async def _failed(_request: Request, error: Any) -> Response:
    return replies.failed(error)


async def _fault(_request: Request, error: Exception) -> Response:
    """What is wrong in us: said plainly, without the traceback, which goes to stderr."""
    told = f"{type(error).__name__} in the daemon"
    return replies.refused(
        Refusal(500, "fault", told, "this is a bug; the daemon's stderr says where; please report it")
    )
