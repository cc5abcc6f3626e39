"""Restore a snapshot into an empty folder: all of it or nothing, with the newest tombstones of the backup."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct

from commonplace.errors import BadArgument
from commonplace.storage import files
from commonplace.upkeep.backup.backups import register_backup
from commonplace.upkeep.backup.snapshots import (
    TOMBSTONES_PATH,
    StoredFile,
    StoredTombstones,
    find_snapshot,
    read_sealed_json,
    read_segments,
    read_snapshot,
    require_backup_folder,
)
from commonplace.upkeep.backup.workspace_files import STATE_FOLDER, TOMBSTONE_PREFIX

PARTIAL_SUFFIX = ".commonplace-restore"
_RESTORE_LOCK = "restore"
MAX_MANIFEST_BYTES = 1 << 28


class RestoreResult(Struct, frozen=True):
    """What was restored, and the reasons for which something forgotten may be back."""

    workspace: str
    snapshot: str
    time: str
    files: int
    bytes: int
    notes: tuple[str, ...] = ()


def restore_snapshot(folder: str, target: str, *, time: str = "", manifest_time: str = "") -> RestoreResult:
    """Restore the newest snapshot, or the newest whose name begins with `time`, as the folder `target`.

    It is written beside the target and renamed at the end, so that one that breaks off leaves nothing there. Raises
    NotFound, BackupDamaged, BadArgument for a target that is not empty.
    """
    folder = os.path.realpath(folder)
    require_backup_folder(folder)
    parent, last = os.path.split(os.path.realpath(target))
    partial = f"{parent}/.{last}{PARTIAL_SUFFIX}"
    _require_empty(target)
    name = find_snapshot(folder, time)
    snapshot = read_snapshot(folder, name)
    tombstones = read_sealed_json(folder, TOMBSTONES_PATH, StoredTombstones)
    files.make_folders(partial)
    with files.hold_workspace_lock(partial, _RESTORE_LOCK), _removed_if_it_fails(partial):
        files.clear_folder(partial, files.LOCK_FOLDER)
        copied = [one for one in snapshot.files if not one.path.startswith(TOMBSTONE_PREFIX)]
        _write_files(folder, partial, copied)
        for file_name, groups in tombstones.lines.items():
            lines = [line for salt_line, below in groups.items() for line in (salt_line, *below) if line]
            path, text = f"{STATE_FOLDER}/{file_name}", "\n".join((*lines, ""))
            files.write_atomic(partial, path, text.encode(), mode=0o600)
        register_backup(partial, folder, snapshot.time)
        _require_empty(target)
        os.rename(partial, f"{parent}/{last}")
    files.fsync_path(parent)
    size = sum(one.size for one in snapshot.files)
    notes = _manifest_notes(tombstones, manifest_time)
    return RestoreResult(f"{parent}/{last}", name, snapshot.time, len(snapshot.files), size, notes)


@contextmanager
def _removed_if_it_fails(partial: str) -> Iterator[None]:
    try:
        yield
    except BaseException:
        files.clear_folder(partial)
        os.rmdir(partial)
        raise


def _require_empty(target: str) -> None:
    if os.path.lexists(target) and (not os.path.isdir(target) or files.list_folder_names(target)):
        hint = "name a folder that is empty or does not exist; nothing was written"
        raise BadArgument(f"{target!r} is not empty", path=target, hint=hint)


def _write_files(folder: str, partial: str, stored_files: list[StoredFile]) -> None:
    """Write the files, then the links, so that nothing is written through one; all are on disk afterwards."""
    folders = {partial}
    for one in sorted(stored_files, key=lambda stored_file: bool(stored_file.link)):
        folders.add(os.path.dirname(f"{partial}/{one.path}"))
        if one.link:
            files.create_link(partial, one.path, one.link)
            continue
        with files.stream_new_file(partial, one.path, mode=one.mode, modified_ns=one.modified_ns) as file:
            for data in read_segments(folder, one):
                file.write(data)
    for path in (*(f"{partial}/{one.path}" for one in stored_files if not one.link), *sorted(folders)):
        files.fsync_path(path)


def _manifest_notes(tombstones: StoredTombstones, manifest_time: str) -> tuple[str, ...]:
    if manifest_time[:16] <= tombstones.updated[:16]:
        return ()
    times = (
        f"the manifest is of {manifest_time[:16]}, and the tombstones of this backup are of {tombstones.updated[:16]}"
    )
    return (f"{times}: what the manifest says is erased; what else was forgotten in between is back",)
