"""Append entries to the journals of this device, chain the lines of its ledger, and verify the chains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import msgspec
from msgspec import Struct, structs

from commonplace.errors import BadArgument, NotFound, OutsideWorkspace
from commonplace.model import Problem
from commonplace.storage import files
from commonplace.storage.journal import entries

TAIL_BYTES = 1 << 16


class ChainHead(Struct, frozen=True):
    """The last line of a device's ledger: its file, its offset there, its digest."""

    path: str
    offset: int
    digest: str


def verify_chain(root: str) -> tuple[Problem, ...]:
    """Return the problems of the ledgers: a line that is missing, altered, added or out of order breaks the chain.

    A ledger that lost its newest lines is found by its head file, or by the next line that is written. Two things
    cannot be found: newest lines that were cut off together with a head that was restored or deleted, and a chain that
    somebody computed again from the changed line on, head included, for it holds no secret.
    """
    problems: list[Problem] = []
    for device, names in list_ledgers_by_device(root).items():
        seen = {""}
        previous = ""
        for entry, its_digest in _read_chain(root, names):
            if entry.fields.get("prev", "" if entry.fields["v"] else previous) != previous:
                message = "a ledger line before this one is missing, altered or out of order"
                problems.append(Problem("ledger-broken", message, entry.path, entry.line_number))
            previous = its_digest
            seen.add(previous)
        head = _read_chain_head(root, device)
        if head is not None and head.digest not in seen:
            message = f"the ledger of {device!r} lacks its newest line"
            hint = "lines were cut off, or have not arrived here yet"
            problems.append(Problem("ledger-cut", message, f"{entries.JOURNAL_FOLDER}/{names[-1]}", hint=hint))
    return tuple(problems)


def list_ledgers_by_device(root: str) -> dict[str, list[str]]:
    """Return the ledger files of each device, oldest first."""
    ledgers: dict[str, list[str]] = {}
    for name in entries.list_stream_sizes(root, "ledger"):
        ledgers.setdefault(entries.device_in_file_name("ledger", name), []).append(name)
    return ledgers


def _read_chain(root: str, file_names: list[str]) -> Iterator[tuple[entries.JournalEntry, str]]:
    """The entries of one device's ledger, each with the digest of its line."""
    for name in file_names:
        path = f"{entries.JOURNAL_FOLDER}/{name}"
        try:
            lines = files.read_file(root, path).split(b"\n")
        except (NotFound, OutsideWorkspace):
            continue  # reported when it is read; the chain breaks here
        for number, raw_line in enumerate(lines, 1):
            entry = entries.decode_journal_line(raw_line, path, number) if raw_line else None
            if isinstance(entry, entries.JournalEntry):
                yield entry, files.content_digest(raw_line)


def previous_digest(root: str, device: str, file_names: list[str]) -> str:
    """Return the digest that the next ledger line has of the one before it: that of a lost head, so that the loss stays
    visible."""
    head = _read_chain_head(root, device)
    if head is not None:
        try:
            raw_line = files.read_file(root, head.path, start=head.offset).split(b"\n", 1)[0]
        except (NotFound, OutsideWorkspace):
            return head.digest
        if files.content_digest(raw_line) != head.digest:
            return head.digest
    lines = (_read_last_line(root, f"{entries.JOURNAL_FOLDER}/{name}") for name in reversed(file_names))
    return next((files.content_digest(raw_line) for raw_line in lines if raw_line), "")


def _read_last_line(root: str, path: str) -> bytes:
    """Return the last line that is an entry, also without its newline, which the next append adds."""
    end = next_line_offset(root, path)
    for start in sorted({0, max(0, end - TAIL_BYTES)}, reverse=True):
        lines = files.read_file(root, path, start=start).split(b"\n")
        for raw_line in reversed(lines[1:] if start else lines):
            if raw_line and isinstance(entries.decode_journal_line(raw_line), entries.JournalEntry):
                return raw_line
    return b""


def next_line_offset(root: str, path: str) -> int:
    """Return the offset of the next line of a file: after its last newline, or after one that closes a torn line."""
    size = files.list_file_sizes(root, entries.JOURNAL_FOLDER).get(path.rpartition("/")[2], 0)
    torn = size > 0 and files.read_file(root, path, start=size - 1) != b"\n"
    return size + torn


def _chain_head_path(device: str) -> str:
    return f"{entries.JOURNAL_FOLDER}/ledger-{device}.head"


def _read_chain_head(root: str, device: str) -> ChainHead | None:
    """Return the head file of a ledger; None if there is none that is intact."""
    return entries.decode_with_checksum(files.read_file_if_exists(root, _chain_head_path(device)) or b"", ChainHead)


LINE_VERSION = 1


class EntryLocation(Struct, frozen=True):
    """The file and offset of an entry, and its id."""

    path: str
    offset: int
    id: str


