"""What a backup is on disk: objects by digest, a sealed list of files for each run, and the newest tombstones."""

from __future__ import annotations

import os
import re
from typing import TypeVar

from msgspec import DecodeError, Struct, json

from commonplace.errors import BackupDamaged, BadArgument, NotFound, closest_names
from commonplace.model import Problem
from commonplace.storage import files
from commonplace.storage.archives import content_sha256
from commonplace.storage.stores import STATE_FOLDER, TOMBSTONE_PREFIX

SNAPSHOT_FOLDER, TOMBSTONES_PATH, LOCK_NAME = "snapshots", "tombstones.json", "lock"
BACKUPS_PATH = f"{STATE_FOLDER}/backups.json"
PARTIAL_SUFFIX, RESTORE_LOCK = ".commonplace-restore", "restore"
_BACKUP_NAMES = frozenset((SNAPSHOT_FOLDER, "objects", TOMBSTONES_PATH, LOCK_NAME))
_SNAPSHOT_NAME = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d(?:-\d\d)?\.json")
_SEAL_CHARS = 66  # a digest and two newlines

Sealed = TypeVar("Sealed", bound=Struct)


class Segment(Struct, frozen=True, array_like=True):
    """A part of a file: the SHA-256 of its bytes, which is the name of its object, and their number."""

    digest: str
    size: int

    @property
    def object_path(self) -> str:
        """The path of the object in the backup."""
        return f"objects/{self.digest[:2]}/{self.digest}"


class StoredFile(Struct, frozen=True, omit_defaults=True):
    """A file as it was: path, mode and time (ns), its segments in order, and the stamp by which it is recognised.

    A symbolic link has its target as `link`, and no segments. Without a stamp the file is read again in the next run.
    """

    path: str
    mode: int
    modified_ns: int
    segments: tuple[Segment, ...] = ()
    stamp: tuple[int, ...] = ()
    link: str = ""

    @property
    def size(self) -> int:
        """The bytes of the file."""
        return sum(segment.size for segment in self.segments)


class Snapshot(Struct, frozen=True, tag_field="schema", tag="commonplace.snapshot.v1"):
    """One run: its ISO minute, the workspace, and the files in order of their paths."""

    time: str
    workspace: str
    files: tuple[StoredFile, ...]


class StoredTombstones(Struct, frozen=True, tag_field="schema", tag="commonplace.tombstones.v1"):
    """The tombstone files by name, and the ISO minute when all were up to date."""

    updated: str = ""
    texts: dict[str, str] = {}


def write_sealed_json(folder: str, path: str, value: Struct) -> None:
    """Write a value as a line of JSON, and below it the SHA-256 of that line."""
    line = json.encode(value)
    files.write_atomic(folder, path, b"%s\n%s\n" % (line, content_sha256(line).encode()), mode=0o600)


def read_sealed_json(folder: str, path: str, value_type: type[Sealed]) -> Sealed:
    """Read such a value. Raises NotFound, BackupDamaged where a byte of it is not as it was written."""
    data = files.read_file(folder, path)
    line = data[:-_SEAL_CHARS]
    if data != b"%s\n%s\n" % (line, content_sha256(line).encode()):
        raise BackupDamaged(f"{folder}/{path}", "its content does not have the digest in its last line")
    try:
        return json.decode(line, type=value_type)
    except DecodeError as error:
        raise BackupDamaged(f"{folder}/{path}", f"it is of another version: {error}") from None


def require_backup_folder(folder: str) -> None:
    """Raise NotFound for a folder that is not there or holds no snapshot, BadArgument for one with other files."""
    names = [name for name in files.list_folder_names(folder) if not name.startswith(".")]
    if other := next((name for name in names if name not in _BACKUP_NAMES), ""):
        message = f"{folder!r} is no backup: it contains {other!r}"
        raise BadArgument(message, path=folder, hint="name an empty folder, or one that `commonplace backup` has made")
    if not list_snapshots(folder):
        raise NotFound("backup in", folder)


def list_snapshots(folder: str) -> tuple[str, ...]:
    """The names of the snapshots, oldest first: `2025-11-27T09-00`."""
    names = files.list_folder_names(f"{folder}/{SNAPSHOT_FOLDER}")
    return tuple(sorted(name.removesuffix(".json") for name in names if _SNAPSHOT_NAME.fullmatch(name)))


def read_snapshot(folder: str, name: str) -> Snapshot:
    """One snapshot. Raises BackupDamaged."""
    return read_sealed_json(folder, f"{SNAPSHOT_FOLDER}/{name}.json", Snapshot)


def _find_snapshot(folder: str, time: str) -> str:
    """The newest snapshot whose name begins with a time; the newest of all for an empty one. Raises NotFound."""
    names = list_snapshots(folder)
    matching = [name for name in names if name.startswith(time.replace(":", "-"))]
    if not matching:
        raise NotFound("snapshot", time, closest_names(time, names) or names[-3:])
    return matching[-1]


def add_snapshot(folder: str, snapshot: Snapshot) -> str:
    """Write a snapshot under a name of its own, made of its time, and return that."""
    first, taken = snapshot.time[:16].replace(":", "-"), list_snapshots(folder)
    name = first if first not in taken else next(n for i in range(2, 100) if (n := f"{first}-{i:02}") not in taken)
    write_sealed_json(folder, f"{SNAPSHOT_FOLDER}/{name}.json", snapshot)
    return name


