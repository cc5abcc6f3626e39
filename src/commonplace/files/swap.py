"""Put a new version in a file's place without losing what another program saves there at the same moment.

Between a look at a file and a rename over it somebody else may save. Where the system can exchange two names in one
step, what was replaced can still be looked at, and is put back if it is not what was expected.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from functools import cache
from typing import Any

from commonplace.files.paths import digest

NOREPLACE, EXCHANGE = 1, 2  # RENAME_NOREPLACE and RENAME_EXCHANGE of Linux
SWAP = ".swap"
MOST_NAME = 40  # characters of a file's name that the names of its versions begin with

_CANNOT = frozenset({errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM})
_DIGEST_CHARS = 16


class MovedOn(Exception):
    """Somebody else changed the file while our version of it was written."""


def put_in_place(folder: int, swap: str, name: str, believed: str) -> None:
    """Give `name` to the file `swap`, which goes, if the file that has it is still the one of the digest `believed`.

    Raises MovedOn with the file as somebody else left it. A kill in the midst leaves `swap`; see `is_leftover`.
    """
    ours = _inode(folder, swap)
    if not exchange(folder, swap, name):
        os.rename(swap, name, src_dir_fd=folder, dst_dir_fd=folder)
        return
    try:
        is_as_believed = _digest(folder, swap) == believed
    except FileNotFoundError:
        return  # tidied away by another process, which knew it by its digest
    except OSError:
        _put_back(folder, swap, name, ours)
        raise
    if not is_as_believed:
        _put_back(folder, swap, name, ours)
        raise MovedOn
    with suppress(FileNotFoundError):
        os.unlink(swap, dir_fd=folder)


def exchange(folder: int, one: str, other: str) -> bool:
    """Exchange two names in one step; False where the system cannot. Raises MovedOn if one of them is gone."""
    call = _renameat2()
    if call is None or call(folder, os.fsencode(one), folder, os.fsencode(other), EXCHANGE) == 0:
        return call is not None
    number = _errno()
    if number == errno.ENOENT:
        raise MovedOn
    if number not in _CANNOT:
        raise OSError(number, os.strerror(number), other)
    return False


def put_at_free_name(here: int, name: str, there: int, new: str) -> bool | None:
    """Move a file to a name in one step; False, and nothing moved, if somebody has it; None where the system cannot."""
    return rename_new(here, name, there, new)


def rename_new(here: int, name: str, there: int, new: str) -> bool | None:
    """See `put_at_free_name`."""
    call = _renameat2()
    if call is None:
        return None
    if call(here, os.fsencode(name), there, os.fsencode(new), NOREPLACE) == 0:
        return True
    number = _errno()
    if number == errno.EEXIST:
        return False
    if number not in _CANNOT:
        raise OSError(number, os.strerror(number), name)
    return None


def swap_name(name: str, believed: str, new: str) -> str:
    """The name under which a version waits: hidden, with the beginnings of the digests of old and new in it."""
    return f".{name[:MOST_NAME]}.{believed[:_DIGEST_CHARS]}-{new[:_DIGEST_CHARS]}{SWAP}"


def is_leftover(name: str, data: bytes) -> bool:
    """Whether a file that was left is the old or the new version, and nothing that a person saved meanwhile."""
    versions = name.removesuffix(SWAP).rpartition(".")[2].split("-")
    return name.endswith(SWAP) and len(versions) == 2 and digest(data)[:_DIGEST_CHARS] in versions


def _put_back(folder: int, swap: str, name: str, ours: int) -> None:
    """What was saved last gets the name again, also if it was saved while this went on; what that replaced goes."""
    expected = ours
    while True:
        held = _inode(folder, swap)
        try:
            exchange(folder, swap, name)
        except MovedOn:  # somebody took the name away: a file is brought back rather than lost
            os.link(swap, name, src_dir_fd=folder, dst_dir_fd=folder)
            break
        if _inode(folder, swap) == expected:
            break
        expected = held
    os.unlink(swap, dir_fd=folder)


def _inode(folder: int, name: str) -> int:
    return os.stat(name, dir_fd=folder, follow_symlinks=False).st_ino


def _digest(folder: int, name: str) -> str:
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    try:
        pieces: list[bytes] = []
        while piece := os.read(descriptor, 1 << 20):
            pieces.append(piece)
        return digest(b"".join(pieces))
    finally:
        os.close(descriptor)


@cache
def _renameat2() -> Any:
    """The call of the C library, where there is one."""
    try:
        import ctypes
    except ImportError:
        return None
    return getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)


def _errno() -> int:
    import ctypes

    return ctypes.get_errno()
