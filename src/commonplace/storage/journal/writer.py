"""Append entries to the journals of this device, and read those of all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import msgspec
from msgspec import Struct

from commonplace.errors import BadArgument
from commonplace.model import Problem
from commonplace.storage import files
from commonplace.storage.journal import chains, entries

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
        """Write entries with one write and one fsync (for each run of one month, by `ts`, an ISO time); `v` and an `id`
        are added where they are missing. Raises BadArgument, LockBusy, WorkspaceUnusable."""
        chains.require_device_name(self.device)
        with files.hold_workspace_lock(self.root, f"{stream}-{self.device}"):
            for ts in (payload.get("ts") for payload in payloads):
                if not isinstance(ts, str) or not entries.is_iso_month(ts[:7]):
                    raise BadArgument(f"an entry needs `ts`, an ISO time, not {ts!r}")
            runs = [(month, list(run)) for month, run in groupby(payloads, lambda payload: str(payload["ts"])[:7])]
            return tuple(place for month, run in runs for place in _append_to_month(self, stream, month, run))

    def read(self, stream: entries.Stream, since: str = "") -> entries.JournalBatch:
        """Return the entries of all devices, or those after the position of an earlier batch."""
        batches = tuple(self.read_batches(stream, since))
        lines = tuple(entry for batch in batches for entry in batch.entries)
        problems = tuple(problem for batch in batches for problem in batch.problems)
        return entries.JournalBatch(lines, problems, batches[-1].position)

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

    def find_shrunk(self, stream: entries.Stream, since: str) -> list[str]:
        """Return the names of the files that are missing, or shorter than they were at the position of a batch."""
        sizes, marks = entries.list_stream_sizes(self.root, stream), entries.decode_position(since) or {}
        return [name for name, mark in marks.items() if sizes.get(name, -1) < mark.offset]

    def has_grown(self, since: str, stream: entries.Stream = "ledger", sizes: Mapping[str, int] | None = None) -> bool:
        """Whether the sizes of the files, or `sizes` if these were read just now, differ from an earlier position."""
        current = entries.select_stream(self.file_sizes() if sizes is None else sizes, stream)
        return {name: mark.size for name, mark in (entries.decode_position(since) or {}).items()} != current

    def verify(self) -> tuple[Problem, ...]:
        """Return the problems of the journals of all devices: invalid lines, then broken chains, then heads."""
        lines = [problem for stream in entries.STREAMS for problem in self.read(stream).problems]
        broken = [problem for stream in entries.STREAMS for problem in chains.verify_chains(self.root, stream)]
        return (*lines, *broken, *chains.verify_heads(self.root, entries.JOURNAL_FOLDER))


def _append_to_month(
    journal: Journal, stream: entries.Stream, month: str, payloads: list[Mapping[str, Any]]
) -> list[EntryLocation]:
    """Write entries to one file. The caller has the lock of the stream of the device."""
    names = [f"{stream}-{journal.device}-{month}.jsonl"]
    if stream == "ledger":  # one chain, read in the order of names: it cannot go back to a past month
        names = sorted({*names, *chains.list_chained_files(journal.root, stream).get(journal.device, ())})
    chain = chains.Chain(journal.root, entries.JOURNAL_FOLDER, journal.device)
    tail = chains.read_tail(chain, names)
    offset, previous = tail.offset, tail.previous
    lines: list[bytes] = []
    places: list[EntryLocation] = []
    for entry in payloads:
        entry_id = entry.get("id") or entries.make_entry_id(
            entry, journal.device, offset, "led:" if stream == "ledger" else "obs:"
        )
        fields = {"v": entry.get("v", LINE_VERSION), "id": entry_id, "ts": entry["ts"]}
        fields |= {key: value for key, value in entry.items() if key not in fields}
        raw_line = chains.seal_link(fields, previous)
        if isinstance(problem := entries.decode_journal_line(raw_line), Problem):
            raise BadArgument(problem.message)
        lines.append(raw_line)
        places.append(EntryLocation(tail.path, offset, fields["id"]))
        offset += len(raw_line) + 1
        previous = files.content_digest(raw_line)
    chains.append_links(chain, tail, lines)
    return places
