"""A file that the user names on the command line, wherever it lies; it is read and never written."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from commonplace.errors import NotFound, OutsideWorkspace
from commonplace.files.paths import CALM


@contextmanager
def named(path: str) -> Iterator[tuple[BinaryIO, tuple[str, ...]]]:
    """A plain file that the user names, anywhere, opened for reading; and what tells it from others: path and inode.

    Raises NotFound, OutsideWorkspace for what cannot be read, or is no plain file: a pipe may be waited for for ever.
    """
    with _opened(path) as (file, found):
        yield file, (f"path:{os.path.realpath(path)}", f"inode:{found.st_dev}:{found.st_ino}")


@contextmanager
def own(path: str) -> Iterator[tuple[BinaryIO, tuple[str, ...]]]:
    """A file that another program names: like `named`, but only a file of the user who runs us."""
    with _opened(path) as (file, found):
        if found.st_uid != os.geteuid():
            raise OutsideWorkspace(path, "it belongs to another user")
        yield file, (f"path:{os.path.realpath(path)}", f"inode:{found.st_dev}:{found.st_ino}")


@contextmanager
def _opened(path: str) -> Iterator[tuple[BinaryIO, os.stat_result]]:
    try:
        descriptor = os.open(os.path.realpath(path), os.O_RDONLY | os.O_CLOEXEC | CALM)
    except (FileNotFoundError, NotADirectoryError):
        raise NotFound("file", path) from None
    except (OSError, ValueError) as error:
        if getattr(error, "errno", None) == errno.ENXIO:  # a socket, or a device without anything behind it
            raise _odd(path) from None
        raise OutsideWorkspace(path, (getattr(error, "strerror", "") or str(error)).lower()) from error
    try:
        found = os.fstat(descriptor)
        if stat.S_ISDIR(found.st_mode):
            raise OutsideWorkspace(path, "it is a folder, and no plain file", "name the files in it")
        if not stat.S_ISREG(found.st_mode):
            raise _odd(path)
        with open(descriptor, "rb", closefd=False) as file:
            yield file, found
    finally:
        os.close(descriptor)


def _odd(path: str) -> OutsideWorkspace:
    hint = "write what comes out of it into a plain file, and name that"
    return OutsideWorkspace(path, "it is a pipe, socket or device, and no plain file", hint)
