"""Append-only JSONL journals of captures and of what was done, one file a device and month; their only writer.

A line is one JSON object whose last key is `crc`: the CRC-32, as 8 hex digits, of the bytes of the object without it.
Ledger lines also carry `prev`, the digest of the line before them by the same device, across months; the device's
`.head` file names the last one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Literal
from zlib import crc32

import msgspec
from msgspec import Struct

from commonplace import files
from commonplace.errors import BadArgument, NotFound, OutsideWorkspace
from commonplace.model import Problem

FOLDER = ".memory/journal"
VERSION = 1
ACCEPTED = (0, 1, 2)  # our own version, the one before, which knew no checksums, and the one after
TAIL_BYTES = 1 << 16
ID_CHARS = 16
ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"

Stream = Literal["captures", "ledger"]
STREAMS: tuple[Stream, ...] = ("captures", "ledger")

_MONTH = "-YYYY-MM.jsonl"
_SEAL = len(b',"crc":"01234567"}')
_Mark = tuple[int, int, int]  # offset after the last whole line, lines up to there, size of the file


class Entry(Struct, frozen=True):
    """One line as read, with fields that we do not know; `line` is 1-based, `offset` that of its first byte."""

    fields: dict[str, Any]
    path: str
    line: int
    offset: int


class Reading(Struct, frozen=True):
    """Entries in the order of file names and lines, what was set aside, and the position to read on from."""

    entries: tuple[Entry, ...]
    problems: tuple[Problem, ...]
    position: str


class Position(Struct, frozen=True):
    """Where an entry was written, and the id that it has."""

    path: str
    offset: int
    id: str


class Journal(Struct, frozen=True):
    """The journals of a workspace: one device writes its own, and all are read."""

    root: str
    device: str

    def append(self, entry: Mapping[str, Any], stream: Stream) -> Position:
        """Write one entry; when this returns, it is on disk. See `extend`."""
        return self.extend((entry,), stream)[0]

    def extend(self, entries: Sequence[Mapping[str, Any]], stream: Stream) -> tuple[Position, ...]:
        """Write entries with one write and one fsync (for each run of the same month).

        An entry has `ts`, an ISO time that names the month of its file; `v` and an `id` made from the content are
        added where they are missing. Raises BadArgument, LockBusy, WorkspaceUnusable.
        """
        with files.hold(self.root, f"{stream}-{_checked(self.device)}"):
            runs = [(month, list(run)) for month, run in groupby(entries, _month)]
            return tuple(place for month, run in runs for place in _write(self, stream, month, run))

    def read(self, stream: Stream, since: str = "") -> Reading:
        """The entries of all devices, or those after the position of an earlier reading."""
        return read(self.root, stream, since)

    def grew(self, since: str, stream: Stream = "ledger") -> bool:
        """Whether there is anything new since the position of an earlier reading; looks at sizes only."""
        return {name: size for name, (_, _, size) in _marks(since).items()} != _sizes(self.root, stream)

    def verify(self) -> tuple[Problem, ...]:
        """What is wrong with the journals of all devices: bad lines, then broken chains."""
        readings = (read(self.root, stream) for stream in STREAMS)
        return (*(problem for reading in readings for problem in reading.problems), *verify_chain(self.root))


def entry_id(entry: Mapping[str, Any], device: str, position: int, prefix: str = "obs:") -> str:
    """An id from what was captured and where: 80 bits of (ts, device, actor, text, byte offset in the journal)."""
    said = (entry.get(key) for key in ("ts", "actor", "op", "text"))
    parts = (device, str(position), *(value if isinstance(value, str) else "" for value in said))
    content = "\0".join(parts).encode("utf-8", "surrogatepass")
    value = int(files.digest(content), 16)
    return prefix + "".join(ALPHABET[value >> 5 * place & 31] for place in range(ID_CHARS))


def encode(fields: Mapping[str, Any]) -> bytes:
    """One line without its newline, with its checksum last; a lone surrogate becomes U+FFFD. Raises BadArgument."""
    bare = {key: value for key, value in fields.items() if key != "crc"}
    try:
        try:
            body = msgspec.json.encode(bare)
        except UnicodeEncodeError:
            body = msgspec.json.encode(_mended(bare))
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise BadArgument(f"this cannot be kept as JSON: {error}") from error
    return b'%s,"crc":"%08x"}' % (body[:-1], crc32(body))


def decode(line: bytes, path: str = "", number: int = 0, *, offset: int = 0) -> Entry | Problem:
    """One line of a journal as an entry, or what is wrong with it."""
    fields = parse(line)
    why = fields if isinstance(fields, str) else _why_not(fields, line)
    if why:
        return Problem("bad-line", f"this journal line is set aside: {why}", path, number)
    assert isinstance(fields, dict)
    return Entry(fields, path, number, offset)


def parse(line: bytes) -> dict[str, Any] | str:
    """The JSON object on a line, or why there is none."""
    try:
        fields = msgspec.json.decode(line)
    except RecursionError:
        return "it is nested too deeply"
    except ValueError:  # msgspec.DecodeError, and UnicodeDecodeError for invalid UTF-8
        return "it is not valid JSON"
    return fields if isinstance(fields, dict) else "it is no JSON object"


def is_sealed(line: bytes) -> bool:
    """Whether the line ends in the checksum of the rest."""
    rest = memoryview(line)[:-_SEAL]
    return line[-_SEAL:] == b',"crc":"%08x"}' % crc32(b"}", crc32(rest))


def read(root: str, stream: Stream, since: str = "") -> Reading:
    """Read the journals of all devices; bad lines are set aside as problems, their neighbours are read."""
    before = _marks(since)
    after: dict[str, _Mark] = {}
    entries: list[Entry] = []
    problems: list[Problem] = []
    for name, size in _sizes(root, stream).items():
        mark = before.pop(name, (0, 0, 0))
        if size < mark[0]:
            problems.append(_shrank(name))
            mark = (size, 0, size)
        after[name] = _read_on(root, name, mark, (entries, problems))
    problems += [_shrank(name) for name in before]
    return Reading(tuple(entries), tuple(problems), msgspec.json.encode(after).decode())


def verify_chain(root: str) -> tuple[Problem, ...]:
    """Walk each device's ledger: a line that is missing, altered, added or out of order breaks the chain.

    A ledger that lost its newest lines is found by its head file, or by the next line that is written. What cannot be
    found: newest lines cut off together with a head that was taken back or deleted, and a chain that somebody computed
    anew from the changed line on, head included; there is no secret in it.
    """
    problems: list[Problem] = []
    for device, names in _ledgers(root).items():
        seen = {""}
        previous = ""
        for entry, its_digest in _chained(root, names):
            if entry.fields.get("prev", "" if entry.fields["v"] else previous) != previous:
                message = "a ledger line before this one is missing, altered or out of order"
                problems.append(Problem("ledger-broken", message, entry.path, entry.line))
            previous = its_digest
            seen.add(previous)
        head = _head(root, device)
        if head is not None and head.digest not in seen:
            message = f"the ledger of {device!r} lacks its newest line"
            hint = "lines were cut off, or have not arrived here yet"
            problems.append(Problem("ledger-cut", message, f"{FOLDER}/{names[-1]}", hint=hint))
    return tuple(problems)


class _Head(Struct, frozen=True):
    """The last line of a device's ledger: its file, its offset there, its digest."""

    path: str
    offset: int
    digest: str