class Journal(Struct, frozen=True):
    """The journals of a workspace; a device writes its own, and reads those of all devices."""

    root: str
    device: str

    def append(self, payload: Mapping[str, Any], stream: entries.Stream) -> EntryLocation:
        """Write one entry; when this returns, it is on disk. See `append_all`."""
        return self.append_all((payload,), stream)[0]

    def append_all(self, payloads: Sequence[Mapping[str, Any]], stream: entries.Stream) -> tuple[EntryLocation, ...]:
        """Write entries with one write and one fsync (for each run of the same month).

        The `ts` of an entry, an ISO time, decides the month of its file; `v` and an `id` are added where they are
        missing. Raises BadArgument, LockBusy, WorkspaceUnusable.
        """
        plain = self.device.replace("-", "").replace("_", "").replace(".", "")  # it is part of file names
        if not (plain.isascii() and plain.isalnum() and self.device[0].isalnum() and len(self.device) <= 80):
            message = "cannot be the name of a device: letters, digits, `-`, `_` and `.` can"
            raise BadArgument(f"{self.device!r} {message}")
        with files.hold_workspace_lock(self.root, f"{stream}-{self.device}"):
            for ts in (payload.get("ts") for payload in payloads):
                if not isinstance(ts, str) or not entries.is_iso_month(ts[:7]):
                    raise BadArgument(f"an entry needs `ts`, an ISO time, not {ts!r}")
            runs = [(month, list(run)) for month, run in groupby(payloads, lambda payload: str(payload["ts"])[:7])]
            return tuple(place for month, run in runs for place in _append_to_month(self, stream, month, run))

    def read(self, stream: entries.Stream, since: str = "") -> entries.JournalBatch:
        """Return the entries of all devices, or those after the position of an earlier batch."""
        return entries.read_journals(self.root, stream, since)

    def read_batches(self, stream: entries.Stream, since: str = "") -> Iterator[entries.JournalBatch]:
        """The new entries, as `read` returns them, in batches of a few megabytes."""
        return entries.read_journal_batches(self.root, stream, since)

    def end_position(self, stream: entries.Stream) -> str:
        """Return the position after the newest entry; lines that follow are counted from 1."""
        marks = {name: (size, 0, size) for name, size in entries.list_stream_sizes(self.root, stream).items()}
        return msgspec.json.encode(marks).decode()

    def file_sizes(self) -> dict[str, int]:
        """Return the sizes of all files in the folder of the journals, by name."""
        return files.list_file_sizes(self.root, entries.JOURNAL_FOLDER)

    def has_grown(self, since: str, stream: entries.Stream = "ledger", sizes: Mapping[str, int] | None = None) -> bool:
        """Whether the sizes of the files, or `sizes` if these were read just now, differ from an earlier position."""
        current = entries.select_stream(self.file_sizes() if sizes is None else sizes, stream)
        return {name: mark.size for name, mark in (entries.decode_position(since) or {}).items()} != current

    def verify(self) -> tuple[Problem, ...]:
        """Return the problems of the journals of all devices: invalid lines, then broken chains."""
        readings = (entries.read_journals(self.root, stream) for stream in entries.STREAMS)
        return (*(problem for reading in readings for problem in reading.problems), *verify_chain(self.root))


def _append_to_month(
    journal: Journal, stream: entries.Stream, month: str, payloads: list[Mapping[str, Any]]
) -> list[EntryLocation]:
    """Write entries to one file. The caller has the lock of the stream of the device."""
    name = f"{stream}-{journal.device}-{month}.jsonl"
    chained = stream == "ledger"
    own = list_ledgers_by_device(journal.root).get(journal.device, []) if chained else []
    # A chain is read in the order of names: it cannot go back to a past month.
    path = f"{entries.JOURNAL_FOLDER}/{max([name, *own])}"
    previous = previous_digest(journal.root, journal.device, own) if chained else ""
    offset = next_line_offset(journal.root, path)
    lines: list[bytes] = []
    places: list[EntryLocation] = []
    for entry in payloads:
        entry_id = entry.get("id") or entries.make_entry_id(
            entry, journal.device, offset, "led:" if chained else "obs:"
        )
        fields = {"v": entry.get("v", LINE_VERSION), "id": entry_id, "ts": entry["ts"]}
        fields |= {key: value for key, value in entry.items() if key not in fields}
        raw_line = entries.encode_journal_line(fields | {"prev": previous} if chained else fields)
        if isinstance(problem := entries.decode_journal_line(raw_line), Problem):
            raise BadArgument(problem.message)
        lines.append(raw_line)
        places.append(EntryLocation(path, offset, fields["id"]))
        offset += len(raw_line) + 1
        previous = files.content_digest(raw_line)
    files.append_lines(journal.root, path, lines)
    if chained:
        head = ChainHead(path, places[-1].offset, previous)
        # Without fsync: an old head is no loss, for its line is still there.
        files.write_sealed(
            journal.root, _chain_head_path(journal.device), entries.encode_journal_line(structs.asdict(head))
        )
    return places
