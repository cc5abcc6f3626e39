"""One workspace as sync sees it, and the whole of a sync: sweep, ledger, diff, apply, refuse what looks like a loss."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from commonplace import files
from commonplace.config import Settings
from commonplace.errors import SuspiciousLoss
from commonplace.index import Index
from commonplace.journal import Journal
from commonplace.model import Change, Problem
from commonplace.sync.ledger import learn, record_moves
from commonplace.sync.plan import Plan, Reading, apply, diff, settled
from commonplace.workspace.sweep import Sweep, sweep

LEAST_LOSS = 20  # fewer records gone than this are never suspicious

Progress = Callable[[int, int], None]


class Notebook(Struct, frozen=True):
    """A workspace to be kept in step with its index. `now` is an ISO minute, `now_ns` the clock of the file system."""

    root: str
    settings: Settings
    device: str
    now: str
    now_ns: int
    progress: Progress | None = None


class Synced(Struct, frozen=True):
    """What a sync did (or would do): the changes, how much there is now, and what is wrong in the files."""

    changes: tuple[Change, ...]
    files: int
    records: int
    problems: tuple[Problem, ...] = ()


def synchronise(index: Index, notebook: Notebook, *, force: bool = False) -> tuple[Change, ...]:
    """Bring the index up to date; cheap when nothing changed. Raises SuspiciousLoss, LockBusy."""
    seen = sweep(notebook.root, notebook.settings.ignore)
    journal = Journal(notebook.root, notebook.device)
    if _is_current(index, seen) and not journal.grew(index.recalled("ledger")):
        return ()
    with index.transaction():
        learn(index, journal)
        before, _length = index.size()
        changes, gone = _bring_up(index, notebook, seen, journal)
        if not force and gone >= LEAST_LOSS and gone * 2 > before:
            raise SuspiciousLoss(gone, before)
    return changes


def plan(index: Index, notebook: Notebook) -> Plan:
    """What a sync would do."""
    return diff(index.files(), sweep(notebook.root, notebook.settings.ignore), _reader(notebook))


def build(index: Index, notebook: Notebook) -> None:
    """Fill an empty index, inside a transaction of its maker."""
    journal = Journal(notebook.root, notebook.device)
    learn(index, journal)
    _bring_up(index, notebook, sweep(notebook.root, notebook.settings.ignore), journal)


def _is_current(index: Index, seen: Sweep) -> bool:
    known = index.files()
    if len(known) != len(seen.files) or index.recalled("sweep") != _fingerprint(seen.problems):
        return False
    for path, stamp in seen.files.items():
        row = known.get(path)
        if row is None or row.stamp != stamp:
            return False
    return True


def _bring_up(index: Index, notebook: Notebook, seen: Sweep, journal: Journal) -> tuple[tuple[Change, ...], int]:
    read = _reader(notebook)
    decided = diff(index.files(), seen, read)
    moves = record_moves(index, journal, decided.changes, notebook.now)
    reading = Reading(
        read=read,
        stamps=settled(seen.files, notebook.now_ns),
        origin=lambda change: moves.get(change.path) or index.origin(change.path),
        language=notebook.settings.language,
        progress=notebook.progress,
    )
    gone = apply(index, decided, reading)
    index.remember("sweep", _fingerprint(seen.problems))
    return decided.changes, gone


def _reader(notebook: Notebook) -> Callable[[str], bytes]:
    return lambda path: files.read(notebook.root, path, notebook.settings.files_max_bytes)


def _fingerprint(problems: tuple[Problem, ...]) -> str:
    return "\n".join(sorted(f"{problem.code} {problem.path}" for problem in problems))
