"""Bring the index up to date: sweep, read the ledger, diff, apply, and refuse a suspicious loss."""

from __future__ import annotations

from contextlib import suppress
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from msgspec import Struct, json, structs

from commonplace.errors import CommonplaceError, SuspiciousLoss
from commonplace.model import Change, Problem
from commonplace.storage import files
from commonplace.storage.journal import JOURNAL_FOLDER, STREAMS, Journal
from commonplace.storage.tombstones import Tombstones
from commonplace.storage.workspace import Sweep, restamped_paths, sweep_files

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from commonplace.index import Index
    from commonplace.storage.settings import Settings
    from commonplace.sync.change_plan import SyncPlan
    from commonplace.truth import Vocabulary

    ProgressCallback = Callable[[int, int], None]

VOCABULARY_PATHS = ("memory/aliases.yaml", "memory/predicates.yaml")
PARSER_VERSION = 8  # to be raised with each change of the parser or the tokens, so that every file is read again
MIN_SUSPICIOUS_LOSS = 20  # fewer records gone than this are never suspicious


class SyncSource(Struct, frozen=True):
    """A workspace to be kept in step with its index. `now` is an ISO minute, `now_ns` the clock of the file system;
    `find_files` finds the files there are; `tombstones` are those of what was forgotten."""

    root: str
    settings: Settings
    device: str
    now: str
    now_ns: int
    progress: ProgressCallback | None = None
    find_files: Callable[[], Sweep] | None = None
    tombstones: Tombstones = Tombstones()

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

    def sizes(self) -> dict[str, int]:
        """The sizes of journals, by name, and a number that changes with the files of names and keys."""
        return self.journal.file_sizes() | {VOCABULARY_PATHS[0]: hash(self.fingerprint)}

    @property
    def fingerprint(self) -> str:
        """A text that changes with the settings, the tombstones, and each write of a file of names or keys."""
        stamps = [files.file_stamp(self.root, path) for path in VOCABULARY_PATHS]
        return repr((_content_fingerprint(self), self.settings.owner, *stamps))

    def vocabulary(self, index: Index, sweep: Sweep) -> Vocabulary:
        """The names and keys that the files of a sweep declare."""
        from commonplace.storage.workspace import parse_document, path_role, path_stem
        from commonplace.sync.index_entries import page_names
        from commonplace.truth import read_vocabulary

        known = index.stamps()
        changed = {path for path, stamp in sweep.files.items() if known.get(path) != stamp}
        names = [(path, name) for path, name in index.entity_pages() if path in sweep.files and path not in changed]
        for path in changed:
            if path_role(path) == "entity":
                with suppress(CommonplaceError, OSError):  # the sync reports it
                    names += [(path, name) for _key, name in page_names(parse_document(path, self.read(path)))]
        groups = groupby(sorted(names), itemgetter(0))
        pages = tuple((path_stem(path).replace("-", " "), tuple(name for _path, name in own)) for path, own in groups)
        return read_vocabulary(self.read_if_exists, self.settings, pages)

    def read_if_exists(self, path: str) -> bytes | None:
        """The bytes of a file; None if there is none that can be read."""
        with suppress(CommonplaceError, OSError):
            return files.read_file_if_exists(self.root, path, self.settings.files_max_bytes)
        return None


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
    journals = sync_source.sizes()
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
    with index.transaction():
        if index.stamps() is not known:  # another process was faster, and perhaps saw newer files
            sweep, among = sync_source.sweep(), None
        shrunk = sync_source.journal.find_shrunk("captures", index.get_meta("captures"))
        captures = index.capture_count()
        vocabulary, is_merged = _take_journals(index, sync_source, sweep)
        lost = captures - index.capture_count()
        if shrunk and not force and lost >= MIN_SUSPICIOUS_LOSS:
            raise SuspiciousLoss(lost, captures, "captures", ", ".join(f"{JOURNAL_FOLDER}/{name}" for name in shrunk))
        there = index.corpus_size()[0] - index.capture_count()
        decided, gone = _apply_changes(
            index, sync_source, sweep, vocabulary=vocabulary, changed_paths=among, is_merged=is_merged
        )
        if not force and gone >= MIN_SUSPICIOUS_LOSS and gone * 2 > there:
            raise SuspiciousLoss(gone, there)
    if decided.is_final:
        index.mark_synced(sweep)
    return decided.changes


def plan_sync(index: Index, sync_source: SyncSource) -> SyncPlan:
    """The result that a sync would have; changes nothing."""
    from commonplace.sync.change_plan import diff_files

    sweep = sync_source.sweep()
    stale = _stale_paths(index, sync_source, sync_source.vocabulary(index, sweep))
    return diff_files(index.files(), sweep, sync_source.read, stale)


def fill_index(index: Index, sync_source: SyncSource) -> None:
    """Fill an empty index, inside a transaction of its maker."""
    sweep = sync_source.sweep()
    vocabulary, _is_merged = _take_journals(index, sync_source, sweep)
    _apply_changes(index, sync_source, sweep, vocabulary=vocabulary)


