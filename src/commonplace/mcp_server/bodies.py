"""What is said over HTTP, taken in at the door: each body within a time, all that wait within a bound."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import anyio

from commonplace.daemon.door import Refusal
from commonplace.daemon.replies import failed, refused
from commonplace.errors import TooBusy
from commonplace.mcp_server.intake import MOST_LINE
from commonplace.mcp_server.unanswered import Unanswered
from commonplace.shapes import repaired_json

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

BODY_S = 20.0  # in which a body must be there
TOO_LONG = Refusal(413, "too-large", f"a message has at most {MOST_LINE} bytes")
TOO_SLOW = Refusal(408, "too-slow", f"the body did not arrive within {BODY_S:g} s")
CUT_SHORT = Refusal(400, "cut-short", "the body ended before it was there")  # which nobody reads
BUSY = "as many requests wait already as there is room for, and none of them is answered"


class Bodies:
    """Gives requests with their bodies to the application behind it; what takes long waits for room before its body."""

    def __init__(self, inner: ASGIApp) -> None:
        self._inner, self._open, self._numbers = inner, Unanswered(), count()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            return await self._inner(scope, receive, send)
        size = _told_size(scope)
        if not await self._open.has_room(size):
            return await failed(TooBusy(BUSY))(scope, receive, send)
        key = b"%d" % next(self._numbers)
        self._open.add(key, size)
        try:
            body = await _body(receive)
            if isinstance(body, Refusal):
                return await refused(body)(scope, receive, send)
            await self._inner(scope, _again(repaired_json(body), receive), send)
        finally:
            self._open.settle(key)


def _told_size(scope: Scope) -> int:
    """The size of the body as far as it is kept; the largest where nobody says."""
    return min(int(dict(scope["headers"]).get(b"content-length", MOST_LINE)), MOST_LINE)


async def _body(receive: Receive) -> bytes | Refusal:
    """The body; one that is too long is heard to its end, or nobody would hear what is said of it."""
    held, is_too_long = bytearray(), False
    with anyio.move_on_after(BODY_S):
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return CUT_SHORT
            held += message.get("body", b"")
            if len(held) > MOST_LINE:
                held, is_too_long = bytearray(), True
            if not message.get("more_body", False):
                return TOO_LONG if is_too_long else bytes(held)
    return TOO_LONG if is_too_long else TOO_SLOW


def _again(body: bytes, receive: Receive) -> Receive:
    """What gives the body, and then what comes behind it."""
    first: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def received() -> Message:
        return first.pop() if first else await receive()

    return received
