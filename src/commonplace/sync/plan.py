"""Files to index: what was added, modified, removed or moved is decided as data first and applied second."""

from __future__ import annotations

import errno
from collections.abc import Callable, Container

from msgspec import Struct

from commonplace import files
from commonplace.errors import NotFound, OutsideWorkspace
from commonplace.index import FileEntries, FileRow, Index, Stamp
from commonplace.model import Change, Problem
from commonplace.sync.entries import Outline, outline
from commonplace.workspace import parse
from commonplace.workspace.sweep import Sweep

RACY_NS = 50_000_000  # a file changed this shortly before it was read may change again under the same stamp
COARSE_NS = 2_000_000_000  # the same where the file system keeps whole seconds, of which some know only the even ones
READ_AHEAD = 64_000_000  # bytes of changed files kept between deciding and applying
# Refusals that last until the file changes, its permissions included; whatever else went wrong may be over by then.
LASTING = frozenset({errno.EACCES, errno.EPERM, errno.ELOOP})

Read = Callable[[str], bytes]


class Unread(Struct, frozen=True):
    """Why there are no bytes of a file; one that `passes` is tried again at the next sync."""

    problem: Problem
    passes: bool = False


class Plan(Struct, frozen=True):
    """What `diff` decided: changes by path, files that were only touched, and bytes (or why there are none) by path.

    Known files that could not be read this time are `missed`: they stay as they are until the next sync.
    """

    changes: tuple[Change, ...]
    touched: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    contents: dict[str, bytes | Unread] = {}
    problems: tuple[Problem, ...] = ()

    @property
    def is_final(self) -> bool:
        """Whether all that is there could be read, or will not be until it changes."""
        if self.missed or any(isinstance(one, Unread) and one.passes for one in self.contents.values()):
            return False
        return all(one.kind == "removed" or one.path in self.contents for one in self.changes)  # else it is read later

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that are there and not as the index knows them."""
        return (*self.touched, *self.missed, *(one.path for one in self.changes if one.kind != "removed"))


def diff(known: dict[str, FileRow], sweep: Sweep, read: Read, stale: Container[str] = ()) -> Plan:
    """Compare files on disk with those the index knows: stamps as a shortcut, digests as the judge.

    A new file with the digest of one that is gone has moved; a `stale` one is to be read again whatever it says.
    """
    gone = set() if known.keys() <= sweep.files.keys() else known.keys() - sweep.files.keys()
    by_digest = {known[path].digest: path for path in sorted(gone, reverse=True)}
    changes: list[Change] = []
    touched: list[str] = []
    missed: list[str] = []
    contents: dict[str, bytes | Unread] = {}
    problems = list(sweep.problems)
    held = 0
    for path, stamp in sweep.files.items():
        row = known.get(path)
        if row is not None and row.stamp == stamp and path not in stale:
            continue
        data = _try(read, path)
        if isinstance(data, Unread):
            if row is not None and data.passes:
                missed.append(path)
                problems += [data.problem] if row.digest else []  # else it stands in the index as what was wrong before
                continue
            changes.append(Change("added" if row is None else "modified", path))
            contents[path] = data
            continue
        digest = files.digest(data)
        if row is not None and row.digest == digest and path not in stale:
            touched.append(path)
            continue
        before = by_digest.pop(digest, "") if row is None else ""
        changes.append(Change("moved" if before else "added" if row is None else "modified", path, before))
        held += len(data)
        if held <= READ_AHEAD:
            contents[path] = data
    gone -= {change.path_before for change in changes}
    changes += [Change("removed", path) for path in gone]
    changes.sort(key=lambda change: change.path)
    return Plan(tuple(changes), tuple(touched), tuple(missed), contents, tuple(problems))


class Reading(Struct, frozen=True):
    """How files are read while a plan is applied: their bytes and stamps, and the language of lines.

    `anew`: records are made otherwise than those that the index has, though they may say the same.
    """

    read: Read
    stamps: dict[str, Stamp]
    language: str = "auto"
    anew: bool = False
    progress: Callable[[int, int], None] | None = None


def apply(index: Index, plan: Plan, reading: Reading) -> int:
    """Perform a plan inside a transaction; returns how many records are gone without explanation."""
    known = index.files()
    for path in plan.touched:
        index.stamp(path, reading.stamps[path])
    for path in plan.missed:
        index.stamp(path, _unsettled(reading.stamps[path]))
    for done, change in enumerate(plan.changes, 1):
        read = None if change.kind == "removed" else _read(plan, change.path, index.origin(change.path), reading)
        if isinstance(read, Outline) and change.kind == "modified" and change.path in known and not reading.anew:
            index.replace(read.file, read.records, read.entry)
        else:
            for path in (change.path, change.path_before):
                if path in known:
                    index.drop(path)
            if read is not None:
                index.put(read.whole() if isinstance(read, Outline) else read)
        if reading.progress:
            reading.progress(done, len(plan.changes))
    index.note("sweep", plan.problems)
    return index.settle()


def _read(plan: Plan, path: str, origin: str, reading: Reading) -> Outline | FileEntries:
    """What a file holds; of one that cannot be read, or not any more, only its problem."""
    stamp, data = reading.stamps[path], plan.contents.get(path)
    if data is None:
        data = _try(reading.read, path)
    if isinstance(data, Unread):
        row = FileRow(path, origin, "", _unsettled(stamp) if data.passes else stamp)
        return FileEntries(row, (), problems=(data.problem,))
    document = parse(path, data, origin=origin)
    row = FileRow(path, origin, document.digest, stamp, document.role, document.title)
    return outline(document, row, reading.language)


def _try(read: Read, path: str) -> bytes | Unread:
    """The bytes of a file, or why there are none."""
    try:
        return read(path)
    except (OutsideWorkspace, NotFound) as error:
        why = error.__cause__
        passes = isinstance(why, OSError) and why.errno not in LASTING
        return Unread(Problem("unreadable", error.message, path, hint=error.hint), passes)


def settled(stamps: dict[str, Stamp], now_ns: int) -> dict[str, Stamp]:
    """The stamps, less those of files that changed a moment ago: they are read again next time."""
    return {path: _unsettled(stamp) if _is_racy(stamp, now_ns) else stamp for path, stamp in stamps.items()}


def _unsettled(stamp: Stamp) -> Stamp:
    """A stamp that no file has, so that it is read again."""
    return (stamp[0], 0, 0, 0)


def _is_racy(stamp: Stamp, now_ns: int) -> bool:
    changed = max(stamp[1], stamp[2])
    return changed >= now_ns - (COARSE_NS if changed % 1_000_000_000 == 0 else RACY_NS)
