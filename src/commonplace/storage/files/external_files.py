"""Files outside the workspace: those that a user names are read, those of other programs also copied or replaced."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from msgspec import Struct

from commonplace.errors import CommonplaceError, NotFound, OutsideWorkspace, WriteConflict
from commonplace.storage.files import paths
from commonplace.storage.files.atomic_replace import MAX_NAME_CHARS, ConcurrentChange
from commonplace.storage.files.content import create_file, read_file_if_exists, write_atomic
from commonplace.storage.files.intent_log import list_abandoned_files
from commonplace.storage.files.paths import SAFE_OPEN_FLAGS, open_parent, require_plain_file

EARLIEST_MTIME = 315_532_800  # 1980; an archive that tells no times leaves earlier ones
SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__"})


@contextmanager
def open_user_file(path: str, *, must_own: bool = False) -> Iterator[tuple[BinaryIO, tuple[str, ...]]]:
    """A plain file that the user names, opened for reading, with what tells it from others: path and inode.

    Raises NotFound, and OutsideWorkspace if it cannot be read or is no regular file: a pipe could block for ever; with
    `must_own` also for the file of another user."""
    try:
        descriptor = os.open(os.path.realpath(path), os.O_RDONLY | os.O_CLOEXEC | paths.SAFE_OPEN_FLAGS)
    except (FileNotFoundError, NotADirectoryError):
        raise NotFound("file", path) from None
    except (OSError, ValueError) as error:
        if getattr(error, "errno", None) == errno.ENXIO:  # a socket, or a device without anything behind it
            raise _not_plain_error(path) from None
        raise OutsideWorkspace(path, (getattr(error, "strerror", "") or str(error)).lower()) from error
    try:
        found = os.fstat(descriptor)
        if stat.S_ISDIR(found.st_mode):
            raise OutsideWorkspace(path, "it is a folder, and not a regular file", "name the files in it")
        if not stat.S_ISREG(found.st_mode):
            raise _not_plain_error(path)
        if must_own and found.st_uid != os.geteuid():
            raise OutsideWorkspace(path, "it belongs to another user")
        with open(descriptor, "rb", closefd=False) as file:
            yield file, (f"path:{os.path.realpath(path)}", f"inode:{found.st_dev}:{found.st_ino}")
    finally:
        os.close(descriptor)


def _not_plain_error(path: str) -> OutsideWorkspace:
    hint = "write what comes out of it into a plain file, and name that"
    return OutsideWorkspace(path, "it is a pipe, socket or device, and not a regular file", hint)


MAX_FOREIGN_BYTES = 16_000_000  # bytes
MOVE_HINT = "nothing was changed; move it, or correct it, then repeat"
BACKUP_MARK = ".commonplace-"  # between the name of a file and the time of its copy


class ForeignFile(Struct, frozen=True):
    """A file of another program as it was seen: as it is named, where links lead, its bytes (None: it is not there)."""

    path: str
    real_path: str
    data: bytes | None

    @property
    def digest(self) -> str:
        """The digest of the file's bytes; empty if it does not exist."""
        return "" if self.data is None else paths.content_digest(self.data)


def read_foreign_file(path: str) -> ForeignFile:
    """A file of another program; links are followed, for people keep such files elsewhere. Raises OutsideWorkspace."""
    real = os.path.realpath(path)
    folder, name = os.path.split(real)
    if not os.path.isdir(folder):
        return ForeignFile(path, real, None)
    try:
        return ForeignFile(path, real, read_file_if_exists(folder, name, MAX_FOREIGN_BYTES))
    except OutsideWorkspace as error:
        raise OutsideWorkspace(path, error.why, MOVE_HINT) from error


def write_foreign_file(expected_file: ForeignFile, data: bytes) -> ForeignFile:
    """Replace the file as a whole: it keeps its mode and owner, a link to it stays a link, a new one gets 0600.

    Returns what was read back. Raises WriteConflict, and leaves it alone, if it is not as it was read.
    """
    _raise_if_changed(expected_file)
    folder, name = os.path.split(expected_file.real_path)
    with paths.translate_os_errors(expected_file.path):
        try:
            paths.make_folders(folder)
        except NotADirectoryError as error:
            raise paths.not_a_folder_error(expected_file.path) from error
    if expected_file.data is None:
        if not create_file(folder, name, data):
            raise WriteConflict(expected_file.path)
    else:
        try:
            write_atomic(folder, name, data, expected_digest=expected_file.digest)
        except ConcurrentChange:
            raise WriteConflict(expected_file.path) from None
    written = read_foreign_file(expected_file.path)
    if written.data != data:
        raise WriteConflict(expected_file.path, "another program changed it immediately after it was written")
    return written


def remove_foreign_file(expected_file: ForeignFile) -> None:
    """Remove a file that we made, if it is still as it was read. Raises WriteConflict."""
    _raise_if_changed(expected_file)
    if expected_file.data is not None:
        with paths.translate_os_errors(expected_file.path), suppress(FileNotFoundError):
            os.unlink(expected_file.real_path)


