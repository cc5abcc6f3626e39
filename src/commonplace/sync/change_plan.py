"""Files to index: decide as data what was added, modified, removed or moved, then apply it."""

from __future__ import annotations

import errno
from collections.abc import Callable, Container

from msgspec import Struct, structs

from commonplace.errors import NotFound, OutsideWorkspace
from commonplace.index import FileEntries, FileRow, Index, Stamp
from commonplace.model import Change, Problem
from commonplace.storage import files
from commonplace.storage.tombstones import Tombstones
from commonplace.storage.workspace import Sweep, parse_document
from commonplace.sync.forgotten import cut_hidden, without_forgotten
from commonplace.sync.index_entries import PreparedDocument, prepare_document
from commonplace.sync.relations import update_relations
from commonplace.truth import Vocabulary

RACY_NS = 50_000_000  # a file changed this shortly before it was read may change again under the same stamp
COARSE_NS = 2_000_000_000  # the same where the file system keeps whole seconds, of which some know only the even ones
READ_AHEAD_BYTES = 64_000_000  # bytes of changed files kept between deciding and applying
# Refusals that last until the file changes, its permissions included; whatever else went wrong may be over by then.
LASTING_ERRNOS = frozenset({errno.EACCES, errno.EPERM, errno.ELOOP})

ReadBytes = Callable[[str], bytes]


class UnreadableFile(Struct, frozen=True):
    """The reason why a file could not be read; one that `is_transient` is tried again at the next sync."""

    problem: Problem
    is_transient: bool = False


