"""Bytes as they come to whole lines; one that is too long is skipped to its end, and only its ends are held."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_LINE = 16_000_000  # bytes; a long transcript to ingest
END = 1_024  # bytes held of the beginning and of the end of a longer one


class Ends(Struct, frozen=True):
    """How a line that was too long begins and ends."""

    head: bytes
    tail: bytes

    def outermost(self) -> bytes:
        """JSON: an object of the whole numbers and short ASCII texts that stand in the line before and behind all else.

        So who sent it can be answered under its `id`. What stands deeper, or in a text, is never taken for one of them.
        """
        head, tail = _head().match(self.head), _tail().search(self.tail)
        found = [member for part in (head, tail) if part for member in _member().findall(part[1])]
        return b"{" + b",".join(found) + b"}"


class Lines:
    """Feed it what was read; it yields lines without their end, and the ends of one that was too long."""

    def __init__(self, most: int = MOST_LINE) -> None:
        self._most = most
        self._begun = bytearray()
        self._head: bytes | None = None  # of a line that is being skipped; its end is what was begun

    def feed(self, piece: bytes) -> Iterator[bytes | Ends]:
        """The lines that end in this piece."""
        *ends, rest = piece.split(b"\n")
        for end in ends:
            yield self._ended(end)
        self._begin(rest)

    def finish(self) -> Iterator[bytes | Ends]:
        """What was begun and has no end; the brace that one too long was cut off behind may be any."""
        if self._begun or self._head is not None:
            line = self._ended(b"")
            yield line if isinstance(line, bytes) else Ends(line.head, b"")

    def _ended(self, end: bytes) -> bytes | Ends:
        if not self._begun and self._head is None and len(end) <= self._most:
            return end
        self._begin(end)
        line = bytes(self._begun) if self._head is None else Ends(self._head, bytes(self._begun))
        self._begun, self._head = bytearray(), None
        return line

    def _begin(self, piece: bytes) -> None:
        self._begun += piece
        if self._head is None and len(self._begun) > self._most:
            self._head = bytes(self._begun[:END])
        if self._head is not None:
            del self._begun[:-END]


_MEMBER = rb'"[a-z_]+"[ \t\r]*:[ \t\r]*(?:-?(?:0|[1-9][0-9]{0,15})|"[ !#-\[\]-~]{0,200}")'


@cache
def _member() -> re.Pattern[bytes]:
    return re.compile(_MEMBER)


@cache
def _head() -> re.Pattern[bytes]:
    return re.compile(rb"[ \t\r]*\{((?:[ \t\r]*" + _MEMBER + rb"[ \t\r]*,)*)")


@cache
def _tail() -> re.Pattern[bytes]:
    """Members between commas and the brace that ends the line: it closes the outermost object, so they are of that."""
    return re.compile(rb"((?:,[ \t\r]*" + _MEMBER + rb"[ \t\r]*)+)\}[ \t\r]*\Z")
