"""Bring the index up to date: sweep, read the ledger, diff, apply, and refuse a suspicious loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, structs

from commonplace.errors import SuspiciousLoss
from commonplace.model import Change, Problem
from commonplace.storage import files
from commonplace.storage.journal import STREAMS, Journal
from commonplace.storage.workspace import Sweep, restamped_paths, sweep_files

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from commonplace.index import Index
    from commonplace.storage.settings import Settings
    from commonplace.sync.change_plan import SyncPlan

    ProgressCallback = Callable[[int, int], None]

PARSER_VERSION = 3  # to be raised with each change of the parser or the tokens, so that every file is read again
MIN_SUSPICIOUS_LOSS = 20  # fewer records gone than this are never suspicious


class SyncSource(Struct, frozen=True):
    """A workspace to be kept in step with its index. `now` is an ISO minute, `now_ns` the clock of the file system;
    `find_files` finds the files there are."""

    root: str
    settings: Settings
    device: str
    now: str
    now_ns: int
    progress: ProgressCallback | None = None
    find_files: Callable[[], Sweep] | None = None

    def read(self, path: str) -> bytes:
        """The bytes of a file; see `files.read_file`."""
        return files.read_file(self.root, path, self.settings.files_max_bytes)

    def sweep(self) -> Sweep:
        """The Markdown files there are, with their stamps."""
        return self.find_files() if self.find_files else sweep_files(self.root, self.settings.ignore)

    @property
    def journal(self) -> Journal:
        """The journals as this device writes them."""
        return Journal(self.root, self.device)


class SyncResult(Struct, frozen=True):
    """The result of a sync, done or planned: the changes, the counts, and the problems in the files."""

    changes: tuple[Change, ...]
    files: int
    records: int
    problems: tuple[Problem, ...] = ()


def synchronise(index: Index, sync_source: SyncSource, *, force: bool = False) -> tuple[Change, ...]:
    """Bring the index up to date; cheap when nothing changed. Raises SuspiciousLoss, LockBusy."""
    sweep, at = sync_source.sweep(), index.synced_state()
    before, sizes = at or (None, None)
    journals = sync_source.journal.file_sizes()
    if sweep is before and journals == sizes:
        return ()
    among = None if before is None else restamped_paths(before, sweep)
    journal = sync_source.journal
    if _is_current(index, sweep, sync_source, among) and not any(
        journal.has_grown(index.get_meta(stream), stream, journals) for stream in STREAMS
    ):
        index.mark_synced(sweep, journals)
        return ()
    known = index.stamps()
    from commonplace.sync.journals import index_captures, index_ledger

    with index.transaction():
        if index.stamps() is not known:  # another process was faster, and perhaps saw newer files
            sweep, among = sync_source.sweep(), None
        index_ledger(index, sync_source.journal)
        index_captures(index, sync_source.journal, sync_source.settings.language)
        there = index.corpus_size()[0] - index.capture_count()
        decided, gone = _apply_changes(index, sync_source, sweep, among)
        if not force and gone >= MIN_SUSPICIOUS_LOSS and gone * 2 > there:
            raise SuspiciousLoss(gone, there)
    if decided.is_final:
        index.mark_synced(sweep)
    return decided.changes


def plan_sync(index: Index, sync_source: SyncSource) -> SyncPlan:
    """The result that a sync would have; changes nothing."""
    from commonplace.sync.change_plan import diff_files

    return diff_files(index.files(), sync_source.sweep(), sync_source.read, _stale_paths(index, sync_source))


def fill_index(index: Index, sync_source: SyncSource) -> None:
    """Fill an empty index, inside a transaction of its maker."""
    from commonplace.sync.journals import index_captures, index_ledger

    index_ledger(index, sync_source.journal)
    index_captures(index, sync_source.journal, sync_source.settings.language)
    _apply_changes(index, sync_source, sync_source.sweep())


def index_new_captures(index: Index, sync_source: SyncSource) -> None:
    """Take in what the capture journals hold and the index does not, without a look at the Markdown."""
    if not sync_source.journal.has_grown(index.get_meta("captures"), "captures"):
        return
    from commonplace.sync.journals import index_captures
    from commonplace.sync.relations import update_relations

    with index.transaction():
        index_captures(index, sync_source.journal, sync_source.settings.language)
        index.reconcile()
        update_relations(index, sync_source.settings.language)


def _is_current(index: Index, sweep: Sweep, sync_source: SyncSource, changed_paths: Collection[str] | None) -> bool:
    known = index.stamps()
    if changed_paths is not None:
        return all(known.get(path) == sweep.files[path] for path in changed_paths)
    return (
        known == sweep.files
        and index.get_meta("sweep") == _problem_fingerprint(sweep.problems)
        and index.get_meta("settings") == _content_fingerprint(sync_source.settings)
    )


def _stale_paths(index: Index, sync_source: SyncSource) -> Collection[str]:
    """Files to be read again though they say the same: under other settings, or from another first place."""
    if index.get_meta("settings") != _content_fingerprint(sync_source.settings):
        return index.files().keys()
    return index.find_stale_origins()


def _content_fingerprint(settings: Settings) -> str:
    """A fingerprint of what the index depends on besides the files: the version of the parser, and settings."""
    return f"reading {PARSER_VERSION}, language {settings.language}, at most {settings.files_max_bytes} bytes"


def _apply_changes(
    index: Index, sync_source: SyncSource, sweep: Sweep, changed_paths: Collection[str] | None = None
) -> tuple[SyncPlan, int]:
    """Take in what changed; where only these files can have changed since the index was up to date, of them alone."""
    from commonplace.sync.change_plan import ApplyOptions, apply_sync_plan, diff_files, settled_stamps
    from commonplace.sync.journals import append_moves

    stale = _stale_paths(index, sync_source)
    known = index.files()
    if changed_paths is not None and not stale:
        sweep = structs.replace(sweep, files={path: sweep.files[path] for path in changed_paths})
        known = {path: known[path] for path in changed_paths if path in known}
    decided = diff_files(known, sweep, sync_source.read, stale)
    append_moves(index, sync_source.journal, decided.changes, sync_source.now)
    stamps = {path: sweep.files[path] for path in decided.paths}  # of all files there may be very many
    reading = ApplyOptions(
        read_bytes=sync_source.read,
        stamps=settled_stamps(stamps, sync_source.now_ns),
        language=sync_source.settings.language,
        rewrites_all=index.get_meta("settings") != _content_fingerprint(sync_source.settings),
        progress=sync_source.progress,
    )
    gone = apply_sync_plan(index, decided, reading)
    index.set_meta("sweep", _problem_fingerprint(sweep.problems))
    index.set_meta("settings", _content_fingerprint(sync_source.settings))
    return decided, gone


def _problem_fingerprint(problems: tuple[Problem, ...]) -> str:
    return "\n".join(sorted(f"{problem.code} {problem.path}" for problem in problems))
