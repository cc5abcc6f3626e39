"""Read, write, append and move: bounded reads, atomic writes, fenced appends; nothing is ever half done."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress

from commonplace.errors import BadArgument, NotFound, OutsideWorkspace
from commonplace.files.doing import TEMPORARY, claimed, doing
from commonplace.files.locks import hold, lock_name
from commonplace.files.paths import CALM, digest, folder_of, inside, normal, parts, plain, plain_or_none, plain_size
from commonplace.files.swap import MOST_NAME, put_at_free_name, put_in_place, swap_name

MOST_BYTES = 1 << 30

_NO_HARD_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS, errno.EINVAL})


def read(root: str, relative: str, limit: int = MOST_BYTES, *, start: int = 0) -> bytes:
    """The bytes of a plain file from `start` on.

    Raises NotFound, and OutsideWorkspace for what leaves the root, is no plain file, cannot be read, or has more than
    `limit` bytes.
    """
    with inside(root, relative) as (folder, name):
        descriptor = os.open(name, os.O_RDONLY | CALM, dir_fd=folder)
        try:
            size = plain(os.fstat(descriptor), relative).st_size
            if size - start > limit:
                raise OutsideWorkspace(
                    relative, f"it has {size} bytes, more than {limit}", "split it into smaller files"
                )
            return _rest(descriptor, start, limit)
        finally:
            os.close(descriptor)


def piece(root: str, relative: str, start: int, size: int) -> bytes:
    """At most `size` bytes of a plain file from `start` on; empty at its end. Raises NotFound, OutsideWorkspace."""
    with inside(root, relative) as (folder, name):
        descriptor = os.open(name, os.O_RDONLY | CALM, dir_fd=folder)
        try:
            plain(os.fstat(descriptor), relative)
            return _rest(descriptor, start, size)
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
        with folder_of(root, parts(folder), folder) as opened, os.scandir(opened) as entries:
            names = sorted(entry.name for entry in entries)
            found = {name: plain_size(opened, name) for name in names}
    except NotFound:
        return {}
    return {name: size for name, size in found.items() if size is not None}


def write_atomic(
    root: str,
    relative: str,
    data: bytes,
    *,
    mode: int | None = None,
    guard: Callable[[], None] | None = None,
    believed: str = "",
    durable: bool = True,
) -> None:
    """Replace a file as a whole: temporary file beside it, fsync, rename, fsync of the folder.

    Without `mode` the file keeps the one it has; a new file gets 0600, new folders 0700. `guard` is called right
    before the rename; what it raises abandons the write. With `believed`, the digest of what is to be replaced, a
    version that somebody saves even after that is not replaced: raises MovedOn. `durable=False` leaves the fsyncs out.
    """
    with inside(root, relative, create=True) as (folder, name):
        there = plain_or_none(folder, name, relative)
        kept = 0o600 if there is None else stat.S_IMODE(there.st_mode)
        temporary = _temporary(name)
        descriptor = claimed(folder, temporary)
        try:
            _fill(descriptor, data, mode=kept if mode is None else mode, owner=there, durable=durable)
            if guard is not None:
                guard()
            if believed:
                temporary = _renamed(folder, temporary, swap_name(name, believed, digest(data)))
                put_in_place(folder, temporary, name, believed)
            else:
                _renamed(folder, temporary, name)
        except BaseException:
            _remove_ours(folder, temporary, descriptor)
            raise
        finally:
            os.close(descriptor)
        if durable:
            os.fsync(folder)


def create(root: str, relative: str, data: bytes) -> bool:
    """Write a file that is not there yet, as a whole; False, and nothing written, if there is one by then."""
    with inside(root, relative, create=True) as (folder, name):
        if plain_or_none(folder, name, relative) is not None:
            return False
        temporary = _temporary(name)
        descriptor = claimed(folder, temporary)
        try:
            _fill(descriptor, data, mode=0o600, durable=True)
            return _settle(folder, temporary, name)
        finally:
            _remove(folder, temporary)
            os.close(descriptor)


def write_sealed(root: str, relative: str, data: bytes) -> None:
    """Write a small file in place, unsynced: for what says itself whether it is whole, and is no loss if it is not."""
    with inside(root, relative, create=True) as (folder, name):
        descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | CALM, 0o600, dir_fd=folder)
        try:
            plain(os.fstat(descriptor), relative)
            _write_all(descriptor, data)
        finally:
            os.close(descriptor)


def create_missing(root: str, texts: dict[str, str]) -> tuple[str, ...]:
    """Write those files (path -> text) that are not there yet; returns their paths."""
    with doing(root):
        return tuple(path for path, text in texts.items() if create(root, path, text.encode()))


def move(root: str, source: str, target: str) -> bool:
    """Move a plain file within the root; False, and nothing moved, if there is something at `target`."""
    with inside(root, source) as (here, name), inside(root, target, create=True) as (there, new_name):
        if plain_or_none(here, name, source) is None:
            raise NotFound("file", source)
        if not _moved(here, name, there, new_name):
            return False
        os.fsync(there)
        os.fsync(here)
        return True


def remove(root: str, relative: str, *, durable: bool = False) -> None:
    """Remove a file that the system itself keeps below `.memory`; else only empty ones are removed. It may be gone.

    Where it must not come back after a power cut, that is `durable`.
    """
    if not normal(relative).startswith(".memory/"):
        raise OutsideWorkspace(relative, "only what lies below .memory is ever removed")
    with inside(root, relative) as (folder, name):
        _remove(folder, name)
        if durable:
            os.fsync(folder)


def remove_empty(root: str, relative: str) -> None:
    """Remove a file that has no bytes; one that somebody saves at the same moment stays. It may be gone."""
    with inside(root, relative) as (folder, name), suppress(FileNotFoundError):
        aside = _renamed(folder, name, swap_name(name, digest(b""), digest(b"")))
        if os.stat(aside, dir_fd=folder, follow_symlinks=False).st_size:
            _moved(folder, aside, folder, name)
            return
        os.unlink(aside, dir_fd=folder)
        os.fsync(folder)


def append_lines(root: str, relative: str, lines: Sequence[bytes]) -> int:
    """Append lines under the file's lock, in one write, and fsync; returns the offset of the first.

    A last line that a crash left without its newline is closed with one first, so that it spoils no other line.
    """
    if any(b"\n" in line for line in lines):
        raise BadArgument("a line to be appended holds a newline")
    with hold(root, lock_name(relative)), inside(root, relative, create=True) as (folder, name):
        is_new = plain_or_none(folder, name, relative) is None
        descriptor = os.open(name, os.O_RDWR | os.O_APPEND | os.O_CREAT | CALM, 0o600, dir_fd=folder)
        try:
            size = plain(os.fstat(descriptor), relative).st_size
            fence = b"\n" if size and os.pread(descriptor, 1, size - 1) != b"\n" else b""
            _append(descriptor, size, fence + b"".join(line + b"\n" for line in lines))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if is_new:
            os.fsync(folder)
        return size + len(fence)


def append_line(root: str, relative: str, line: bytes) -> int:
    """Append one line; see `append_lines`."""
    return append_lines(root, relative, (line,))


def secret(root: str, relative: str, size: int) -> bytes:
    """Bytes that nobody can guess, made at first use and kept in a file of their own below the root."""
    found = find(root, relative)
    if found is None:
        with doing(root):
            create(root, relative, os.urandom(size))
        found = read(root, relative)
    return found


def renewed_secret(root: str, relative: str, size: int) -> str:
    """Bytes that nobody can guess, as hex, in place of those that the file held; only its owner can read it."""
    made = os.urandom(size).hex()
    write_atomic(root, relative, made.encode(), mode=0o600, durable=False)
    return made


def make_private(path: str) -> None:
    """Make an empty file that only its owner can read; what SQLite would make itself is open to all."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def flush(path: str) -> None:
    """Bring a file that somebody else wrote to the disk, by its path."""
    descriptor = os.open(path, os.O_RDONLY | CALM)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


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
    return f".{name[:MOST_NAME]}.{os.urandom(8).hex()}{TEMPORARY}"


