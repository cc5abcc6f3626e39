"""The doors of the page: which requests of which browsers are let in, and what every answer carries."""

from __future__ import annotations

import asyncio
import itertools
import os
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest
from starlette.responses import PlainTextResponse, Response

from bench.running_daemon import Running, exchanged, running, runtime
from commonplace.errors import BadArgument
from commonplace.serve.http import server
from commonplace.serve.page import PageServer
from commonplace.serve.page import app as page_app
from commonplace.serve.page.app import MAX_FORM_BYTES, MAX_FORM_FIELDS, PageContext, Visit, page_application
from commonplace.serve.page.doors import (
    LINK_TIMEOUT_S,
    MAX_LINKS,
    MAX_SESSIONS,
    MAX_WRONG_TOKENS,
    PAGE_HEADERS,
    WRONG_TOKENS_S,
    Doors,
)
from commonplace.serve.page.rendering import static_files
from commonplace.serve.page.views import FORMS, PAGES
from tests.support.page import PORT, Answer, send_request

OWN = f"127.0.0.1:{PORT}"
NAMES = ("notes.example", "Nas.Lan:8080", "[fd00::1]")  # of the settings
ENTRY_TOKEN = "walnut-harbour-lantern"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
METHODS = ("GET", "POST", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "get")


class House:
    """The page with one probe, a read and a form; what got as far as a handler is in `let_in`."""

    def __init__(self, *, is_open: bool = False) -> None:
        """With `is_open` the settings let browsers elsewhere in that know the token."""
        self.now, self.let_in = 0.0, list[str]()
        elsewhere: dict[str, Any] = {"names": NAMES, "entry_token": ENTRY_TOKEN} if is_open else {}
        self.doors = Doors(PORT, lambda: self.now, **elsewhere)
        context = PageContext(self.ask, self.doors, "/notes", self.never, dict)
        pages, forms = {**PAGES, "/probe": self.probe, "/bug": self.bug}, {**FORMS, "/probe": self.probe}
        self.addresses = [*pages, *(f"{path}.json" for path in pages), *forms, "/", "/no-page", "/enter"]
        self._page = page_application(context, pages, forms)
        self.session = self.open()

    async def ask(self, operation: str, _arguments: Any, _deadline_ms: int) -> dict[str, Any]:
        self.let_in.append(operation)
        return {}

    async def never(self) -> None:
        await asyncio.Event().wait()

    async def probe(self, visit: Visit) -> Response:
        self.let_in.append(visit.request.method)
        return PlainTextResponse("Marrakech")

    async def bug(self, _visit: Visit) -> Response:
        raise ZeroDivisionError("told to nobody")

    async def application(self, scope: Any, receive: Any, send: Any) -> None:
        """The page; a bug goes on to the log of the server."""
        try:
            await self._page(scope, receive, send)
        except ZeroDivisionError:
            assert scope["path"] == "/bug"

    def open(self) -> str:
        """A new session, by a link of its own."""
        session = self.doors.open_link(self.doors.add_link())
        assert session
        return session

    def send(self, method: str, path: str, headers: dict[str, str] | None = None, body: bytes = b"") -> Answer:
        """One request with the headers of a browser that was let in; None takes one away."""
        own = {"Host": OWN, "Sec-Fetch-Site": "same-origin", "Cookie": f"commonplace-{PORT}={self.session}"}
        given: dict[str, Any] = {**own, **(headers or {})}
        return self.raw(method, path, [(name, value) for name, value in given.items() if value is not None], body)

    def raw(self, method: str, path: str, headers: list[tuple[str, str]], body: bytes = b"") -> Answer:
        """One request with exactly these headers."""
        return send_request(self.application, method, path, headers=headers, body=body)

    def form(self, fields: dict[str, str], headers: dict[str, str] | None = None) -> Answer:
        """The form of the probe with these fields, as a browser sends it."""
        return self.send("POST", "/probe", {**FORM, "Origin": f"http://{OWN}", **(headers or {})}, _encode(fields))


def _encode(fields: dict[str, str]) -> bytes:
    return urlencode(fields).encode()


@pytest.fixture
def house() -> House:
    return House()


# Who is let in.