def _write(journal: Journal, stream: Stream, month: str, entries: list[Mapping[str, Any]]) -> list[Position]:
    """Write entries to one file; the caller holds the lock of the device's stream."""
    name = f"{stream}-{journal.device}-{month}.jsonl"
    chained = stream == "ledger"
    own = _ledgers(journal.root).get(journal.device, []) if chained else []
    path = f"{FOLDER}/{max([name, *own])}"  # a chain is read in the order of names: it cannot go back to a past month
    previous = _previous(journal, own) if chained else ""
    offset = _end(journal.root, path)
    lines: list[bytes] = []
    places: list[Position] = []
    for entry in entries:
        fields = _filled(entry, entry_id(entry, journal.device, offset, "led:" if chained else "obs:"))
        line = encode(fields | {"prev": previous} if chained else fields)
        if isinstance(problem := decode(line), Problem):
            raise BadArgument(problem.message)
        lines.append(line)
        places.append(Position(path, offset, fields["id"]))
        offset += len(line) + 1
        previous = files.digest(line)
    files.append_lines(journal.root, path, lines)
    if chained:
        _write_head(journal, _Head(path, places[-1].offset, previous))
    return places


def _filled(entry: Mapping[str, Any], made_id: str) -> dict[str, Any]:
    first = {"v": entry.get("v", VERSION), "id": entry.get("id") or made_id, "ts": entry["ts"]}
    return first | {key: value for key, value in entry.items() if key not in first}


def _checked(device: str) -> str:
    """A device name is part of file names."""
    plain = device.replace("-", "").replace("_", "").replace(".", "")
    if not (plain.isascii() and plain.isalnum() and device[0].isalnum() and len(device) <= 80):
        raise BadArgument(f"{device!r} cannot be the name of a device: letters, digits, `-`, `_` and `.` can")
    return device


def _month(entry: Mapping[str, Any]) -> str:
    ts = entry.get("ts")
    if not isinstance(ts, str) or not _is_month(ts[:7]):
        raise BadArgument(f"an entry needs `ts`, an ISO time, not {ts!r}")
    return ts[:7]


def _is_month(text: str) -> bool:
    year, dash, month = text[:4], text[4:5], text[5:]
    return text.isascii() and len(text) == 7 and year.isdigit() and dash == "-" and month.isdigit()


def _why_not(fields: dict[str, Any], line: bytes) -> str:
    """Why an object is no entry; empty if it is one."""
    version = fields.get("v")
    if type(version) is not int or version not in ACCEPTED:
        return "it has no version that is known here"
    if (version or "crc" in fields) and not is_sealed(line):
        return "its checksum does not match" if "crc" in fields else "it has no checksum"
    if not all(isinstance(fields.get(key), str) and fields[key] for key in ("id", "ts")):
        return "it has no id or no time"
    return ""


