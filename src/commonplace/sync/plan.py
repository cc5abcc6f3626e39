"""Files to index: what was added, modified, removed or moved is decided as data first and applied second."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from commonplace import files
from commonplace.errors import NotFound, OutsideWorkspace
from commonplace.index import FileRow, Index, Stamp
from commonplace.model import Change, Problem
from commonplace.sync.entries import prepare
from commonplace.workspace import parse
from commonplace.workspace.sweep import Sweep

RACY_NS = 50_000_000  # a file changed this shortly before it was read may change again under the same stamp
READ_AHEAD = 64_000_000  # bytes of changed files kept between deciding and applying

Read = Callable[[str], bytes]


class Plan(Struct, frozen=True):
    """What `diff` decided: changes by path, stamps to note, bytes already read, problems met on the way."""

    changes: tuple[Change, ...]
    touched: tuple[tuple[str, Stamp], ...] = ()
    contents: dict[str, bytes] = {}
    problems: tuple[Problem, ...] = ()


def diff(known: dict[str, FileRow], sweep: Sweep, read: Read) -> Plan:
    """Compare files on disk with those the index knows: stamps as a shortcut, digests as the judge.

    A new file with the digest of one that is gone has moved.
    """
    gone = known.keys() - sweep.files.keys()
    by_digest = {known[path].digest: path for path in sorted(gone, reverse=True)}
    changes: list[Change] = []
    touched: list[tuple[str, Stamp]] = []
    contents: dict[str, bytes] = {}
    problems = list(sweep.problems)
    held = 0
    for path, stamp in sweep.files.items():
        row = known.get(path)
        if row is not None and row.stamp == stamp:
            continue
        try:
            data = read(path)
        except (OutsideWorkspace, NotFound) as error:
            problems.append(Problem("unreadable", error.message, path, hint=error.hint))
            gone |= {path} & known.keys()
            continue
        digest = files.digest(data)
        if row is not None and row.digest == digest:
            touched.append((path, stamp))
            continue
        before = by_digest.pop(digest, "") if row is None else ""
        changes.append(Change("moved" if before else "added" if row is None else "modified", path, before))
        held += len(data)
        if held <= READ_AHEAD:
            contents[path] = data
    gone -= {change.path_before for change in changes}
    changes += [Change("removed", path) for path in gone]
    changes.sort(key=lambda change: change.path)
    return Plan(tuple(changes), tuple(touched), contents, tuple(problems))


class Reading(Struct, frozen=True):
    """How files are read while a plan is applied: their bytes, stamps and first places, and the language of lines."""

    read: Read
    stamps: dict[str, Stamp]
    origin: Callable[[Change], str]
    language: str = "auto"
    progress: Callable[[int, int], None] | None = None


def apply(index: Index, plan: Plan, reading: Reading) -> int:
    """Perform a plan inside a transaction; returns how many records are gone without explanation."""
    known = index.files()
    for path, stamp in plan.touched:
        index.stamp(path, stamp)
    for done, change in enumerate(plan.changes, 1):
        origin = reading.origin(change)
        for path in (change.path, change.path_before):
            if path in known:
                index.drop(path)
        if change.kind != "removed":
            data = plan.contents.get(change.path)
            document = parse(change.path, reading.read(change.path) if data is None else data, origin=origin)
            stamp = reading.stamps[change.path]
            row = FileRow(change.path, origin, document.digest, stamp, document.role, document.title)
            index.put(prepare(document, row, reading.language))
        if reading.progress:
            reading.progress(done, len(plan.changes))
    index.note("sweep", plan.problems)
    return index.settle()


def settled(stamps: dict[str, Stamp], now_ns: int) -> dict[str, Stamp]:
    """The stamps, less those of files that changed a moment ago: they are read again next time."""
    limit = now_ns - RACY_NS
    return {path: stamp if stamp[1] < limit else (stamp[0], 0, 0, 0) for path, stamp in stamps.items()}
