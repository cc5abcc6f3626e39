"""The chain of a device's ledger: each line names the digest of the one before it, and a head file the last one."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import Struct

from commonplace import files
from commonplace.errors import NotFound, OutsideWorkspace
from commonplace.journal.line import Entry, decode, encode, is_sealed
from commonplace.journal.reading import FOLDER, device_of, sizes_of
from commonplace.model import Problem

TAIL_BYTES = 1 << 16


class Head(Struct, frozen=True):
    """The last line of a device's ledger: its file, its offset there, its digest."""

    path: str
    offset: int
    digest: str


def verify_chain(root: str) -> tuple[Problem, ...]:
    """Walk each device's ledger: a line that is missing, altered, added or out of order breaks the chain.

    A ledger that lost its newest lines is found by its head file, or by the next line that is written. What cannot be
    found: newest lines cut off together with a head that was taken back or deleted, and a chain that somebody computed
    anew from the changed line on, head included; there is no secret in it.
    """
    problems: list[Problem] = []
    for device, names in ledgers(root).items():
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


def ledgers(root: str) -> dict[str, list[str]]:
    """The ledger files of each device, oldest first."""
    ledgers: dict[str, list[str]] = {}
    for name in sizes_of(root, "ledger"):
        ledgers.setdefault(device_of("ledger", name), []).append(name)
    return ledgers


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


def previous_of(root: str, device: str, names: list[str]) -> str:
    """What the next ledger line names as the one before it; a lost head stays named, so that the loss stays visible."""
    head = _head(root, device)
    if head is not None and not _holds(root, head):
        return head.digest
    lines = (_last_line(root, f"{FOLDER}/{name}") for name in reversed(names))
    return next((files.digest(line) for line in lines if line), "")


def _last_line(root: str, path: str) -> bytes:
    """The last line that is an entry; also one that lacks only its newline, for the next append adds that."""
    end = end_of(root, path)
    for start in sorted({0, max(0, end - TAIL_BYTES)}, reverse=True):
        lines = files.read(root, path, start=start).split(b"\n")
        for line in reversed(lines[1:] if start else lines):
            if line and isinstance(decode(line), Entry):
                return line
    return b""


def end_of(root: str, path: str) -> int:
    """Where the next line of a file will begin: behind its last newline, or behind the one that closes a torn line."""
    size = files.sizes(root, FOLDER).get(path.rpartition("/")[2], 0)
    torn = size > 0 and files.read(root, path, start=size - 1) != b"\n"
    return size + torn


def _head_path(device: str) -> str:
    return f"{FOLDER}/ledger-{device}.head"


def _head(root: str, device: str) -> Head | None:
    """What the head file says; None if there is none that can be relied on."""
    line = files.find(root, _head_path(device)) or b""
    try:
        return msgspec.json.decode(line, type=Head) if is_sealed(line) else None
    except ValueError:
        return None


def write_head(root: str, device: str, head: Head) -> None:
    """Without fsync: a head that is behind is no loss, for the line it names is still there."""
    files.write_sealed(root, _head_path(device), encode(msgspec.structs.asdict(head)))


def _holds(root: str, head: Head) -> bool:
    try:
        line = files.read(root, head.path, start=head.offset).split(b"\n", 1)[0]
    except (NotFound, OutsideWorkspace):
        return False
    return files.digest(line) == head.digest
