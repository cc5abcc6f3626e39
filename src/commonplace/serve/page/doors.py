"""Who may read and change the notebook in a browser: one-time links, cookies, form tokens, and the headers of a page.

A link from the command line is good for one visit within a minute; it becomes a cookie that lives as long as the
daemon, and so does the token of the settings, for browsers elsewhere. Each form carries a token made from the cookie,
which pages of other sites cannot read.
"""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Callable, Iterable, Mapping

from commonplace.serve.http import OWN_SITES, Header, Refusal
from commonplace.storage import files

LINK_TIMEOUT_S = 60.0
TOKEN_BYTES = 32
MAX_LINKS = 16  # that wait to be opened; the oldest goes
MAX_SESSIONS = 64  # browsers at a time; the oldest goes
MAX_WRONG_TOKENS, WRONG_TOKENS_S = 10, 60.0  # of all browsers together, in so many seconds
SAFE_METHODS = frozenset({"GET", "HEAD"})
PAGE_HEADERS: tuple[Header, ...] = (
    (b"cache-control", b"no-store"),
    (
        b"content-security-policy",
        (
            b"default-src 'self'; style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'self'; "
            b"frame-ancestors 'none'; object-src 'none'"
        ),
    ),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"same-origin"),  # with `no-referrer` browsers say `Origin: null` of our own forms
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
)
OPEN_HINT = "run `commonplace page`, which opens a new link"


class Doors:
    """The links that wait to be opened and the browsers that were let in, by digests of what they show.

    With an entry `token`, browsers elsewhere are let in that know it and ask for one of `names`, as hosts are named.
    """

    def __init__(
        self,
        port: int,
        clock: Callable[[], float] = time.monotonic,
        *,
        names: Iterable[str] = (),
        entry_token: str = "",
    ) -> None:
        self._clock = clock
        self._local_hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        self._other_hosts = {host for name in names for host in (name.lower(), f"{name.lower()}:{port}")}
        self._entry_digest = _digest(entry_token)
        self._wrong_tokens: list[float] = []  # when they came
        self.takes_token = bool(entry_token)
        self._key = files.random_hex(TOKEN_BYTES).encode()
        self._links: dict[bytes, float] = {}  # when each is too old
        self._sessions: dict[bytes, None] = {}
        # Cookies of one host are sent to all its ports, so the name tells the port.
        self.cookie = f"commonplace-{port}"

    def add_link(self) -> str:
        """A code that opens the page once, within a minute."""
        code = files.random_hex(TOKEN_BYTES)
        self._links[_digest(code)] = self._clock() + LINK_TIMEOUT_S
        for oldest in list(self._links)[:-MAX_LINKS]:
            del self._links[oldest]
        return code

    def open_link(self, code: str) -> str | None:
        """The session that a code opens; None where it was used, is too old or was never given."""
        deadline = self._links.pop(_digest(code), None)
        return None if deadline is None or deadline < self._clock() else self._add_session()

    def open_with_token(self, token: str) -> str | Refusal:
        """The session that the entry token opens, or why it opens none."""
        now = self._clock()
        self._wrong_tokens = [one for one in self._wrong_tokens if one > now - WRONG_TOKENS_S]
        if len(self._wrong_tokens) >= MAX_WRONG_TOKENS:
            return Refusal(429, "too-many", "too many wrong tokens were sent", "wait a minute, then try again")
        if self.takes_token and hmac.compare_digest(_digest(token), self._entry_digest):
            return self._add_session()
        self._wrong_tokens.append(now)
        return Refusal(401, "wrong-token", "this is not the token", "it is the one that the daemon was started with")

    def _add_session(self) -> str:
        session = files.random_hex(TOKEN_BYTES)
        self._sessions[_digest(session)] = None
        for oldest in list(self._sessions)[:-MAX_SESSIONS]:
            del self._sessions[oldest]
        return session

    def has_session(self, session: str) -> bool:
        """Whether a browser that shows this cookie was let in."""
        return _digest(session) in self._sessions

    def form_token(self, session: str) -> str:
        """The token that the forms of a session carry."""
        return hmac.new(self._key, session.encode(), hashlib.sha256).hexdigest()

    def check_form_token(self, session: str, token: str) -> bool:
        """Whether a form came from a page of this session."""
        return hmac.compare_digest(self.form_token(session).encode(), token.encode())

    def check_origin(self, method: str, headers: Mapping[bytes, bytes]) -> Refusal | None:
        """The refusal of a request for another host, or from a page of another site."""
        host = headers.get(b"host", b"").decode("latin-1")
        if host not in self._local_hosts | self._other_hosts:
            hint = "name this host in `page.names`" if self.takes_token else OPEN_HINT
            return Refusal(421, "wrong-host", "this address is not the page's", hint)
        if headers.get(b"sec-fetch-site", b"none") not in OWN_SITES:
            return Refusal(403, "wrong-site", "a page of another site led here", OPEN_HINT)
        schemes = ("http", "https") if host in self._other_hosts else ("http",)  # a proxy may add TLS
        origin = headers.get(b"origin")
        if origin is not None and origin not in [f"{scheme}://{host}".encode("latin-1") for scheme in schemes]:
            return Refusal(403, "wrong-origin", "a page of another site sent this", OPEN_HINT)
        if method not in SAFE_METHODS and not {b"origin", b"sec-fetch-site"} & headers.keys():
            return Refusal(403, "no-origin", "the browser does not say which page sent this", "use a newer browser")
        return None


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()