def index_new_captures(index: Index, sync_source: SyncSource) -> None:
    """Take in what the capture journals hold and the index does not, without a look at the Markdown."""
    since, journal = index.get_meta("captures"), sync_source.journal
    if not journal.has_grown(since, "captures") or journal.find_shrunk("captures", since):
        return  # whether that is a loss is for a sync to decide
    from commonplace.sync.journals import index_captures
    from commonplace.sync.relations import update_relations

    with index.transaction():
        vocabulary = sync_source.vocabulary(index, sync_source.sweep())
        index_captures(index, sync_source.journal, vocabulary, sync_source.tombstones)
        index.reconcile()
        update_relations(index, vocabulary)


def _is_current(index: Index, sweep: Sweep, sync_source: SyncSource, changed_paths: Collection[str] | None) -> bool:
    known = index.stamps()
    if index.get_meta("settings") != sync_source.fingerprint:
        return False
    if changed_paths is not None:
        return all(known.get(path) == sweep.files[path] for path in changed_paths)
    return known == sweep.files and index.get_meta("sweep") == _problem_fingerprint(sweep.problems)


def _stale_paths(index: Index, sync_source: SyncSource, vocabulary: Vocabulary) -> Collection[str]:
    """Files to be read again though they say the same: under other settings, names or keys, or from elsewhere."""
    if index.get_meta("reading") != _content_fingerprint(sync_source, vocabulary):
        return index.files().keys()
    return index.find_stale_origins()


def _content_fingerprint(sync_source: SyncSource, vocabulary: Vocabulary | None = None) -> str:
    """A fingerprint of what records depend on besides files: parser, settings, tombstones, names and keys."""
    settings, forgotten = sync_source.settings, sync_source.tombstones.fingerprint
    parts = f"reading {PARSER_VERSION}, language {settings.language}, at most {settings.files_max_bytes} bytes"
    parts += f", tombstones {forgotten}" if forgotten else ""
    return f"{parts}, vocabulary {vocabulary.fingerprint}" if vocabulary else parts


def _take_journals(index: Index, sync_source: SyncSource, sweep: Sweep) -> tuple[Vocabulary, bool]:
    """Take in the journals; returns the names and keys, and whether another device had written in the ledger."""
    from commonplace.sync.journals import index_captures, index_ledger

    index.set_meta("settings", sync_source.fingerprint)
    vocabulary = sync_source.vocabulary(index, sweep)
    if index.get_meta("reading") != _content_fingerprint(sync_source, vocabulary):
        index.set_meta("captures", "")
    is_merged = index_ledger(index, sync_source.journal)
    index_captures(index, sync_source.journal, vocabulary, sync_source.tombstones)
    return vocabulary, is_merged


def _apply_changes(
    index: Index,
    sync_source: SyncSource,
    sweep: Sweep,
    *,
    vocabulary: Vocabulary,
    changed_paths: Collection[str] | None = None,
    is_merged: bool = False,
) -> tuple[SyncPlan, int]:
    """Take in what changed; where only these files can have changed since the index was up to date, of them alone. Of
    what came with the ledger of another device, that one has noted what was edited."""
    from commonplace.storage.workspace import parse_document, path_role
    from commonplace.sync.change_plan import ApplyOptions, apply_sync_plan, diff_files, settled_stamps
    from commonplace.sync.journals import append_known, append_moves
    from commonplace.sync.relations import FACT_ROLES, find_edits

    stale = _stale_paths(index, sync_source, vocabulary)
    known = index.files()
    if changed_paths is not None and not stale:
        sweep = structs.replace(sweep, files={path: sweep.files[path] for path in changed_paths})
        known = {path: known[path] for path in changed_paths if path in known}
    decided = diff_files(known, sweep, sync_source.read, stale)
    append_moves(index, sync_source.journal, decided.changes, sync_source.now)
    modified = () if stale or is_merged else [one.path for one in decided.changes if one.kind == "modified"]
    texts = {path: decided.contents.get(path) for path in modified if path_role(path) in FACT_ROLES}
    for document in (parse_document(path, data) for path, data in texts.items() if isinstance(data, bytes)):
        append_known(index, sync_source.journal, list(find_edits(index, document, sync_source.now)))
    stamps = {path: sweep.files[path] for path in decided.paths}  # of all files there may be very many
    fingerprint = _content_fingerprint(sync_source, vocabulary)
    reading = ApplyOptions(
        read_bytes=sync_source.read,
        stamps=settled_stamps(stamps, sync_source.now_ns),
        vocabulary=vocabulary,
        tombstones=sync_source.tombstones,
        hidden_sentences=index.hidden_sentences(),
        superseded=index.edited_supersessions(),
        rewrites_all=index.get_meta("reading") != fingerprint,
        progress=sync_source.progress,
    )
    gone = apply_sync_plan(index, decided, reading)
    index.replace_problems("vocabulary", vocabulary.problems)
    index.set_meta("sweep", _problem_fingerprint(sweep.problems))
    index.set_meta("reading", fingerprint)
    index.set_meta("aliases", json.encode(vocabulary.aliases).decode())
    return decided, gone


def _problem_fingerprint(problems: tuple[Problem, ...]) -> str:
    return "\n".join(sorted(f"{problem.code} {problem.path}" for problem in problems))
