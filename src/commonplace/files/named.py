"""A file that the user names on the command line, wherever it lies; it is read and never written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from commonplace.errors import NotFound, OutsideWorkspace


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
