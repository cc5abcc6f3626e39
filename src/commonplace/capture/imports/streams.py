"""A byte stream as lines or JSON array elements of bounded size, and the JSON objects in them, decoded strictly."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import msgspec
from msgspec import Struct

from commonplace.capture.imports import events
from commonplace.shapes import repair_json, repair_text

MAX_LINE_BYTES = 4 << 20
HEAD_BYTES = 64 << 10  # by which the format is detected
CHUNK_BYTES = 256 << 10
SAMPLE_BYTES = 4 * events.MAX_SAMPLE_CHARS
UTF8_BOM = b"\xef\xbb\xbf"
UTF16_BOMS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


class StreamLine(Struct):
    """One line in UTF-8 without its newline; of one that is too long, its size and only its beginning."""

    data: bytes
    offset: int
    number: int
    has_newline: bool = True
    oversize_bytes: int = 0

    @property
    def position(self) -> events.StreamPosition:
        """The position at which the line begins."""
        return events.StreamPosition(self.offset, self.number)


class ByteStream:
    """A binary stream whose head is available before it is read."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.head = b""
        while len(self.head) < HEAD_BYTES and (more := stream.read(HEAD_BYTES - len(self.head))):
            self.head += more
        self.encoding = UTF16_BOMS.get(self.head[:2], "utf-8")

    @property
    def head_text(self) -> str:
        """The head as text, without a byte order mark."""
        return self.head.decode(self.encoding, "replace").removeprefix("\ufeff")

    def chunks(self) -> Iterator[bytes]:
        """All bytes of the stream, the head first."""
        yield self.head
        if len(self.head) < HEAD_BYTES:
            return
        while more := self._stream.read(CHUNK_BYTES):
            yield more


class LineReader:
    """The lines of a stream, of UTF-16 too if it begins with a byte order mark; offsets are those of its own bytes.
    `on_line_read` is called with the bytes of each line when the next one is requested."""

    def __init__(self, byte_stream: ByteStream, on_line_read: Callable[[bytes], object]) -> None:
        self._stream, self._on_line_read = byte_stream, on_line_read
        self._newline = "\n".encode(byte_stream.encoding)
        self._offset, self._number = 0, 1
        self._dropped_bytes, self._sample = 0, b""  # of the line that is being read, if it is too long

    def __iter__(self) -> Iterator[StreamLine]:
        held = b""
        for chunk in self._stream.chunks():
            held += chunk
            start = 0
            while (end := self._find_line_end(held, start)) >= 0:
                yield self._make_line(held[start:end], ended=True)
                self._advance(held[start : end + len(self._newline)])
                start = end + len(self._newline)
            held = held[start:]
            if len(held) > MAX_LINE_BYTES:
                held = self._drop_oversize_bytes(held)
        if held or self._dropped_bytes:
            yield self._make_line(held, ended=False)

    def _find_line_end(self, buffer: bytes, start: int) -> int:
        """The end of the line that begins at `start`; -1 if it is not in the buffer."""
        width = len(self._newline)
        end = buffer.find(self._newline, start)
        while end >= 0 and (end - start) % width:
            end = buffer.find(self._newline, end + 1)
        return end

    def _make_line(self, data: bytes, *, ended: bool) -> StreamLine:
        length = self._dropped_bytes + len(data)
        if length > MAX_LINE_BYTES:
            return StreamLine(self._sample or data[:SAMPLE_BYTES], self._offset, self._number, ended, length)
        if self._stream.encoding != "utf-8":
            text = data.decode(self._stream.encoding, "replace")
            data = text.removeprefix("\ufeff" if self._number == 1 else "").encode()
        elif self._number == 1:
            data = data.removeprefix(UTF8_BOM)
        return StreamLine(data, self._offset, self._number, ended)

    def _advance(self, raw: bytes) -> None:
        self._on_line_read(raw)
        self._offset += self._dropped_bytes + len(raw)
        self._number += 1
        self._dropped_bytes, self._sample = 0, b""

    def _drop_oversize_bytes(self, buffer: bytes) -> bytes:
        """Drop the bytes of a line that is too long, and return the rest: at most half a character."""
        keep = len(buffer) % len(self._newline)
        self._sample = self._sample or buffer[:SAMPLE_BYTES]
        gone = buffer[: len(buffer) - keep]
        self._dropped_bytes += len(gone)
        self._on_line_read(gone)
        return buffer[len(gone) :]


