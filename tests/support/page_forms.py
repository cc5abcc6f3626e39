"""A browser without JavaScript on the page of a notebook: it opens addresses and sends the forms that it finds there."""

from __future__ import annotations

import asyncio
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import msgspec
from msgspec import Struct

from commonplace import Memory
from commonplace.serve.dispatch import run_operation
from commonplace.serve.page.app import PageContext, page_application
from commonplace.serve.page.doors import Doors
from commonplace.serve.page.views import FORMS, PAGES

PORT = 49_300


class Form(Struct):
    """A form of a page: where it goes, its fields, and its buttons by their words."""

    action: str
    method: str
    fields: list[tuple[str, str]] = []
    buttons: dict[str, tuple[str, str]] = {}


class _FormReader(HTMLParser):
    """Reads the forms of a page, and its boxes that belong to one by its id."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.words: list[str] = []
        self._form: Form | None = None
        self._button: tuple[str, str] | None = None
        self._area = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._form = Form(given.get("action", ""), given.get("method", "get"))
            self.forms.append(self._form)
        elif self._form and tag == "input" and given.get("name") and given.get("type") != "checkbox":
            self._form.fields.append((given["name"], given.get("value", "")))
        elif tag == "button":
            self._button = (given.get("name", ""), given.get("value", ""))
        elif tag == "textarea":
            self._area = given["name"]

    def handle_data(self, data: str) -> None:
        if words := " ".join(data.split()):
            self.words.append(words)
        if self._form and self._button and words:
            self._form.buttons[words] = self._button
        if self._form and self._area:
            self._form.fields.append((self._area, data))

    def handle_endtag(self, tag: str) -> None:
        self._form = None if tag == "form" else self._form
        self._button = None if tag == "button" else self._button
        self._area = "" if tag == "textarea" else self._area


class PageBrowser:
    """A browser that was let in. `address`, `status` and `html` are of the page that it shows."""

    def __init__(self, memory: Memory, now: str) -> None:
        self.address, self.status, self.html = "", 0, ""
        doors = Doors(PORT)
        self._cookie = f"{doors.cookie}={doors.open_link(doors.add_link())}"

        async def ask(name: str, arguments: Any, _deadline_ms: int) -> Any:
            is_timed = name not in ("pending", "why", "show", "forgettings", "replay", "status")
            return run_operation(memory, name, {**arguments, "now": now} if is_timed else arguments)

        async def never() -> None:
            await asyncio.Event().wait()

        self._application = page_application(PageContext(ask, doors, memory.root, never, dict), PAGES, FORMS)

    def open(self, address: str) -> str:
        """Open an address; returns the page."""
        return self._send("GET", address, b"")

    def read_json(self, address: str) -> Any:
        """The twin of a page."""
        return msgspec.json.decode(self.open(address))

    @property
    def words(self) -> str:
        """The words of the page that it shows."""
        return " ".join(self._read().words)

    def press(self, button: str, number: int = 0, **fields: Any) -> str:
        """Press the button with these words (the one of this number among several); `fields` are what is typed and
        chosen. Returns the page that comes back."""
        found = [form for form in self._read().forms if button in form.buttons]
        assert found, f"no button {button!r}: {[list(form.buttons) for form in self._read().forms]}"
        form = found[number]
        name, value = form.buttons[button]
        pairs = [one for one in form.fields if one[0] not in fields] + ([(name, value)] if name else [])
        for key, typed in fields.items():
            pairs += [(key, one) for one in (typed if isinstance(typed, list) else [typed])]
        if form.method == "get":
            return self.open(f"{form.action}?{urlencode(pairs)}")
        return self._send("POST", form.action, urlencode(pairs).encode())

    def _read(self) -> _FormReader:
        reader = _FormReader()
        reader.feed(self.html)
        return reader

    def _send(self, method: str, address: str, body: bytes) -> str:
        given, headers, answer = urlsplit(address), dict[str, str](), b""
        sent = {"host": f"127.0.0.1:{PORT}", "sec-fetch-site": "same-origin", "cookie": self._cookie}
        sent |= {"content-type": "application/x-www-form-urlencoded"} if body else {}
        scope = {
            "type": "http",
            "method": method,
            "path": given.path,
            "raw_path": given.path.encode(),
            "root_path": "",
            "query_string": given.query.encode(),
            "scheme": "http",
            "server": ("127.0.0.1", PORT),
            "headers": [(name.encode(), value.encode()) for name, value in sent.items()],
        }

        async def receive() -> Any:
            return {"type": "http.request", "body": body}

        async def send(message: Any) -> None:
            nonlocal answer
            if message["type"] == "http.response.start":
                self.status = message["status"]
                headers.update((name.decode(), value.decode()) for name, value in message["headers"])
            else:
                answer += message.get("body", b"")

        asyncio.run(self._application(scope, receive, send))
        if self.status == 303:
            return self._send("GET", headers["location"], b"")
        self.address, self.html = address, answer.decode()
        return self.html

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters of the address that it shows."""
        return dict(parse_qsl(urlsplit(self.address).query))
