"""The listening half of the page: a server of its own on loopback, which begins when somebody first asks for a link."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable
from contextlib import suppress

from commonplace.errors import BadArgument, BadSettings
from commonplace.serve.http import SignalFreeServer, build_http_server, listen_tcp
from commonplace.serve.page.app import Ask, ExamineHosts, PageContext, page_application
from commonplace.serve.page.doors import Doors
from commonplace.serve.page.views import FORMS, PAGES
from commonplace.storage import config

HOST = "127.0.0.1"
EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 - where a person says so
MIN_TOKEN_CHARS = 16
FIRST_PORT, PORTS = 61_000, 4_535  # above those that Linux takes for connections of its own


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
        """The address that opens the page once; the first call begins to listen. Raises BadArgument, BadSettings."""
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
        settings = config.read_settings(self._root)
        token = config.environment_variable(settings.page_token_env)
        if (settings.page_host or settings.page_names) and len(token) < MIN_TOKEN_CHARS:
            what = (
                f"a token of {MIN_TOKEN_CHARS} characters or more; {settings.page_token_env or 'no variable'} has none"
            )
            problem = f"page.host and page.names need page.token_env, the name of an environment variable with {what}"
            raise BadSettings(f"{self._root}/{config.SETTINGS_FILE}", (problem,))
        port = FIRST_PORT + zlib.crc32(self._root.encode("utf-8", "surrogateescape")) % PORTS
        local = settings.page_host if settings.page_host in EVERYWHERE else HOST
        try:
            listeners = [listen_tcp(local, port, only_loopback=False)]
        except BadArgument:  # somebody else has it
            listeners = [listen_tcp(local, 0, only_loopback=False)]
        self._port = listeners[0].getsockname()[1]
        if settings.page_host not in ("", local):
            listeners.append(listen_tcp(settings.page_host, self._port, only_loopback=False))
        host = f"[{settings.page_host}]" if ":" in settings.page_host else settings.page_host
        names = (*settings.page_names, *({host} - {"", *EVERYWHERE}))
        doors = Doors(self._port, names=names, entry_token=token)
        listening = asyncio.Event()
        context = PageContext(self._ask, doors, self._root, self.next_change, self._examine_hosts)
        application = page_application(context, PAGES, FORMS)
        self._server = build_http_server(application, listening.set)
        self._serving = asyncio.create_task(self._server.serve(listeners))
        await listening.wait()
        self._log(
            f"the page is at http://{HOST}:{self._port}" + (f" and at http://{host}:{self._port}" if host else "")
        )
        return doors
