"""Requests over HTTP, each answered to its end: also where its session is ended before, and where the server ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio

from commonplace.daemon.door import Refusal
from commonplace.daemon.replies import refused

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

NO_SESSION = Refusal(404, "no-session", "this session was ended", "open another")


class Endings:
    """Gives requests to the application behind it; closes what that leaves open, ends at `come` what only listens."""

    def __init__(self, inner: ASGIApp) -> None:
        self._inner, self._is_near = inner, anyio.Event()

    def come(self) -> None:
        """The server is to end: nobody is to wait for streams on which nothing may ever come."""
        self._is_near.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_begun = is_whole = False

        async def noted(message: Message) -> None:
            nonlocal is_begun, is_whole
            is_begun = True
            is_whole = message["type"] == "http.response.body" and not message.get("more_body", False)
            await send(message)

        answer = self._heard if scope["method"] == "GET" else self._inner
        await answer(scope, receive, noted)
        if not is_begun:
            await refused(NO_SESSION)(scope, receive, send)
        elif not is_whole:
            await send({"type": "http.response.body"})

    async def _heard(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(self._end, group.cancel_scope)
            await self._inner(scope, receive, send)
            group.cancel_scope.cancel()

    async def _end(self, listening: anyio.CancelScope) -> None:
        await self._is_near.wait()
        listening.cancel()
