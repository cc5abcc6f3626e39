"""Which variables hold secrets, by their names and values: what an environment or an `.env` file has to say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.redact.found import LEAST_VALUE, Known

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOST_VALUE = 4096  # characters; longer variables are functions and lists, not secrets
MOST_KNOWN = 256
_VARIETY = 5  # different characters
_LONG = 16
_TELLING = ("pass", "pwd", "psk", "secret", "token", "key", "auth", "cred", "bearer", "cookie", "sessid", "jwt")
_QUOTES = "\"'`"


def known_secrets(variables: Iterable[tuple[str, str]]) -> tuple[Known, ...]:
    """The values that are secrets, with the kind their name tells; longest first, each once.

    A name that ends in a word for password, token, secret or key, and a value of eight characters and more that is no
    word, path, address, version or stand-in; and the password of an address (`postgres://user:password@host/`).
    """
    found: dict[str, Known] = {}
    for name, value in variables:
        for one in _secrets(name, value):
            found.setdefault(one.value, one)
    return tuple(sorted(found.values(), key=lambda one: (-len(one.value), one.value))[:MOST_KNOWN])


def read_variables(text: str) -> tuple[tuple[str, str], ...]:
    """The variables of an `.env` file: `NAME=value` lines, also with `export`, quotes, and a comment behind them."""
    return tuple(pair for line in text.split("\n") if (pair := _variable(line.strip())) is not None)


def _variable(line: str) -> tuple[str, str] | None:
    name, equals, value = line.removeprefix("export ").partition("=")
    name, value = name.strip(), value.strip()
    if not equals or not name.replace("_", "").replace(".", "").replace("-", "").isalnum():
        return None
    quote = value[:1]
    if quote and quote in _QUOTES:
        end = value.find(quote, 1)
        return name, value[1:end] if end > 0 else value[1:]
    return name, value.partition(" #")[0].rstrip()


def _secrets(name: str, value: str) -> Iterator[Known]:
    if not LEAST_VALUE <= len(value) <= MOST_VALUE or "\n" in value:
        return
    if "://" in value:
        password = _password_in(value)
        yield from (Known(one, "url-password") for one in _spellings(password) if _is_telling(one))
    elif any(word in name.lower() for word in _TELLING) and _is_telling(value):
        from commonplace.redact.assignments import kind_of

        bar, kind = kind_of(name, spaced=False)
        if bar in ("password", "pass", "token") or (bar == "key" and not _is_digest(value)):
            yield Known(value, kind)


def _password_in(address: str) -> str:
    _, slashes, rest = address.partition("://")
    login = rest.partition("/")[0].rpartition("@")[0] if slashes else ""
    return login.partition(":")[2]


def _spellings(password: str) -> tuple[str, ...]:
    """As it stands in the address, and as it is meant."""
    if "%" not in password:
        return (password,)
    from urllib.parse import unquote

    return password, unquote(password)


def _is_telling(value: str) -> bool:
    """Whether a value may be blanked out wherever it stands: long enough, various, and nothing one says anyway.

    Plain string tests, for this runs at the start of each command that keeps something.
    """
    if len(value) < LEAST_VALUE or len(set(value)) < _VARIETY or _is_place(value):
        return False
    if not any(map(str.isalpha, value)):
        return len(value) >= _LONG  # else a date, a version, a number of a telephone
    words = value.replace("_", "").replace("-", "").replace(".", "")
    is_word = words.isalpha() and (value.islower() or value.isupper() or value.istitle())
    return not is_word or len(value) >= _LONG


def _is_place(value: str) -> bool:
    """A path, a reference to another variable, a host or a mail address."""
    if value[0] in "/~$<{%" or value.startswith(("./", "../")) or value[1:3] == ":\\":
        return True
    host = value.rpartition("@")[2].rpartition(":")[0] or value.rpartition("@")[2]
    *labels, last = host.split(".")
    plain = all(label.replace("-", "").isalnum() and label.islower() for label in labels)
    return bool(labels) and plain and last.isalpha() and last.islower()


def _is_digest(value: str) -> bool:
    return len(value) in (32, 40, 64) and not value.strip("0123456789abcdefABCDEF")