def _read_segment(folder: str, segment: Segment, used_by: str) -> bytes:
    """The bytes of a segment. Raises BackupDamaged if they are not as they were stored."""
    data = files.read_file_if_exists(folder, segment.object_path, segment.size + 1)
    if data is None or content_sha256(data) != segment.digest:
        why = "it is missing" if data is None else "its content does not have the digest in its name"
        raise BackupDamaged(f"{folder}/{segment.object_path}", f"{why}; it is a part of {used_by}")
    return data


class VerifyResult(Struct, frozen=True):
    """What was compared, and what is not as it was written."""

    folder: str
    snapshots: tuple[str, ...]
    objects: int
    bytes: int
    problems: tuple[Problem, ...]


def verify_backup(folder: str) -> VerifyResult:
    """Read every object of every snapshot, and compare the digests. Raises NotFound, BadArgument."""
    folder = os.path.realpath(folder)
    require_backup_folder(folder)
    problems: list[Problem] = []
    used_by: dict[Segment, str] = {}
    names = list_snapshots(folder)
    for name in names:
        try:
            stored_files = read_snapshot(folder, name).files
        except BackupDamaged as error:
            problems.append(Problem("damaged-snapshot", error.why, f"{SNAPSHOT_FOLDER}/{name}.json"))
            continue
        for one in stored_files:
            used_by.update(dict.fromkeys(one.segments, f"{one.path!r} in snapshot {name}"))
    try:
        read_sealed_json(folder, TOMBSTONES_PATH, StoredTombstones)
    except (BackupDamaged, NotFound) as error:
        problems.append(Problem("damaged-tombstones", error.message, TOMBSTONES_PATH))
    for segment, used in used_by.items():
        try:
            _read_segment(folder, segment, used)
        except BackupDamaged as error:
            problems.append(Problem("damaged-object", error.why, segment.object_path))
    return VerifyResult(folder, names, len(used_by), sum(one.size for one in used_by), tuple(problems))


class RestoreResult(Struct, frozen=True):
    """What was restored, and the reasons for which something forgotten may be back."""

    workspace: str
    snapshot: str
    time: str
    files: int
    bytes: int
    notes: tuple[str, ...] = ()


def restore_snapshot(folder: str, target: str, *, time: str = "", manifest_time: str = "") -> RestoreResult:
    """Restore the newest snapshot, or the newest whose name begins with `time`, as the folder `target`: all of it or
    nothing, with the newest tombstones. Raises NotFound, BackupDamaged, BadArgument for a target that is not empty."""
    folder = os.path.realpath(folder)
    require_backup_folder(folder)
    _require_empty(target)
    target = os.path.realpath(target)
    parent, last = os.path.split(target)
    partial = f"{parent}/.{last}{PARTIAL_SUFFIX}"
    name = _find_snapshot(folder, time)
    snapshot = read_snapshot(folder, name)
    tombstones = read_sealed_json(folder, TOMBSTONES_PATH, StoredTombstones)
    files.make_folders(partial)
    with files.hold_workspace_lock(partial, RESTORE_LOCK):
        try:
            files.clear_folder(partial, files.LOCK_FOLDER)
            for one in sorted(snapshot.files, key=lambda stored_file: bool(stored_file.link)):
                if not one.path.startswith(TOMBSTONE_PREFIX):
                    _restore_file(folder, partial, one)
            for file_name, text in tombstones.texts.items():
                files.write_atomic(partial, f"{STATE_FOLDER}/{file_name}", text.encode(), mode=0o600)
            files.write_atomic(partial, BACKUPS_PATH, json.encode([folder]), mode=0o600)
            _require_empty(target)
            os.rename(partial, target)
        except BaseException:
            files.clear_folder(partial)
            os.rmdir(partial)
            raise
    files.fsync_path(parent)
    notes: tuple[str, ...] = ()
    if manifest_time[:16] > tombstones.updated[:16]:
        times = f"the manifest is of {manifest_time[:16]}, and the tombstones of this backup are of"
        rest = "what the manifest says is erased; what else was forgotten in between is back"
        notes = (f"{times} {tombstones.updated[:16]}: {rest}",)
    size = sum(one.size for one in snapshot.files)
    return RestoreResult(target, name, snapshot.time, len(snapshot.files), size, notes)


def _require_empty(target: str) -> None:
    if os.path.lexists(target) and (not os.path.isdir(target) or files.list_folder_names(target)):
        hint = "name a folder that is empty or does not exist; nothing was written"
        raise BadArgument(f"{target!r} is not empty", path=target, hint=hint)


def _restore_file(folder: str, partial: str, stored_file: StoredFile) -> None:
    """Write a file, or make a link: those come last, so that nothing is written through one."""
    if stored_file.link:
        files.create_link(partial, stored_file.path, stored_file.link)
        return
    modified_ns = stored_file.modified_ns
    with files.stream_new_file(partial, stored_file.path, mode=stored_file.mode, modified_ns=modified_ns) as file:
        for segment in stored_file.segments:
            file.write(_read_segment(folder, segment, repr(stored_file.path)))
