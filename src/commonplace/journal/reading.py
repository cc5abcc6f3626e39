"""Read journals: whole or from a position on, entry by entry in bounded memory; bad lines are set aside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct, structs

from commonplace import files
from commonplace.errors import NotFound, OutsideWorkspace
from commonplace.journal.line import Entry, decode
from commonplace.model import Problem

FOLDER = ".memory/journal"

Stream = Literal["captures", "ledger"]
STREAMS: tuple[Stream, ...] = ("captures", "ledger")

AT_ONCE = 4 << 20  # bytes of a journal that are decoded at once

_MONTH = "-YYYY-MM.jsonl"
SHRANK, REWRITTEN = "journal-shrank", "journal-rewritten"

_TAIL = 16  # bytes, which hold the checksum of a line

_Count = Annotated[int, Meta(ge=0)]


class _Mark(Struct, frozen=True, array_like=True):
    """How far a file was read: the offset after the last whole line, the lines up to there, the size of the file, and
    the last bytes before the offset, by which one that was merged or restored since is told."""

    offset: _Count = 0
    number: _Count = 0
    size: _Count = 0
    tail: str = ""


class Reading(Struct, frozen=True):
    """Entries in the order of file names and lines, what was set aside, and the position to read on from."""

    entries: tuple[Entry, ...]
    problems: tuple[Problem, ...]
    position: str


def read(root: str, stream: Stream, since: str = "") -> Reading:
    """Read the journals of all devices; bad lines are set aside as problems, their neighbours are read."""
    readings = tuple(batches(root, stream, since))
    entries = tuple(entry for reading in readings for entry in reading.entries)
    return Reading(entries, tuple(problem for one in readings for problem in one.problems), readings[-1].position)


def batches(root: str, stream: Stream, since: str = "", at_once: int = AT_ONCE) -> Iterator[Reading]:
    """The same in bounded memory: readings of about `at_once` bytes, at least one, each with its position."""
    sizes, marks = sizes_of(root, stream), marks_of(since)
    problems = [_shrank(name) for name in marks if name not in sizes]
    after = {name: mark for name, mark in marks.items() if name in sizes}
    for name, mark in list(after.items()):
        if sizes[name] < mark.offset:
            problems.append(_shrank(name))
            after[name] = _Mark(sizes[name], 0, sizes[name])
        elif not _stands(root, f"{FOLDER}/{name}", mark):
            problems.append(_rewritten(name))
            del after[name]
    yield Reading((), tuple(problems), _position(after))
    for name in sizes:
        for mark, reading in _pieces(root, name, after.get(name, _Mark()), at_once):
            after[name] = mark
            yield structs.replace(reading, position=_position(after))


def _position(marks: dict[str, _Mark]) -> str:
    return msgspec.json.encode(dict(sorted(marks.items()))).decode()


def _stands(root: str, path: str, mark: _Mark) -> bool:
    """Whether what was read is still there, as far as its last bytes tell; what cannot be read is told when it is."""
    tail = mark.tail.encode("latin-1", "replace")
    try:
        return not tail or files.piece(root, path, mark.offset - len(tail), len(tail)) == tail
    except (NotFound, OutsideWorkspace):
        return True


def _pieces(root: str, name: str, mark: _Mark, at_once: int) -> Iterator[tuple[_Mark, Reading]]:
    """One file from a mark on, piece by piece; the mark of each lies behind its last whole line."""
    path, wanted = f"{FOLDER}/{name}", at_once
    offset, number, tail = mark.offset, mark.number, mark.tail.encode("latin-1", "replace")
    while True:
        try:
            data = files.piece(root, path, offset, wanted)
        except (NotFound, OutsideWorkspace) as error:
            yield mark, Reading((), (Problem("unreadable", error.message, path),), "")
            return
        whole, at_end = data.rfind(b"\n") + 1, len(data) < wanted
        if not whole and not at_end:
            wanted *= 2  # a line longer than a piece
            continue
        found: list[Entry | Problem] = _lines(data[:whole], path, number, offset)
        offset, number = offset + whole, number + data.count(b"\n")
        tail = (tail + data[:whole])[-_TAIL:]
        mark = _Mark(offset, number, offset + (len(data) - whole if at_end else 0), tail.decode("latin-1"))
        entries = tuple(one for one in found if isinstance(one, Entry))
        problems = tuple(one for one in found if isinstance(one, Problem))
        torn = (_torn_line(path, number + 1),) if at_end and whole < len(data) else ()
        yield mark, Reading(entries, problems + torn, "")
        if at_end:
            return


def _lines(data: bytes, path: str, number: int, offset: int) -> list[Entry | Problem]:
    found: list[Entry | Problem] = []
    for line in data.split(b"\n"):
        number += 1
        if line:
            found.append(decode(line, path, number, offset=offset))
        offset += len(line) + 1
    return found


def _torn_line(path: str, number: int) -> Problem:
    message = "the last line is not whole: its writer was stopped, or is still at it"
    return Problem("torn-line", message, path, number, "the next entry is written on a line of its own")


def _shrank(name: str) -> Problem:
    message = "this journal is shorter than when it was last read, or gone"
    return Problem("journal-shrank", message, f"{FOLDER}/{name}", hint="restore it, or run `commonplace rebuild`")


def _rewritten(name: str) -> Problem:
    message = "lines came in before the place up to which this journal was read, or went: it is read anew"
    return Problem(REWRITTEN, message, f"{FOLDER}/{name}")


def marks_of(position: str) -> dict[str, _Mark]:
    """The marks in a position; one that cannot be read means from the start."""
    return _marks(position) or {}


def is_position(position: str) -> bool:
    """Whether a position can be read; who cannot read on from one must not keep what was read up to it."""
    return _marks(position) is not None


def _marks(position: str) -> dict[str, _Mark] | None:
    try:
        return msgspec.json.decode(position, type=dict[str, _Mark])
    except ValueError:
        return None


def sizes_of(root: str, stream: Stream) -> dict[str, int]:
    """The journal files of a stream and their sizes, by name."""
    return of_stream(files.sizes(root, FOLDER), stream)


def of_stream(sizes: Mapping[str, int], stream: Stream) -> dict[str, int]:
    """Those of the sizes that are of journal files of a stream."""
    return {name: size for name, size in sizes.items() if device_of(stream, name)}


def device_of(stream: Stream, name: str) -> str:
    """The device in a journal's file name; empty for any other file."""
    prefix, month = f"{stream}-", name[-len(_MONTH) + 1 : -len(".jsonl")]
    is_ours = name.startswith(prefix) and name.endswith(".jsonl") and is_month(month)
    return name[len(prefix) : -len(_MONTH)] if is_ours else ""


def is_month(text: str) -> bool:
    """Whether a text is `YYYY-MM`."""
    year, dash, month = text[:4], text[4:5], text[5:]
    return text.isascii() and len(text) == 7 and year.isdigit() and dash == "-" and month.isdigit()
