"""What a backup is on disk: objects by digest, a sealed list of files for each run, and the newest tombstones."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import TypeVar

from msgspec import DecodeError, Struct, json

from commonplace.errors import BackupDamaged, BadArgument, NotFound, closest_names
from commonplace.model import Problem
from commonplace.storage import files

SNAPSHOT_FOLDER = "snapshots"
TOMBSTONES_PATH = "tombstones.json"
LOCK_NAME = "lock"
_BACKUP_NAMES = frozenset((SNAPSHOT_FOLDER, "objects", TOMBSTONES_PATH, LOCK_NAME))
_SNAPSHOT_NAME = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d(?:-\d\d)?\.json")
_DIGEST_CHARS = 64

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
    """The lines of each tombstone file by the line with their salt, and the ISO minute when all were up to date."""

    updated: str
    lines: dict[str, dict[str, tuple[str, ...]]] = {}


def content_sha256(data: bytes) -> str:
    """The digest of some bytes as `sha256sum` prints it."""
    from hashlib import sha256

    return sha256(data).hexdigest()


def write_sealed_json(folder: str, path: str, value: Struct) -> None:
    """Write a value as a line of JSON, and below it the SHA-256 of that line."""
    line = json.encode(value)
    files.write_atomic(folder, path, b"%s\n%s\n" % (line, content_sha256(line).encode()), mode=0o600)


def read_sealed_json(folder: str, path: str, value_type: type[Sealed]) -> Sealed:
    """Read such a value. Raises NotFound, BackupDamaged where a byte of it is not as it was written."""
    data = files.read_file(folder, path)
    line = data[: -_DIGEST_CHARS - 2]
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


def find_snapshot(folder: str, time: str) -> str:
    """The newest snapshot whose name begins with a time; the newest of all for an empty one. Raises NotFound."""
    names = list_snapshots(folder)
    matching = [name for name in names if name.startswith(time.replace(":", "-"))]
    if not matching:
        raise NotFound("snapshot", time, closest_names(time, names) or names[-3:])
    return matching[-1]


def add_snapshot(folder: str, snapshot: Snapshot) -> str:
    """Write a snapshot under a name of its own, made of its time, and return that."""
    first, taken = snapshot.time[:16].replace(":", "-"), set(list_snapshots(folder))
    name = first if first not in taken else next(n for i in range(2, 100) if (n := f"{first}-{i:02}") not in taken)
    write_sealed_json(folder, f"{SNAPSHOT_FOLDER}/{name}.json", snapshot)
    return name


def read_segments(folder: str, stored_file: StoredFile) -> Iterator[bytes]:
    """The bytes of a file, segment by segment. Raises BackupDamaged for the first that is not as it was stored."""
    for segment in stored_file.segments:
        if why := check_segment(folder, segment):
            raise BackupDamaged(f"{folder}/{segment.object_path}", f"{why} (a part of {stored_file.path!r})")
        yield files.read_file(folder, segment.object_path)


def check_segment(folder: str, segment: Segment) -> str:
    """What is wrong with a stored object; empty if nothing is."""
    data = files.read_file_if_exists(folder, segment.object_path, segment.size + 1)
    if data is None:
        return "it is missing"
    return "" if content_sha256(data) == segment.digest else "its content does not have the digest in its name"


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
            for stored_file in read_snapshot(folder, name).files:
                for segment in stored_file.segments:
                    used_by[segment] = f"{stored_file.path!r} in snapshot {name}"
        except BackupDamaged as error:
            problems.append(Problem("damaged-snapshot", error.why, f"{SNAPSHOT_FOLDER}/{name}.json"))
    try:
        read_sealed_json(folder, TOMBSTONES_PATH, StoredTombstones)
    except (BackupDamaged, NotFound) as error:
        problems.append(Problem("damaged-tombstones", error.message, TOMBSTONES_PATH))
    for segment, used in used_by.items():
        if why := check_segment(folder, segment):
            problems.append(Problem("damaged-object", f"{why}; it is a part of {used}", segment.object_path))
    return VerifyResult(folder, names, len(used_by), sum(one.size for one in used_by), tuple(problems))
