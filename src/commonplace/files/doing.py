"""Word of what is being done, so that the next start finds what a process that died in the midst left undone."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager, suppress

from commonplace.errors import CommonplaceError, NotFound, OutsideWorkspace
from commonplace.files.paths import CALM, explained, folder_of, inside, is_missing
from commonplace.files.swap import SWAP, is_leftover

DOING = ".memory/doing"
TEMPORARY = ".tmp"

_MOST_NOTE = 1 << 20


@contextmanager
def doing(root: str, note: bytes = b"", *, durable: bool = False) -> Iterator[None]:
    """Leave word for the time of the block; it stays if the process dies in it, a `note` also if the block raises.

    Synced only if it is to be `durable`: else, after a power cut, it may be gone, or be cut short, or be there again;
    so a note must say itself whether it is whole, and what it asks for must bear to be done twice.
    """
    relative, done = f"{DOING}/{os.urandom(8).hex()}", not note
    with inside(root, relative, create=True) as (folder, name):
        descriptor = claimed(folder, name)
        if durable:
            os.fsync(folder)
    try:
        with explained(relative):
            _write(descriptor, note)
            if durable:
                os.fsync(descriptor)
        yield
        done = True
    finally:
        if done:
            with suppress(CommonplaceError), inside(root, relative) as (folder, name):
                os.unlink(name, dir_fd=folder)  # should it stay, the next start finds nothing left to do
        os.close(descriptor)


def _write(descriptor: int, note: bytes) -> None:
    try:
        if os.write(descriptor, note) < len(note):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except OSError:
        os.ftruncate(descriptor, 0)  # nothing was begun yet, and nothing is to be undone
        raise


def undone(root: str, kept: Container[bytes] = ()) -> Iterator[bytes]:
    """The notes of those that died or failed, oldest first; each is struck off when the next is asked for.

    One that is among the `kept` by then stays for a later start. Nobody else gets a note while it is being dealt with.
    """
    if is_missing(root, DOING):
        return
    try:
        with folder_of(root, DOING.split("/"), DOING) as folder:
            names = sorted(os.listdir(folder), key=lambda name: (_changed(folder, name), name))
            for name in names:
                descriptor = _abandoned(folder, name)
                if descriptor is None:
                    continue
                try:
                    note = os.pread(descriptor, _MOST_NOTE, 0)
                    yield note
                    if note not in kept:
                        os.unlink(name, dir_fd=folder)
                finally:
                    os.close(descriptor)
    except NotFound:
        return


def tidy(root: str) -> int:
    """Remove the temporary files of those that died, and nothing that a person may have saved; returns how many.

    It walks through all folders but other programs' hidden ones: not for every start, but after a death.
    """
    removed = 0
    waiting = [""]
    while waiting:
        parent = waiting.pop()
        with (
            suppress(NotFound, OutsideWorkspace),  # gone since, or somebody else's
            folder_of(root, parent.split("/") if parent else [], parent or ".") as folder,
            os.scandir(folder) as entries,
        ):
            for entry in entries:
                if entry.is_dir(follow_symlinks=False) and (entry.name[0] != "." or entry.name == ".memory"):
                    waiting.append(f"{parent}/{entry.name}".lstrip("/"))
                elif is_temporary(entry.name):
                    removed += _removed(folder, entry.name)
    return removed


def is_temporary(name: str) -> bool:
    """Whether this is how we name a file before it gets the name under which it is found."""
    return name.startswith(".") and name.endswith((TEMPORARY, SWAP))


def left(folder: str, names: Iterable[str], *, remove: bool = False) -> tuple[str, ...]:
    """Those of some temporary files in a folder whose makers are dead.

    With `remove` those that could be removed: not what a person may have saved.
    """
    with folder_of(folder, [], folder) as opened:
        return tuple(name for name in names if (_removed if remove else _is_abandoned)(opened, name))


def claimed(folder: int, name: str) -> int:
    """A new file, open and locked: as long as it is, its maker lives and nobody tidies it away."""
    while True:
        descriptor = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if os.fstat(descriptor).st_nlink:
                return descriptor
        except OSError:  # no locks on this file system: then nobody can tell who is dead, and nobody tidies
            return descriptor
        os.close(descriptor)  # it was taken for a dead one's between its making and its locking


def _abandoned(folder: int, name: str) -> int | None:
    """The file, open and locked, if its maker is dead."""
    try:
        descriptor = os.open(name, os.O_RDWR | CALM, dir_fd=folder)
    except OSError:  # gone since, a link, or somebody else's
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        status = os.fstat(descriptor)
        if stat.S_ISREG(status.st_mode) and status.st_nlink:
            return descriptor
    except OSError:  # somebody holds it: its maker lives, or another deals with it
        os.close(descriptor)
        return None
    os.close(descriptor)
    return None


def _is_abandoned(folder: int, name: str) -> bool:
    descriptor = _abandoned(folder, name)
    if descriptor is not None:
        os.close(descriptor)
    return descriptor is not None


def _removed(folder: int, name: str) -> bool:
    descriptor = _abandoned(folder, name)
    if descriptor is None:
        return False
    try:
        if name.endswith(SWAP) and not is_leftover(name, os.pread(descriptor, os.fstat(descriptor).st_size, 0)):
            return False
        os.unlink(name, dir_fd=folder)
    finally:
        os.close(descriptor)
    return True


def _changed(folder: int, name: str) -> int:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime_ns
    except FileNotFoundError:
        return 0
