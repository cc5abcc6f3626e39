"""One workspace as sync sees it, and the whole of a sync: sweep, ledger, diff, apply, refuse what looks like a loss.

What only a change needs (the parser, the tokeniser) is imported when there is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, structs

from commonplace import files
from commonplace.errors import SuspiciousLoss
from commonplace.journal import STREAMS, Journal
from commonplace.model import Change, Problem
from commonplace.workspace.sweep import Sweep, looked_at_again, sweep

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from commonplace.config import Settings
    from commonplace.index import Index
    from commonplace.sync.plan import Plan

    Progress = Callable[[int, int], None]

READING = 2  # to be raised with each change of the parser or the tokens, so that every file is read again
LEAST_LOSS = 20  # fewer records gone than this are never suspicious


class Notebook(Struct, frozen=True):
    """A workspace to be kept in step with its index. `now` is an ISO minute, `now_ns` the clock of the file system;
    `look` finds the files there are."""

    root: str
    settings: Settings
    device: str
    now: str
    now_ns: int
    progress: Progress | None = None
    look: Callable[[], Sweep] | None = None

    def read(self, path: str) -> bytes:
        """The bytes of a file; see `files.read`."""
        return files.read(self.root, path, self.settings.files_max_bytes)

    def sweep(self) -> Sweep:
        """The Markdown files there are, with their stamps."""
        return self.look() if self.look else sweep(self.root, self.settings.ignore)

    @property
    def journal(self) -> Journal:
        """The journals as this device writes them."""
        return Journal(self.root, self.device)


class Synced(Struct, frozen=True):
    """What a sync did (or would do): the changes, how much there is now, and what is wrong in the files."""

    changes: tuple[Change, ...]
    files: int
    records: int
    problems: tuple[Problem, ...] = ()


def synchronise(index: Index, notebook: Notebook, *, force: bool = False) -> tuple[Change, ...]:
    """Bring the index up to date; cheap when nothing changed. Raises SuspiciousLoss, LockBusy."""
    seen, at = notebook.sweep(), index.at()
    before, sizes = at or (None, None)
    journals = notebook.journal.sizes()
    if seen is before and journals == sizes:
        return ()
    among = None if before is None else looked_at_again(before, seen)
    if _is_current(index, seen, notebook, among) and not _grew(index, notebook.journal, journals):
        index.be_at(seen, journals)
        return ()
    known = index.stamps()
    from commonplace.sync.evidence import witness
    from commonplace.sync.ledger import learn

    with index.transaction():
        if index.stamps() is not known:  # another process was faster, and perhaps saw newer files
            seen, among = notebook.sweep(), None
        learn(index, notebook.journal)
        witness(index, notebook.journal, notebook.settings.language)
        there = index.size()[0] - index.evidence()
        decided, gone = _bring_up(index, notebook, seen, among)
        if not force and gone >= LEAST_LOSS and gone * 2 > there:
            raise SuspiciousLoss(gone, there)
    if decided.is_final:
        index.be_at(seen)
    return decided.changes


def plan(index: Index, notebook: Notebook) -> Plan:
    """What a sync would do."""
    from commonplace.sync.plan import diff

    return diff(index.files(), notebook.sweep(), notebook.read, _stale(index, notebook))


def build(index: Index, notebook: Notebook) -> None:
    """Fill an empty index, inside a transaction of its maker."""
    from commonplace.sync.evidence import witness
    from commonplace.sync.ledger import learn

    learn(index, notebook.journal)
    witness(index, notebook.journal, notebook.settings.language)
    _bring_up(index, notebook, notebook.sweep())


def catch_up(index: Index, notebook: Notebook) -> None:
    """Take in what the capture journals hold and the index does not, without a look at the Markdown."""
    if not notebook.journal.grew(index.recalled("captures"), "captures"):
        return
    from commonplace.sync.evidence import witness

    with index.transaction():
        witness(index, notebook.journal, notebook.settings.language)
        index.settle()


def _grew(index: Index, journal: Journal, sizes: Mapping[str, int]) -> bool:
    return any(journal.grew(index.recalled(stream), stream, sizes) for stream in STREAMS)


def _is_current(index: Index, seen: Sweep, notebook: Notebook, among: Collection[str] | None) -> bool:
    known = index.stamps()
    if among is not None:
        return all(known.get(path) == seen.files[path] for path in among)
    return (
        known == seen.files
        and index.recalled("sweep") == _fingerprint(seen.problems)
        and index.recalled("settings") == _shaping(notebook.settings)
    )


def _stale(index: Index, notebook: Notebook) -> Collection[str]:
    """Files to be read again though they say the same: under other settings, or from another first place."""
    if index.recalled("settings") != _shaping(notebook.settings):
        return index.files().keys()
    return index.misplaced()


def _shaping(settings: Settings) -> str:
    """What the content of an index depends on beside the files: the way they are read, and settings."""
    return f"reading {READING}, language {settings.language}, at most {settings.files_max_bytes} bytes"


def _bring_up(index: Index, notebook: Notebook, seen: Sweep, among: Collection[str] | None = None) -> tuple[Plan, int]:
    """Take in what changed; where only these files can have changed since the index was up to date, of them alone."""
    from commonplace.sync.ledger import record_moves
    from commonplace.sync.plan import Reading, apply, diff, settled

    stale = _stale(index, notebook)
    known = index.files()
    if among is not None and not stale:
        seen = structs.replace(seen, files={path: seen.files[path] for path in among})
        known = {path: known[path] for path in among if path in known}
    decided = diff(known, seen, notebook.read, stale)
    record_moves(index, notebook.journal, decided.changes, notebook.now)
    stamps = {path: seen.files[path] for path in decided.paths}  # of all files there may be very many
    reading = Reading(
        read=notebook.read,
        stamps=settled(stamps, notebook.now_ns),
        language=notebook.settings.language,
        anew=index.recalled("settings") != _shaping(notebook.settings),
        progress=notebook.progress,
    )
    gone = apply(index, decided, reading)
    index.remember("sweep", _fingerprint(seen.problems))
    index.remember("settings", _shaping(notebook.settings))
    return decided, gone


def _fingerprint(problems: tuple[Problem, ...]) -> str:
    return "\n".join(sorted(f"{problem.code} {problem.path}" for problem in problems))
