"""Bytes as they come to whole lines; one that is too long is skipped to its end without being held."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_LINE = 16_000_000  # bytes; a long transcript to ingest


class Lines:
    """Feed it what was read; it yields lines without their end, and None for one that was too long."""

    def __init__(self, most: int = MOST_LINE) -> None:
        self._most = most
        self._begun = bytearray()
        self._is_skipping = False

    def feed(self, piece: bytes) -> Iterator[bytes | None]:
        """The lines that end in this piece."""
        *ends, rest = piece.split(b"\n")
        for end in ends:
            line = self._ended(end)
            self._begun, self._is_skipping = bytearray(), False
            yield line
        self._begin(rest)

    def finish(self) -> Iterator[bytes | None]:
        """What was begun and has no end."""
        if self._begun or self._is_skipping:
            yield self._ended(b"")
        self._begun, self._is_skipping = bytearray(), False

    def _ended(self, end: bytes) -> bytes | None:
        if self._is_skipping or len(self._begun) + len(end) > self._most:
            return None
        return bytes(self._begun) + end if self._begun else end

    def _begin(self, piece: bytes) -> None:
        if self._is_skipping or len(self._begun) + len(piece) > self._most:
            self._begun, self._is_skipping = bytearray(), True
        else:
            self._begun += piece
