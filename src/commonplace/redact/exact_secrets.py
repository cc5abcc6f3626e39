"""Exact secrets: those of the environment, in plain, base64 and hex spelling, and values that were masked before."""

from __future__ import annotations

from functools import lru_cache
from sys import modules
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from commonplace.redact.findings import MIN_SECRET_CHARS, WEAK, KnownSecret, MaskedValue, SecretMatch
from commonplace.redact.patterns import compile_re, make_re2

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


@lru_cache(maxsize=2)
def known_secrets(variables: tuple[tuple[str, str], ...]) -> tuple[KnownSecret, ...]:
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
    """Whether a value may be masked wherever it occurs: long enough, varied, and no ordinary word, path or host. Plain
    string tests, because this runs at the start of each command that writes."""
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


def make_spellings(exact: Iterable[KnownSecret]) -> SecretSpellings:
    """Known secrets in Latin-1 and UTF-8, in base64 (of UTF-8 and UTF-16, at each of three offsets) and in hex."""
    exact = tuple(exact)
    found: dict[bytes, SecretSpelling] = {}
    for one in exact:
        if len(one.value) >= MIN_SECRET_CHARS:
            for spelling in _spell_secret(one):
                found.setdefault(spelling.needle, spelling)
    foreign = tuple(one for one in exact if len(one.value) >= MIN_SECRET_CHARS and max(one.value) > "\xff")
    return SecretSpellings(tuple(sorted(found.values(), key=lambda form: (-len(form.needle), form.needle))), foreign)


spell_secrets = lru_cache(maxsize=8)(make_spellings)  # those of a workspace are made once


def contains_exact_secret(data: bytes, spellings: SecretSpellings) -> bool:
    """Whether one of the spellings occurs."""
    if not spellings.all:
        return False
    if "re2" in modules:  # one pass for all of them; for a first short text the engine is not worth loading
        return _any_spelling_regex(spellings).search(data) is not None
    return any(spelling.needle in data for spelling in spellings.all)


def find_exact_secrets(data: bytes, spellings: SecretSpellings) -> Iterator[SecretMatch]:
    """Every occurrence of the secrets; an encoded one is extended to the whole run around it."""
    for spelling in spellings.all:
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


_RUN = r"[^\W_]+"
_VALUE_DELIMITERS = r"(?:\\[nrt]|[\s\x00:=,;|&<>{}()\"'`])+"
_MIN_PREFIXED_CHARS = 20  # characters of a key behind a prefix: `key-…`
_END_MARKS = ".:!?"
_MIN_MASKED_CHARS = 4
_MAX_PARTS = 128  # of a masked stretch: a private key has its lines, a connection string its passwords


class MaskedValues(Struct, frozen=True, eq=False):
    """Values that were masked, by the digest of their longest run of letters and digits, and how long the runs are."""

    by_run: dict[int, tuple[MaskedValue, ...]]
    run_lengths: frozenset[int]


NO_MASKED_VALUES = MaskedValues({}, frozenset())


def group_masked_values(values: Iterable[MaskedValue], grouped: MaskedValues = NO_MASKED_VALUES) -> MaskedValues:
    """Masked values as they are looked up, beside those that are grouped already."""
    by_run, lengths = grouped.by_run.copy(), set(grouped.run_lengths)
    for one in values:
        by_run[one.run] = (*by_run.get(one.run, ()), one)
        lengths.add(one.run_length)
    return MaskedValues(by_run, frozenset(lengths))


def find_masked_values(text: str, data: bytes, values: MaskedValues, key: bytes) -> list[SecretMatch]:
    """Every occurrence of the values; it starts and ends where they do, so that no part of a longer word is one."""
    digests: dict[str, int] = {}
    hits = []
    for run in compile_re(_RUN).finditer(text) if values.by_run else ():
        if run.end() - run.start() not in values.run_lengths:
            continue
        if run[0] not in digests:
            digests[run[0]] = keyed_digest(run[0], key)
        for one in values.by_run.get(digests[run[0]], ()):
            start = run.start() - one.offset
            end = start + one.length
            if start >= 0 and b"\0" not in data[start:end] and keyed_digest(text[start:end], key) == one.digest:
                hits.append(SecretMatch(one.kind, start, end, data[start:end], 2))
    return hits


def keyed_digest(text: str, key: bytes) -> int:
    """A digest of a text from which nobody without the key can guess it."""
    from hashlib import blake2b

    digest = blake2b(text.encode("utf-8", "surrogatepass"), key=key[:64], digest_size=7, person=b"masked").digest()
    return int.from_bytes(digest, "big")


def digest_masked_values(secrets: Iterable[str], kind: str, key: bytes) -> tuple[MaskedValue, ...]:
    """The digests of the values in a masked stretch: of all of it, and of the parts that are secrets by themselves."""
    values = {value: None for secret in secrets for value in _values_in_secret(secret, kind)}
    return tuple(one for value in values if (one := _digest_value(value, kind, key)) is not None)


def _values_in_secret(secret: str, kind: str) -> Iterator[str]:
    yield secret
    yield secret.rstrip(_END_MARKS)
    for part in compile_re(_VALUE_DELIMITERS).split(secret[:MAX_SECRET_CHARS], _MAX_PARTS):
        pieces = (part, *(one for one in part.split("-") if len(one) >= _MIN_PREFIXED_CHARS))
        yield from filter(is_strong_value, pieces)
    login = secret if kind in ("login", "url-password") else _decode_login(secret)
    if login:
        from urllib.parse import unquote

        password = login.partition(":")[2].strip("\"'")
        yield from (one for one in (password, unquote(password)) if len(one) >= MIN_SECRET_CHARS)


def _decode_login(secret: str) -> str:
    """The `user:password` that `Authorization: Basic` has in base64; empty if it is something else."""
    if not compile_re(r"[A-Za-z0-9+/]{8,400}={0,2}").fullmatch(secret):
        return ""
    from binascii import Error, a2b_base64

    try:
        login = a2b_base64(secret).decode("ascii")
    except (Error, ValueError):
        return ""
    return login if login.isprintable() else ""


def _digest_value(value: str, kind: str, key: bytes) -> MaskedValue | None:
    run = max(compile_re(_RUN).finditer(value), key=lambda found: found.end() - found.start(), default=None)
    if run is None or len(value) < _MIN_MASKED_CHARS:
        return None
    session = 0 if is_strong_value(value) else WEAK
    digest = keyed_digest(value, key)
    return MaskedValue(keyed_digest(run[0], key), len(run[0]), run.start(), len(value), digest, kind, session)


def is_strong_value(value: str) -> bool:
    """Whether a value may be masked in all texts of a workspace: no word, name, number, date, path or address."""
    if not (value.isascii() and _is_distinctive(value)):
        return False
    from commonplace.redact.secret_values import is_made_of_words, is_ordinary_value, is_pronounceable

    raw_value = value.encode()
    words = [run for run in compile_re(rb"[A-Za-z]{4,}").findall(raw_value) if is_pronounceable(run)]
    in_words = len(value) < _MIN_PREFIXED_CHARS and 2 * sum(map(len, words)) >= sum(map(str.isalnum, value))
    return not (in_words or is_made_of_words(raw_value) or is_ordinary_value(raw_value))
