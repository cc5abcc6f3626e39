"""The page as an ASGI application: the doors, the routes, and what a handler has of a visit."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from typing import Any
from urllib.parse import parse_qs, parse_qsl, quote, urlencode, urlsplit

from msgspec import Struct, field
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request, cookie_parser
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from commonplace.errors import BadArgument, CommonplaceError, NotFound
from commonplace.serve.http import (
    INTERNAL_ERROR_STATUS,
    Refusal,
    error_response,
    json_response,
    read_body,
    read_headers,
)
from commonplace.serve.page import rendering
from commonplace.serve.page.doors import OPEN_HINT, PAGE_HEADERS, SAFE_METHODS, Doors
from commonplace.shapes import Json
from commonplace.storage.files import content_digest

FORM_TYPE = "application/x-www-form-urlencoded"
MAX_FORM_BYTES = 4 << 20
MAX_FORM_FIELDS = 2_000
FORM_TOO_LARGE = Refusal(413, "too-large", f"a form has at most {MAX_FORM_BYTES} bytes")
DEADLINE_MS = 60_000
TOKEN_FIELD = "token"
NOTICE, UNDO = "notice", "undo"  # parameters of an address: the name of what is told, and the changes to undo it
MAX_NOTICES = 64
MAX_DIGITS = 7
MAX_SOURCES = 3  # of a line or write, whose words are shown
STATIC_AGE_S = 3_600
ERROR_HINTS = {404: "the address may be misspelt", 405: "this address takes no such request"}

Ask = Callable[[str, Any, int], Awaitable[Json]]
ExamineHosts = Callable[[], Json]  # `commonplace.doctor.v1`; it starts programs, so it takes seconds


class PageContext(Struct, frozen=True):
    """What the page is made of: the call of an operation with a deadline in ms, the doors, the name of the workspace,
    what waits for the next change of the notebook, and the look at the hosts around it, which no memory knows; `drafts`
    are edits that could not be saved and `notices` what is told of actions, by names of their own: an address has the
    name alone, because browsers and proxies keep addresses."""

    ask: Ask
    doors: Doors
    workspace: str
    next_change: Callable[[], Awaitable[None]]
    examine_hosts: ExamineHosts
    drafts: dict[str, Json] = field(default_factory=dict)
    notices: dict[str, str] = field(default_factory=dict)


class Visit:
    """One request of a browser that was let in: its parameters, and the operations that it may call."""

    def __init__(self, context: PageContext, request: Request, session: str, form: Mapping[str, list[str]]) -> None:
        self.context, self.request, self.session, self.form = context, request, session, form

    @property
    def is_json(self) -> bool:
        """Whether the twin of a page is asked for."""
        return self.request.url.path.endswith(".json")

    async def ask(self, operation: str, **arguments: Any) -> Json:
        """The answer of an operation. Raises CommonplaceError."""
        return await self.context.ask(operation, arguments, DEADLINE_MS)

    async def find(self, reference: str) -> Json | None:
        """The record or capture of an id; None where it is gone or hidden."""
        try:
            records = (await self.ask("show", reference=reference))["records"]
        except NotFound:
            return None
        return next((one for one in records if one["id"] == reference or len(records) == 1), None)

    async def find_sources(self, references: list[str]) -> list[Json]:
        """The first records and captures of these ids that are there."""
        return [one for reference in references[:MAX_SOURCES] if (one := await self.find(reference))]

    def read(self, name: str, default: str = "") -> str:
        """A parameter of the address."""
        return self.request.query_params.get(name, default).strip()

    @property
    def page(self) -> int:
        """The number of the page of a long list, from 1."""
        return max(self.read_number("page"), 1)

    def read_number(self, name: str) -> int:
        """A parameter of the address that counts; 0 where it is none."""
        number = self.read(name)
        return int(number) if number.isdecimal() and len(number) < MAX_DIGITS else 0

    @property
    def here(self) -> str:
        """The address with its parameters, without what was said of the last action."""
        parameters = [one for one in self.request.query_params.multi_items() if one[0] not in (NOTICE, UNDO)]
        return f"{self.request.url.path}?{urlencode(parameters)}" if parameters else self.request.url.path

    def back(self, notice: str, undo: Iterable[str] = ()) -> Response:
        """The answer to a form: the page that sent it, with what was done, and the changes to undo that, newest
        first."""
        address = urlsplit(self.return_address)
        parameters = dict(parse_qsl(address.query))
        return self.go_on(address.path, notice, " ".join(undo), **parameters)

    def go_on(self, address: str, notice: str, undo: str = "", /, **parameters: str) -> Response:
        """The answer to a form: another page, with what was done and the changes to undo that."""
        name = content_digest(f"{self.session} {notice}".encode())
        keep_newest(self.context.notices, name, notice, MAX_NOTICES)
        return see_other(address, **{**parameters, NOTICE: name, UNDO: undo})

    @property
    def return_address(self) -> str:
        """The address of the page that sent the form."""
        address = self.form.get("back", [""])[-1]
        return "/" + address.lstrip("/\\") if address.startswith("/") else "/today"

    def require(self, name: str, what: str) -> str:
        """A parameter of the address. Raises BadArgument where it is missing."""
        if not (given := self.read(name)):
            raise BadArgument(f"the address names no {what}", hint="choose one from the list")
        return given

    def sent(self, name: str) -> str:
        """A field of the form. Raises BadArgument where it is missing."""
        found = self.form.get(name)
        if not found:
            raise BadArgument(f"the form lacks the field {name!r}", hint="reload the page and try again")
        return found[-1]

    def render(self, template: str, *, status: int = 200, **values: Any) -> Response:
        """A page; as JSON, without the words around it, where its address ends with `.json`."""
        if self.is_json:
            return json_response(values, status)
        common = {
            "form_token": self.context.doors.form_token(self.session),
            "workspace": self.context.workspace,
            "address": self.request.url.path,
            "here": self.here,
            "notice": self.context.notices.get(self.read(NOTICE), ""),
            "undo": self.read(UNDO),
        }
        return HTMLResponse(rendering.render(template, **common, **values), status)


Handler = Callable[[Visit], Awaitable[Response]]


def keep_newest(by_name: dict[str, Any], name: str, value: Any, most: int) -> None:
    """Keep a value by its name; of more than so many the oldest go."""
    by_name.pop(name, None)
    by_name[name] = value
    while len(by_name) > most:
        del by_name[next(iter(by_name))]


def see_other(address: str, /, **parameters: str) -> Response:
    """The answer to a form: the browser goes to this address of the page."""
    query = "&".join(f"{quote(name)}={quote(value)}" for name, value in parameters.items() if value)
    return RedirectResponse(f"{address}?{query}" if query else address, 303)


def page_application(context: PageContext, pages: Mapping[str, Handler], forms: Mapping[str, Handler]) -> ASGIApp:
    """The page: `pages` are what is read at an address, each with a twin in JSON, `forms` what is sent to one."""
    routes = [
        Route("/", partial(_redirect_to_today)),
        Route("/enter/{code}", partial(_enter, context)),
        Route("/enter", partial(_enter_with_token, context), methods=["POST"]),
        Route("/static/{name}", _static_file),
    ]
    for address, handler in pages.items():
        routes += [Route(path, partial(_answer, context, handler)) for path in (address, f"{address}.json")]
    routes += [Route(path, partial(_answer, context, handler), methods=["POST"]) for path, handler in forms.items()]
    handlers: dict[Any, Any] = {HTTPException: _route_error, Exception: _bug}
    inner = Starlette(routes=routes, exception_handlers=handlers)
    inner.router.redirect_slashes = False
    return _Guard(context, inner)


class _Guard:
    """Refuses what comes from elsewhere or was not let in, and puts the guarding headers on every answer."""

    def __init__(self, context: PageContext, inner: ASGIApp) -> None:
        self._context, self._inner = context, inner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name for name, _value in message["headers"]}
                added = [header for header in PAGE_HEADERS if header[0] not in own]
                message = {**message, "headers": [*message["headers"], *added]}
            await send(message)

        headers = read_headers(scope["headers"])
        refusal = headers if isinstance(headers, Refusal) else self._check(scope, headers)
        takes_token = self._context.doors.takes_token
        await (_refusal_page(refusal, takes_token=takes_token) if refusal else self._inner)(scope, receive, guarded)

    def _check(self, scope: Scope, headers: dict[bytes, bytes]) -> Refusal | None:
        doors = self._context.doors
        if refusal := doors.check_origin(scope["method"], headers):
            return refusal
        if scope["path"].startswith(("/enter/", "/static/")) or doors.has_session(session_of(doors, headers)):
            return None
        if doors.takes_token and (scope["method"], scope["path"]) == ("POST", "/enter"):
            return None
        return Refusal(401, "locked", "this browser was not let in, or the daemon was restarted", OPEN_HINT)


def session_of(doors: Doors, headers: Mapping[bytes, bytes]) -> str:
    """The session that the cookie of a request names; empty where there is none."""
    return cookie_parser(headers.get(b"cookie", b"").decode("latin-1")).get(doors.cookie, "")


async def _answer(context: PageContext, handler: Handler, request: Request) -> Response:
    session = session_of(context.doors, dict(request.headers.raw))
    visit = Visit(context, request, session, {})
    try:
        if request.method not in SAFE_METHODS:
            form = await _read_form(request)
            if isinstance(form, Refusal):
                return _refusal_page(form)
            if not context.doors.check_form_token(session, form.get(TOKEN_FIELD, [""])[-1]):
                return _refusal_page(Refusal(403, "stale-form", "this form is too old", "reload the page"))
            visit = Visit(context, request, session, form)
        return await handler(visit)
    except CommonplaceError as error:
        refused = error_response(error)
        if visit.is_json:
            return refused
        told = {"message": error.message, "hint": error.hint, "path": error.path, "problem": refused.status_code}
        is_read = request.method in SAFE_METHODS
        told["retry"] = visit.here if is_read and refused.status_code >= INTERNAL_ERROR_STATUS else ""
        told["back"] = visit.return_address if "back" in visit.form else ""
        return visit.render("error.html", status=refused.status_code, **told)


async def _read_form(request: Request) -> dict[str, list[str]] | Refusal:
    """The fields of a form, or why it is not taken."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != FORM_TYPE:
        return Refusal(415, "no-form", "the page takes forms only", "programs use the HTTP interface")
    body = await read_body(request.receive, MAX_FORM_BYTES, FORM_TOO_LARGE)
    if isinstance(body, Refusal):
        return body
    try:
        return parse_qs(
            body.decode("utf-8"), keep_blank_values=True, strict_parsing=bool(body), max_num_fields=MAX_FORM_FIELDS
        )
    except ValueError:
        return Refusal(400, "bad-form", "the form cannot be read", "reload the page and try again")


