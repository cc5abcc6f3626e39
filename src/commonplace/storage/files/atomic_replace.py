"""Replace a file only if nobody changed it since it was read, also at the very moment of the replacement."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from functools import cache
from typing import Any

from commonplace.storage.files.paths import content_digest

RENAME_NOREPLACE, RENAME_EXCHANGE = 1, 2  # RENAME_NOREPLACE and RENAME_EXCHANGE of Linux
SWAP_SUFFIX = ".swap"
MAX_NAME_CHARS = 40  # characters of a file's name that the names of its versions begin with

_UNSUPPORTED_ERRNOS = frozenset({errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM})
_DIGEST_CHARS = 16


class ConcurrentChange(Exception):
    """Somebody else changed the file while our version of it was written."""


def replace_if_unchanged(folder: int, swap: str, name: str, expected_digest: str) -> None:
    """Replace the file `name` by `swap`, if its digest is still the expected one; a kill in the midst leaves `swap`.
    Raises ConcurrentChange with the file as somebody else left it."""
    ours = _inode_in_folder(folder, swap)
    if not exchange_names(folder, swap, name):
        os.rename(swap, name, src_dir_fd=folder, dst_dir_fd=folder)
        return
    try:
        is_as_believed = _digest_in_folder(folder, swap) == expected_digest
    except FileNotFoundError:
        return  # tidied away by another process, which knew it by its digest
    except OSError:
        _restore_latest(folder, swap, name, ours)
        raise
    if not is_as_believed:
        _restore_latest(folder, swap, name, ours)
        raise ConcurrentChange
    with suppress(FileNotFoundError):
        os.unlink(swap, dir_fd=folder)


def exchange_names(folder: int, first_name: str, second_name: str) -> bool:
    """Exchange two names in one step; False if the system cannot. Raises ConcurrentChange if one of them is gone."""
    outcome = _rename_by_flag((folder, first_name), (folder, second_name), RENAME_EXCHANGE, errno.ENOENT)
    if outcome is False:
        raise ConcurrentChange
    return outcome is not None


def rename_without_replacing(source_folder: int, name: str, target_folder: int, new_name: str) -> bool | None:
    """Move a file to a name in one step; False, and nothing moved, if somebody has it; None where the system cannot."""
    return _rename_by_flag((source_folder, name), (target_folder, new_name), RENAME_NOREPLACE, errno.EEXIST)


def _rename_by_flag(source: tuple[int, str], target: tuple[int, str], flag: int, obstacle: int) -> bool | None:
    """Rename across folders; False for the error `obstacle`, None where the system cannot. Raises OSError."""
    call = _renameat2()
    if call is None:
        return None
    if call(source[0], os.fsencode(source[1]), target[0], os.fsencode(target[1]), flag) == 0:
        return True
    import ctypes

    number = ctypes.get_errno()
    if number in _UNSUPPORTED_ERRNOS:
        return None
    if number == obstacle:
        return False
    raise OSError(number, os.strerror(number), source[1])


def swap_file_name(name: str, expected_digest: str, new_digest: str) -> str:
    """The name under which a version waits: hidden, with the beginnings of the digests of old and new in it."""
    return f".{name[:MAX_NAME_CHARS]}.{expected_digest[:_DIGEST_CHARS]}-{new_digest[:_DIGEST_CHARS]}{SWAP_SUFFIX}"


def is_replaced_version(name: str, data: bytes) -> bool:
    """Whether a leftover file is the old or the new version, and not one that a person saved meanwhile."""
    versions = name.removesuffix(SWAP_SUFFIX).rpartition(".")[2].split("-")
    return name.endswith(SWAP_SUFFIX) and len(versions) == 2 and content_digest(data)[:_DIGEST_CHARS] in versions


def _restore_latest(folder: int, swap: str, name: str, own_inode: int) -> None:
    """Give the name back to what was saved last, even if meanwhile, and delete the version that replaced it."""
    expected = own_inode
    while True:
        held = _inode_in_folder(folder, swap)
        try:
            exchange_names(folder, swap, name)
        except ConcurrentChange:  # somebody took the name away: a file is brought back rather than lost
            os.link(swap, name, src_dir_fd=folder, dst_dir_fd=folder)
            break
        if _inode_in_folder(folder, swap) == expected:
            break
        expected = held
    os.unlink(swap, dir_fd=folder)


def _inode_in_folder(folder: int, name: str) -> int:
    return os.stat(name, dir_fd=folder, follow_symlinks=False).st_ino


def _digest_in_folder(folder: int, name: str) -> str:
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    with open(descriptor, "rb") as file:
        return content_digest(file.read())


@cache
def _renameat2() -> Any:
    """The call of the C library, where there is one."""
    try:
        import ctypes
    except ImportError:
        return None
    return getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
