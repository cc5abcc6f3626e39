"""The HTTP server: uvicorn without what we do not want of it, and without patience for requests that never come."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import socket

    from starlette.types import ASGIApp

GRACE_S = 20  # for requests that were accepted, when it is to end
MOST_CONNECTIONS = 256
IDLE_S = 60  # that a connection may stay without a request
HEAD_S = 10.0  # for the head of a request to arrive
HEAD_BYTES = 32_768


class Impatient(H11Protocol):
    """One connection; it is closed where the head of a request does not arrive in time."""

    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """See uvicorn."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """See uvicorn."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._waited()
        elif self._patience is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """See uvicorn."""
        self._waited()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._patience = self.loop.call_later(HEAD_S, self._give_up)

    def _waited(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _give_up(self) -> None:
        self._patience = None
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self.transport.close()


class Server(uvicorn.Server):
    """A server that leaves signals to who started it, whom it tells when it listens."""

    def __init__(self, config: uvicorn.Config, listens: Callable[[], None]) -> None:
        super().__init__(config)
        self._listens = listens

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """See uvicorn."""
        await super().startup(sockets)
        self._listens()

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Capture none."""
        yield


def server_of(app: ASGIApp, listens: Callable[[], None]) -> Server:
    """A server of this application; `serve(sockets)` runs it, `should_exit = True` ends it.

    `listens` is called once it answers.
    """
    logging.getLogger("uvicorn").setLevel(logging.ERROR)  # what a client does wrong is counted, not logged
    settings: dict[str, Any] = {"lifespan": "off", "log_config": None, "access_log": False}
    settings |= {"http": Impatient, "ws": "none", "loop": "asyncio", "proxy_headers": False}
    settings |= {"server_header": False, "date_header": False}
    settings |= {"limit_concurrency": MOST_CONNECTIONS, "h11_max_incomplete_event_size": HEAD_BYTES}
    settings |= {"timeout_keep_alive": IDLE_S, "timeout_graceful_shutdown": GRACE_S}
    return Server(uvicorn.Config(app, **settings), listens)
