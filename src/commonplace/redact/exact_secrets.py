"""Exact secrets: selected from environment variables, and found in plain, base64 and hex spelling."""

from __future__ import annotations

from functools import lru_cache
from sys import modules
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from commonplace.redact.findings import MIN_SECRET_CHARS, KnownSecret, SecretMatch
from commonplace.redact.patterns import make_re2

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
MAX_SECRET_CHARS = 4096  # characters; longer variables are functions and lists, not secrets
MAX_EXACT_SECRETS = 256
_MIN_DISTINCT_CHARS = 5  # different characters
_MIN_UNMIXED_CHARS = 16
_SECRET_VARIABLE_PARTS = (
    "pass", "pwd", "psk", "secret", "token", "key", "auth", "cred", "bearer", "cookie", "sessid", "jwt",
)  # fmt: skip
_QUOTES = "\"'`"


def known_secrets(variables: Iterable[tuple[str, str]]) -> tuple[KnownSecret, ...]:
    """The values that are secrets, with the kind that their name indicates; longest first, each once.

    A name that ends in a word for password, token, secret or key, and a value of eight characters and more that is no
    word, path, address, version or stand-in; and the password of an address (`postgres://user:password@host/`).
    """
    found: dict[str, KnownSecret] = {}
    for name, value in variables:
        for one in _secrets_in_variable(name, value):
            found.setdefault(one.value, one)
    return tuple(sorted(found.values(), key=lambda one: (-len(one.value), one.value))[:MAX_EXACT_SECRETS])


def read_variables(text: str) -> tuple[tuple[str, str], ...]:
    """The variables of an `.env` file: `NAME=value` lines, also with `export`, quotes, and a comment behind them."""
    return tuple(pair for line in text.split("\n") if (pair := _parse_variable(line.strip())) is not None)


def _parse_variable(line: str) -> tuple[str, str] | None:
    name, equals, value = line.removeprefix("export ").partition("=")
    name, value = name.strip(), value.strip()
    if not equals or not name.replace("_", "").replace(".", "").replace("-", "").isalnum():
        return None
    quote = value[:1]
    if quote and quote in _QUOTES:
        end = value.find(quote, 1)
        return name, value[1:end] if end > 0 else value[1:]
    return name, value.partition(" #")[0].rstrip()


def _secrets_in_variable(name: str, value: str) -> Iterator[KnownSecret]:
    if not MIN_SECRET_CHARS <= len(value) <= MAX_SECRET_CHARS or "\n" in value:
        return
    if "://" in value:
        password = value.partition("://")[2].partition("/")[0].rpartition("@")[0].partition(":")[2]
        spellings = [password]
        if "%" in password:
            from urllib.parse import unquote

            spellings.append(unquote(password))
        yield from (KnownSecret(one, "url-password") for one in spellings if _is_distinctive(one))
    elif any(word in name.lower() for word in _SECRET_VARIABLE_PARTS) and _is_distinctive(value):
        from commonplace.redact.assignments import classify_secret_name

        bar, kind = classify_secret_name(name, space_separated=False)
        is_digest = len(value) in (32, 40, 64) and not value.strip("0123456789abcdefABCDEF")
        if bar in ("password", "pass", "token") or (bar == "key" and not is_digest):
            yield KnownSecret(value, kind)


def _is_distinctive(value: str) -> bool:
    """Whether a value may be masked wherever it occurs: long enough, varied, and no ordinary word, path or host.

    Plain string tests, because this runs at the start of each command that writes.
    """
    if len(value) < MIN_SECRET_CHARS or len(set(value)) < _MIN_DISTINCT_CHARS or _is_path_or_host(value):
        return False
    if not any(map(str.isalpha, value)):
        return len(value) >= _MIN_UNMIXED_CHARS  # else a date, a version, a number of a telephone
    words = value.replace("_", "").replace("-", "").replace(".", "")
    is_word = words.isalpha() and (value.islower() or value.isupper() or value.istitle())
    return not is_word or len(value) >= _MIN_UNMIXED_CHARS


def _is_path_or_host(value: str) -> bool:
    """A path, a reference to another variable, a host or a mail address."""
    if value[0] in "/~$<{%" or value.startswith(("./", "../")) or value[1:3] == ":\\":
        return True
    host = value.rpartition("@")[2].rpartition(":")[0] or value.rpartition("@")[2]
    *labels, last = host.split(".")
    plain = all(label.replace("-", "").isalnum() and label.islower() for label in labels)
    return bool(labels) and plain and last.isalpha() and last.islower()


