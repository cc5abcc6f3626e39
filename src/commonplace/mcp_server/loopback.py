"""Streamable HTTP on loopback: who does not show the token, or was sent by a page, is not let in."""

from __future__ import annotations

import os
import stat
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from commonplace import files
from commonplace.daemon import complaints
from commonplace.daemon.door import Door, Refusal, refuse
from commonplace.daemon.listening import Server, server_of
from commonplace.daemon.replies import GUARDS, refused
from commonplace.daemon.sockets import listen_tcp
from commonplace.mcp_server.bodies import Bodies
from commonplace.mcp_server.building import build
from commonplace.mcp_server.endings import Endings
from commonplace.operations import ending

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from commonplace.mcp_server.desk import Desk
    from commonplace.mcp_server.where import Where

HOST, PATH = "127.0.0.1", "/mcp"
TOKEN, TOKEN_BYTES = "mcp.token", 32
OTHERS = stat.S_IRWXG | stat.S_IRWXO
MOST_SESSIONS = 64
IDLE_S = 1_800.0  # that a session may stay without a request
METHODS = ("POST", "GET", "DELETE")
NO_PATH = Refusal(404, "not-found", "there is nothing at this path", f"the server is at {PATH}")
NO_METHOD = Refusal(405, "bad-method", f"one of {', '.join(METHODS)} is answered here")


def token_of(folder: str) -> str:
    """The token that a client must show, made at first use: clients write it into their configuration.

    `folder` is the one where we keep what is of this user and of no workspace. A token that others could read is no
    secret any more; another takes its place, and that of one that is damaged.
    """
    files.make_folders(folder)
    with files.lock(f"{folder}/{TOKEN}.lock"):
        found = (files.find(folder, TOKEN) or b"").strip()
        if found.isalnum() and not os.lstat(f"{folder}/{TOKEN}").st_mode & OTHERS:
            return found.decode("ascii")
        return files.renewed_secret(folder, TOKEN, TOKEN_BYTES)


async def over_http(desk: Desk, where: Where, decisions: bool) -> None:
    """Any number of clients, until a signal ends it. Raises BadArgument for a port that cannot be had."""
    complaints.hear(where.say)
    token = token_of(where.folder)
    with listen_tcp(HOST, where.port) as listener:
        at = listener.getsockname()[1]
        door = Door(token.encode(), at)
        manager = _manager(desk, decisions=decisions)
        told = f"serving MCP at http://{HOST}:{at}{PATH}; the token lies in {where.folder}/{TOKEN}"
        endings = Endings(Bodies(manager.handle_request))
        server = server_of(_Guarded(door, where.folder, endings), partial(where.say, told))
        async with manager.run(), anyio.create_task_group() as group:
            group.start_soon(_end_at_signal, server, endings)
            await server.serve([listener])
            group.cancel_scope.cancel()


def _manager(desk: Desk, *, decisions: bool) -> StreamableHTTPSessionManager:
    """It looks at no `Host` and no `Origin`: whoever comes to it was let in by the door."""
    return StreamableHTTPSessionManager(
        build(desk, decisions=decisions), session_idle_timeout=IDLE_S, max_sessions=MOST_SESSIONS
    )


async def _end_at_signal(server: Server, endings: Endings) -> None:
    with anyio.open_signal_receiver(*ending.signals()) as signals:
        async for _signal in signals:
            server.should_exit = True
            endings.come()


class _Guarded:
    """Lets in who may come in; nothing of a request but its headers is read before that."""

    def __init__(self, door: Door, folder: str, inner: ASGIApp) -> None:
        self._door, self._inner = door, inner
        hint = f"send `Authorization: Bearer` with the token that lies in {folder}/{TOKEN}"
        self._no_token = Refusal(401, "no-token", "the token is missing or wrong", hint)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*_others(message["headers"]), *GUARDS]}
            await send(message)

        refusal = self._refusal(scope)
        await (refused(refusal) if refusal else self._inner)(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> Refusal | None:
        refusal = refuse(self._door, scope["headers"], over_tcp=True)
        if refusal is not None:
            return self._no_token if refusal.status == 401 else refusal
        if scope["path"] != PATH:
            return NO_PATH
        return None if scope["method"] in METHODS else NO_METHOD


def _others(headers: Any) -> list[Any]:
    """The headers of a reply that ours do not replace."""
    ours = {name for name, _value in GUARDS}
    return [(name, value) for name, value in headers if name.lower() not in ours]
