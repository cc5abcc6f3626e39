"""The streamable HTTP transport on loopback: token check, bounded bodies, and sessions that end cleanly."""

from __future__ import annotations

import os
import stat
from functools import partial
from hashlib import sha256
from itertools import count

import anyio
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from commonplace.errors import TooBusy
from commonplace.serve import http, shutdown_signals
from commonplace.serve.mcp.handshake import MAX_MESSAGE_BYTES
from commonplace.serve.mcp.pending_requests import AsyncDispatcher, PendingRequests
from commonplace.serve.mcp.server import build_mcp_server
from commonplace.serve.mcp.start_options import HttpEndpoint, ToolOptions
from commonplace.shapes import repair_json
from commonplace.storage import files

BODY_TOO_LONG = http.Refusal(413, "too-large", f"a message has at most {MAX_MESSAGE_BYTES} bytes")
NO_ROOM_MESSAGE = "as many requests wait already as there is room for, and none of them is answered"


class BodyLimitMiddleware:
    """Gives requests with their bodies to the application behind it; what takes long waits for room before its body."""

    def __init__(self, inner: ASGIApp) -> None:
        self._inner, self._pending, self._numbers = inner, PendingRequests(), count()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            return await self._inner(scope, receive, send)
        # The size of the body as far as it is kept; the largest where nobody says.
        size = min(int(dict(scope["headers"]).get(b"content-length", MAX_MESSAGE_BYTES)), MAX_MESSAGE_BYTES)
        if not await self._pending.has_room(size):
            return await http.error_response(TooBusy(NO_ROOM_MESSAGE))(scope, receive, send)
        key = b"%d" % next(self._numbers)
        self._pending.add(key, size)
        try:
            body = await http.read_body(receive, MAX_MESSAGE_BYTES, BODY_TOO_LONG)
            if isinstance(body, http.Refusal):
                return await http.refusal_response(body)(scope, receive, send)
            await self._inner(scope, _replay_body(repair_json(body), receive), send)
        finally:
            self._pending.settle(key)


def _replay_body(body: bytes, receive: Receive) -> Receive:
    """What gives the body, and then what comes after it."""
    first: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def received() -> Message:
        return first.pop() if first else await receive()

    return received


NO_SESSION = http.Refusal(404, "no-session", "this session was ended", "open another")


class SessionEndMiddleware:
    """Gives requests to the application behind it; closes what that leaves open, ends at `begin_shutdown` what only
    listens."""

    def __init__(self, inner: ASGIApp) -> None:
        self._inner, self._is_shutting_down = inner, anyio.Event()

    def begin_shutdown(self) -> None:
        """The server is to end: nobody is to wait for streams on which nothing may ever come."""
        self._is_shutting_down.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_begun = is_whole = False

        async def noted(message: Message) -> None:
            nonlocal is_begun, is_whole
            is_begun = True
            is_whole = message["type"] == "http.response.body" and not message.get("more_body", False)
            await send(message)

        answer = self._run_listening_request if scope["method"] == "GET" else self._inner
        await answer(scope, receive, noted)
        if not is_begun:
            await http.refusal_response(NO_SESSION)(scope, receive, send)
        elif not is_whole:
            await send({"type": "http.response.body"})

    async def _run_listening_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(self._cancel_at_shutdown, group.cancel_scope)
            await self._inner(scope, receive, send)
            group.cancel_scope.cancel()

    async def _cancel_at_shutdown(self, listening: anyio.CancelScope) -> None:
        await self._is_shutting_down.wait()
        listening.cancel()


HOST, PATH = "127.0.0.1", "/mcp"
TOKEN_BYTES = 32
OTHERS_MODE = stat.S_IRWXG | stat.S_IRWXO
MAX_SESSIONS = 64
SESSION_IDLE_S = 1_800.0  # that a session may stay without a request
METHODS = ("POST", "GET", "DELETE")
OWN_HEADERS = {name for name, _value in http.SECURITY_HEADERS}
NO_PATH = http.Refusal(404, "not-found", "this path does not exist", f"the server is at {PATH}")
NO_METHOD = http.Refusal(405, "bad-method", f"one of {', '.join(METHODS)} is answered here")


