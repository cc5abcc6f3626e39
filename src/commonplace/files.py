"""The only room that opens paths in a workspace: bounded reads, atomic writes, fenced appends, moves and locks."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from commonplace.errors import BadArgument, LockBusy, NotFound, OutsideWorkspace, WorkspaceNotFound, WorkspaceUnusable

LOCKS = ".memory/locks"
MOST_BYTES = 1 << 30
WAIT_S = 5.0
RETRY_S = 0.002  # short and even: a lock that is free only now and then must still be met within the wait

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_CALM = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY  # links are not followed, a FIFO does not block, a device is no tty
_BROKEN = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EMFILE, errno.ENFILE})
_NO_HARD_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS, errno.EINVAL})


def digest(data: bytes) -> str:
    """What bytes are known by: 32 hex characters of BLAKE2b."""
    from hashlib import blake2b  # loads OpenSSL, 2.5 ms that a recall over unchanged files need not pay

    return blake2b(data, digest_size=16).hexdigest()


def normal(relative: str) -> str:
    """The one spelling of a path below the root: no empty parts, no `.`. Raises OutsideWorkspace."""
    return "/".join(_parts(relative))


def read(root: str, relative: str, limit: int = MOST_BYTES, *, start: int = 0) -> bytes:
    """The bytes of a plain file from `start` on.

    Raises NotFound, and OutsideWorkspace for what leaves the root, is no plain file, cannot be read, or has more than
    `limit` bytes.
    """
    with _inside(root, relative) as (folder, name):
        descriptor = os.open(name, os.O_RDONLY | _CALM, dir_fd=folder)
        try:
            size = _plain(os.fstat(descriptor), relative).st_size
            if size - start > limit:
                raise OutsideWorkspace(relative, f"it has {size} bytes, more than {limit}")
            return _rest(descriptor, start, limit)
        finally:
            os.close(descriptor)


def find(root: str, relative: str, limit: int = MOST_BYTES) -> bytes | None:
    """Like `read`, but None for a file that is not there."""
    try:
        return read(root, relative, limit)
    except NotFound:
        return None


def sizes(root: str, folder: str) -> dict[str, int]:
    """The plain files of one folder, sorted by name, with their sizes; empty if there is no such folder."""
    try:
        with _folder(root, _parts(folder), folder) as opened, os.scandir(opened) as entries:
            plain = (entry for entry in entries if entry.is_file(follow_symlinks=False))
            return dict(sorted((entry.name, entry.stat(follow_symlinks=False).st_size) for entry in plain))
    except NotFound:
        return {}


def write_atomic(
    root: str,
    relative: str,
    data: bytes,
    *,
    mode: int | None = None,
    guard: Callable[[], None] | None = None,
    durable: bool = True,
) -> None:
    """Replace a file as a whole: temporary file beside it, fsync, rename, fsync of the folder.

    Without `mode` the file keeps the one it has; a new file gets 0600, new folders 0700. `guard` is called right
    before the rename; what it raises abandons the write. `durable=False` leaves the fsyncs out.
    """
    with _inside(root, relative, create=True) as (folder, name):
        there = _plain_or_none(folder, name, relative)
        kept = 0o600 if there is None else stat.S_IMODE(there.st_mode)
        temporary = _temporary(name)
        try:
            _fill(folder, temporary, data, mode=kept if mode is None else mode, owner=there, durable=durable)
            if guard is not None:
                guard()
            os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            _remove(folder, temporary)
            raise
        if durable:
            os.fsync(folder)


def create(root: str, relative: str, data: bytes) -> bool:
    """Write a file that is not there yet, as a whole; False, and nothing written, if there is one by then."""
    with _inside(root, relative, create=True) as (folder, name):
        if _plain_or_none(folder, name, relative) is not None:
            return False
        temporary = _temporary(name)
        try:
            _fill(folder, temporary, data, mode=0o600, durable=True)
            return _settle(folder, temporary, name)
        finally:
            _remove(folder, temporary)


def create_missing(root: str, texts: dict[str, str]) -> tuple[str, ...]:
    """Write those files (path -> text) that are not there yet; returns their paths."""
    return tuple(path for path, text in texts.items() if create(root, path, text.encode()))


def move(root: str, source: str, target: str) -> bool:
    """Move a plain file within the root; False, and nothing moved, if there is something at `target`."""
    with _inside(root, source) as (here, name), _inside(root, target, create=True) as (there, new_name):
        if _plain_or_none(here, name, source) is None:
            raise NotFound("file", source)
        if not _claim(there, new_name):
            return False
        try:
            os.rename(name, new_name, src_dir_fd=here, dst_dir_fd=there)
        except BaseException:
            _remove(there, new_name)  # the empty file that held the place
            raise
        os.fsync(there)
        os.fsync(here)
        return True


def remove(root: str, relative: str) -> None:
    """Remove a file that the system itself keeps below `.memory`; nothing else is ever removed. It may be gone."""
    if not normal(relative).startswith(".memory/"):
        raise OutsideWorkspace(relative, "only what lies below .memory is ever removed")
    with _inside(root, relative) as (folder, name):
        _remove(folder, name)


def append_lines(root: str, relative: str, lines: Sequence[bytes]) -> int:
    """Append lines under the file's lock, in one write, and fsync; returns the offset of the first.

    A last line that a crash left without its newline is closed with one first, so that it spoils no other line.
    """
    if any(b"\n" in line for line in lines):
        raise BadArgument("a line to be appended holds a newline")
    with hold(root, lock_name(relative)), _inside(root, relative, create=True) as (folder, name):
        is_new = _plain_or_none(folder, name, relative) is None
        descriptor = os.open(name, os.O_RDWR | os.O_APPEND | os.O_CREAT | _CALM, 0o600, dir_fd=folder)
        try:
            size = _plain(os.fstat(descriptor), relative).st_size
            fence = b"\n" if size and os.pread(descriptor, 1, size - 1) != b"\n" else b""
            _write_all(descriptor, fence + b"".join(line + b"\n" for line in lines))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if is_new:
            os.fsync(folder)
        return size + len(fence)


def append_line(root: str, relative: str, line: bytes) -> int:
    """Append one line; see `append_lines`."""
    return append_lines(root, relative, (line,))


def lock_name(relative: str) -> str:
    """The name of the lock that guards a path; 256 paths' worth of locks do for all, so that they do not pile up."""
    return f"path-{digest(normal(relative).encode('utf-8', 'surrogatepass'))[:2]}"


