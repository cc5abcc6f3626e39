"""Read a directory outside the workspace that the user names; it is never written, and links are not followed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import BinaryIO

from msgspec import Struct

from commonplace.errors import CommonplaceError, NotFound, OutsideWorkspace
from commonplace.storage.files.paths import SAFE_OPEN_FLAGS, open_parent, require_plain_file

EARLIEST_MTIME = 315_532_800  # 1980; an archive that tells no times leaves earlier ones
SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__"})


class ExternalFile(Struct, frozen=True):
    """A plain file below the folder: its path there, with `/`, its bytes, when it was modified (ISO, UTC); or why it is
    not read."""

    path: str
    size: int = 0
    modified: str = ""
    unreadable_reason: str = ""


def walk_directory(root: str) -> Iterator[ExternalFile]:
    """The files below a folder, sorted folder by folder. Raises NotFound, OutsideWorkspace.

    Names that begin with a dot are skipped. A link is told as trouble, wherever it leads. What is
    told of a folder, or a link to one, ends in `/`.
    """
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
    readable = os.fsencode(path).decode("utf-8", "backslashreplace")
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
    told = status.st_mtime >= EARLIEST_MTIME
    modified = datetime.fromtimestamp(status.st_mtime, UTC).isoformat(timespec="seconds") if told else ""
    return ExternalFile(path, status.st_size, modified)
