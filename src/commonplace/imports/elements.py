"""A JSON array as its elements, each with its place and of bounded size, without holding the array."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from msgspec import Struct

from commonplace.imports.lines import SAMPLE_BYTES, UTF8_BOM, Stream
from commonplace.imports.nouns import Spot

MOST_ELEMENT_BYTES = 32 << 20
OPENERS, CLOSERS, QUOTE, BACKSLASH = b"[{", b"]}", 0x22, 0x5C


class Element(Struct):
    """One element: its bytes (of one that is too long only the first), and whether it came to its end."""

    data: bytes
    spot: Spot
    whole: bool = True
    too_long: int = 0  # its bytes


class Elements:
    """The elements of the arrays in a stream; an object that stands in none is one as well."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._chunk = b""
        self._offset, self._line, self._counted = 0, 1, 0  # of the chunk; of the last newline that was counted in it
        self._base = self._depth = 0  # brackets around elements; brackets open
        self._in_string = self._escaped = False
        self._bare = False  # in a number or a word, which ends at a sign that cannot belong to it
        self._parts: list[bytes] = []
        self._size = 0
        self._spot: Spot | None = None  # of the element that is being read
        self._start = 0  # in the chunk

    def __iter__(self) -> Iterator[Element]:
        for chunk in self._stream.chunks():
            self._chunk, self._start, self._counted = chunk, 0, 0
            at = 0 if self._offset or not chunk.startswith(UTF8_BOM) else len(UTF8_BOM)
            while at < len(chunk):
                at = self._step(at)
                if self._spot and self._at_end():
                    yield self._finish(at)
            self._hold(len(chunk))
            self._line += chunk.count(b"\n", self._counted)
            self._offset += len(chunk)
        if self._spot:
            yield self._finish(0, whole=False)

    def _step(self, at: int) -> int:
        """Go on to the next sign that counts; where to go on from there."""
        if self._in_string:
            return self._through_string(at)
        if not self._spot:
            return self._to_element(at)
        found = (_bare_end() if self._bare else _sign()).search(self._chunk, at)
        if not found:
            return len(self._chunk)
        if self._bare:
            self._bare = False
            return found.start()
        return self._past(found.start())

    def _to_element(self, at: int) -> int:
        """Over what stands between elements, to the beginning of one."""
        found = _something().search(self._chunk, at)
        if not found:
            return len(self._chunk)
        at, sign = found.start(), self._chunk[found.start()]
        if (sign == CLOSERS[0] and self._base) or (sign == OPENERS[0] and not self._base):
            self._base = self._depth = 1 - self._base
            return at + 1
        self._begin(at)
        self._bare = sign not in OPENERS and sign != QUOTE
        return at + 1 if self._bare else self._past(at)

    def _past(self, at: int) -> int:
        """Past one sign, and what it changes."""
        sign = self._chunk[at]
        self._in_string = sign == QUOTE
        self._depth += (sign in OPENERS) - (sign in CLOSERS)
        return at + 1

    def _through_string(self, at: int) -> int:
        if self._escaped:
            self._escaped = False
            return at + 1
        found = _string_rest().match(self._chunk, at)
        at = found.end() if found else at
        if at < len(self._chunk):
            self._escaped = self._chunk[at] == BACKSLASH  # the chunk ends between it and what it escapes
            self._in_string = self._escaped
            at += 1
        return at

    def _at_end(self) -> bool:
        """Whether the element that is being read ends here."""
        return self._depth <= self._base and not self._in_string and not self._bare

    def _begin(self, at: int) -> None:
        self._line += self._chunk.count(b"\n", self._counted, at)
        self._counted = at
        self._spot, self._start = Spot(self._offset + at, self._line), at

    def _hold(self, end: int) -> None:
        """Keep what the chunk has of the element up to `end`, as long as it is not too long."""
        if not self._spot:
            return
        part = self._chunk[self._start : end]
        self._size += len(part)
        self._parts.append(part)
        self._start = end
        if self._size > MOST_ELEMENT_BYTES:
            self._parts = [b"".join(self._parts[:1])[:SAMPLE_BYTES]]

    def _finish(self, end: int, *, whole: bool = True) -> Element:
        if whole:
            self._hold(end)
        too_long = self._size if self._size > MOST_ELEMENT_BYTES else 0
        element = Element(b"".join(self._parts), self._spot or Spot(0, 1), whole, too_long)
        self._parts, self._size, self._spot = [], 0, None
        return element


@cache
def _something() -> re.Pattern[bytes]:
    return re.compile(rb"[^\s,]")


@cache
def _sign() -> re.Pattern[bytes]:
    return re.compile(rb'["\[\]{}]')


@cache
def _bare_end() -> re.Pattern[bytes]:
    return re.compile(rb'[,\]}{\["\n]')


@cache
def _string_rest() -> re.Pattern[bytes]:
    return re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
