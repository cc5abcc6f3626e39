"""A folder that the user names, wherever it lies: it is read and never written, and links in it are not followed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import BinaryIO

from msgspec import Struct

from commonplace.errors import CommonplaceError, NotFound, OutsideWorkspace
from commonplace.files.paths import CALM, inside, plain

EARLIEST = 315_532_800  # 1980; an archive that tells no times leaves earlier ones
SKIPPED = frozenset({"node_modules", "__pycache__"})


class Found(Struct, frozen=True):
    """A plain file below the folder: its path there, with `/`, its bytes, when it was modified (ISO, UTC); or why it is
    not read."""

    path: str
    size: int = 0
    modified: str = ""
    trouble: str = ""


def walk(root: str, *, hidden: bool = False) -> Iterator[Found]:
    """The files below a folder, sorted folder by folder. Raises NotFound, OutsideWorkspace.

    Names that begin with a dot are passed over, unless `hidden`. A link is told as trouble, wherever it leads. What is
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
            yield Found(folder, trouble=f"this folder cannot be read: {error.strerror}")
            continue
        below = []
        for entry in found:
            if entry.name in SKIPPED or (entry.name[0] == "." and not hidden):
                continue
            path = folder + entry.name
            if entry.is_dir(follow_symlinks=False):
                below.append(f"{path}/")
            else:
                yield _found(entry, path)
        waiting += reversed(below)


@contextmanager
def opened(root: str, relative: str) -> Iterator[BinaryIO]:
    """A plain file below the folder, for reading. Raises NotFound, OutsideWorkspace for what leaves the folder."""
    with inside(root, relative) as (folder, name):
        descriptor = os.open(name, os.O_RDONLY | CALM, dir_fd=folder)
        with os.fdopen(descriptor, "rb") as file:
            plain(os.fstat(descriptor), relative)
            yield file


def why_unread(error: CommonplaceError) -> str:
    """Why a file that was found cannot be read after all."""
    return f"it cannot be read: {error.message.rpartition(': ')[2] if ': ' in error.message else 'it is gone'}"


def _found(entry: os.DirEntry[str], path: str) -> Found:
    readable = os.fsencode(path).decode("utf-8", "backslashreplace")
    if readable != path:
        return Found(readable, trouble="this name is not valid UTF-8")
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError as error:
        return Found(path, trouble=f"it cannot be read: {error.strerror}")
    if stat.S_ISLNK(status.st_mode):
        return Found(path + "/" * os.path.isdir(entry), trouble="a link, which is not followed")
    if not stat.S_ISREG(status.st_mode):
        return Found(path, trouble="a pipe, socket or device, which is not opened")
    told = status.st_mtime >= EARLIEST
    modified = datetime.fromtimestamp(status.st_mtime, UTC).isoformat(timespec="seconds") if told else ""
    return Found(path, status.st_size, modified)