def _fill(descriptor: int, data: bytes, *, mode: int, durable: bool, owner: os.stat_result | None = None) -> None:
    _write_all(descriptor, data)
    if owner is not None and os.geteuid() == 0:
        os.fchown(descriptor, owner.st_uid, owner.st_gid)  # root must not take a person's file away
    os.fchmod(descriptor, mode)
    if durable:
        os.fsync(descriptor)


def _renamed(folder: int, old: str, new: str) -> str:
    os.rename(old, new, src_dir_fd=folder, dst_dir_fd=folder)
    return new


def _remove_ours(folder: int, name: str, descriptor: int) -> None:
    """Remove the file that is open, and no other that has its name by now."""
    with suppress(FileNotFoundError):
        if os.stat(name, dir_fd=folder, follow_symlinks=False).st_ino == os.fstat(descriptor).st_ino:
            os.unlink(name, dir_fd=folder)


def _append(descriptor: int, size: int, data: bytes) -> None:
    """Write behind `size` bytes; what a full disk leaves of a line is cut off again, whole lines before it stay."""
    try:
        _write_all(descriptor, data)
    except OSError:
        with suppress(OSError):
            written = os.pread(descriptor, len(data), size)
            os.ftruncate(descriptor, size + written.rfind(b"\n") + 1)
        raise


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


def _moved(here: int, name: str, there: int, new_name: str) -> bool:
    """Move a file to a name that nobody has: in one step, where the system can, for a kill may come between two."""
    done = put_at_free_name(here, name, there, new_name)
    if done is not None:
        return done
    if not _claim(there, new_name):
        return False
    try:
        os.rename(name, new_name, src_dir_fd=here, dst_dir_fd=there)
    except BaseException:
        _remove(there, new_name)  # the empty file that held the place
        raise
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