HOSTS = {
    OWN: True,
    f"localhost:{PORT}": True,
    "none": False,
    "": False,
    "127.0.0.1": False,
    "localhost": False,
    "127.0.0.1:80": False,
    f"evil.example:{PORT}": False,  # a name of others that leads to us: DNS rebinding
    f"localhost.evil.example:{PORT}": False,
    f"LOCALHOST:{PORT}": False,
    f"0.0.0.0:{PORT}": False,
    f"user@{OWN}": False,
    f"{OWN}é": False,
}
# Those of the settings, which are refused without them; what only looks like one is refused with them too.
OTHER_HOSTS = {
    "notes.example": True,
    f"notes.example:{PORT}": True,
    "nas.lan:8080": True,
    f"[fd00::1]:{PORT}": True,
    "notes.example:1": False,
    "nas.lan": False,
    f"evil.notes.example:{PORT}": False,
    "notes.example.evil.example": False,
    "notes.example@evil.example": False,
    "0.0.0.0": False,
}
ORIGINS = {
    "none": True,
    "own": True,
    "own over TLS": True,  # of a host of the settings, before which a proxy may stand
    "null": False,
    "": False,
    "http://localhost": False,
    "https://evil.example": False,
}
SITES = {"none": True, "typed": True, "same-origin": True, "same-site": False, "cross-site": False, "": False}
COOKIES = {
    "right": True,
    "none": False,
    "empty": False,
    "made up": False,
    "of another": False,
    "of an earlier start": False,
    "under another name": False,
    "no cookie at all": False,
}


@pytest.mark.slow
@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_of_all_hosts_origins_sites_and_cookies_only_the_right_ones_are_let_in(method: str, is_open: bool) -> None:
    """7,728 combinations a method, the form with its right token; 0 let in that should not be."""
    house = House(is_open=is_open)
    earlier = House().session
    body = _encode({"token": house.doors.form_token(house.session)}) if method == "POST" else b""
    name = house.doors.cookie
    shown = {
        "right": f"theme=dark; {name}={house.session}; [bad]=\x01",
        "empty": f"{name}=",
        "made up": f"{name}={'0' * 64}",
        "of another": f"commonplace-{PORT + 1}={house.session}",
        "of an earlier start": f"{name}={earlier}",
        "under another name": f"x{name}={house.session}",
        "no cookie at all": ";;;=;",
    }
    tried = 0
    for host, origin, site, cookie in itertools.product(HOSTS | OTHER_HOSTS, ORIGINS, SITES, COOKIES):
        headers = dict(FORM)
        scheme = "https" if origin == "own over TLS" else "http"
        headers |= {} if host == "none" else {"Host": host}
        headers |= {} if origin == "none" else {"Origin": f"{scheme}://{host}" if "own" in origin else origin}
        headers |= {} if site == "none" else {"Sec-Fetch-Site": "none" if site == "typed" else site}
        headers |= {} if cookie == "none" else {"Cookie": shown[cookie]}
        answer = house.raw(method, "/probe", list(headers.items()), body)
        is_said = method == "GET" or not (origin == "none" and site == "none")
        is_other = is_open and OTHER_HOSTS.get(host, False)
        right = (HOSTS.get(host, False) and scheme == "http") or is_other
        right = right and ORIGINS[origin] and SITES[site] and COOKIES[cookie] and is_said
        tried += 1
        assert house.let_in == ([method] if right else []), (host, origin, site, cookie, answer)
        assert (answer.status == 200) is right
        assert right or answer.status in (401, 403, 421)
        assert right is (b"Marrakech" in answer.body)
        house.let_in.clear()
    assert tried == len(HOSTS | OTHER_HOSTS) * 7 * 6 * 8 == 7_728


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("cookie", ["", "made up", "of another port", "of an earlier start", "a code"])
def test_no_route_and_no_method_lets_in_who_has_no_session(method: str, cookie: str, is_open: bool) -> None:
    house = House(is_open=is_open)
    shown = {
        "made up": f"{house.doors.cookie}={'f' * 64}",
        "of another port": f"commonplace-{PORT + 1}={house.session}",
        "of an earlier start": f"{house.doors.cookie}={House().session}",
        "a code": f"{house.doors.cookie}={house.doors.add_link()}",
    }
    for address in house.addresses:
        answer = house.send(method, address, {**FORM, "Cookie": shown.get(cookie, "")}, b"a=b")
        assert (answer.status, house.let_in) == (401, []), address
        assert answer.header("set-cookie") == ""
        assert b"/notes" not in answer.body


