"""A browser that was let in to the page of a notebook, without a browser: one ASGI call for each address."""

from __future__ import annotations

import asyncio
import re
from html import unescape
from typing import Any

import msgspec
from msgspec import Struct

from commonplace import Memory
from commonplace.serve.dispatch import run_operation
from commonplace.serve.page.app import PageContext, page_application
from commonplace.serve.page.doors import Doors
from commonplace.serve.page.views import FORMS, PAGES

PORT = 49_200


class Answer(Struct):
    """What the browser got."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def html(self) -> str:
        """The page as it was sent."""
        return self.body.decode()

    @property
    def words(self) -> str:
        """The words of the page, without markup."""
        return " ".join(unescape(re.sub(r"<[^>]*>", " ", self.html)).split())

    @property
    def json(self) -> Any:
        """The twin of a page."""
        return msgspec.json.decode(self.body)

    def header(self, name: str) -> str:
        """The last header of this name; empty where there is none."""
        return dict(self.headers).get(name, "")


class Visitor:
    """Opens pages of a notebook; `asked` are the operations that they asked for, with their arguments, and `cookies`
    what the page gave to keep."""

    def __init__(self, memory: Memory) -> None:
        self.asked: list[tuple[str, Any]] = []
        self.cookies: dict[str, str] = {}
        self.changed = asyncio.Event()
        self.now: str | None = None
        doors = Doors(PORT)
        self.cookies[doors.cookie] = doors.open_link(doors.add_link()) or ""

        async def ask(name: str, arguments: Any, _deadline_ms: int) -> Any:
            self.asked.append((name, arguments))
            has_clock = self.now and name not in ("status", "pending", "why", "show")
            return run_operation(memory, name, arguments | ({"now": self.now} if has_clock else {}))

        async def next_change() -> None:
            await self.changed.wait()

        context = PageContext(ask, doors, memory.root, next_change, lambda: {"hosts": []})
        self.application = page_application(context, PAGES, FORMS)

    def get(self, address: str) -> Answer:
        """Open an address."""
        messages: list[Any] = []
        path, _, query = address.partition("?")
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers = {"host": f"127.0.0.1:{PORT}", "sec-fetch-site": "same-origin", "cookie": cookies}

        requests: list[Any] = [{"type": "http.request", "body": b""}]
        has_body = asyncio.Event()

        async def receive() -> Any:  # the browser goes away once it has the first part of an answer
            if not requests:
                await has_body.wait()
            return requests.pop() if requests else {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            messages.append(message)
            if message["type"] == "http.response.body":
                has_body.set()

        scope = {
            "type": "http",
            "method": "GET",
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": query.encode(),
            "scheme": "http",
            "server": ("127.0.0.1", PORT),
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        }
        asyncio.run(self.application(scope, receive, send))
        start, *rest = messages
        given = [(name.decode(), value.decode()) for name, value in start["headers"]]
        for name, value in given:
            if name == "set-cookie":
                key, _, kept = value.partition(";")[0].partition("=")
                self.cookies[key] = kept.strip('"')
        return Answer(start["status"], given, b"".join(one.get("body", b"") for one in rest))
