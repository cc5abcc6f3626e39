"""Secrets with a frame of their own: private key blocks, addresses with a password, logins on a command line."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from commonplace.redact import judge
from commonplace.redact.found import Hit
from commonplace.redact.patterns import compiled

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

_LONGEST_BLOCK = 32_768
_BEGIN = r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----"
_END = r"-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----"
_LOGIN = (
    r"(?:^|[\s\"'])(?:-u|--user|--proxy-user|-U)(?:[ \t]*=[ \t]*|[ \t]*)"
    r"[\"']?([A-Za-z0-9_.@+{}\-]+[\"']?:[\"']?[^\s\"'\x00]{3,200})"
)
_FLAG = r"(?:^|\s)(?:-p|-pw|-P|/p:|-Password|-w)[ \t:=]?[ \t]*[\"']?([^\s\"'\x00\-][^\s\"'\x00]{5,200})"
_REDIS = r"redis-cli(?:[ \t][^\n\x00|;&]{0,200}?)?[ \t]-a[ \t]+[\"']?([^\s\"'\x00\-`<$][^\s\"'\x00`<]{5,200})"
_LOGIN_TOOLS = (b"login", b"mysql", b"sshpass", b"psexec", b"plink", b"ldap", b"-viserver", b"redis-cli")
_SEED = (
    r"(?i)(?:mnemonic|(?:seed|recovery|secret) phrase)[^a-z\n\x00]{1,20}"
    r"((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})\b"
)
_STAND_INS = "pass password passwd pwd xxx xxxx secret token"
_STAND_IN_PAIRS = frozenset(_STAND_INS.encode().split())


def find_blocks(data: bytes) -> Iterator[Hit]:
    """Private keys in PEM and PGP armour, whole; without an END line as far as they look like one."""
    if b"PRIVATE KEY" in data:
        for begin in compiled(_BEGIN).finditer(data):
            end = _block_end(data, begin.end())
            if end > begin.end() + 16:
                yield Hit("private-key", begin.start(), end, data[begin.start() : end], 0)
    if b"nemonic" in data or b"phrase" in data:
        for match in compiled(_SEED).finditer(data):
            yield Hit("seed-phrase", match.start(1), match.end(1), match.group(1), 1)


def find_addresses(data: bytes) -> Iterator[Hit]:
    """`user:password` in front of a host (`postgres://…@db`, `https://…@host`): host and path stay readable."""
    place = data.find(b"://")
    while place >= 0:
        start = place + 3
        place = data.find(b"://", start)
        run = _pattern(rb"[^\s\"'<>`\x00]{1,300}").match(data, start)
        login = _login_before_host(run.group()) if run else b""
        if login:
            yield Hit("url-password", start, start + len(login), login, 1)


def find_logins(data: bytes) -> Iterator[Hit]:
    """`curl -u name:password` and `-p password` of tools that log in."""
    small = data.lower()
    if b"-u" in small or b"--user" in small or b"--proxy-user" in small:
        for match in compiled(_LOGIN).finditer(data):
            name, _, password = match.group(1).translate(None, b"\"'").partition(b":")
            if _may_be_password(name, password) and not password.startswith(b"//"):
                yield Hit("login", match.start(1), match.end(1), match.group(1), 1)
    if any(tool in small for tool in _LOGIN_TOOLS):
        for match in compiled(_FLAG).finditer(data):
            if judge.is_secret(match.group(1), "password"):
                yield Hit("password", match.start(1), match.end(1), match.group(1), 1)
    if b"redis-cli" in data:
        for match in compiled(_REDIS).finditer(data):
            password = match.group(1)
            if _may_be_password(b"", password) and len(password.translate(None, b"0123456789")) < len(password):
                yield Hit("password", match.start(1), match.end(1), password, 1)


def _block_end(data: bytes, start: int) -> int:
    limit = min(len(data), start + _LONGEST_BLOCK)
    for edge in (b"-----BEGIN", b"\x00"):
        found = data.find(edge, start, limit)
        limit = found if found >= 0 else limit
    end = compiled(_END).search(data, start, limit)
    if end:
        return int(end.end())
    body = _pattern(rb"(?:\\[nr]|[A-Za-z0-9+/=\s\"',+:;.()-])*").match(data, start, limit)
    return body.end() if body else start


def _login_before_host(run: bytes) -> bytes:
    head = run.partition(b"/")[0] if b"@" in run.partition(b"/")[0] else run.partition(b"?")[0]
    login = head.rpartition(b"@")[0]
    name, colon, password = login.partition(b":")
    if not colon or (b"/" in name) or not _may_be_password(name, password):
        return b""
    return login


def _may_be_password(name: bytes, password: bytes) -> bool:
    small = password.lower()
    if len(small) < 4 or small in _STAND_IN_PAIRS or name == password:
        return False
    return not (judge.has_filler(password) or password[:1] in b"$<{[%*" or b"your" in small)


@cache
def _pattern(pattern: bytes) -> re.Pattern[bytes]:
    import re

    return re.compile(pattern)
