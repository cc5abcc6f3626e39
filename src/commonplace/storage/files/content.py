"""Read, write, append and move: bounded reads, atomic writes, fenced appends; nothing is ever half done."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import BinaryIO

from commonplace.errors import BadArgument, NotFound, OutsideWorkspace, WriteConflict
from commonplace.storage.files import atomic_replace, intent_log, paths
from commonplace.storage.files.atomic_replace import MAX_NAME_CHARS, replace_if_unchanged, swap_file_name

MAX_FILE_BYTES = 1 << 30

_NO_HARD_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS, errno.EINVAL})


def read_file(root: str, relative: str, limit: int = MAX_FILE_BYTES, *, start: int = 0) -> bytes:
    """The bytes of a plain file from `start` on. Raises NotFound, and OutsideWorkspace for what leaves the root, is no
    plain file, cannot be read, or has more than `limit` bytes."""
    with _open_plain_file(root, relative, os.O_RDONLY) as (descriptor, size):
        if size - start > limit:
            message = f"it has {size} bytes, more than {limit}"
            raise OutsideWorkspace(relative, message, "split it into smaller files")
        return _read_to_limit(descriptor, start, limit)


def read_range(root: str, relative: str, start: int, size: int) -> bytes:
    """At most `size` bytes of a plain file from `start` on; empty at its end. Raises NotFound, OutsideWorkspace."""
    with _open_plain_file(root, relative, os.O_RDONLY) as (descriptor, _size):
        return _read_to_limit(descriptor, start, size)


@contextmanager
def _open_plain_file(root: str, relative: str, flags: int) -> Iterator[tuple[int, int]]:
    """A plain file, open, and its size; one that may be created is private, and so are its folders."""
    with paths.open_parent(root, relative, create=bool(flags & os.O_CREAT)) as (folder, name):
        descriptor = os.open(name, flags | paths.SAFE_OPEN_FLAGS, 0o600, dir_fd=folder)
        try:
            yield descriptor, paths.require_plain_file(os.fstat(descriptor), relative).st_size
        finally:
            os.close(descriptor)


def read_file_if_exists(root: str, relative: str, limit: int = MAX_FILE_BYTES) -> bytes | None:
    """Like `read_file`, but None for a file that is not there."""
    try:
        return read_file(root, relative, limit)
    except NotFound:
        return None


def list_file_sizes(root: str, folder: str) -> dict[str, int]:
    """The regular files of one folder, sorted by name, with their sizes; empty if there is no such folder."""
    try:
        with paths.open_folder(root, paths.split_path(folder), folder) as opened, os.scandir(opened) as entries:
            names = sorted(entry.name for entry in entries)
            found = {name: paths.plain_file_size(opened, name) for name in names}
    except NotFound:
        return {}
    return {name: size for name, size in found.items() if size is not None}


def file_stamp(root: str, path: str) -> tuple[int, ...]:
    """A value that changes whenever a file is written; empty if there is none. A link is not followed."""
    try:
        found = os.lstat(f"{root}/{path}")
    except OSError:
        return ()
    return (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)


def write_atomic(
    root: str,
    relative: str,
    data: bytes,
    *,
    mode: int | None = None,
    guard: Callable[[], None] | None = None,
    expected_digest: str = "",
    durable: bool = True,
) -> None:
    """Replace a file as a whole: temporary file beside it, fsync, rename, fsync of the folder.

    Without `mode` the file keeps the one it has; a new file gets 0600, new folders 0700. `guard` is called right before
    the rename; what it raises abandons the write. With `expected_digest`, the digest of what is to be replaced, a
    version that somebody saves even after that is not replaced: raises ConcurrentChange. `durable=False` leaves out the
    fsyncs.
    """
    with paths.open_parent(root, relative, create=True) as (folder, name):
        there = paths.find_plain_file(folder, name, relative)
        kept = 0o600 if there is None else stat.S_IMODE(there.st_mode)
        temporary = _temporary_name(name)
        descriptor = intent_log.create_locked_file(folder, temporary)
        try:
            _write_whole_file(descriptor, data, mode=kept if mode is None else mode, owner=there, durable=durable)
            if guard is not None:
                guard()
            if expected_digest:
                swap = swap_file_name(name, expected_digest, paths.content_digest(data))
                temporary = _rename_in_folder(folder, temporary, swap)
                replace_if_unchanged(folder, temporary, name, expected_digest)
            else:
                _rename_in_folder(folder, temporary, name)
        except BaseException:
            _remove_if_same_inode(folder, temporary, descriptor)
            raise
        finally:
            os.close(descriptor)
        if durable:
            os.fsync(folder)


def create_file(root: str, relative: str, data: bytes) -> bool:
    """Write a file that is not there yet, as a whole; False, and nothing written, if there is one by then."""
    with paths.open_parent(root, relative, create=True) as (folder, name):
        if paths.find_plain_file(folder, name, relative) is not None:
            return False
        temporary = _temporary_name(name)
        descriptor = intent_log.create_locked_file(folder, temporary)
        try:
            _write_whole_file(descriptor, data, mode=0o600, durable=True)
            return _rename_to_missing(folder, temporary, name)
        finally:
            _unlink_if_present(folder, temporary)
            os.close(descriptor)


@contextmanager
def stream_new_file(root: str, relative: str, *, mode: int = 0o600, modified_ns: int = 0) -> Iterator[BinaryIO]:
    """A new file to be written piece by piece; it gets its name and its time (now if 0) when the block ends without
    error. Raises WriteConflict if there is one by then."""
    with paths.open_parent(root, relative, create=True) as (folder, name):
        temporary = _temporary_name(name)
        descriptor = intent_log.create_locked_file(folder, temporary)
        try:
            with open(descriptor, "w+b", closefd=False) as file:
                yield file
            os.fchmod(descriptor, mode)
            os.fsync(descriptor)
            if modified_ns:
                os.utime(descriptor, ns=(modified_ns, modified_ns))
            if not _rename_to_missing(folder, temporary, name):
                raise WriteConflict(relative, "there is a file of that name")
        finally:
            _unlink_if_present(folder, temporary)
            os.close(descriptor)


def create_link(root: str, relative: str, target: str) -> None:
    """Make a symbolic link that is not there yet."""
    with paths.open_parent(root, relative, create=True) as (folder, name):
        os.symlink(target, name, dir_fd=folder)
        os.fsync(folder)


def write_sealed(root: str, relative: str, data: bytes) -> None:
    """Write a small file in place, without fsync, for what shows by itself whether it is complete and may be lost."""
    with _open_plain_file(root, relative, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) as (descriptor, _size):
        _write_all(descriptor, data)


def write_in_place(root: str, relative: str, offset: int, data: bytes) -> None:
    """Write over some bytes of a file, without fsync. Raises NotFound."""
    with _open_plain_file(root, relative, os.O_WRONLY) as (descriptor, _size):
        os.pwrite(descriptor, data, offset)


def create_missing_files(root: str, texts_by_path: dict[str, str]) -> tuple[str, ...]:
    """Write those files (path -> text) that are not there yet; returns their paths."""
    with intent_log.log_intent(root):
        return tuple(path for path, text in texts_by_path.items() if create_file(root, path, text.encode()))


def move_file(root: str, source: str, target: str) -> bool:
    """Move a plain file within the root; False, and nothing moved, if there is something at `target`."""
    with (
        paths.open_parent(root, source) as (here, name),
        paths.open_parent(root, target, create=True) as (there, new_name),
    ):
        if paths.find_plain_file(here, name, source) is None:
            raise NotFound("file", source)
        if not _move_to_free_name(here, name, there, new_name):
            return False
        os.fsync(there)
        os.fsync(here)
        return True


def remove_file(root: str, relative: str, *, durable: bool = False) -> None:
    """Remove a file, if it is there; `durable` holds over a power cut. Raises OutsideWorkspace outside of `.memory`."""
    if not paths.normalize_path(relative).startswith(".memory/"):
        raise OutsideWorkspace(relative, "only what lies below .memory is ever removed")
    with paths.open_parent(root, relative) as (folder, name):
        _unlink_if_present(folder, name)
        if durable:
            os.fsync(folder)


def remove_empty_file(root: str, relative: str) -> None:
    """Remove a file that has no bytes; one that somebody saves at the same moment stays. The file may be missing."""
    with paths.open_parent(root, relative) as (folder, name), suppress(FileNotFoundError):
        nothing = paths.content_digest(b"")
        aside = _rename_in_folder(folder, name, swap_file_name(name, nothing, nothing))
        if os.stat(aside, dir_fd=folder, follow_symlinks=False).st_size:
            _move_to_free_name(folder, aside, folder, name)
            return
        os.unlink(aside, dir_fd=folder)
        os.fsync(folder)


def append_lines(root: str, relative: str, raw_lines: Sequence[bytes]) -> int:
    """Append lines under the file's lock, in one write, and fsync; returns the offset of the first.

    A last line that a crash left without its newline is closed with one first, so that it spoils no other line.
    """
    if any(b"\n" in raw_line for raw_line in raw_lines):
        raise BadArgument("a line to be appended holds a newline")
    with (
        intent_log.hold_workspace_lock(root, intent_log.path_lock_name(relative)),
        paths.open_parent(root, relative, create=True) as (folder, name),
    ):
        is_new = paths.find_plain_file(folder, name, relative) is None
        descriptor = os.open(name, os.O_RDWR | os.O_APPEND | os.O_CREAT | paths.SAFE_OPEN_FLAGS, 0o600, dir_fd=folder)
        try:
            size = paths.require_plain_file(os.fstat(descriptor), relative).st_size
            fence = b"\n" if size and os.pread(descriptor, 1, size - 1) != b"\n" else b""
            _append_or_truncate(descriptor, size, fence + b"".join(raw_line + b"\n" for raw_line in raw_lines))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if is_new:
            os.fsync(folder)
        return size + len(fence)


def read_or_create_secret(root: str, relative: str, size: int) -> bytes:
    """Random bytes, created at first use and stored in a file of their own below the root."""
    found = read_file_if_exists(root, relative)
    if found is None:
        with intent_log.log_intent(root):
            create_file(root, relative, os.urandom(size))
        found = read_file(root, relative)
    return found


def renew_secret(root: str, relative: str, size: int) -> str:
    """Bytes that nobody can guess, as hex, in place of those that the file held; only its owner can read it."""
    made = random_hex(size)
    write_atomic(root, relative, made.encode(), mode=0o600, durable=False)
    return made


def random_hex(size: int) -> str:
    """So many random bytes, as hex."""
    return os.urandom(size).hex()


def create_private_file(path: str) -> None:
    """Make an empty file that only its owner can read; what SQLite would make itself is open to all."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _read_to_limit(descriptor: int, start: int, limit: int) -> bytes:
    """From `start` to the end, also if the file grew or shrank since its size was asked."""
    pieces: list[bytes] = []
    held = 0
    while held < limit and (piece := os.pread(descriptor, min(limit - held, 1 << 20), start + held)):
        pieces.append(piece)
        held += len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _temporary_name(name: str) -> str:
    """`.<name>.<random>.tmp`: hidden from sweeps; a long name is cut so that this one is not too long."""
    return f".{name[:MAX_NAME_CHARS]}.{os.urandom(8).hex()}{intent_log.TEMPORARY_SUFFIX}"


