"""Append-only JSONL journals of captures and of what was done, one file a device and month; their only writer.

A line is one JSON object whose last key is `crc`: the CRC-32, as 8 hex digits, of the bytes of the object without it.
Ledger lines also carry `prev`, the digest of the line before them by the same device, across months; the device's
`.head` file names the last one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import msgspec
from msgspec import Struct

from commonplace import files
from commonplace.errors import BadArgument
from commonplace.journal.chain import Head, end_of, ledgers, previous_of, verify_chain, write_head
from commonplace.journal.line import Entry, decode, encode, entry_id, is_sealed, parse, unsealed
from commonplace.journal.reading import (
    FOLDER,
    REWRITTEN,
    SHRANK,
    STREAMS,
    Reading,
    Stream,
    batches,
    is_month,
    is_position,
    marks_of,
    of_stream,
    read,
    sizes_of,
)
from commonplace.model import Problem

__all__ = [
    "FOLDER",
    "REWRITTEN",
    "SHRANK",
    "STREAMS",
    "Entry",
    "Journal",
    "Position",
    "Reading",
    "Stream",
    "decode",
    "encode",
    "entry_id",
    "is_position",
    "is_sealed",
    "parse",
    "read",
    "unsealed",
    "verify_chain",
]

VERSION = 1


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

    def batches(self, stream: Stream, since: str = "") -> Iterator[Reading]:
        """The same in bounded memory, a few megabytes at a time, each reading with the position after it."""
        return batches(self.root, stream, since)

    def here(self, stream: Stream) -> str:
        """The position at the end of what is there now, to read on from; lines that follow are counted from 1."""
        marks = {name: (size, 0, size) for name, size in sizes_of(self.root, stream).items()}
        return msgspec.json.encode(marks).decode()

    def sizes(self) -> dict[str, int]:
        """The sizes of all journals, and of what lies beside them, by name."""
        return files.sizes(self.root, FOLDER)

    def grew(self, since: str, stream: Stream = "ledger", sizes: Mapping[str, int] | None = None) -> bool:
        """Whether there is anything new since the position of an earlier reading; looks at sizes only, or at those that
        were found just now."""
        there = of_stream(self.sizes() if sizes is None else sizes, stream)
        return {name: mark.size for name, mark in marks_of(since).items()} != there

    def verify(self) -> tuple[Problem, ...]:
        """What is wrong with the journals of all devices: bad lines, then broken chains."""
        readings = (read(self.root, stream) for stream in STREAMS)
        return (*(problem for reading in readings for problem in reading.problems), *verify_chain(self.root))


def _write(journal: Journal, stream: Stream, month: str, entries: list[Mapping[str, Any]]) -> list[Position]:
    """Write entries to one file; the caller holds the lock of the device's stream."""
    name = f"{stream}-{journal.device}-{month}.jsonl"
    chained = stream == "ledger"
    own = ledgers(journal.root).get(journal.device, []) if chained else []
    path = f"{FOLDER}/{max([name, *own])}"  # a chain is read in the order of names: it cannot go back to a past month
    previous = previous_of(journal.root, journal.device, own) if chained else ""
    offset = end_of(journal.root, path)
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
        write_head(journal.root, journal.device, Head(path, places[-1].offset, previous))
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
    if not isinstance(ts, str) or not is_month(ts[:7]):
        raise BadArgument(f"an entry needs `ts`, an ISO time, not {ts!r}")
    return ts[:7]
