"""Advisory locks and the intent log: what a process that died left unfinished is found and cleaned up."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time
from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager, suppress

from commonplace.errors import CommonplaceError, LockBusy, NotFound, OutsideWorkspace, WorkspaceUnusable
from commonplace.storage.files import paths
from commonplace.storage.files.atomic_replace import SWAP_SUFFIX, is_replaced_version

LOCK_FOLDER = ".memory/locks"
LOCK_WAIT_S = 5.0
LOCK_RETRY_S = 0.002  # short and even: a lock that is free only now and then must still be met within the wait


def path_lock_name(relative: str) -> str:
    """The name of the lock that guards a path; 256 paths' worth of locks do for all, so that they do not pile up."""
    return f"path-{paths.content_digest(paths.normalize_path(relative).encode('utf-8', 'surrogatepass'))[:2]}"


@contextmanager
def hold_workspace_lock(root: str, name: str, seconds: float = LOCK_WAIT_S) -> Iterator[None]:
    """Hold the workspace's lock of this name; see `lock`."""
    relative = f"{LOCK_FOLDER}/{name}.lock"
    with paths.open_parent(root, relative, create=True) as (folder, last):
        descriptor = os.open(last, os.O_RDWR | os.O_CREAT | paths.SAFE_OPEN_FLAGS, 0o600, dir_fd=folder)
    with _hold_descriptor_lock(descriptor, relative, seconds):
        yield


@contextmanager
def hold_file_lock(path: str, seconds: float = LOCK_WAIT_S) -> Iterator[None]:
    """Hold an advisory lock on the file at `path`, made when missing, not re-entrant; a process that dies lets go of
    it. Raises LockBusy when another held it for `seconds`."""
    with paths.translate_os_errors(path):
        paths.make_folders(os.path.dirname(path) or ".")
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | paths.SAFE_OPEN_FLAGS, 0o600)
    with _hold_descriptor_lock(descriptor, path, seconds):
        yield


@contextmanager
def _hold_descriptor_lock(descriptor: int, path: str, seconds: float) -> Iterator[None]:
    try:
        if not _try_lock(descriptor, path):
            from threading import Event

            pause, until = Event(), time.monotonic() + seconds
            while not _try_lock(descriptor, path):
                if time.monotonic() >= until:
                    raise LockBusy(path, seconds)
                pause.wait(LOCK_RETRY_S)
        yield
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int, path: str) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise WorkspaceUnusable(path, f"no lock can be had: {error.strerror}") from error
    return True


INTENT_FOLDER = ".memory/doing"
ROTATION_PLAN_PATH = ".memory/buffer-rotation.json"  # of an unfinished move of the buffer; every start looks there
TEMPORARY_SUFFIX = ".tmp"

_MAX_INTENT_BYTES = 1 << 20


@contextmanager
def log_intent(root: str, intent: bytes = b"", *, durable: bool = False) -> Iterator[None]:
    """Leave word for the time of the block; it stays if the process dies in it, a `intent` also if the block raises.

    Synced only if it is to be `durable`: else, after a power cut, it may be gone, or be cut short, or be there again;
    so a note must say itself whether it is whole, and what it asks for must bear to be done twice.
    """
    relative, done = f"{INTENT_FOLDER}/{os.urandom(8).hex()}", not intent
    with paths.open_parent(root, relative, create=True) as (folder, name):
        descriptor = create_locked_file(folder, name)
        if durable:
            os.fsync(folder)
    try:
        with paths.translate_os_errors(relative):
            try:
                if os.write(descriptor, intent) < len(intent):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            except OSError:
                os.ftruncate(descriptor, 0)  # nothing was begun yet, and nothing is to be undone
                raise
            if durable:
                os.fsync(descriptor)
        yield
        done = True
    finally:
        if done:
            with suppress(CommonplaceError), paths.open_parent(root, relative) as (folder, name):
                os.unlink(name, dir_fd=folder)  # should it stay, the next start finds nothing left to do
        os.close(descriptor)


def unfinished_intents(root: str, retained_intents: Container[bytes] = ()) -> Iterator[bytes]:
    """The notes of those that died or failed, oldest first; each is removed when the next is asked for, unless it is
    among the `retained_intents` by then. Nobody else gets a note meanwhile."""
    if paths.is_missing(root, INTENT_FOLDER):
        return
    try:
        with paths.open_folder(root, INTENT_FOLDER.split("/"), INTENT_FOLDER) as folder:
            names = sorted(os.listdir(folder), key=lambda name: (_modified_ns(folder, name), name))
            for name in names:
                descriptor = _open_if_abandoned(folder, name)
                if descriptor is None:
                    continue
                try:
                    note = os.pread(descriptor, _MAX_INTENT_BYTES, 0)
                    yield note
                    if note not in retained_intents:
                        os.unlink(name, dir_fd=folder)
                finally:
                    os.close(descriptor)
    except NotFound:
        return


def remove_abandoned_files(root: str) -> int:
    """Remove the temporary files of those that died, and nothing that a person may have saved; returns how many. It
    walks through all folders: not for every start, but after a death."""
    removed = 0
    waiting = [""]
    while waiting:
        parent = waiting.pop()
        with (
            suppress(NotFound, OutsideWorkspace),  # gone since, or somebody else's
            paths.open_folder(root, parent.split("/") if parent else [], parent or ".") as folder,
            os.scandir(folder) as entries,
        ):
            for entry in entries:
                if entry.is_dir(follow_symlinks=False) and (entry.name[0] != "." or entry.name == ".memory"):
                    waiting.append(f"{parent}/{entry.name}".lstrip("/"))
                elif is_temporary_name(entry.name):
                    removed += _check_abandoned(folder, entry.name, remove=True)
    return removed


def is_temporary_name(name: str) -> bool:
    """Whether this is how we name a file before it gets the name under which it is found."""
    return name.startswith(".") and name.endswith((TEMPORARY_SUFFIX, SWAP_SUFFIX))


def list_abandoned_files(folder: str, file_names: Iterable[str], *, remove: bool = False) -> tuple[str, ...]:
    """Those of some temporary files in a folder whose makers are dead; with `remove` those that could be removed."""
    with paths.open_folder(folder, [], folder) as opened:
        return tuple(name for name in file_names if _check_abandoned(opened, name, remove=remove))


def create_locked_file(folder: int, name: str) -> int:
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


def _open_if_abandoned(folder: int, name: str) -> int | None:
    """The file, open and locked, if its maker is dead."""
    try:
        descriptor = os.open(name, os.O_RDWR | paths.SAFE_OPEN_FLAGS, dir_fd=folder)
    except OSError:  # gone since, a link, or somebody else's
        return None
    with suppress(OSError):  # somebody holds it: its maker lives, or another deals with it
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        status = os.fstat(descriptor)
        if stat.S_ISREG(status.st_mode) and status.st_nlink:
            return descriptor
    os.close(descriptor)
    return None


def _check_abandoned(folder: int, name: str, *, remove: bool) -> bool:
    """Whether the maker of a temporary file is dead, and, with `remove`, the file could be removed."""
    descriptor = _open_if_abandoned(folder, name)
    if descriptor is None:
        return False
    try:
        if remove and name.endswith(SWAP_SUFFIX):
            data = os.pread(descriptor, os.fstat(descriptor).st_size, 0)
            if not is_replaced_version(name, data):
                return False
        if remove:
            os.unlink(name, dir_fd=folder)
    finally:
        os.close(descriptor)
    return True


def _modified_ns(folder: int, name: str) -> int:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime_ns
    except FileNotFoundError:
        return 0