def _write_whole_file(
    descriptor: int, data: bytes, *, mode: int, durable: bool, owner: os.stat_result | None = None
) -> None:
    _write_all(descriptor, data)
    if owner is not None and os.geteuid() == 0:
        os.fchown(descriptor, owner.st_uid, owner.st_gid)  # root must not take a person's file away
    os.fchmod(descriptor, mode)
    if durable:
        os.fsync(descriptor)


def _rename_in_folder(folder: int, old_name: str, new_name: str) -> str:
    os.rename(old_name, new_name, src_dir_fd=folder, dst_dir_fd=folder)
    return new_name


def _remove_if_same_inode(folder: int, name: str, descriptor: int) -> None:
    """Remove the open file, but not another file that has its name now."""
    with suppress(FileNotFoundError):
        if os.stat(name, dir_fd=folder, follow_symlinks=False).st_ino == os.fstat(descriptor).st_ino:
            os.unlink(name, dir_fd=folder)


def _append_or_truncate(descriptor: int, size: int, data: bytes) -> None:
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


def _rename_to_missing(folder: int, temporary: str, name: str) -> bool:
    """Give the temporary file its name unless that is taken; a link does this in one step, where there are links."""
    try:
        os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        if not _reserve_name(folder, name):
            return False
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    os.fsync(folder)
    return True


def _move_to_free_name(source_folder: int, name: str, target_folder: int, new_name: str) -> bool:
    """Move a file to a name that nobody has: in one step, where the system can, for a kill may come between two."""
    done = atomic_replace.rename_without_replacing(source_folder, name, target_folder, new_name)
    if done is not None:
        return done
    if not _reserve_name(target_folder, new_name):
        return False
    try:
        os.rename(name, new_name, src_dir_fd=source_folder, dst_dir_fd=target_folder)
    except BaseException:
        _unlink_if_present(target_folder, new_name)  # the empty file that held the place
        raise
    return True


def _reserve_name(folder: int, name: str) -> bool:
    """Take a name with an empty file, for a rename that must not replace anybody else's."""
    try:
        os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder))
    except FileExistsError:
        return False
    return True


def _unlink_if_present(folder: int, name: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)
