"""Journal lines encoded, decoded and read in batches; invalid lines are reported, their neighbors are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, TypeVar
from zlib import crc32

import msgspec
from msgspec import Meta, Struct, structs

from commonplace.errors import BadArgument, NotFound, OutsideWorkspace
from commonplace.model import Capture, Problem
from commonplace.shapes import Json
from commonplace.storage import files

T = TypeVar("T")
ACCEPTED_VERSIONS = (0, 1, 2)  # our own version, the one before, which knew no checksums, and the one after
ID_CHARS = 16
ID_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"

_CHECKSUM_BYTES = len(b',"crc":"01234567"}')


class JournalEntry(Struct, frozen=True):
    """One line as read, with unknown fields; its 1-based number, its first byte, its bytes without the newline."""

    fields: Json
    path: str
    line_number: int
    offset: int
    size: int = 0


def make_entry_id(payload: Mapping[str, Any], device: str, position: int, prefix: str = "obs:") -> str:
    """Return the id of an entry: 80 bits of a digest of its time, device, actor, text and byte offset."""
    values = (payload.get(key) for key in ("ts", "actor", "op", "text"))
    parts = (device, str(position), *(value if isinstance(value, str) else "" for value in values))
    value = int(files.text_digest("\0".join(parts)), 16)
    return prefix + "".join(ID_ALPHABET[value >> 5 * place & 31] for place in range(ID_CHARS))


def encode_journal_line(payload: Mapping[str, Any]) -> bytes:
    """Return a line, its checksum last, a lone surrogate as U+FFFD. Raises BadArgument for what JSON cannot hold."""
    bare = {key: value for key, value in payload.items() if key != "crc"}
    try:
        try:
            body = msgspec.json.encode(bare)
        except UnicodeEncodeError:
            from commonplace.shapes import replace_surrogates

            body = msgspec.json.encode(replace_surrogates(bare))
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise BadArgument(f"this cannot be kept as JSON: {error}") from error
    return b'%s,"crc":"%08x"}' % (body[:-1], crc32(body))


def decode_journal_line(
    raw_line: bytes, path: str = "", line_number: int = 0, *, offset: int = 0
) -> JournalEntry | Problem:
    """Return a line of a journal as an entry, or what is wrong with it."""
    fields = parse_json_line(raw_line)
    if isinstance(fields, str):
        why = fields
    else:
        version = fields.get("v")
        if type(version) is not int or version not in ACCEPTED_VERSIONS:
            why = "it has no version that is known here"
        elif (version or "crc" in fields) and not has_valid_checksum(raw_line):
            why = "its checksum does not match" if "crc" in fields else "it has no checksum"
        elif not is_stub(fields) and not all(isinstance(fields.get(key), str) and fields[key] for key in ("id", "ts")):
            why = "it has no id or no time"
        else:
            return JournalEntry(fields, path, line_number, offset, len(raw_line))
    return Problem("bad-line", f"this journal line is set aside: {why}", path, line_number)


def is_stub(fields: Json) -> bool:
    """Whether a line only keeps the digest of one that was forgotten."""
    return "forgotten" in fields and isinstance(fields.get("digest"), str)


def line_digest(raw_line: bytes, fields: Json) -> str:
    """Return the digest by which the next line of a chain names this one; a stub has that of the line it replaces."""
    return str(fields["digest"]) if is_stub(fields) else files.content_digest(raw_line)


def parse_capture(fields: Json) -> Capture:
    """Return the capture of an entry; a field that is missing or of the wrong type is empty."""
    detail, sources, keys = fields.get("detail"), fields.get("from"), fields.get("keys")
    return Capture(
        id=str(fields.get("id") or ""),
        ts=str(fields.get("ts") or ""),
        type=fields.get("type") or "message",
        actor=fields.get("actor") or "tool",
        text=str(fields.get("text") or ""),
        session=str(fields.get("session") or ""),
        agent=str(fields.get("agent") or ""),
        scope=str(fields.get("scope") or ""),
        origin=fields.get("origin") or "untrusted",
        detail=detail if isinstance(detail, dict) else {},
        from_=tuple(map(str, sources)) if isinstance(sources, list) else (),
        keys=tuple(key for key in keys if isinstance(key, str)) if isinstance(keys, list) else (),
        recorded=str(fields.get("recorded") or ""),
    )


def parse_json_line(raw_line: bytes) -> Json | str:
    """Return the JSON object in a line, or the reason why there is none."""
    try:
        fields = msgspec.json.decode(raw_line)
    except RecursionError:
        return "it is nested too deeply"
    except ValueError:  # msgspec.DecodeError, and UnicodeDecodeError for invalid UTF-8
        return "it is not valid JSON"
    return fields if isinstance(fields, dict) else "it is not a JSON object"


def has_valid_checksum(raw_line: bytes) -> bool:
    """Whether a line ends in the checksum of the rest."""
    rest = memoryview(raw_line)[:-_CHECKSUM_BYTES]
    return raw_line[-_CHECKSUM_BYTES:] == b',"crc":"%08x"}' % crc32(b"}", crc32(rest))


def decode_with_checksum(raw_line: bytes, shape: type[T]) -> T | None:
    """Return a line with a checksum in this shape; None for one that is not whole, or has another shape."""
    try:
        return msgspec.json.decode(raw_line, type=shape) if has_valid_checksum(raw_line) else None
    except ValueError:
        return None


JOURNAL_FOLDER = ".memory/journal"
RECEIPT_FOLDER = ".memory/receipts"

Stream = Literal["captures", "ledger"]
STREAMS: tuple[Stream, ...] = ("captures", "ledger")

BATCH_BYTES = 4 << 20  # bytes of a journal that are decoded at once

_MONTH_SUFFIX = "-YYYY-MM.jsonl"
JOURNAL_SHRANK, JOURNAL_REWRITTEN = "journal-shrank", "journal-rewritten"

_TAIL = 16  # bytes, which hold the checksum of a line

_NonNegative = Annotated[int, Meta(ge=0)]


class _FilePosition(Struct, frozen=True, array_like=True):
    """The position up to which a file was read: the offset after the last whole line, the number of lines before it,
    the size of the file, and the last bytes before the offset, which show whether the file was merged or restored
    since."""

    offset: _NonNegative = 0
    line_number: _NonNegative = 0
    size: _NonNegative = 0
    tail: str = ""


class JournalBatch(Struct, frozen=True):
    """Entries in the order of file names and lines, the problems of invalid lines, and the position to read on from."""

    entries: tuple[JournalEntry, ...]
    problems: tuple[Problem, ...]
    position: str


def read_journal_batches(
    root: str, stream: Stream, since: str = "", batch_bytes: int = BATCH_BYTES
) -> Iterator[JournalBatch]:
    """The journals of all devices in batches of about `batch_bytes` bytes, at least one; invalid lines are problems."""
    sizes, marks = list_stream_sizes(root, stream), decode_position(since) or {}
    problems = [_shrank_problem(name) for name in marks if name not in sizes]
    after = {name: mark for name, mark in marks.items() if name in sizes}
    for name, mark in list(after.items()):
        path, tail = f"{JOURNAL_FOLDER}/{name}", mark.tail.encode("latin-1", "replace")
        if sizes[name] < mark.offset:
            problems.append(_shrank_problem(name))
            after[name] = _FilePosition(sizes[name], 0, sizes[name])
        elif tail and not _has_bytes(root, path, mark.offset - len(tail), tail):
            message = "lines came in before the place up to which this journal was read, or went: it is read anew"
            problems.append(Problem(JOURNAL_REWRITTEN, message, path))
            del after[name]
    yield JournalBatch((), tuple(problems), _encode_position(after))
    for name in sizes:
        for mark, reading in _read_file_batches(root, name, after.get(name, _FilePosition()), batch_bytes):
            after[name] = mark
            yield structs.replace(reading, position=_encode_position(after))


def _encode_position(file_positions: dict[str, _FilePosition]) -> str:
    return msgspec.json.encode(dict(sorted(file_positions.items()))).decode()


def _has_bytes(root: str, path: str, offset: int, data: bytes) -> bool:
    """Whether these bytes are still there; a file that cannot be read is reported when it is read."""
    try:
        return files.read_range(root, path, offset, len(data)) == data
    except (NotFound, OutsideWorkspace):
        return True


def _read_file_batches(
    root: str, name: str, file_position: _FilePosition, batch_bytes: int
) -> Iterator[tuple[_FilePosition, JournalBatch]]:
    """The batches of one file from a position on, each with the position after its last whole line."""
    path, size = f"{JOURNAL_FOLDER}/{name}", batch_bytes
    offset, number = file_position.offset, file_position.line_number
    tail = file_position.tail.encode("latin-1", "replace")
    while True:
        try:
            data = files.read_range(root, path, offset, size)
        except (NotFound, OutsideWorkspace) as error:
            yield file_position, JournalBatch((), (Problem("unreadable", error.message, path),), "")
            return
        whole, at_end = data.rfind(b"\n") + 1, len(data) < size
        if not whole and not at_end:
            size *= 2  # a line longer than a batch
            continue
        entries: list[JournalEntry] = []
        problems: list[Problem] = []
        for raw_line in data[:whole].split(b"\n")[:-1]:
            number += 1
            if raw_line:
                entry = decode_journal_line(raw_line, path, number, offset=offset)
                if isinstance(entry, Problem):
                    problems.append(entry)
                elif not is_stub(entry.fields):
                    entries.append(entry)
            offset += len(raw_line) + 1
        tail = (tail + data[:whole])[-_TAIL:]
        end = offset + (len(data) - whole if at_end else 0)
        file_position = _FilePosition(offset, number, end, tail.decode("latin-1"))
        if at_end and whole < len(data):
            problems.append(torn_line_problem(path, number + 1, "the next entry is written on a line of its own"))
        yield file_position, JournalBatch(tuple(entries), tuple(problems), "")
        if at_end:
            return


def torn_line_problem(path: str, line_number: int, hint: str = "") -> Problem:
    """The problem of a file whose last line has no newline after a crash."""
    message = "the last line is not whole: its writer was stopped, or is still at it"
    return Problem("torn-line", message, path, line_number, hint)


def _shrank_problem(name: str) -> Problem:
    message = "this journal is shorter than when it was last read, or missing"
    hint = "restore it, or run `commonplace rebuild`"
    return Problem("journal-shrank", message, f"{JOURNAL_FOLDER}/{name}", hint=hint)


def decode_position(position: str) -> dict[str, _FilePosition] | None:
    """Return the positions by file name; None if the text is not a position: all up to it must be read again."""
    try:
        return msgspec.json.decode(position, type=dict[str, _FilePosition])
    except ValueError:
        return None


def list_stream_sizes(root: str, stream: Stream) -> dict[str, int]:
    """Return the sizes of the journal files of a stream, by name."""
    return select_stream(files.list_file_sizes(root, JOURNAL_FOLDER), stream)


def select_stream(sizes: Mapping[str, int], stream: Stream) -> dict[str, int]:
    """Return the sizes of those files that are journals of a stream."""
    return {name: size for name, size in sizes.items() if device_in_file_name(stream, name)}


def device_in_file_name(stream: Stream, name: str) -> str:
    """Return the device in the name of a journal file; empty for any other file."""
    prefix, month = f"{stream}-", name[-len(_MONTH_SUFFIX) + 1 : -len(".jsonl")]
    is_ours = name.startswith(prefix) and name.endswith(".jsonl") and is_iso_month(month)
    return name[len(prefix) : -len(_MONTH_SUFFIX)] if is_ours else ""


def is_iso_month(text: str) -> bool:
    """Whether a text is `YYYY-MM`."""
    year, dash, month = text[:4], text[4:5], text[5:]
    return text.isascii() and len(text) == 7 and year.isdigit() and dash == "-" and month.isdigit()


def is_iso_day(text: str) -> bool:
    """Whether a text is `YYYY-MM-DD`."""
    return len(text) == 10 and is_iso_month(text[:7]) and text[7] == "-" and text.isascii() and text[8:].isdigit()