@pytest.mark.parametrize("method", [method for method in METHODS if method not in ("GET", "HEAD")])
def test_what_is_only_read_is_reached_by_no_other_method(house: House, method: str) -> None:
    for address in {*house.addresses} - {*FORMS, "/probe", "/enter"}:
        assert house.send(method, address, FORM, b"a=b").status in (404, 405)
    assert house.let_in == []


def test_no_form_is_sent_by_a_link(house: House) -> None:
    for address in FORMS:
        assert address in PAGES or house.send("GET", address).status in (404, 405)
    assert house.let_in == [] or not {*FORMS} & {*PAGES}


# Links.


def test_a_link_opens_the_page_once(house: House) -> None:
    code = house.doors.add_link()
    answer = house.send("GET", f"/enter/{code}", {"Cookie": "", "Sec-Fetch-Site": "none"})
    assert (answer.status, answer.header("location")) == (303, "/today")
    cookie, *attributes = answer.header("set-cookie").split("; ")
    assert sorted(attributes) == ["HttpOnly", "Path=/", "SameSite=strict"]
    assert code not in cookie
    assert house.send("GET", "/probe", {"Cookie": cookie}).status == 200
    again = house.send("GET", f"/enter/{code}", {"Cookie": ""})
    assert (again.status, again.header("set-cookie")) == (401, "")


@pytest.mark.parametrize(("seconds", "status"), [(0.0, 303), (LINK_TIMEOUT_S, 303), (LINK_TIMEOUT_S + 0.1, 401)])
def test_a_link_is_good_for_a_minute(house: House, seconds: float, status: int) -> None:
    code = house.doors.add_link()
    house.now += seconds
    assert house.send("GET", f"/enter/{code}").status == status
    house.now = 0.0
    assert house.send("GET", f"/enter/{code}").status == 401


def test_a_link_that_is_too_old_stays_so_when_the_clock_goes_back(house: House) -> None:
    code = house.doors.add_link()
    house.now = LINK_TIMEOUT_S + 1
    assert house.send("GET", f"/enter/{code}").status == 401
    house.now = 0.0
    assert house.send("GET", f"/enter/{code}").status == 401


@pytest.mark.parametrize("headers", [{"Sec-Fetch-Site": "cross-site"}, {"Host": "evil.example"}, {"Origin": "null"}])
def test_a_link_in_a_page_of_another_site_opens_nothing_and_stays_good(house: House, headers: dict[str, str]) -> None:
    code = house.doors.add_link()
    assert house.send("GET", f"/enter/{code}", headers).status in (403, 421)
    assert house.send("GET", f"/enter/{code}").status == 303


def test_codes_that_were_never_given_open_nothing(house: House) -> None:
    code = house.doors.add_link()
    for wrong in (
        code[:-1],
        code + "0",
        code.upper(),
        "0" * 64,
        "",
        " ",
        "é",
        "%00",
        "\ud800",
        "a" * 30_000,
        "..",
        "*",
    ):
        assert house.send("GET", f"/enter/{wrong}", {"Cookie": ""}).status in (401, 404), wrong
    assert house.send("GET", f"/enter/{code}").status == 303


def test_links_and_sessions_are_limited_and_the_oldest_goes(house: House) -> None:
    codes = [house.doors.add_link() for _ in range(MAX_LINKS + 1)]
    assert [house.doors.open_link(code) is None for code in codes] == [True, *[False] * MAX_LINKS]
    sessions = [house.open() for _ in range(MAX_SESSIONS + 1)]
    assert [house.doors.has_session(one) for one in sessions] == [False, *[True] * MAX_SESSIONS]


def test_no_code_session_or_token_is_like_another_and_none_is_kept_as_it_is(house: House) -> None:
    codes = [house.doors.add_link() for _ in range(8)]
    sessions = [house.open() for _ in range(8)]
    tokens = [house.doors.form_token(session) for session in sessions]
    assert len({*codes, *sessions, *tokens}) == 24
    assert all(len(secret) == 64 for secret in (*codes, *sessions, *tokens))
    kept = repr(vars(house.doors))
    assert not any(secret in kept for secret in (*codes, *sessions))


