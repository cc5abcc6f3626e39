"""Back up a workspace: what changed since the last run is stored by its digest, and a snapshot lists all files."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, repeat

from msgspec import DecodeError, Struct, json, structs

from commonplace.errors import BackupDamaged, BadArgument, NotFound, OutsideWorkspace, WorkspaceUnusable
from commonplace.storage import files
from commonplace.storage.archives import content_sha256
from commonplace.storage.journal import JOURNAL_FOLDER, RECEIPT_FOLDER
from commonplace.storage.model_calls import CACHE_FOLDER
from commonplace.storage.stores import STATE_FOLDER, TOMBSTONE_PREFIX, classify_file
from commonplace.upkeep.backup import snapshots
from commonplace.upkeep.merge import merge_tombstones

SEGMENT_BYTES = 4 << 20
MAX_PASSES = 3
CLOCK_TICK_NS = 20_000_000  # a file that changed so short before it was read may change again with the same stamp
SKIPPED_FOLDERS = frozenset({".git", ".hg", ".svn", ".venv", "node_modules", "__pycache__"})
# Markdown names captures, and heads name lines: what is named is copied after what names it, so that it is there.
COPIED_LATE = (".head", "/ledger-", "/captures-", f"{RECEIPT_FOLDER}/")
CHAIN_PREFIXES = (f"{JOURNAL_FOLDER}/", f"{RECEIPT_FOLDER}/")


class LeftOutFile(Struct, frozen=True):
    """A file that could not be copied, and why."""

    path: str
    reason: str


class BackupResult(Struct, frozen=True):
    """One run: the snapshot, its files and their bytes, how much of it was stored now, and what was left out.

    `unsettled` are files that were written all the time: their last lines may be missing.
    """

    folder: str
    snapshot: str
    files: int
    bytes: int
    stored_objects: int
    stored_bytes: int
    left_out: tuple[LeftOutFile, ...] = ()
    unsettled: tuple[str, ...] = ()


def read_registered_backups(root: str) -> tuple[str, ...]:
    """The folders to which this workspace was backed up; none if the list cannot be read."""
    try:
        return json.decode(files.read_file_if_exists(root, snapshots.BACKUPS_PATH) or b"[]", type=tuple[str, ...])
    except DecodeError:
        return ()


def update_backup_tombstones(root: str, folder: str, now: str) -> None:
    """Bring the tombstones of a backup up to date with those of the workspace; none is ever taken away. Raises NotFound
    for what is no backup, or is not there now, LockBusy."""
    snapshots.require_backup_folder(folder)
    with files.hold_file_lock(f"{folder}/{snapshots.LOCK_NAME}"):
        _store_tombstones(root, folder, now)


def back_up(root: str, folder: str, *, now: str, started_ns: int) -> BackupResult:
    """Back up a workspace to a folder, which is made when missing; `started_ns` is the time by the clock of the disk.

    A run that breaks off leaves the earlier snapshots as they were. Raises BadArgument, LockBusy, OutsideWorkspace.
    """
    folder = os.path.realpath(folder)
    if f"{folder}/".startswith(f"{os.path.realpath(root)}/"):
        raise BadArgument(f"{folder!r} lies in the workspace", path=folder, hint="name a folder outside it")
    with suppress(NotFound):  # it is new, or the first run broke off
        snapshots.require_backup_folder(folder)
    with files.hold_file_lock(f"{folder}/{snapshots.LOCK_NAME}"):
        files.remove_abandoned_files(folder)
        _store_tombstones(root, folder, now)
        run = _BackupRun(root, folder, started_ns)
        before, stored = dict[str, snapshots.StoredFile](), _read_newest(folder)
        for _ in range(MAX_PASSES):  # until nothing changes meanwhile: then all files are of one moment
            before, stored = stored, run.copy_files(stored)
            if stored == before:
                break
        snapshot = snapshots.Snapshot(now, root, tuple(stored[path] for path in sorted(stored)))
        name = snapshots.add_snapshot(folder, snapshot)
    with (
        suppress(OutsideWorkspace, WorkspaceUnusable),  # where nothing can be written, nothing can be forgotten
        files.hold_workspace_lock(root, "backups"),
        files.log_intent(root),
    ):
        folders = dict.fromkeys((*read_registered_backups(root), folder))
        files.write_atomic(root, snapshots.BACKUPS_PATH, json.encode([*folders]), mode=0o600)
    sizes, size = run.new_objects.values(), sum(one.size for one in stored.values())
    unsettled = tuple(
        path for path, one in stored.items() if path not in before or one.segments != before[path].segments
    )
    counts = (len(stored), size, len(sizes), sum(sizes))
    return BackupResult(folder, name, *counts, left_out=tuple(run.left_out), unsettled=unsettled)


def _read_newest(folder: str) -> dict[str, snapshots.StoredFile]:
    """The files of the last snapshot that is whole."""
    for name in reversed(snapshots.list_snapshots(folder)):
        with suppress(BackupDamaged):  # `verify` reports it
            return {one.path: one for one in snapshots.read_snapshot(folder, name).files}
    return {}


def walk_copied_files(root: str, folder_errors: list[OSError] | None = None) -> list[str]:
    """The paths of the files and links to files that are copied, in the order in which that is to be done: all but what
    can be made anew or belongs to one machine."""

    def is_copied(path: str) -> bool:
        is_left_out = classify_file(path).kind in ("cache", "machine") or path.startswith(CACHE_FOLDER)
        return not (path.endswith("/") or is_left_out or files.is_temporary_name(path.rpartition("/")[2]))

    def copy_order(path: str) -> tuple[int, str]:
        late = (number for number, mark in enumerate(COPIED_LATE, 1) if mark in path)
        return next(late, 0) if path.startswith(CHAIN_PREFIXES) else 0, path

    walked = files.walk_paths(root, skipped_folders=SKIPPED_FOLDERS, folder_errors=folder_errors)
    return sorted(filter(is_copied, walked), key=copy_order)


def _is_append_only(path: str) -> bool:
    """Whether lines are only ever added to a file, so that its last one may still be being written."""
    return path.startswith((*CHAIN_PREFIXES, TOMBSTONE_PREFIX)) and path.endswith(".jsonl")


class _BackupRun(Struct):
    root: str
    folder: str
    started_ns: int
    left_out: list[LeftOutFile] = []
    new_objects: dict[str, int] = {}  # path of an object that was written in this run -> its bytes

    def copy_files(self, previous: dict[str, snapshots.StoredFile]) -> dict[str, snapshots.StoredFile]:
        """Copy what is not as it was before; all files by path."""
        self.left_out.clear()
        folder_errors: list[OSError] = []
        stored = {}
        for path in walk_copied_files(self.root, folder_errors):
            try:
                stored[path] = self._copy_file(path, previous.get(path))
            except (NotFound, FileNotFoundError):
                continue  # gone since
            except OutsideWorkspace as error:
                self.left_out.append(LeftOutFile(files.printable_path(path), error.why))
        for unreadable in folder_errors:
            below = os.path.relpath(str(unreadable.filename), self.root)
            reason = (unreadable.strerror or str(unreadable)).lower()
            self.left_out.append(LeftOutFile(files.printable_path(f"{below}/"), reason))
        return stored

    def _copy_file(self, path: str, previous: snapshots.StoredFile | None) -> snapshots.StoredFile:
        if files.printable_path(path) != path:
            raise OutsideWorkspace(path, "its name is not valid UTF-8")
        status = os.lstat(f"{self.root}/{path}")
        mode, modified_ns = stat.S_IMODE(status.st_mode), status.st_mtime_ns
        if stat.S_ISLNK(status.st_mode):
            return snapshots.StoredFile(path, mode, modified_ns, link=os.readlink(f"{self.root}/{path}"))
        stamp = (modified_ns, status.st_ctime_ns, status.st_size, status.st_ino)
        if previous and previous.stamp == stamp and all(map(self._has_object, previous.segments)):
            return structs.replace(previous, mode=mode)
        is_settled = status.st_ctime_ns < self.started_ns - CLOCK_TICK_NS
        segments = tuple(self._copy_segments(path, status.st_size, previous.segments if previous else ()))
        return snapshots.StoredFile(path, mode, modified_ns, segments, stamp if is_settled else ())

    def _copy_segments(
        self, path: str, size: int, previous: tuple[snapshots.Segment, ...]
    ) -> Iterator[snapshots.Segment]:
        """The segments of a file, of the sizes that they had before, so that of one that grew only the end is new."""
        offset = 0
        for segment_size in chain((one.size for one in previous), repeat(SEGMENT_BYTES)):
            data = files.read_range(self.root, path, offset, min(segment_size, size - offset))
            offset += len(data)
            if offset >= size and _is_append_only(path):
                data = data[: data.rfind(b"\n") + 1]
            if not data:
                return
            yield self._store(data)

    def _store(self, data: bytes) -> snapshots.Segment:
        segment = snapshots.Segment(content_sha256(data), len(data))
        if not self._has_object(segment):
            files.write_atomic(self.folder, segment.object_path, data, mode=0o600)
            self.new_objects[segment.object_path] = len(data)
        return segment

    def _has_object(self, segment: snapshots.Segment) -> bool:
        return files.file_stamp(self.folder, segment.object_path)[2:3] == (segment.size,)


def _store_tombstones(root: str, folder: str, now: str) -> None:
    """Add the tombstones of the workspace to those of the backup; the caller has the lock of the backup."""
    texts: dict[str, str] = {}
    with suppress(NotFound):
        texts = snapshots.read_sealed_json(folder, snapshots.TOMBSTONES_PATH, snapshots.StoredTombstones).texts
    for name in files.list_file_sizes(root, STATE_FOLDER):
        path = f"{STATE_FOLDER}/{name}"
        if path.startswith(TOMBSTONE_PREFIX) and _is_append_only(path):
            own = files.read_file(root, path)
            whole_lines = own[: own.rfind(b"\n") + 1]
            texts[name] = merge_tombstones(texts.get(name, "").encode(), whole_lines).decode("utf-8", "replace")
    snapshots.write_sealed_json(folder, snapshots.TOMBSTONES_PATH, snapshots.StoredTombstones(now, texts))
