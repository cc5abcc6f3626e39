"""Secrets that the caller knows word for word, in every spelling in which they are looked for."""

from __future__ import annotations

from functools import lru_cache
from sys import modules
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from commonplace.redact.found import LEAST_VALUE, Hit, Known

if TYPE_CHECKING:
    from collections.abc import Iterator

_BASE64 = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=")
_URL_SAFE = bytes.maketrans(b"+/", b"-_")
_HEX = frozenset(b"0123456789abcdefABCDEF")
_MOST_MEMORY = 1 << 25  # bytes; with RE2's own 8 MiB it reads a text for a few hundred secrets a hundred times slower
_EDGE = 4096  # bytes of an encoded run on either side of a value that go with it


class Form(Struct, frozen=True):
    """One spelling of a known secret; `alphabet` holds what may stand around an encoded one in the same run."""

    needle: bytes
    kind: str
    secret: bytes
    alphabet: frozenset[int] = frozenset()


class Forms(Struct, frozen=True, eq=False):
    """All spellings of all known secrets, the longest first; `foreign` are those that Latin-1 cannot spell."""

    all: tuple[Form, ...] = ()
    foreign: tuple[Known, ...] = ()


NONE = Forms()


@lru_cache(maxsize=8)
def forms_of(known: tuple[Known, ...]) -> Forms:
    """Known secrets in Latin-1 and UTF-8, in base64 (of UTF-8 and UTF-16, at each of three offsets) and in hex."""
    found: dict[bytes, Form] = {}
    for one in known:
        if len(one.value) >= LEAST_VALUE:
            for form in _forms(one):
                found.setdefault(form.needle, form)
    foreign = tuple(one for one in known if len(one.value) >= LEAST_VALUE and max(one.value) > "\xff")
    return Forms(tuple(sorted(found.values(), key=lambda form: (-len(form.needle), form.needle))), foreign)


def holds(data: bytes, forms: Forms) -> bool:
    """Whether one of the spellings occurs."""
    if not forms.all:
        return False
    if "re2" in modules:  # one pass for all of them; for a first short text the engine is not worth loading
        return _any_of(forms).search(data) is not None
    return any(form.needle in data for form in forms.all)


def find_forms(data: bytes, forms: Forms) -> Iterator[Hit]:
    """Known secrets wherever they stand; an encoded one goes with the whole run that it is part of."""
    for form in forms.all if holds(data, forms) else ():
        start = data.find(form.needle)
        while start >= 0:
            first, last = _run(data, start, form)
            yield Hit(form.kind, first, last, form.secret, 0)
            start = data.find(form.needle, last)


def _forms(known: Known) -> Iterator[Form]:
    from binascii import b2a_base64

    raw = known.value.encode("utf-8", "surrogatepass")
    yield Form(raw, known.kind, raw)
    if max(known.value) <= "\xff":
        yield Form(known.value.encode("latin-1"), known.kind, raw)
    for data in (raw, known.value.encode("utf-16-le", "surrogatepass")):
        for shift in range(3):
            whole = b2a_base64(b"\0" * shift + data, newline=False)
            inner = whole[(shift * 4 + 2) // 3 : (shift + len(data)) * 4 // 3]  # letters that no neighbour shares
            yield Form(inner, known.kind, raw, _BASE64)
            yield Form(inner.translate(_URL_SAFE), known.kind, raw, _BASE64)
    yield Form(raw.hex().encode(), known.kind, raw, _HEX)
    yield Form(raw.hex().upper().encode(), known.kind, raw, _HEX)


def _run(data: bytes, start: int, form: Form) -> tuple[int, int]:
    end = start + len(form.needle)
    if form.alphabet:
        first, last = max(0, start - _EDGE), min(len(data), end + _EDGE)
        while start > first and data[start - 1] in form.alphabet:
            start -= 1
        while end < last and data[end] in form.alphabet:
            end += 1
    return start, end


@lru_cache(maxsize=8)
def _any_of(forms: Forms) -> Any:
    """One pattern for all; compiled apart from the cache of the rules, so that it does not outlive its values."""
    import re2

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    options.max_mem = _MOST_MEMORY
    return re2.compile(b"|".join(re2.escape(form.needle) for form in forms.all), options)