# The token of browsers elsewhere.


@pytest.fixture
def open_house() -> House:
    return House(is_open=True)


def _enter(house: House, token: str, host: str = NAMES[0], **headers: Any) -> Answer:
    """The form of the token as a browser elsewhere sends it, which is not told where it goes over plain HTTP."""
    own = {"Host": host, "Origin": f"http://{host}", "Cookie": None, "Sec-Fetch-Site": None}
    return house.send("POST", "/enter", {**FORM, **own, **headers}, _encode({"token": token}))


@pytest.mark.parametrize(("scheme", "is_secure"), [("http", False), ("https", True)])
def test_the_token_lets_in_a_browser_elsewhere(open_house: House, scheme: str, is_secure: bool) -> None:
    answer = _enter(open_house, ENTRY_TOKEN, Origin=f"{scheme}://{NAMES[0]}")
    assert (answer.status, answer.header("location")) == (303, "/today")
    cookie, *attributes = answer.header("set-cookie").split("; ")
    assert sorted(attributes) == ["HttpOnly", "Path=/", "SameSite=strict", *(["Secure"] if is_secure else [])]
    assert ENTRY_TOKEN not in cookie
    assert open_house.send("GET", "/probe", {"Host": NAMES[0], "Cookie": cookie}).status == 200
    assert ENTRY_TOKEN not in repr(vars(open_house.doors))


def test_who_is_not_let_in_is_asked_for_the_token_only_where_there_is_one(house: House, open_house: House) -> None:
    for asked, is_there in ((open_house, True), (house, False)):
        for address in ("/today", "/enter/0", "/enter"):
            answer = asked.send("GET", address, {"Cookie": ""})
            assert (answer.status, b'action="/enter"' in answer.body) == (401, is_there), address
    wrong = open_house.send("GET", "/today", {"Host": "evil.example"})
    assert (wrong.status, b'action="/enter"' in wrong.body, b"page.names" in wrong.body) == (421, False, True)


@pytest.mark.parametrize("token", ["", " ", ENTRY_TOKEN[:-1], ENTRY_TOKEN + "s", ENTRY_TOKEN.upper(), "é", "\x00"])
def test_another_token_lets_nobody_in(open_house: House, token: str) -> None:
    answer = _enter(open_house, token)
    assert (answer.status, answer.header("set-cookie"), open_house.let_in) == (401, "", [])
    assert b"This is not the token." in answer.body


@pytest.mark.parametrize("token", ["", ENTRY_TOKEN])
def test_without_the_setting_no_token_lets_anybody_in(house: House, token: str) -> None:
    answer = _enter(house, token, OWN)
    assert (answer.status, answer.header("set-cookie")) == (401, "")
    assert not isinstance(house.doors.open_with_token(token), str)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": f"evil.example:{PORT}"}, 421),  # DNS rebinding
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": None}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Content-Type": "text/plain"}, 415),
    ],
)
def test_a_page_of_another_site_cannot_send_the_token(open_house: House, headers: Any, status: int) -> None:
    answer = _enter(open_house, ENTRY_TOKEN, **headers)
    assert (answer.status, answer.header("set-cookie")) == (status, "")


def test_tokens_cannot_be_guessed_at_speed_and_links_stay_good(open_house: House) -> None:
    for _ in range(MAX_WRONG_TOKENS):
        assert _enter(open_house, "guess").status == 401
    assert [_enter(open_house, token).status for token in ("guess", ENTRY_TOKEN)] == [429, 429]
    assert open_house.send("GET", f"/enter/{open_house.doors.add_link()}").status == 303
    open_house.now += WRONG_TOKENS_S
    assert _enter(open_house, ENTRY_TOKEN).status == 303


