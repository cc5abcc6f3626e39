"""The listening half of the page: a server of its own on loopback, which begins when somebody first asks for a link."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable
from contextlib import suppress

from commonplace.errors import BadArgument
from commonplace.serve.http import SignalFreeServer, build_http_server, listen_tcp
from commonplace.serve.page.app import Ask, ExamineHosts, PageContext, page_application
from commonplace.serve.page.doors import Doors
from commonplace.serve.page.views import FORMS, PAGES

HOST = "127.0.0.1"
FIRST_PORT, PORTS = 49_152, 16_384  # those that are free to use (RFC 6335)


class PageServer:
    """The page of one workspace; its address stays the same from one start to the next, as long as its port is free."""

    def __init__(self, root: str, ask: Ask, log: Callable[[str], None], examine_hosts: ExamineHosts) -> None:
        self._root, self._ask, self._log, self._examine_hosts = root, ask, log, examine_hosts
        self._doors: Doors | None = None
        self._server: SignalFreeServer | None = None
        self._serving: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()
        self._opening = asyncio.Lock()  # two may ask for the first link at once
        self._port = 0

    async def open_link(self) -> str:
        """The address that opens the page once; the first call begins to listen. Raises BadArgument."""
        async with self._opening:
            self._doors = self._doors or await self._listen()
        return f"http://{HOST}:{self._port}/enter/{self._doors.add_link()}"

    def notify(self) -> None:
        """Tell the browsers that the notebook has changed."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def next_change(self) -> None:
        """Wait until the notebook changes."""
        await self._changed.wait()

    async def close(self) -> None:
        """End what is served; waiting feeds are ended too."""
        if self._server is not None and self._serving is not None:
            self._server.should_exit = True
            self._server.force_exit = True
            with suppress(asyncio.CancelledError):
                await self._serving

    async def _listen(self) -> Doors:
        port = FIRST_PORT + zlib.crc32(self._root.encode("utf-8", "surrogateescape")) % PORTS
        try:
            listener = listen_tcp(HOST, port)
        except BadArgument:  # somebody else has it
            listener = listen_tcp(HOST, 0)
        self._port = listener.getsockname()[1]
        doors = Doors(self._port)
        listening = asyncio.Event()
        context = PageContext(self._ask, doors, self._root, self.next_change, self._examine_hosts)
        application = page_application(context, PAGES, FORMS)
        self._server = build_http_server(application, listening.set)
        self._serving = asyncio.create_task(self._server.serve([listener]))
        await listening.wait()
        self._log(f"the page is at http://{HOST}:{self._port}")
        return doors
