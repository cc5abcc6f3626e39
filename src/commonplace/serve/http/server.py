"""The HTTP server under the daemon and MCP: listening sockets, uvicorn with a header timeout, and its log."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import stat
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from traceback import walk_tb
from typing import Any

import anyio
import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from commonplace.errors import AlreadyServed, BadArgument, LockBusy, WorkspaceUnusable, format_traceback
from commonplace.storage import files

TOKEN_BYTES = 32
LOOPBACK = {"127.0.0.1": socket.AF_INET, "localhost": socket.AF_INET, "::1": socket.AF_INET6}
BACKLOG = 128


def token_path(path: str) -> str:
    """The path of the token of the socket at `path`."""
    return path.removesuffix(".sock") + ".token"


@contextmanager
def hold_socket_path(path: str) -> Iterator[str]:
    """Own the path of a socket: a new token beside it, which is yielded; both are removed afterwards.

    What a daemon that died has left is replaced. Raises AlreadyServed where one lives, WorkspaceUnusable for a folder
    that is not ours.
    """
    folder = os.path.dirname(path)
    files.make_folders(folder)
    status = os.lstat(folder)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
        raise WorkspaceUnusable(folder, "it is not a folder of yours")
    if stat.S_IMODE(status.st_mode) != 0o700:
        os.chmod(folder, 0o700)
    try:
        with files.hold_file_lock(f"{path.removesuffix('.sock')}.lock", 0):
            token = files.renew_secret(folder, os.path.basename(token_path(path)), TOKEN_BYTES)
            try:
                yield token
            finally:
                for left in (path, token_path(path)):
                    with suppress(FileNotFoundError):
                        os.unlink(left)
    except LockBusy:
        raise AlreadyServed(path) from None


def listen_unix(path: str) -> socket.socket:
    """A Unix socket that only its owner can reach; the caller occupies its place."""
    with suppress(FileNotFoundError):
        os.unlink(path)
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        made.bind(path)
        os.chmod(path, 0o600)
        made.listen(BACKLOG)
    except OSError as error:
        made.close()
        raise WorkspaceUnusable(path, f"it cannot be listened at: {(error.strerror or str(error)).lower()}") from None
    return made


def listen_tcp(host: str, port: int, *, only_loopback: bool = True) -> socket.socket:
    """A socket at an address; port 0 takes any that is free. Raises BadArgument, also for an address elsewhere unless
    it is allowed."""
    family = LOOPBACK.get(host, socket.AF_INET6 if ":" in host else socket.AF_INET)
    if only_loopback and host not in LOOPBACK:
        told = f"the daemon listens on loopback only, not on {host!r}"
        raise BadArgument(told, hint="use 127.0.0.1 or ::1; for other machines, forward the Unix socket with ssh")
    # asyncio lets small packets go at once (TCP_NODELAY) only where the protocol is named; else an answer waits 40 ms.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(("127.0.0.1" if host == "localhost" else host, port))
        made.listen(BACKLOG)
    except (OSError, OverflowError) as error:
        made.close()
        why = "ports are numbers from 0 to 65535" if isinstance(error, OverflowError) else error.strerror or error
        told = f"port {port} of {host} cannot be listened at: {why}"
        raise BadArgument(told, hint="use another port; 0 chooses a free one") from None
    return made


GRACEFUL_SHUTDOWN_S = 20  # for requests that were accepted, when it is to end
MAX_CONNECTIONS = 256
KEEP_ALIVE_S = 60  # that a connection may stay without a request
HEADER_TIMEOUT_S = 10.0  # for the head of a request to arrive
MAX_HEAD_BYTES = 32_768


class HeaderTimeoutProtocol(H11Protocol):
    """One connection; it is closed where the head of a request does not arrive in time, or where others need its place
    while it makes no request."""

    _header_timer: asyncio.TimerHandle | None = None
    _waiting: dict[HeaderTimeoutProtocol, None] = {}  # noqa: RUF012  # of one process, longest without a request first

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self._waiting[self] = None
        idlest = next(iter(self._waiting))
        if len(self.connections) >= MAX_CONNECTIONS and idlest is not self:
            del self._waiting[idlest]
            self.connections.discard(idlest)
            idlest.transport.abort()
        self._start_timer()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._waiting.pop(self, None)
            self._cancel_timer()
        elif self._header_timer is None:
            self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._waiting.pop(self, None)
        self._cancel_timer()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self.transport.is_closing() and self.conn.their_state is h11.IDLE:
            self._waiting[self] = None

    def _start_timer(self) -> None:
        self._header_timer = self.loop.call_later(HEADER_TIMEOUT_S, self._on_timeout)

    def _cancel_timer(self) -> None:
        if self._header_timer is not None:
            self._header_timer.cancel()
            self._header_timer = None

    def _on_timeout(self) -> None:
        self._header_timer = None
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self.transport.close()


class SignalFreeServer(uvicorn.Server):
    """A server that leaves signals to its caller, and notifies it when it listens."""

    def __init__(self, config: uvicorn.Config, on_listening: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_listening = on_listening

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_listening()

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


def build_http_server(app: ASGIApp, on_listening: Callable[[], None]) -> SignalFreeServer:
    """A server of this application; `serve(sockets)` runs it, `should_exit = True` ends it.

    `on_listening` is called once it answers.
    """
    logging.getLogger("uvicorn").setLevel(logging.ERROR)  # what a client does wrong is counted, not logged
    settings: dict[str, Any] = {"lifespan": "off", "log_config": None, "access_log": False}
    settings |= {"http": HeaderTimeoutProtocol, "ws": "none", "loop": "asyncio", "proxy_headers": False}
    settings |= {"server_header": False, "date_header": False}
    settings |= {"limit_concurrency": MAX_CONNECTIONS, "h11_max_incomplete_event_size": MAX_HEAD_BYTES}
    settings |= {"timeout_keep_alive": KEEP_ALIVE_S, "timeout_graceful_shutdown": GRACEFUL_SHUTDOWN_S}
    return SignalFreeServer(uvicorn.Config(app, **settings), on_listening)


LIBRARY_LOGGERS = ("mcp", "sse_starlette", "uvicorn")
DISCONNECT_ERRORS = (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream, asyncio.CancelledError)
OUR_PACKAGE = __name__.partition(".")[0]


def redirect_library_logs(log: Callable[[str], None]) -> None:
    """From now on one line is said of what is complained of; of an error that went through us, its traceback too."""
    for name in LIBRARY_LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [_LibraryLogHandler(log)], False


class _LibraryLogHandler(logging.Handler):
    def __init__(self, log: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        said = f"{record.name.partition('.')[0]}: {' '.join(record.getMessage().split())}"
        error = record.exc_info[1] if record.exc_info else None
        if error is None:
            return self._log(said)
        causes = list(_leaf_exceptions(error))
        if all(isinstance(cause, DISCONNECT_ERRORS) for cause in causes):
            return self._log(f"{said}: the session or the connection was ended before the answer was there")
        if any(_passes_our_code(cause) for cause in (error, *causes)):
            return self._log(f"{said}\n{format_traceback(error)}")
        # Below the first line of an error pydantic repeats what was asked or answered, which is nothing for a log.
        lines = [f"{type(cause).__name__}: {str(cause).partition(chr(10))[0]}" for cause in causes]
        return self._log(f"{said}: {'; '.join(lines)}")


def _leaf_exceptions(exc: BaseException) -> Iterator[BaseException]:
    """The error, or what a group of them is made of."""
    if not isinstance(exc, BaseExceptionGroup):
        yield exc
        return
    for one in exc.exceptions:
        yield from _leaf_exceptions(one)


def _passes_our_code(exc: BaseException) -> bool:
    names = (frame.f_globals.get("__name__", "") for frame, _line in walk_tb(exc.__traceback__))
    return any(name.partition(".")[0] == OUR_PACKAGE for name in names)
