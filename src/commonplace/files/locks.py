"""Advisory locks on files: a process that dies lets go of them."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from commonplace.errors import LockBusy, WorkspaceUnusable
from commonplace.files.paths import CALM, digest, explained, inside, make_folders, normal

LOCKS = ".memory/locks"
WAIT_S = 5.0
RETRY_S = 0.002  # short and even: a lock that is free only now and then must still be met within the wait


def lock_name(relative: str) -> str:
    """The name of the lock that guards a path; 256 paths' worth of locks do for all, so that they do not pile up."""
    return f"path-{digest(normal(relative).encode('utf-8', 'surrogatepass'))[:2]}"


@contextmanager
def hold(root: str, name: str, seconds: float = WAIT_S) -> Iterator[None]:
    """Hold the workspace's lock of this name; see `lock`."""
    relative = f"{LOCKS}/{name}.lock"
    with inside(root, relative, create=True) as (folder, last):
        descriptor = os.open(last, os.O_RDWR | os.O_CREAT | CALM, 0o600, dir_fd=folder)
    with _locked(descriptor, relative, seconds):
        yield


@contextmanager
def lock(path: str, seconds: float = WAIT_S) -> Iterator[None]:
    """Hold an advisory lock on the file at `path`, made when missing; a process that dies lets go of it.

    Not re-entrant. Raises LockBusy when another held it for `seconds`.
    """
    with explained(path):
        make_folders(os.path.dirname(path) or ".")
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | CALM, 0o600)
    with _locked(descriptor, path, seconds):
        yield


@contextmanager
def _locked(descriptor: int, path: str, seconds: float) -> Iterator[None]:
    try:
        if not _try_lock(descriptor, path):
            _wait_for_lock(descriptor, path, seconds)
        yield
    finally:
        os.close(descriptor)


def _wait_for_lock(descriptor: int, path: str, seconds: float) -> None:
    from threading import Event

    pause, until = Event(), time.monotonic() + seconds
    while not _try_lock(descriptor, path):
        if time.monotonic() >= until:
            raise LockBusy(path, seconds)
        pause.wait(RETRY_S)


def _try_lock(descriptor: int, path: str) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise WorkspaceUnusable(path, f"no lock can be had: {error.strerror}") from error
    return True