def _mended(value: Any) -> Any:
    """Lone surrogates, which UTF-8 cannot hold, replaced wherever they stand."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_mended(key): _mended(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_mended(inner) for inner in value]
    return value


def _read_on(root: str, name: str, mark: _Mark, found: tuple[list[Entry], list[Problem]]) -> _Mark:
    """Read one file from a mark on into `found`; the mark behind its last whole line is returned."""
    entries, problems = found
    path = f"{FOLDER}/{name}"
    offset, number, _size = mark
    try:
        data = files.read(root, path, start=offset)
    except (NotFound, OutsideWorkspace) as error:
        problems.append(Problem("unreadable", error.message, path))
        return mark
    size = offset + len(data)
    *lines, torn = data.split(b"\n")
    for line in lines:
        number += 1
        if line:
            one = decode(line, path, number, offset=offset)
            entries.append(one) if isinstance(one, Entry) else problems.append(one)
        offset += len(line) + 1
    if torn:
        message = "the last line is not whole: its writer was stopped, or is still at it"
        problems.append(
            Problem("torn-line", message, path, number + 1, "the next entry is written on a line of its own")
        )
    return offset, number, size


def _shrank(name: str) -> Problem:
    message = "this journal is shorter than when it was last read, or gone"
    return Problem("journal-shrank", message, f"{FOLDER}/{name}", hint="restore it, or run `commonplace rebuild`")


def _marks(position: str) -> dict[str, _Mark]:
    """The marks in a position; one that cannot be read means from the start."""
    try:
        return msgspec.json.decode(position, type=dict[str, _Mark]) if position else {}
    except ValueError:
        return {}


def _sizes(root: str, stream: Stream) -> dict[str, int]:
    """The journal files of a stream and their sizes, by name."""
    found = files.sizes(root, FOLDER)
    return {name: size for name, size in found.items() if _device(stream, name)}


def _ledgers(root: str) -> dict[str, list[str]]:
    """The ledger files of each device, oldest first."""
    ledgers: dict[str, list[str]] = {}
    for name in _sizes(root, "ledger"):
        ledgers.setdefault(_device("ledger", name), []).append(name)
    return ledgers


def _device(stream: Stream, name: str) -> str:
    """The device in a journal's file name; empty for any other file."""
    prefix, month = f"{stream}-", name[-len(_MONTH) + 1 : -len(".jsonl")]
    is_ours = name.startswith(prefix) and name.endswith(".jsonl") and _is_month(month)
    return name[len(prefix) : -len(_MONTH)] if is_ours else ""


def _chained(root: str, names: list[str]) -> Iterator[tuple[Entry, str]]:
    """The entries of one device's ledger, each with the digest of its line."""
    for name in names:
        path = f"{FOLDER}/{name}"
        try:
            lines = files.read(root, path).split(b"\n")
        except (NotFound, OutsideWorkspace):
            continue  # a reading says so; the chain breaks here
        for number, line in enumerate(lines, 1):
            entry = decode(line, path, number) if line else None
            if isinstance(entry, Entry):
                yield entry, files.digest(line)


def _previous(journal: Journal, names: list[str]) -> str:
    """What the next ledger line names as the one before it; a lost head stays named, so that the loss stays visible."""
    head = _head(journal.root, journal.device)
    if head is not None and not _holds(journal.root, head):
        return head.digest
    lines = (_last_line(journal.root, f"{FOLDER}/{name}") for name in reversed(names))
    return next((files.digest(line) for line in lines if line), "")


def _last_line(root: str, path: str) -> bytes:
    """The last line that is an entry; also one that lacks only its newline, for the next append adds that."""
    end = _end(root, path)
    for start in sorted({0, max(0, end - TAIL_BYTES)}, reverse=True):
        lines = files.read(root, path, start=start).split(b"\n")
        for line in reversed(lines[1:] if start else lines):
            if line and isinstance(decode(line), Entry):
                return line
    return b""


def _end(root: str, path: str) -> int:
    """Where the next line of a file will begin: behind its last newline, or behind the one that closes a torn line."""
    size = files.sizes(root, FOLDER).get(path.rpartition("/")[2], 0)
    torn = size > 0 and files.read(root, path, start=size - 1) != b"\n"
    return size + torn


def _head_path(device: str) -> str:
    return f"{FOLDER}/ledger-{device}.head"


def _head(root: str, device: str) -> _Head | None:
    """What the head file says; None if there is none that can be relied on."""
    line = files.find(root, _head_path(device)) or b""
    try:
        return msgspec.json.decode(line, type=_Head) if is_sealed(line) else None
    except ValueError:
        return None


def _write_head(journal: Journal, head: _Head) -> None:
    """Without fsync: a head that is behind is no loss, for the line it names is still there."""
    files.write_atomic(journal.root, _head_path(journal.device), encode(msgspec.structs.asdict(head)), durable=False)


def _holds(root: str, head: _Head) -> bool:
    try:
        line = files.read(root, head.path, start=head.offset).split(b"\n", 1)[0]
    except (NotFound, OutsideWorkspace):
        return False
    return files.digest(line) == head.digest
