"""A file that the user names on the command line, wherever it lies; it is read and never written."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from commonplace.errors import NotFound, OutsideWorkspace
from commonplace.files.paths import CALM


@contextmanager
def named(path: str) -> Iterator[tuple[BinaryIO, tuple[str, ...]]]:
    """A file that the user names, anywhere, opened for reading; and what tells it from others: its path, its inode.

    Raises NotFound, OutsideWorkspace for what cannot be read.
    """
    real = os.path.realpath(path)
    try:
        file = open(real, "rb")  # noqa: SIM115 - closed below
    except (FileNotFoundError, NotADirectoryError):
        raise NotFound("file", path) from None
    except OSError as error:
        raise OutsideWorkspace(path, (error.strerror or str(error)).lower()) from error
    with file:
        found = os.fstat(file.fileno())
        yield file, (f"path:{real}", f"inode:{found.st_dev}:{found.st_ino}")


@contextmanager
def own(path: str) -> Iterator[tuple[BinaryIO, tuple[str, ...]]]:
    """A file that another program names: like `named`, but only a plain file of the user who runs us.

    Raises NotFound, OutsideWorkspace for what cannot be read, is no plain file or somebody else's.
    """
    real = os.path.realpath(path)
    try:
        descriptor = os.open(real, os.O_RDONLY | os.O_CLOEXEC | CALM)
    except (FileNotFoundError, NotADirectoryError):
        raise NotFound("file", path) from None
    except (OSError, ValueError) as error:
        raise OutsideWorkspace(path, (getattr(error, "strerror", "") or str(error)).lower()) from error
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OutsideWorkspace(path, "it is no plain file")
        if found.st_uid != os.geteuid():
            raise OutsideWorkspace(path, "it belongs to another user")
        with open(descriptor, "rb", closefd=False) as file:
            yield file, (f"path:{real}", f"inode:{found.st_dev}:{found.st_ino}")
    finally:
        os.close(descriptor)
