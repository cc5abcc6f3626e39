"""The page of a notebook without a browser and without a socket: addresses are opened, and forms sent that are there."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import msgspec
from msgspec import Struct

from commonplace import Memory
from commonplace.errors import CommonplaceError
from commonplace.serve.dispatch.handlers import find_operation, run_operation
from commonplace.serve.page.app import PageContext, page_application
from commonplace.serve.page.doors import Doors
from commonplace.serve.page.views import FORMS, PAGES
from commonplace.shapes import Json

PORT = 50_000
MAX_PAGE_BYTES = 150_000
FORM_TYPE = "application/x-www-form-urlencoded"
RUNNER = asyncio.Runner()  # one event loop for all that is sent


def write_note(memory: Memory, path: str, text: str) -> Path:
    """Write a file of a notebook, as an editor would."""
    file = Path(memory.root, path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


class Form(Struct):
    """A form of a page: where it goes, its fields, and its buttons by their words."""

    action: str
    method: str
    fields: list[tuple[str, str]] = []
    buttons: dict[str, tuple[str, str]] = {}


class Elements(HTMLParser):
    """The elements of some HTML with their attributes, its texts, and its forms."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.forms: list[Form] = []
        self._form: Form | None = None
        self._button: tuple[str, str] | None = None
        self._area: str | None = None
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.elements.append((tag, given))
        if tag == "form":
            self._form = Form(given.get("action", ""), given.get("method", "get"))
            self.forms.append(self._form)
        elif self._form and tag == "input" and given.get("name") and given.get("type") != "checkbox":
            self._form.fields.append((given["name"], given.get("value", "")))
        elif self._form and tag == "textarea":
            self._area = given["name"]
            self._form.fields.append((self._area, ""))
        elif tag == "button":
            self._button = (given.get("name", ""), given.get("value", ""))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
        words = " ".join(data.split())
        if self._form and self._button and words:
            self._form.buttons[words] = self._button
        if self._form and self._area:
            self._form.fields[-1] = (self._area, self._form.fields[-1][1] + data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea" and self._form and self._area:  # the line break behind its tag is none of its text
            self._form.fields[-1] = (self._area, self._form.fields[-1][1].removeprefix("\n"))
        self._form = None if tag == "form" else self._form
        self._button = None if tag == "button" else self._button
        self._area = None if tag == "textarea" else self._area

    @property
    def text(self) -> str:
        """The text without the markup."""
        return "".join(self.texts)


class Answer(Struct):
    """What came back from an address."""

    address: str
    status: int
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def html(self) -> str:
        """The page as it was sent."""
        return self.body.decode()

    @property
    def parsed(self) -> Elements:
        """The page as it was read."""
        return Elements(self.html)

    @property
    def words(self) -> str:
        """The words of the page, with one blank wherever there is markup or white space."""
        return " ".join(" ".join(self.parsed.texts).split())

    @property
    def json(self) -> Any:
        """The twin of a page."""
        return msgspec.json.decode(self.body)

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters of its address."""
        return dict(parse_qsl(urlsplit(self.address).query))

    def header(self, name: str) -> str:
        """The value of a header that stands there once; empty where it is missing."""
        values = [value for key, value in self.headers if key == name]
        assert len(values) < 2, (name, values)
        return "".join(values)


def send_request(
    application: Any, method: str, address: str, *, headers: Sequence[tuple[str, str]], body: bytes = b""
) -> Answer:
    """One request to an ASGI application; who asks goes away once the first part of the answer is there."""
    messages: list[Any] = []
    requests: list[Any] = [{"type": "http.request", "body": body, "more_body": False}]
    has_body = asyncio.Event()

    async def receive() -> Any:
        if not requests:
            await has_body.wait()
        return requests.pop() if requests else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        messages.append(message)
        if message["type"] == "http.response.body":
            has_body.set()

    path, _, query = address.partition("?")
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode("utf-8", "surrogatepass"),
        "query_string": query.encode(),
        "root_path": "",
        "scheme": "http",
        "server": ("127.0.0.1", PORT),
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in headers],
    }
    RUNNER.run(application(scope, receive, send))
    start, *rest = messages
    told = [(name.decode(), value.decode()) for name, value in start["headers"]]
    return Answer(address, start["status"], told, b"".join(one.get("body", b"") for one in rest))


class Visitor:
    """A browser without JavaScript that was let in to the page of a notebook.

    `shown` is what it shows, `asked` the operations that the page asked for with their arguments, `cookies` what it was
    given to keep, and `now` the clock of the notebook, if it is set. `answers` are given in place of those of the
    memory, by the names of their operations; errors are raised.
    """

    def __init__(
        self, memory: Memory, now: str = "", *, hosts: Json | None = None, **answers: Json | CommonplaceError
    ) -> None:
        self._memory, self._answers, self.now = memory, answers, now
        self.asked: list[tuple[str, Any]] = []
        self.shown = Answer("", 0, [], b"")
        doors = Doors(PORT)
        session = doors.open_link(doors.add_link()) or ""
        self.cookies, self.token = {doors.cookie: session}, doors.form_token(session)
        context = PageContext(self._ask, doors, memory.root, self._never, lambda: hosts or {})
        self._application = page_application(context, PAGES, FORMS)

    def get(self, address: str, /, **parameters: Any) -> Answer:
        """Open an address."""
        self.shown = self._send("GET", f"{address}?{urlencode(parameters)}" if parameters else address)
        return self.shown

    def post(self, address: str, /, **fields: Any) -> Answer:
        """The answer to a form with the token of the page, which is not followed."""
        return self._send("POST", address, urlencode({"token": self.token, **fields}).encode())

    def press(self, button: str, number: int = 0, **fields: Any) -> Answer:
        """Press the button with these words (the one of this number among several); `fields` are what is typed and
        chosen. Returns the page that comes back."""
        forms = self.shown.parsed.forms
        found = [form for form in forms if button in form.buttons]
        assert found, f"no button {button!r}: {[list(form.buttons) for form in forms]}"
        form = found[number]
        name, value = form.buttons[button]
        pairs = [one for one in form.fields if one[0] not in fields] + ([(name, value)] if name else [])
        for key, typed in fields.items():
            pairs += [(key, one) for one in (typed if isinstance(typed, list) else [typed])]
        if form.method == "get":
            return self.get(f"{form.action}?{urlencode(pairs)}")
        pairs = [(key, one.replace("\n", "\r\n")) for key, one in pairs]  # as browsers end the lines of a form
        self.shown = self._send("POST", form.action, urlencode(pairs).encode())
        return self.get(self.shown.header("location")) if self.shown.status == 303 else self.shown

    async def _ask(self, operation: str, arguments: Any, _deadline_ms: int) -> Json:
        self.asked.append((operation, arguments))
        if operation in self._answers:
            answer = self._answers[operation]
            if isinstance(answer, CommonplaceError):
                raise answer
            return answer
        has_clock = self.now and "now" in find_operation(operation).request.__struct_fields__
        return run_operation(self._memory, operation, arguments | ({"now": self.now} if has_clock else {}))

    async def _never(self) -> None:
        await asyncio.Event().wait()

    def _send(self, method: str, address: str, body: bytes = b"") -> Answer:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers = [("host", f"127.0.0.1:{PORT}"), ("sec-fetch-site", "same-origin"), ("cookie", cookies)]
        headers += [("content-type", FORM_TYPE)] if body else []
        answer = send_request(self._application, method, address, headers=headers, body=body)
        for name, value in answer.headers:
            if name == "set-cookie":
                key, _, kept = value.partition(";")[0].partition("=")
                self.cookies[key] = kept.strip('"')
        return answer
