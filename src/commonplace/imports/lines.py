"""A binary stream as lines of bounded size, each with its place; only the newline ends a line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO

from msgspec import Struct

from commonplace.imports.bounds import cut
from commonplace.imports.nouns import MOST_SAMPLE, SetAside, Spot

MOST_LINE_BYTES = 4 << 20
HEAD_BYTES = 64 << 10  # that are looked at to tell the format
CHUNK_BYTES = 256 << 10
SAMPLE_BYTES = 4 * MOST_SAMPLE
UTF8_BOM = b"\xef\xbb\xbf"
UTF16_BOMS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


class Line(Struct):
    """One line in UTF-8 without its newline: `ended` if it has one; of a line that is too long only how it begins."""

    data: bytes
    offset: int
    number: int
    ended: bool = True
    too_long: int = 0  # its bytes

    @property
    def spot(self) -> Spot:
        """Where it begins."""
        return Spot(self.offset, self.number)


class Stream:
    """A binary stream of which the beginning can be looked at before it is read."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.head = b""
        while len(self.head) < HEAD_BYTES and (more := stream.read(HEAD_BYTES - len(self.head))):
            self.head += more
        self.encoding = UTF16_BOMS.get(self.head[:2], "utf-8")

    @property
    def beginning(self) -> str:
        """The head as text, without a byte order mark."""
        return self.head.decode(self.encoding, "replace").removeprefix("\ufeff")

    def chunks(self) -> Iterator[bytes]:
        """All of it, the head first."""
        yield self.head
        if len(self.head) < HEAD_BYTES:
            return
        while more := self._stream.read(CHUNK_BYTES):
            yield more


class Lines:
    """The lines of a stream; `passed` is told the bytes of each line after the line was dealt with.

    A stream that begins with a byte order mark of UTF-16 is decoded; offsets are those of its own bytes.
    """

    def __init__(self, stream: Stream, passed: Callable[[bytes], object]) -> None:
        self._stream, self._passed = stream, passed
        self._newline = "\n".encode(stream.encoding)
        self._offset, self._number = 0, 1
        self._dropped, self._sample = 0, b""  # of the line that is being read, if it is too long

    def __iter__(self) -> Iterator[Line]:
        held = b""
        for chunk in self._stream.chunks():
            held += chunk
            start = 0
            while (end := self._end(held, start)) >= 0:
                yield self._line(held[start:end], ended=True)
                self._go_on(held[start : end + len(self._newline)])
                start = end + len(self._newline)
            held = held[start:]
            if len(held) > MOST_LINE_BYTES:
                held = self._drop(held)
        if held or self._dropped:
            yield self._line(held, ended=False)

    def _end(self, held: bytes, start: int) -> int:
        """Where the line that begins at `start` ends; -1 if its end is not in sight."""
        width = len(self._newline)
        end = held.find(self._newline, start)
        while end >= 0 and (end - start) % width:
            end = held.find(self._newline, end + 1)
        return end

    def _line(self, data: bytes, *, ended: bool) -> Line:
        length = self._dropped + len(data)
        if length > MOST_LINE_BYTES:
            return Line(self._sample or data[:SAMPLE_BYTES], self._offset, self._number, ended, length)
        if self._stream.encoding != "utf-8":
            text = data.decode(self._stream.encoding, "replace")
            data = text.removeprefix("\ufeff" if self._number == 1 else "").encode()
        elif self._number == 1:
            data = data.removeprefix(UTF8_BOM)
        return Line(data, self._offset, self._number, ended)

    def _go_on(self, raw: bytes) -> None:
        self._passed(raw)
        self._offset += self._dropped + len(raw)
        self._number += 1
        self._dropped, self._sample = 0, b""

    def _drop(self, held: bytes) -> bytes:
        """Let go of the bytes of a line that is too long; half a character stays."""
        keep = len(held) % len(self._newline)
        self._sample = self._sample or held[:SAMPLE_BYTES]
        gone = held[: len(held) - keep]
        self._dropped += len(gone)
        self._passed(gone)
        return held[len(gone) :]


def aside(line: Line, reason: str) -> SetAside:
    """The line, set aside."""
    return SetAside(line.offset, line.number, reason, sample(line.data))


def sample(data: bytes) -> str:
    """How a stretch begins, as text."""
    return cut(data[:SAMPLE_BYTES].decode("utf-8", "replace"), MOST_SAMPLE)