_BASE64 = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=")
_URL_SAFE = bytes.maketrans(b"+/", b"-_")
_HEX = frozenset(b"0123456789abcdefABCDEF")
_MAX_REGEX_BYTES = 1 << 25  # with RE2's own 8 MiB a search for a few hundred secrets is a hundred times slower
_MAX_RUN_EDGE_BYTES = 4096  # bytes of an encoded run on either side of a value that go with it


class SecretSpelling(Struct, frozen=True):
    """One spelling of a secret; `alphabet` are the bytes that can surround an encoded one in the same run."""

    needle: bytes
    kind: str
    secret: bytes
    alphabet: frozenset[int] = frozenset()


class SecretSpellings(Struct, frozen=True, eq=False):
    """All spellings of all secrets, the longest first; `non_latin` are those that Latin-1 cannot encode."""

    all: tuple[SecretSpelling, ...] = ()
    non_latin: tuple[KnownSecret, ...] = ()


NO_SPELLINGS = SecretSpellings()


@lru_cache(maxsize=8)
def spell_secrets(exact: tuple[KnownSecret, ...]) -> SecretSpellings:
    """Known secrets in Latin-1 and UTF-8, in base64 (of UTF-8 and UTF-16, at each of three offsets) and in hex."""
    found: dict[bytes, SecretSpelling] = {}
    for one in exact:
        if len(one.value) >= MIN_SECRET_CHARS:
            for spelling in _spell_secret(one):
                found.setdefault(spelling.needle, spelling)
    foreign = tuple(one for one in exact if len(one.value) >= MIN_SECRET_CHARS and max(one.value) > "\xff")
    return SecretSpellings(tuple(sorted(found.values(), key=lambda form: (-len(form.needle), form.needle))), foreign)


def contains_exact_secret(data: bytes, spellings: SecretSpellings) -> bool:
    """Whether one of the spellings occurs."""
    if not spellings.all:
        return False
    if "re2" in modules:  # one pass for all of them; for a first short text the engine is not worth loading
        return _any_spelling_regex(spellings).search(data) is not None
    return any(spelling.needle in data for spelling in spellings.all)


def find_exact_secrets(data: bytes, spellings: SecretSpellings) -> Iterator[SecretMatch]:
    """Every occurrence of the secrets; an encoded one is extended to the whole run around it."""
    for spelling in spellings.all if contains_exact_secret(data, spellings) else ():
        start = data.find(spelling.needle)
        while start >= 0:
            end = start + len(spelling.needle)
            first, last = max(0, start - _MAX_RUN_EDGE_BYTES), min(len(data), end + _MAX_RUN_EDGE_BYTES)
            while start > first and data[start - 1] in spelling.alphabet:
                start -= 1
            while end < last and data[end] in spelling.alphabet:
                end += 1
            yield SecretMatch(spelling.kind, start, end, spelling.secret, 0)
            start = data.find(spelling.needle, end)


def _spell_secret(secret: KnownSecret) -> Iterator[SecretSpelling]:
    from binascii import b2a_base64

    raw = secret.value.encode("utf-8", "surrogatepass")
    yield SecretSpelling(raw, secret.kind, raw)
    if max(secret.value) <= "\xff":
        yield SecretSpelling(secret.value.encode("latin-1"), secret.kind, raw)
    for data in (raw, secret.value.encode("utf-16-le", "surrogatepass")):
        for shift in range(3):
            whole = b2a_base64(b"\0" * shift + data, newline=False)
            inner = whole[(shift * 4 + 2) // 3 : (shift + len(data)) * 4 // 3]  # letters that no neighbour shares
            yield SecretSpelling(inner, secret.kind, raw, _BASE64)
            yield SecretSpelling(inner.translate(_URL_SAFE), secret.kind, raw, _BASE64)
    yield SecretSpelling(raw.hex().encode(), secret.kind, raw, _HEX)
    yield SecretSpelling(raw.hex().upper().encode(), secret.kind, raw, _HEX)


@lru_cache(maxsize=8)
def _any_spelling_regex(spellings: SecretSpellings) -> Any:
    """One pattern for all; compiled apart from the cache of the rules, so that it does not outlive its values."""
    import re2

    return make_re2(b"|".join(re2.escape(one.needle) for one in spellings.all), max_bytes=_MAX_REGEX_BYTES)