def token_file(scope: str) -> str:
    """The name of the file of the token: a server that is pinned to a scope has one of its own for it, because whoever
    is let in there is not to be let in by a server that is not pinned."""
    return f"mcp-{sha256(scope.encode()).hexdigest()[:16]}.token" if scope else "mcp.token"


def ensure_mcp_token(folder: str, name: str) -> str:
    """The token that a client must show, made at first use: clients write it into their configuration.

    `folder` is the one where we keep what is of this user and of no workspace, `name` the file there. A token that
    others could read is no secret any more; another takes its place, and that of one that is damaged.
    """
    files.make_folders(folder)
    with files.hold_file_lock(f"{folder}/{name}.lock"):
        found = (files.read_file_if_exists(folder, name) or b"").strip()
        if found.isalnum() and not os.lstat(f"{folder}/{name}").st_mode & OTHERS_MODE:
            return found.decode("ascii")
        return files.renew_secret(folder, name, TOKEN_BYTES)


async def run_over_http(dispatcher: AsyncDispatcher, endpoint: HttpEndpoint, tool_options: ToolOptions) -> None:
    """Any number of clients, until a signal ends it. Raises BadArgument for a port that cannot be had."""
    http.redirect_library_logs(endpoint.log)
    name = token_file(endpoint.scope)
    token = ensure_mcp_token(endpoint.folder, name)
    with http.listen_tcp(HOST, endpoint.port) as listener:
        at = listener.getsockname()[1]
        auth = http.RequestAuth(token.encode(), at)
        mcp_server = build_mcp_server(dispatcher, tool_options)
        # It looks at no `Host` and no `Origin`: the headers of whoever comes to it are checked.
        manager = StreamableHTTPSessionManager(
            mcp_server, session_idle_timeout=SESSION_IDLE_S, max_sessions=MAX_SESSIONS
        )
        told = f"serving MCP at http://{HOST}:{at}{PATH}; the token is in {endpoint.folder}/{name}"
        endings = SessionEndMiddleware(BodyLimitMiddleware(manager.handle_request))
        server = http.build_http_server(
            _TokenMiddleware(auth, f"{endpoint.folder}/{name}", endings), partial(endpoint.log, told)
        )
        async with manager.run(), anyio.create_task_group() as group:
            group.start_soon(_end_at_signal, server, endings)
            await server.serve([listener])
            group.cancel_scope.cancel()


async def _end_at_signal(server: http.SignalFreeServer, session_endings: SessionEndMiddleware) -> None:
    with anyio.open_signal_receiver(*shutdown_signals()) as signals:
        async for _signal in signals:
            server.should_exit = True
            session_endings.begin_shutdown()


class _TokenMiddleware:
    """Lets in who may come in; nothing of a request but its headers is read before that."""

    def __init__(self, auth: http.RequestAuth, token_path: str, inner: ASGIApp) -> None:
        self._auth, self._inner = auth, inner
        hint = f"send `Authorization: Bearer` with the token in {token_path}"
        self._no_token = http.Refusal(401, "no-token", "the token is missing or wrong", hint)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                others = [header for header in message["headers"] if header[0].lower() not in OWN_HEADERS]
                message = {**message, "headers": [*others, *http.SECURITY_HEADERS]}
            await send(message)

        refusal = self._refusal(scope)
        await (http.refusal_response(refusal) if refusal else self._inner)(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> http.Refusal | None:
        refusal = http.check_request(self._auth, scope["headers"], over_tcp=True)
        if refusal is not None:
            return self._no_token if refusal.status == 401 else refusal
        if scope["path"] != PATH:
            return NO_PATH
        return None if scope["method"] in METHODS else NO_METHOD
