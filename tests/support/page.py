"""The page of a notebook, asked without a browser and without a socket."""

from __future__ import annotations

import asyncio
import json
from html.parser import HTMLParser
from typing import Any, NamedTuple
from urllib.parse import urlencode

from commonplace import Memory
from commonplace.serve.dispatch import run_operation
from commonplace.serve.page.app import PageContext, page_application
from commonplace.serve.page.doors import Doors
from commonplace.serve.page.views import FORMS, PAGES

PORT = 50_000


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        """The body of a twin."""
        return json.loads(self.text)


class NotebookPage:
    """The page of an open notebook, in a browser that was let in."""

    def __init__(self, memory: Memory, **answers: Any) -> None:
        self._memory, self._answers = memory, answers
        doors = Doors(PORT)
        self._application = page_application(PageContext(self._ask, doors, memory.root, self._never), PAGES, FORMS)
        session = doors.open_link(doors.add_link()) or ""
        self.token = doors.form_token(session)
        self._headers = {
            "host": f"127.0.0.1:{PORT}",
            "sec-fetch-site": "same-origin",
            "cookie": f"{doors.cookie}={session}",
        }

    def get(self, path: str, /, **parameters: Any) -> Answer:
        """The answer to a link."""
        return self._send("GET", path, urlencode(parameters), b"")

    def post(self, path: str, /, **fields: Any) -> Answer:
        """The answer to a form, which has the token of the page."""
        return self._send("POST", path, "", urlencode({"token": self.token, **fields}).encode())

    async def _ask(self, operation: str, arguments: Any, _deadline_ms: int) -> dict[str, Any]:
        return self._answers.get(operation) or run_operation(self._memory, operation, arguments)

    async def _never(self) -> None:
        await asyncio.Event().wait()

    def _send(self, method: str, path: str, query: str, body: bytes) -> Answer:
        headers = self._headers | ({"content-type": "application/x-www-form-urlencoded"} if body else {})
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "http_version": "1.1",
            "scheme": "http",
            "root_path": "",
            "server": ("127.0.0.1", PORT),
            "client": ("127.0.0.1", 1),
        }
        pieces = iter([{"type": "http.request", "body": body, "more_body": False}, {"type": "http.disconnect"}])
        sent: list[Any] = []

        async def receive() -> Any:
            return next(pieces)

        async def send(message: Any) -> None:
            sent.append(message)

        asyncio.run(self._application(scope, receive, send))
        start, *rest = sent
        text = b"".join(one.get("body", b"") for one in rest).decode()
        return Answer(start["status"], {name.decode(): value.decode() for name, value in start["headers"]}, text)


class Elements(HTMLParser):
    """The elements of some HTML with their attributes, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.words: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        """The words without the markup."""
        return "".join(self.words)