def reject_line(stream_line: StreamLine, reason: str) -> events.SetAside:
    """The line as a stretch that is not an event."""
    return events.SetAside(stream_line.offset, stream_line.number, reason, sample_text(stream_line.data))


def sample_text(data: bytes) -> str:
    """The beginning of a stretch, as text."""
    return events.truncate_before_word(data[:SAMPLE_BYTES].decode("utf-8", "replace"), events.MAX_SAMPLE_CHARS)


MAX_ELEMENT_BYTES = 32 << 20
OPENERS, CLOSERS, QUOTE, BACKSLASH = b"[{", b"]}", 0x22, 0x5C
ELEMENT_START = re.compile(rb"[^\s,]")
BRACKET = re.compile(rb'["\[\]{}]')
SCALAR_END = re.compile(rb'[,\]}{\["\n]')
STRING_REST = re.compile(rb'(?s)[^"\\]*+(?:\\.[^"\\]*+)*+')


class ArrayElement(Struct):
    """One element: its bytes (of one that is too long only the first), and whether its end was read."""

    data: bytes
    position: events.StreamPosition
    is_complete: bool = True
    oversize_bytes: int = 0

    def find_fault(self, noun: str) -> events.ParseFailure | None:
        """The reason why the element cannot be decoded, such as its length or a missing end; `noun` names it."""
        if self.oversize_bytes:
            return events.ParseFailure(f"{noun} of {self.oversize_bytes} bytes, more than {MAX_ELEMENT_BYTES}")
        return None if self.is_complete else events.ParseFailure(TRUNCATED)


class ElementReader:
    """The elements of the arrays in a stream; an object outside of an array is an element too."""

    def __init__(self, byte_stream: ByteStream) -> None:
        self._stream = byte_stream
        self._chunk = b""
        self._offset, self._line = 0, 1  # of the chunk; of its part up to the next field
        self._newlines_counted_to = 0
        self._base_depth = self._depth = 0  # brackets around elements; brackets open
        self._in_string = self._escaped = False
        self._in_scalar = False  # in a number or a word, which ends at a sign that cannot belong to it
        self._parts: list[bytes] = []
        self._size = 0
        self._position: events.StreamPosition | None = None  # of the element that is being read
        self._start = 0  # in the chunk

    def __iter__(self) -> Iterator[ArrayElement]:
        for chunk in self._stream.chunks():
            self._chunk, self._start, self._newlines_counted_to = chunk, 0, 0
            at = 0 if self._offset or not chunk.startswith(UTF8_BOM) else len(UTF8_BOM)
            while at < len(chunk):
                at = self._advance(at)
                is_closed = self._depth <= self._base_depth and not self._in_string and not self._in_scalar
                if self._position and is_closed:
                    yield self._finish_element(at)
            self._buffer_part(len(chunk))
            self._line += chunk.count(b"\n", self._newlines_counted_to)
            self._offset += len(chunk)
        if self._position:
            yield self._finish_element(0, is_complete=False)

    def _advance(self, index: int) -> int:
        """Process the next significant byte, and return the index after it."""
        if self._in_string:
            return self._consume_string(index)
        if not self._position:
            return self._find_element(index)
        found = (SCALAR_END if self._in_scalar else BRACKET).search(self._chunk, index)
        if not found:
            return len(self._chunk)
        if self._in_scalar:
            self._in_scalar = False
            return found.start()
        return self._consume_bracket(found.start())

    def _find_element(self, index: int) -> int:
        """Skip what separates elements, and start the next one; return the index after its first byte."""
        found = ELEMENT_START.search(self._chunk, index)
        if not found:
            return len(self._chunk)
        index, sign = found.start(), self._chunk[found.start()]
        if (sign == CLOSERS[0] and self._base_depth) or (sign == OPENERS[0] and not self._base_depth):
            self._base_depth = self._depth = 1 - self._base_depth
            return index + 1
        self._line += self._chunk.count(b"\n", self._newlines_counted_to, index)
        self._newlines_counted_to = index
        self._position, self._start = events.StreamPosition(self._offset + index, self._line), index
        self._in_scalar = sign not in OPENERS and sign != QUOTE
        return index + 1 if self._in_scalar else self._consume_bracket(index)

    def _consume_bracket(self, index: int) -> int:
        """Process a bracket or quote, and return the index after it."""
        sign = self._chunk[index]
        self._in_string = sign == QUOTE
        self._depth += (sign in OPENERS) - (sign in CLOSERS)
        return index + 1

    def _consume_string(self, index: int) -> int:
        if self._escaped:
            self._escaped = False
            return index + 1
        found = STRING_REST.match(self._chunk, index)
        index = found.end() if found else index
        if index < len(self._chunk):
            self._escaped = self._chunk[index] == BACKSLASH  # the chunk ends between it and what it escapes
            self._in_string = self._escaped
            index += 1
        return index

    def _buffer_part(self, end: int) -> None:
        """Add the part of the element in this chunk up to `end`; of one that is too long only its beginning stays."""
        if not self._position:
            return
        part = self._chunk[self._start : end]
        self._size += len(part)
        self._parts.append(part)
        self._start = end
        if self._size > MAX_ELEMENT_BYTES:
            self._parts = [b"".join(self._parts[:1])[:SAMPLE_BYTES]]

    def _finish_element(self, end: int, *, is_complete: bool = True) -> ArrayElement:
        if is_complete:
            self._buffer_part(end)
        too_long = self._size if self._size > MAX_ELEMENT_BYTES else 0
        position = self._position or events.StreamPosition(0, 1)
        element = ArrayElement(b"".join(self._parts), position, is_complete, too_long)
        self._parts, self._size, self._position = [], 0, None
        return element