def test_the_pages_of_two_notebooks_do_not_log_each_other_out() -> None:
    """A browser sends the cookies of one host to all its ports."""
    houses, jar = [House(), House()], dict[str, str]()
    houses[1].doors = Doors(PORT + 1)
    houses[1]._page = page_application(
        PageContext(houses[1].ask, houses[1].doors, "/other notes", houses[1].never, dict),
        {"/probe": houses[1].probe},
        {},
    )
    for house, host in zip(houses, (OWN, f"127.0.0.1:{PORT + 1}"), strict=True):
        answer = house.send("GET", f"/enter/{house.doors.add_link()}", {"Host": host, "Cookie": None})
        name, _, value = answer.header("set-cookie").partition(";")[0].partition("=")
        jar[name] = value
    cookies = "; ".join(f"{name}={value}" for name, value in jar.items())
    for house, host in zip(houses, (OWN, f"127.0.0.1:{PORT + 1}"), strict=True):
        assert house.send("GET", "/probe", {"Host": host, "Cookie": cookies}).status == 200


# Forms.


def test_a_form_is_taken_with_the_token_of_its_session_only(house: House) -> None:
    token, other = house.doors.form_token(house.session), house.open()
    elsewhere = House()
    wrong = ["", " ", token[:-1], token.upper(), "é", house.doors.form_token(other), house.session]
    wrong += [elsewhere.doors.form_token(house.session), elsewhere.doors.form_token(elsewhere.session)]
    for one in wrong:
        assert (house.form({"token": one}).status, house.let_in) == (403, []), one
    assert (house.form({"text": "no token"}).status, house.let_in) == (403, [])
    assert house.send("POST", f"/probe?token={token}", {**FORM, "Origin": f"http://{OWN}"}).status == 403
    assert (house.form({"token": token}).status, house.let_in) == (200, ["POST"])


def test_a_form_says_from_which_page_it_comes(house: House) -> None:
    """By `Origin` or by `Sec-Fetch-Site`; a browser that says neither cannot be told from a page of others."""
    fields = {"token": house.doors.form_token(house.session)}
    own: dict[str, Any] = {"Origin": f"http://{OWN}", "Sec-Fetch-Site": None}
    for headers, status in (
        ({"Origin": None, "Sec-Fetch-Site": None}, 403),
        ({**own, "Origin": "null"}, 403),
        ({**own, "Origin": "http://evil.example"}, 403),
        ({**own, "Origin": f"https://{OWN}"}, 403),
        ({**own, "Origin": f"http://localhost:{PORT}"}, 403),  # another origin than the host that is asked
        ({"Origin": None, "Sec-Fetch-Site": "cross-site"}, 403),
        ({"Origin": None, "Sec-Fetch-Site": "same-site"}, 403),
        (own, 200),
        ({"Origin": None, "Sec-Fetch-Site": "same-origin"}, 200),
    ):
        assert house.form(fields, headers).status == status, headers
    assert house.let_in == ["POST", "POST"]


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("application/x-www-form-urlencoded; charset=utf-8", 200),
        ("", 415),
        ("text/plain", 415),
        ("application/json", 415),
        ("multipart/form-data; boundary=x", 415),
    ],
)
def test_a_form_is_of_one_kind(house: House, kind: str, status: int) -> None:
    answer = house.form({"token": house.doors.form_token(house.session)}, {"Content-Type": kind})
    assert (answer.status, bool(house.let_in)) == (status, status == 200)


def test_forms_that_are_too_large_broken_or_of_too_many_fields_are_refused(house: House) -> None:
    token = house.doors.form_token(house.session)
    headers = {**FORM, "Origin": f"http://{OWN}"}
    for body, status in (
        (b"token=" + token.encode() + b"&text=" + b"a" * (MAX_FORM_BYTES - 76), 200),
        (b"token=" + token.encode() + b"&text=" + b"a" * MAX_FORM_BYTES, 413),
        (b"token=" + token.encode() + b"&a=b" * MAX_FORM_FIELDS, 400),
        (b"token=" + token.encode() + b"&a", 400),
        (b"token=" + token.encode() + b"\xff", 400),
        (b"", 403),
    ):
        house.let_in.clear()
        answer = house.send("POST", "/probe", headers, body)
        assert (answer.status, bool(house.let_in)) == (status, status == 200), body[:90]


# What every answer carries.