class SyncPlan(Struct, frozen=True):
    """What has changed, by path and in stamps alone, with its bytes or the reason why there are none; known files that
    are `unreadable` this time stay as they are until the next sync."""

    changes: tuple[Change, ...]
    touched: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()
    contents: dict[str, bytes | UnreadableFile] = {}
    problems: tuple[Problem, ...] = ()

    @property
    def is_final(self) -> bool:
        """Whether all that is there could be read, or will not be until it changes."""
        failed = [one for one in self.contents.values() if isinstance(one, UnreadableFile)]
        if self.unreadable or any(one.is_transient for one in failed):
            return False
        return all(one.kind == "removed" or one.path in self.contents for one in self.changes)  # else it is read later

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that exist and differ from the index."""
        return (*self.touched, *self.unreadable, *(one.path for one in self.changes if one.kind != "removed"))


def diff_files(
    indexed_files: dict[str, FileRow], sweep: Sweep, read_bytes: ReadBytes, stale_paths: Container[str] = ()
) -> SyncPlan:
    """Compare files on disk with those in the index: stamps are a shortcut, digests decide.

    A new file with the digest of one that is gone has moved; a `stale_paths` one is to be read again whatever it says.
    """
    gone = set() if indexed_files.keys() <= sweep.files.keys() else indexed_files.keys() - sweep.files.keys()
    by_digest = {indexed_files[path].digest: path for path in sorted(gone, reverse=True)}
    changes: list[Change] = []
    touched: list[str] = []
    missed: list[str] = []
    contents: dict[str, bytes | UnreadableFile] = {}
    problems = list(sweep.problems)
    held = 0
    for path, stamp in sweep.files.items():
        row = indexed_files.get(path)
        if row is not None and row.stamp == stamp and path not in stale_paths:
            continue
        data = _try_read(read_bytes, path)
        if isinstance(data, UnreadableFile) and row is not None and data.is_transient:
            missed.append(path)
            problems += [data.problem] if row.digest else []  # else it stands in the index as what was wrong before
            continue
        digest = "" if isinstance(data, UnreadableFile) else files.content_digest(data)
        if digest and row is not None and row.digest == digest and path not in stale_paths:
            touched.append(path)
            continue
        before = by_digest.pop(digest, "") if digest and row is None else ""
        changes.append(Change("moved" if before else "added" if row is None else "modified", path, before))
        held += 0 if isinstance(data, UnreadableFile) else len(data)
        if not digest or held <= READ_AHEAD_BYTES:
            contents[path] = data
    gone -= {change.path_before for change in changes}
    changes += [Change("removed", path) for path in gone]
    changes.sort(key=lambda change: change.path)
    return SyncPlan(tuple(changes), tuple(touched), tuple(missed), contents, tuple(problems))


class ApplyOptions(Struct, frozen=True):
    """What reading needs while a plan is applied: bytes and stamps, names and keys, what was forgotten and superseded;
    with `rewrites_all` records are made otherwise than those of the index, though they may say the same."""

    read_bytes: ReadBytes
    stamps: dict[str, Stamp]
    vocabulary: Vocabulary = Vocabulary()
    tombstones: Tombstones = Tombstones()
    hidden_sentences: dict[str, list[list[int]]] = {}
    superseded: dict[str, tuple[str, ...]] = {}
    rewrites_all: bool = False
    progress: Callable[[int, int], None] | None = None


def apply_sync_plan(index: Index, sync_plan: SyncPlan, apply_options: ApplyOptions) -> int:
    """Apply a plan inside a transaction; returns how many records disappeared without explanation."""
    known = index.files()
    forgotten = 0
    for path in sync_plan.touched:
        index.update_stamp(path, apply_options.stamps[path])
    for path in sync_plan.unreadable:
        index.update_stamp(path, _unsettled_stamp(apply_options.stamps[path]))
    for done, change in enumerate(sync_plan.changes, 1):
        read = None
        if change.kind != "removed":
            read = _prepare_file(sync_plan, change.path, index.origin_of(change.path), apply_options)
        forgotten += read.forgotten_count if isinstance(read, PreparedDocument) else 0
        may_update = change.kind == "modified" and change.path in known and not apply_options.rewrites_all
        if isinstance(read, PreparedDocument) and may_update:
            index.replace_file(read.file, read.records, read.make_entry)
        else:
            for path in (change.path, change.path_before):
                if path in known:
                    index.drop_file(path)
            if read is not None:
                index.put_file(read.to_file_entries() if isinstance(read, PreparedDocument) else read)
        if apply_options.progress:
            apply_options.progress(done, len(sync_plan.changes))
    index.replace_problems("sweep", sync_plan.problems)
    gone = index.reconcile()
    update_relations(index, apply_options.vocabulary)
    return max(0, gone - forgotten)


def _prepare_file(
    sync_plan: SyncPlan, path: str, origin: str, apply_options: ApplyOptions
) -> PreparedDocument | FileEntries:
    """The content of a file; if it cannot be read, only its problem."""
    stamp, data = apply_options.stamps[path], sync_plan.contents.get(path)
    if data is None:
        data = _try_read(apply_options.read_bytes, path)
    if isinstance(data, UnreadableFile):
        file_row = FileRow(path, origin, "", _unsettled_stamp(stamp) if data.is_transient else stamp)
        return FileEntries(file_row, (), problems=(data.problem,))
    parsed = parse_document(path, data, origin=origin)
    document = without_forgotten(parsed, apply_options.tombstones)
    file_row = FileRow(path, origin, document.digest, stamp, document.role, document.title)
    forgotten_count = len(parsed.records) - len(document.records)
    parts, superseded = apply_options.hidden_sentences, apply_options.superseded
    if parts or superseded:
        cut = (cut_hidden(one, parts) for one in document.records)
        records = tuple(structs.replace(one, supersedes=one.supersedes + superseded.get(one.id, ())) for one in cut)
        document = structs.replace(document, records=records)
    prepared = prepare_document(document, file_row, apply_options.vocabulary)
    return structs.replace(prepared, forgotten_count=forgotten_count)


def _try_read(read_bytes: ReadBytes, path: str) -> bytes | UnreadableFile:
    """The bytes of a file, or the reason why it cannot be read."""
    try:
        return read_bytes(path)
    except (OutsideWorkspace, NotFound) as error:
        why = error.__cause__
        passes = isinstance(why, OSError) and why.errno not in LASTING_ERRNOS
        return UnreadableFile(Problem("unreadable", error.message, path, hint=error.hint), passes)


def settled_stamps(stamps: dict[str, Stamp], now_ns: int) -> dict[str, Stamp]:
    """The stamps, less those of files that changed a moment ago: they are read again next time."""
    changed = {path: max(stamp[1], stamp[2]) for path, stamp in stamps.items()}
    racy = {path for path, ns in changed.items() if ns >= now_ns - (RACY_NS if ns % 1_000_000_000 else COARSE_NS)}
    return {path: _unsettled_stamp(stamp) if path in racy else stamp for path, stamp in stamps.items()}


def _unsettled_stamp(stamp: Stamp) -> Stamp:
    """A stamp that no file has, so that it is read again."""
    return (stamp[0], 0, 0, 0)