@contextmanager
def hold(root: str, name: str, seconds: float = WAIT_S) -> Iterator[None]:
    """Hold the workspace's lock of this name; see `lock`."""
    relative = f"{LOCKS}/{name}.lock"
    with _inside(root, relative, create=True) as (folder, last):
        descriptor = os.open(last, os.O_RDWR | os.O_CREAT | _CALM, 0o600, dir_fd=folder)
    with _locked(descriptor, relative, seconds):
        yield


@contextmanager
def lock(path: str, seconds: float = WAIT_S) -> Iterator[None]:
    """Hold an advisory lock on the file at `path`, made when missing; a process that dies lets go of it.

    Not re-entrant. Raises LockBusy when another held it for `seconds`.
    """
    with _explained(path):
        os.makedirs(os.path.dirname(path) or ".", 0o700, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | _CALM, 0o600)
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


def _parts(relative: str) -> list[str]:
    if relative.startswith("/"):
        raise OutsideWorkspace(relative, "it is an absolute path")
    if "\0" in relative:
        raise OutsideWorkspace(relative, "its name holds a NUL")
    parts = [part for part in relative.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise OutsideWorkspace(relative, "it climbs with `..`")
    if not parts:
        raise OutsideWorkspace(relative, "it names no file")
    return parts


@contextmanager
def _inside(root: str, relative: str, *, create: bool = False) -> Iterator[tuple[int, str]]:
    """The open folder that holds `relative`, and the name in it."""
    *folders, name = _parts(relative)
    with _folder(root, folders, relative, create=create) as descriptor:
        yield descriptor, name


@contextmanager
def _folder(root: str, folders: list[str], relative: str, *, create: bool = False) -> Iterator[int]:
    with _explained(relative):
        descriptor = _open_folder(root, folders, relative, create=create)
        try:
            yield descriptor
        finally:
            os.close(descriptor)


def _open_folder(root: str, folders: list[str], relative: str, *, create: bool) -> int:
    try:
        return _walk(root, folders, create=create)
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.ENOTDIR):
            raise
    # A folder on the way is a link: where does it lead? What is then opened is walked again without following links.
    real_root, real = os.path.realpath(root), os.path.realpath(os.path.join(root, *folders))
    if not real.startswith(real_root.rstrip("/") + "/"):
        raise OutsideWorkspace(relative, "a link on the way leads out of the workspace")
    return _walk(real_root, real[len(real_root) :].strip("/").split("/"), create=create)