def test_every_answer_has_the_guarding_headers(house: House) -> None:
    many = [(f"X-{number}", "1") for number in range(100)]
    name = house.doors.cookie
    answers = {
        200: house.send("GET", "/probe"),
        303: house.send("GET", "/"),
        401: house.send("GET", "/probe", {"Cookie": ""}),
        403: house.send("GET", "/probe", {"Sec-Fetch-Site": "cross-site"}),
        404: house.send("GET", "/no-page"),
        405: house.send("PUT", "/today"),
        400: house.raw("GET", "/probe", [("Host", OWN), ("Host", OWN)]),
        413: house.form({"text": "a" * MAX_FORM_BYTES}),
        415: house.form({}, {"Content-Type": "text/plain"}),
        421: house.send("GET", "/probe", {"Host": "evil.example"}),
        431: house.raw("GET", "/probe", [("Host", OWN), ("Cookie", f"{name}={house.session}"), *many]),
        500: house.send("GET", "/bug"),
    }
    assert [answer.status for answer in answers.values()] == [*answers]
    for status, answer in answers.items():
        for header, value in PAGE_HEADERS:
            assert answer.header(header.decode()) == value.decode(), (status, header)
        assert not any(header.startswith("access-control") for header, _value in answer.headers)
        assert b"told to nobody" not in answer.body
        assert status in (200, 303) or answer.header("content-type") == "text/html; charset=utf-8"


def test_the_headers_allow_no_frames_no_scripts_of_others_and_no_copies(house: House) -> None:
    answer = house.send("GET", "/probe")
    policy = dict(part.strip().partition(" ")[::2] for part in answer.header("content-security-policy").split(";"))
    assert policy == {
        "default-src": "'self'",
        "style-src": "'self' 'unsafe-inline'",
        "base-uri": "'none'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
        "object-src": "'none'",
    }
    assert answer.header("x-frame-options") == "DENY"
    assert answer.header("cache-control") == "no-store"
    assert answer.header("referrer-policy") == "same-origin"


def test_files_of_the_page_have_the_headers_too_and_a_time_that_they_stay(house: House) -> None:
    assert {"style.css", "page.js", "htmx.min.js", "icon.svg"} <= {*static_files()}
    for name in static_files():
        answer = house.send("GET", f"/static/{name}", {"Cookie": ""})
        assert answer.status == 200
        for header, value in PAGE_HEADERS:
            told = f"private, max-age={page_app.STATIC_AGE_S}" if header == b"cache-control" else value.decode()
            assert answer.header(header.decode()) == told, (name, header)


@pytest.mark.parametrize("start", ["/static/", "/enter/"])
def test_no_path_leads_from_what_is_open_to_what_is_not(house: House, start: str) -> None:
    ways = ("", ".", "..", "../app.py", "../../doors.py", "%2e%2e%2fapp.py", "..%2fapp.py", "..\\app.py", "/etc/passwd")
    ways += ("//etc/passwd", "style.css/", "style.css/../../app.py", "STYLE.CSS", "style.css\x00", "style.css%00.js")
    ways += (
        "../today",
        "../probe",
        "..;/probe",
        "x/../../probe",
        "./style.css",
        "__init__.py",
        "base.html",
        "é",
        "\ud800",
    )
    for way in ways:
        answer = house.send("GET", start + way, {"Cookie": ""})
        assert answer.status in (401, 404), way
        assert (house.let_in, answer.header("set-cookie")) == ([], "")
        assert b"import" not in answer.body
        assert b"Marrakech" not in answer.body
    for other in ("/probe/", "//probe", "/PROBE", "/probe/..", "/./probe", "/probe%2f", "/probe.json/", "/probe\x00"):
        assert house.send("GET", other).status in (404, 405), other
    assert house.let_in == []


def test_a_header_that_decides_may_not_stand_there_twice(house: House) -> None:
    own = [("Host", OWN), ("Origin", f"http://{OWN}"), ("Sec-Fetch-Site", "none")]
    own.append(("Cookie", f"{house.doors.cookie}={house.session}"))
    assert house.raw("GET", "/probe", own).status == 200
    for name, value in own[:3]:
        assert house.raw("GET", "/probe", [*own, (name, value)]).status == 400
    wrong = ("Cookie", f"{house.doors.cookie}={'0' * 64}")
    assert house.raw("GET", "/probe", [*own, wrong]).status == 401  # of two cookies the last one is looked at


