"""Back up a workspace: what changed since the last run is stored by its digest, and a snapshot lists all files."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress

from msgspec import DecodeError, Struct, json, structs

from commonplace.errors import BackupDamaged, BadArgument, NotFound, OutsideWorkspace, WorkspaceUnusable
from commonplace.storage import files
from commonplace.upkeep.backup.snapshots import (
    LOCK_NAME,
    TOMBSTONES_PATH,
    Segment,
    Snapshot,
    StoredFile,
    StoredTombstones,
    add_snapshot,
    content_sha256,
    list_snapshots,
    read_sealed_json,
    read_snapshot,
    require_backup_folder,
    write_sealed_json,
)
from commonplace.upkeep.backup.workspace_files import (
    STATE_FOLDER,
    TOMBSTONE_PREFIX,
    is_append_only,
    printable_path,
    walk_copied_files,
)

BACKUPS_PATH = ".memory/backups.json"
SEGMENT_BYTES = 4 << 20
MAX_PASSES = 3
CLOCK_TICK_NS = 20_000_000  # a file that changed so short before it was read may change again with the same stamp


class RegisteredBackup(Struct, frozen=True):
    """A folder to which this workspace was backed up, and the ISO minute of the last time."""

    folder: str
    time: str


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


def read_registered_backups(root: str) -> tuple[RegisteredBackup, ...]:
    """The folders to which this workspace was backed up; none if the list cannot be read."""
    try:
        return json.decode(files.read_file_if_exists(root, BACKUPS_PATH) or b"[]", type=tuple[RegisteredBackup, ...])
    except DecodeError:
        return ()


def register_backup(root: str, folder: str, now: str) -> None:
    """Add a folder to the list, so that a later `forget` reaches it."""
    with files.hold_workspace_lock(root, "backups"), files.log_intent(root):
        others = [one for one in read_registered_backups(root) if one.folder != folder]
        files.write_atomic(root, BACKUPS_PATH, json.encode([*others, RegisteredBackup(folder, now)]), mode=0o600)


def update_backup_tombstones(root: str, folder: str, now: str) -> None:
    """Bring the tombstones of a backup up to date with those of the workspace; none is ever taken away.

    Raises NotFound for what is no backup, or is not there now, LockBusy.
    """
    require_backup_folder(folder)
    with files.hold_file_lock(f"{folder}/{LOCK_NAME}"):
        _store_tombstones(root, folder, now)


def back_up(root: str, folder: str, *, now: str, started_ns: int) -> BackupResult:
    """Back up a workspace to a folder, which is made when missing; `started_ns` is the time by the clock of the disk.

    A run that breaks off leaves the earlier snapshots as they were. Raises BadArgument, LockBusy, OutsideWorkspace.
    """
    folder = os.path.realpath(folder)
    if f"{folder}/".startswith(f"{os.path.realpath(root)}/"):
        raise BadArgument(f"{folder!r} lies in the workspace", path=folder, hint="name a folder outside it")
    if files.list_folder_names(folder):
        _require_backup_or_beginning(folder)
    with files.hold_file_lock(f"{folder}/{LOCK_NAME}"):
        files.remove_abandoned_files(folder)
        _store_tombstones(root, folder, now)
        run = _BackupRun(root, folder, started_ns, [], {}, [], set())
        previous = run.read_previous()
        stored = run.copy_all(previous)
        run.sync_objects()
        ordered = tuple(stored[path] for path in sorted(stored))
        name = add_snapshot(folder, Snapshot(now, root, ordered))
    with suppress(OutsideWorkspace, WorkspaceUnusable):  # where nothing can be written, nothing can be forgotten
        register_backup(root, folder, now)
    sizes = run.new_objects.values()
    size = sum(one.size for one in ordered)
    counts = (len(ordered), size, len(sizes), sum(sizes))
    return BackupResult(folder, name, *counts, left_out=tuple(run.left_out), unsettled=tuple(run.unsettled))


def _require_backup_or_beginning(folder: str) -> None:
    """Raise BadArgument for a folder with other files; a first run that broke off has left no snapshot."""
    try:
        require_backup_folder(folder)
    except NotFound:
        return


class _BackupRun(Struct):
    root: str
    folder: str
    started_ns: int
    left_out: list[LeftOutFile]
    new_objects: dict[str, int]  # path of an object that was written in this run -> its bytes
    unsettled: list[str]
    trusted_objects: set[str]  # that a snapshot names: what else there is may be of a run that a power cut ended

    def read_previous(self) -> dict[str, StoredFile]:
        """The files of the last snapshot that is whole."""
        for name in reversed(list_snapshots(self.folder)):
            try:
                stored_files = read_snapshot(self.folder, name).files
            except BackupDamaged:
                continue  # `verify` reports it
            self.trusted_objects.update(segment.object_path for one in stored_files for segment in one.segments)
            return {one.path: one for one in stored_files}
        return {}

    def copy_all(self, previous: dict[str, StoredFile]) -> dict[str, StoredFile]:
        """Copy until nothing changes meanwhile: then all files are of one moment."""
        stored = self._copy_pass(previous)
        for _ in range(MAX_PASSES - 1):
            if stored == previous:
                break
            previous, stored = stored, self._copy_pass(stored)
        else:
            self.unsettled += [path for path, one in stored.items() if one.segments != _segments_of(previous, path)]
        return stored

    def _copy_pass(self, previous: dict[str, StoredFile]) -> dict[str, StoredFile]:
        self.left_out.clear()
        folder_errors: list[OSError] = []
        stored = {}
        for path in walk_copied_files(self.root, folder_errors):
            try:
                one = self._copy_file(path, previous.get(path))
            except NotFound:
                continue  # gone since
            except OutsideWorkspace as error:
                self.left_out.append(LeftOutFile(printable_path(path), error.why))
                continue
            stored[path] = one
        for unreadable in folder_errors:
            below = os.path.relpath(str(unreadable.filename), self.root)
            reason = (unreadable.strerror or str(unreadable)).lower()
            self.left_out.append(LeftOutFile(printable_path(f"{below}/"), reason))
        return stored

    def _copy_file(self, path: str, previous: StoredFile | None) -> StoredFile:
        if printable_path(path) != path:
            raise OutsideWorkspace(path, "its name is not valid UTF-8")
        try:
            status = os.lstat(f"{self.root}/{path}")
        except FileNotFoundError:
            raise NotFound("file", path) from None
        mode, modified_ns = stat.S_IMODE(status.st_mode), status.st_mtime_ns
        if stat.S_ISLNK(status.st_mode):
            return StoredFile(path, mode, modified_ns, link=os.readlink(f"{self.root}/{path}"))
        stamp = (modified_ns, status.st_ctime_ns, status.st_size, status.st_ino)
        if previous and previous.stamp == stamp and all(map(self._has_object, previous.segments)):
            return structs.replace(previous, mode=mode)
        is_settled = status.st_ctime_ns < self.started_ns - CLOCK_TICK_NS
        segments = tuple(self._copy_segments(path, status.st_size, previous.segments if previous else ()))
        return StoredFile(path, mode, modified_ns, segments, stamp if is_settled else ())

    def _copy_segments(self, path: str, size: int, previous: tuple[Segment, ...]) -> Iterator[Segment]:
        """The segments as they were, as far as the file is as it was, and new ones for the rest."""
        offset = 0
        for segment in previous:
            data = files.read_range(self.root, path, offset, segment.size) if offset + segment.size <= size else b""
            if not data or content_sha256(data) != segment.digest:
                break
            yield self._store(data)
            offset += segment.size
        while data := files.read_range(self.root, path, offset, min(SEGMENT_BYTES, size - offset)):
            offset += len(data)
            if offset >= size and is_append_only(path):
                data = data[: data.rfind(b"\n") + 1]
            if data:
                yield self._store(data)

    def _store(self, data: bytes) -> Segment:
        segment = Segment(content_sha256(data), len(data))
        path = segment.object_path
        if path in self.new_objects:
            return segment
        if path not in self.trusted_objects or not self._has_object(segment):
            files.write_atomic(self.folder, path, data, mode=0o600, durable=False)
            self.new_objects[path] = len(data)
        return segment

    def _has_object(self, segment: Segment) -> bool:
        try:
            return os.stat(f"{self.folder}/{segment.object_path}").st_size == segment.size
        except FileNotFoundError:
            return False

    def sync_objects(self) -> None:
        """Bring what was written to the disk, before a snapshot names it."""
        for path in (*self.new_objects, *sorted({os.path.dirname(path) for path in self.new_objects})):
            files.fsync_path(f"{self.folder}/{path}")


def _segments_of(stored: dict[str, StoredFile], path: str) -> tuple[Segment, ...]:
    return stored[path].segments if path in stored else ()


def _store_tombstones(root: str, folder: str, now: str) -> None:
    """Add the tombstones of the workspace to those of the backup; the caller has the lock of the backup."""
    try:
        lines_by_file = read_sealed_json(folder, TOMBSTONES_PATH, StoredTombstones).lines
    except NotFound:
        lines_by_file = {}
    for file_name in files.list_file_sizes(root, STATE_FOLDER):
        path = f"{STATE_FOLDER}/{file_name}"
        if path.startswith(TOMBSTONE_PREFIX) and is_append_only(path):
            whole_lines = files.read_file(root, path).decode("utf-8", "replace").split("\n")[:-1]
            _unite_tombstones(lines_by_file.setdefault(file_name, {}), whole_lines)
    write_sealed_json(folder, TOMBSTONES_PATH, StoredTombstones(now, lines_by_file))


def _unite_tombstones(lines_by_salt: dict[str, tuple[str, ...]], file_lines: list[str]) -> None:
    """Add the lines of a file: each belongs to the nearest line with a salt above it."""
    salt_line = ""
    for line in file_lines:
        if '"salt"' in line:
            salt_line = line
        known = lines_by_salt.setdefault(salt_line, ())
        if line != salt_line and line not in known:
            lines_by_salt[salt_line] = (*known, line)