def _walk(root: str, folders: list[str], *, create: bool) -> int:
    try:
        descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise WorkspaceNotFound(root) from error
    try:
        for folder in folders:
            below = _step(descriptor, folder, create=create)
            os.close(descriptor)
            descriptor = below
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _step(descriptor: int, folder: str, *, create: bool) -> int:
    try:
        return os.open(folder, _FOLDER, dir_fd=descriptor)
    except FileNotFoundError:
        if not create:
            raise
    try:
        os.mkdir(folder, 0o700, dir_fd=descriptor)
    except FileExistsError:
        pass  # another process made it in between: that is what was wanted
    else:
        os.fsync(descriptor)
    return os.open(folder, _FOLDER, dir_fd=descriptor)


@contextmanager
def _explained(path: str) -> Iterator[None]:
    """Turn what the operating system says into an error of ours."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NotFound("file", path) from error
    except UnicodeEncodeError as error:
        raise OutsideWorkspace(path, "its name cannot be a file name") from error
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        if error.errno in _BROKEN:
            raise WorkspaceUnusable(path, why) from error
        raise OutsideWorkspace(path, "it is a symbolic link" if error.errno == errno.ELOOP else why) from error


def _plain(status: os.stat_result, relative: str) -> os.stat_result:
    if stat.S_ISREG(status.st_mode):
        return status
    raise OutsideWorkspace(relative, f"it is {'a symbolic link' if stat.S_ISLNK(status.st_mode) else 'no plain file'}")


def _plain_or_none(folder: int, name: str, relative: str) -> os.stat_result | None:
    try:
        return _plain(os.stat(name, dir_fd=folder, follow_symlinks=False), relative)
    except FileNotFoundError:
        return None


def _rest(descriptor: int, start: int, limit: int) -> bytes:
    """From `start` to the end, also if the file grew or shrank since its size was asked."""
    pieces: list[bytes] = []
    held = 0
    while held < limit and (piece := os.pread(descriptor, min(limit - held, 1 << 20), start + held)):
        pieces.append(piece)
        held += len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _temporary(name: str) -> str:
    """`.<name>.<random>.tmp`: hidden from sweeps; a long name is cut so that this one is not too long."""
    return f".{name[:40]}.{os.urandom(8).hex()}.tmp"


def _fill(
    folder: int, temporary: str, data: bytes, *, mode: int, durable: bool, owner: os.stat_result | None = None
) -> None:
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder)
    try:
        _write_all(descriptor, data)
        if owner is not None and os.geteuid() == 0:
            os.fchown(descriptor, owner.st_uid, owner.st_gid)  # root must not take a person's file away
        os.fchmod(descriptor, mode)
        if durable:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _settle(folder: int, temporary: str, name: str) -> bool:
    """Give the temporary file its name unless that is taken; a link does this in one step, where there are links."""
    try:
        os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        if not _claim(folder, name):
            return False
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    os.fsync(folder)
    return True


def _claim(folder: int, name: str) -> bool:
    """Take a name with an empty file, for a rename that must not replace anybody else's."""
    try:
        os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder))
    except FileExistsError:
        return False
    return True


def _remove(folder: int, name: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)