def back_up_foreign_file(expected_file: ForeignFile, stamp: str) -> str:
    """A copy of the file as it was seen, beside it, that only its owner can read; returns its path."""
    folder, name = os.path.split(expected_file.real_path)
    for number in range(1, 1000):
        copy = f"{name}{BACKUP_MARK}{stamp}{f'-{number}' if number > 1 else ''}"
        if create_file(folder, copy, expected_file.data or b""):
            return os.path.join(folder, copy)
    message = f"there are too many copies of {expected_file.path!r}"
    raise CommonplaceError(message, path=expected_file.path, hint="remove old ones")


def list_write_leftovers(path: str, *, remove: bool = False) -> tuple[str, ...]:
    """The paths of versions and copies of a file that a write of ours has left beside it where it was killed; with
    `remove` those that are removed: one that somebody else saved stays."""
    folder, name = os.path.split(os.path.realpath(path))
    whose = f"{re.escape(name[:MAX_NAME_CHARS])}|{re.escape((name + BACKUP_MARK)[:MAX_NAME_CHARS])}[^.]*"
    hidden = re.compile(rf"\.(?:{whose})\.[0-9a-f]{{16}}(?:\.tmp|-[0-9a-f]{{16}}\.swap)")
    names = [one for one in list_folder_names(folder) if hidden.fullmatch(one)] if os.access(folder, os.R_OK) else []
    left = list_abandoned_files(folder, names, remove=remove) if names else ()
    return tuple(os.path.join(folder, one) for one in left)


def list_folder_names(folder: str) -> tuple[str, ...]:
    """The names of the files in a folder, sorted; empty if there is none."""
    try:
        return tuple(sorted(os.listdir(folder)))
    except (FileNotFoundError, NotADirectoryError):
        return ()


def access_by_others(path: str) -> str:
    """The access of users other than the owner to a file or folder: `` (none), `read`, or `write`."""
    try:
        mode = stat.S_IMODE(os.stat(path).st_mode)
    except OSError as error:
        raise NotFound("file", path) from error
    if mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "write"
    return "read" if mode & (stat.S_IRGRP | stat.S_IROTH) else ""


def _raise_if_changed(expected_file: ForeignFile) -> None:
    now = read_foreign_file(expected_file.path)
    if (now.real_path, now.data) != (expected_file.real_path, expected_file.data):
        raise WriteConflict(expected_file.path)


class ExternalFile(Struct, frozen=True):
    """A plain file below a folder: its path, its bytes, when it was modified (ISO, UTC), or why it is not read."""

    path: str
    size: int = 0
    modified: str = ""
    unreadable_reason: str = ""


def walk_directory(root: str) -> Iterator[ExternalFile]:
    """The files below a folder, sorted folder by folder, without hidden ones; a link, or what cannot be read, comes
    with the reason. The path of a folder ends in `/`. Raises NotFound, OutsideWorkspace."""
    if not os.path.isdir(root):
        raise NotFound("folder", root)
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(os.path.join(root, folder)) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            if not folder:
                raise OutsideWorkspace(root, (error.strerror or str(error)).lower()) from error
            yield ExternalFile(folder, unreadable_reason=f"this folder cannot be read: {error.strerror}")
            continue
        below = []
        for entry in found:
            if entry.name in SKIPPED_FOLDERS or entry.name[0] == ".":
                continue
            path = folder + entry.name
            if entry.is_dir(follow_symlinks=False):
                below.append(f"{path}/")
            else:
                yield _describe_entry(entry, path)
        waiting += reversed(below)


@contextmanager
def open_in_directory(root: str, relative: str) -> Iterator[BinaryIO]:
    """A plain file below the folder, for reading. Raises NotFound, OutsideWorkspace for what leaves the folder."""
    with open_parent(root, relative) as (folder, name):
        descriptor = os.open(name, os.O_RDONLY | SAFE_OPEN_FLAGS, dir_fd=folder)
        with os.fdopen(descriptor, "rb") as file:
            require_plain_file(os.fstat(descriptor), relative)
            yield file


def describe_read_error(read_error: CommonplaceError) -> str:
    """The reason why an existing file cannot be read."""
    _, colon, why = read_error.message.rpartition(": ")
    return f"it cannot be read: {why if colon else 'it is gone'}"


def _describe_entry(directory_entry: os.DirEntry[str], path: str) -> ExternalFile:
    readable = paths.printable_path(path)
    if readable != path:
        return ExternalFile(readable, unreadable_reason="this name is not valid UTF-8")
    try:
        status = directory_entry.stat(follow_symlinks=False)
    except OSError as error:
        return ExternalFile(path, unreadable_reason=f"it cannot be read: {error.strerror}")
    if stat.S_ISLNK(status.st_mode):
        slash = "/" * os.path.isdir(directory_entry)
        return ExternalFile(path + slash, unreadable_reason="a link, which is not followed")
    if not stat.S_ISREG(status.st_mode):
        return ExternalFile(path, unreadable_reason="a pipe, socket or device, which is not opened")
    from datetime import UTC, datetime

    told = status.st_mtime >= EARLIEST_MTIME
    modified = datetime.fromtimestamp(status.st_mtime, UTC).isoformat(timespec="seconds") if told else ""
    return ExternalFile(path, status.st_size, modified)