# In the running daemon.


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A daemon of a small notebook, with TCP."""
    folder = tmp_path_factory.mktemp("notes")
    (folder / "2025-11-27.md").write_text("- W @Peter: In Marrakech for Andy's birthday.\n", encoding="utf-8")
    with runtime() as place, running(folder, place, "--port", "0") as daemon:
        yield daemon


def _link(served: Running) -> str:
    answer = served.get("/page/link")
    assert answer.status == 200, answer
    assert answer.json["schema"] == "commonplace.page.v1"
    return str(answer.json["link"])


def _page(served: Running) -> tuple[HTTPConnection, str, str]:
    """A connection to the page, its host, and the cookie of a browser that was let in."""
    link = urlsplit(_link(served))
    connection = HTTPConnection("127.0.0.1", link.port or 0, timeout=60)
    answer = exchanged(connection, "GET", link.path, b"", {"Host": link.netloc})
    assert answer.status == 303
    return connection, link.netloc, answer.headers["set-cookie"].partition(";")[0]


@pytest.mark.slow
def test_the_port_of_the_page_answers_nothing_of_the_api_and_the_api_nothing_of_the_page(served: Running) -> None:
    connection, host, cookie = _page(served)
    page = exchanged(connection, "GET", "/today", b"", {"Host": host, "Cookie": cookie})
    assert page.status == 200
    assert b"Marrakech" in page.body
    for path in ("/v1/recall", "/v1/status", "/healthz", "/metrics", "/openapi.json", "/nouns/recall", "/page/link"):
        for method in ("GET", "POST"):
            for more, statuses in (
                ({"Cookie": cookie, "Origin": f"http://{host}"}, (404,)),
                ({**served.allowed(), "Origin": f"http://{host}"}, (401,)),
                ({**served.allowed(), "Cookie": cookie, "Origin": f"http://{host}"}, (404,)),
            ):
                answer = exchanged(connection, method, path, b"{}" if method == "POST" else b"", {"Host": host, **more})
                assert answer.status in statuses, (path, method, more)
    tcp = HTTPConnection("127.0.0.1", served.port, timeout=60)
    own = {"Host": f"127.0.0.1:{served.port}"}
    for path in ("/today", "/enter/" + "0" * 64, "/static/style.css", "/page/link", "/v1/recall"):
        assert exchanged(tcp, "GET", path, b"", {**own, "Cookie": cookie}).status == 401
    for path in ("/today", "/enter/" + "0" * 64, "/static/style.css"):
        assert exchanged(tcp, "GET", path, b"", {**own, **served.allowed()}).status == 404
    for method in ("POST", "PUT", "DELETE"):
        assert served.send(method, "/page/link", b"{}", served.allowed()).status == 405
    link = urlsplit(_link(served))
    assert exchanged(tcp, "GET", link.path, b"", {**own, **served.allowed()}).status == 404
    connection.close()
    tcp.close()


@pytest.mark.slow
def test_a_cookie_of_an_earlier_start_lets_nobody_in(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("- Tea\n", encoding="utf-8")
    with runtime() as place:
        with running(tmp_path, place) as first:
            connection, host, cookie = _page(first)
            assert first.stop() == 0
            connection.close()
        with running(tmp_path, place) as second:
            connection, again, _cookie = _page(second)
            assert again == host  # bookmarks stay good
            assert exchanged(connection, "GET", "/today", b"", {"Host": host, "Cookie": cookie}).status == 401
            connection.close()


ELSEWHERE = "127.0.0.2"  # an address of this machine that is not 127.0.0.1: for Linux all of 127/8 are
SETTINGS = f'[page]\nhost = "{ELSEWHERE}"\nnames = ["notes.example"]\ntoken_env = "NOTES_TOKEN"\n'


@pytest.mark.slow
def test_a_daemon_lets_in_a_browser_elsewhere_with_its_token(tmp_path: Path) -> None:
    """From its start on, at the port of the page; the link opens the page on loopback as before."""
    (tmp_path / "commonplace.toml").write_text(SETTINGS, encoding="utf-8")
    with runtime() as place, running(tmp_path, place, NOTES_TOKEN=ENTRY_TOKEN) as daemon:
        port = urlsplit(_link(daemon)).port or 0
        for host, status in ((f"{ELSEWHERE}:{port}", 303), ("notes.example", 303), (f"evil.example:{port}", 421)):
            connection = HTTPConnection(ELSEWHERE, port, timeout=60)
            headers = {**FORM, "Host": host, "Origin": f"http://{host}"}
            answer = exchanged(connection, "POST", "/enter", _encode({"token": ENTRY_TOKEN}), headers)
            assert answer.status == status
            cookie = answer.headers.get("set-cookie", "").partition(";")[0]
            shown = exchanged(connection, "GET", "/today", b"", {"Host": host, "Cookie": cookie})
            assert shown.status == (200 if status == 303 else status)
            connection.close()
        connection, host, cookie = _page(daemon)
        assert host == f"127.0.0.1:{port}"
        assert exchanged(connection, "GET", "/today", b"", {"Host": host, "Cookie": cookie}).status == 200
        connection.close()


@pytest.mark.slow
@pytest.mark.parametrize("token", ["", "short"])
@pytest.mark.parametrize("settings", [SETTINGS, '[page]\nnames = ["notes.example"]\n', '[page]\nhost = "0.0.0.0"\n'])
def test_a_daemon_that_would_listen_elsewhere_without_a_token_does_not_start(
    tmp_path: Path, settings: str, token: str
) -> None:
    (tmp_path / "commonplace.toml").write_text(settings, encoding="utf-8")
    with runtime() as place:
        command = [sys.executable, "-m", "commonplace", "serve", "--workspace", str(tmp_path)]
        environment = {**os.environ, "XDG_RUNTIME_DIR": str(place), "NOTES_TOKEN": token}
        ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2
    assert "page.host and page.names need page.token_env" in ended.stderr


def test_an_address_that_is_not_of_this_machine_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTES_TOKEN", ENTRY_TOKEN)
    (tmp_path / "commonplace.toml").write_text(SETTINGS.replace(ELSEWHERE, "192.0.2.1"), encoding="utf-8")
    page = PageServer(str(tmp_path), _ask_nothing, lambda _line: None, dict)
    with pytest.raises(BadArgument, match=r"port \d+ of 192\.0\.2\.1 cannot be listened at"):
        asyncio.run(page.open_link())


def test_two_who_ask_for_the_first_link_at_once_get_one_page(tmp_path: Path) -> None:
    log: list[str] = []

    async def open_two() -> list[str]:
        server = PageServer(str(tmp_path), _ask_nothing, log.append, dict)
        links = await asyncio.gather(server.open_link(), server.open_link())
        await server.close()
        return links

    links = [urlsplit(link) for link in asyncio.run(open_two())]
    assert log == [f"the page is at http://{links[0].netloc}"]
    assert links[0].netloc == links[1].netloc
    assert links[0].path != links[1].path


def test_a_page_that_somebody_looks_at_ends_with_the_daemon_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A feed that is open is not waited for."""
    monkeypatch.setattr(server, "GRACEFUL_SHUTDOWN_S", 3_600)

    async def open_and_close() -> None:
        page = PageServer(str(tmp_path), _ask_nothing, lambda _line: None, dict)
        await _open_feed(page)
        done, _waiting = await asyncio.wait({asyncio.create_task(page.close())}, timeout=60)
        assert done

    asyncio.run(open_and_close())


def test_a_feed_ends_when_its_tab_is_closed(tmp_path: Path) -> None:
    async def open_and_leave() -> None:
        page = PageServer(str(tmp_path), _ask_nothing, lambda _line: None, dict)
        tab = await _open_feed(page)
        assert page._server
        tasks = set(page._server.server_state.tasks)
        tab.close()
        _done, waiting = await asyncio.wait(tasks, timeout=20)
        assert tasks
        assert not waiting
        await page.close()

    asyncio.run(open_and_leave())


async def _open_feed(page: PageServer) -> asyncio.StreamWriter:
    """A browser that listens to the feed of a page."""
    link = urlsplit(await page.open_link())
    cookie = ""
    for path in (link.path, "/feed"):
        reader, writer = await asyncio.open_connection("127.0.0.1", link.port)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {link.netloc}\r\nCookie: {cookie}\r\n\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        cookie = cookie or head.partition("set-cookie: ")[2].partition(";")[0]
    assert "text/event-stream" in head
    return writer


async def _ask_nothing(_operation: str, _arguments: Any, _deadline_ms: int) -> dict[str, Any]:
    raise AssertionError