async def _redirect_to_today(_request: Request) -> Response:
    return RedirectResponse("/today", 303)


async def _enter(context: PageContext, request: Request) -> Response:
    session = context.doors.open_link(request.path_params["code"])
    if session is None:
        refusal = Refusal(401, "used-link", "this link was used already, or is too old", OPEN_HINT)
        return _refusal_page(refusal, takes_token=context.doors.takes_token)
    return _let_in(context, request, session)


async def _enter_with_token(context: PageContext, request: Request) -> Response:
    form = await _read_form(request)
    if isinstance(form, Refusal):
        return _refusal_page(form)
    session = context.doors.open_with_token(form.get(TOKEN_FIELD, [""])[-1])
    if isinstance(session, Refusal):
        return _refusal_page(session, takes_token=context.doors.takes_token)
    return _let_in(context, request, session)


def _let_in(context: PageContext, request: Request, session: str) -> Response:
    response = RedirectResponse("/today", 303)
    is_secure = request.headers.get("origin", "").startswith("https:")
    response.set_cookie(context.doors.cookie, session, httponly=True, samesite="strict", path="/", secure=is_secure)
    return response


async def _static_file(request: Request) -> Response:
    found = rendering.static_files().get(request.path_params["name"])
    if found is None:
        raise HTTPException(404)
    content, media_type = found
    return Response(content, media_type=media_type, headers={"cache-control": f"private, max-age={STATIC_AGE_S}"})


def _refusal_page(refusal: Refusal, *, takes_token: bool = False) -> Response:
    may_enter = takes_token and refusal.status == 401
    text = rendering.render("refused.html", message=refusal.message, hint=refusal.hint, takes_token=may_enter)
    return HTMLResponse(text, refusal.status)


async def _route_error(_request: Request, error: Any) -> Response:
    hint = ERROR_HINTS.get(error.status_code, "")
    return _refusal_page(Refusal(error.status_code, "no-page", "there is no such page", hint))


async def _bug(_request: Request, error: Exception) -> Response:
    told = f"{type(error).__name__} in the daemon"
    return _refusal_page(Refusal(500, "fault", told, "this is a bug; the daemon's log says where"))