TOO_DEEP = "nested too deeply"
TRUNCATED = "torn: the file ends within it"
JSON_TYPE_NAMES = {list: "an array", str: "a string", bool: "true or false", int: "a number", float: "a number"}


def decode_line(stream_line: StreamLine) -> events.Fields | events.SetAside | events.Blank:
    """The object in a line; else the line as blank, or set aside with the reason."""
    if stream_line.oversize_bytes:
        return reject_line(stream_line, f"a line of {stream_line.oversize_bytes} bytes, more than {MAX_LINE_BYTES}")
    if stream_line.data.isspace() or not stream_line.data:
        return events.Blank(stream_line.offset, stream_line.number)
    found = decode_json_strictly(stream_line.data)
    if isinstance(found, dict):
        return found
    if isinstance(found, events.ParseFailure):
        is_whole = stream_line.has_newline or found.reason == TOO_DEEP
        return reject_line(stream_line, found.reason if is_whole else TRUNCATED)
    return reject_line(stream_line, explain_non_object(found))


def explain_non_object(raw_value: object) -> str:
    """The reason why a JSON value is not an event."""
    return f"{JSON_TYPE_NAMES.get(type(raw_value), 'null')}, not an object"


def decode_json_strictly(data: bytes, shape: Any = Any) -> Any:
    """The JSON value of some bytes, lone surrogates repaired to U+FFFD; ParseFailure if it is not valid JSON."""
    try:
        return msgspec.json.decode(data, type=shape)
    except RecursionError:
        return events.ParseFailure(TOO_DEEP)
    except UnicodeDecodeError:
        repaired = _repair_surrogates(data)
        is_whole = repaired == data
        return events.ParseFailure(_explain_encoding(data)) if is_whole else decode_json_strictly(repaired, shape)
    except msgspec.ValidationError as error:
        return events.ParseFailure(_lowercase_first_letter(str(error).partition(" - at")[0]))
    except ValueError as error:
        repaired = repair_json(data)
        if repaired != data:
            return decode_json_strictly(repaired, shape)
        if b"\0" in data:
            return events.ParseFailure(_explain_encoding(data))
        if re.search(rb"[:,\[\s]-?(?:NaN|Infinity)[\s,\]}]", data):
            return events.ParseFailure("not JSON: NaN or Infinity")
        why = _lowercase_first_letter(str(error).removeprefix("JSON is malformed: "))
        return events.ParseFailure(f"not JSON: {why}")


def decode_embedded_json(raw_value: Any) -> Any:
    """The decoded value of a string that is JSON, as arguments and details often are; any other value unchanged."""
    if not isinstance(raw_value, str) or raw_value.lstrip()[:1] not in ("{", "["):
        return raw_value
    found = decode_json_strictly(raw_value.encode("utf-8", "replace"))
    return raw_value if isinstance(found, events.ParseFailure) else found


def _lowercase_first_letter(text: str) -> str:
    return text[:1].lower() + text[1:]


def _explain_encoding(data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or 5 * data.count(0) >= 2 * len(data):
        return "not UTF-8: it looks like UTF-16"
    return "not JSON: it holds NUL bytes" if b"\0" in data else "not UTF-8"


def _repair_surrogates(data: bytes) -> bytes:
    """Surrogates that were encoded as characters of their own: pairs become one character, halves U+FFFD."""
    try:
        text = data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data
    return repair_text(text).encode()
