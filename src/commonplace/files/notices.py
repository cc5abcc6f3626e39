"""What happens in folders, as Linux tells it (inotify(7)): once a change is made it can be read that there was one.

That holds for changes through the folder, on this machine. What another machine writes to a shared disk is not told, so
only disks of our own are watched. A file with another name elsewhere changes untold under that name, and any file does
through a shared map of its bytes: for these who asks must look for himself, now and then.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from weakref import finalize

# Of inotify.h: what becomes of a file or folder, of names in the folder, and of the folder itself, which must be one.
MODIFY, ATTRIB, CLOSE_WRITE, MOVED, CREATE, DELETE = 0x2, 0x4, 0x8, 0xC0, 0x100, 0x200
DELETE_SELF, MOVE_SELF, ONLYDIR = 0x400, 0x800, 0x01000000
FLAGS = os.O_NONBLOCK | os.O_CLOEXEC
ALL = MODIFY | ATTRIB | CLOSE_WRITE | MOVED | CREATE | DELETE | DELETE_SELF | MOVE_SELF | ONLYDIR

OWN = frozenset({"btrfs", "ext2", "ext3", "ext4", "f2fs", "overlay", "tmpfs", "xfs", "zfs"})  # nobody else writes there
MOUNTS = "/proc/self/mountinfo"
PIECE = 1 << 16  # bytes of notices read at once; what is left tells the next time too


class Notices:
    """The notices of some folders, but not of what lies below them. Raises OSError where there are none to be had."""

    def __init__(self) -> None:
        if not sys.platform.startswith("linux"):
            raise OSError("this system is not asked to tell of changes")
        import ctypes

        self._libc = ctypes.CDLL(None)
        self._descriptor: int = self._libc.inotify_init1(FLAGS)
        if self._descriptor < 0:
            raise OSError("the system tells so many of changes already")
        self.close = finalize(self, os.close, self._descriptor)  # ask for no more

    def watch(self, folders: Iterable[str]) -> bool:
        """Watch folders, those too that took the place of others; False where not all of what happens would be told."""
        own, add = _own(), self._libc.inotify_add_watch
        return all(_is_on(path, own) and add(self._descriptor, os.fsencode(path), ALL) >= 0 for path in folders)

    def is_quiet(self) -> bool:
        """Whether nothing happened in the folders since this was asked before."""
        try:
            return not os.read(self._descriptor, PIECE)
        except BlockingIOError:
            return True


def _is_on(folder: str, devices: frozenset[int]) -> bool:
    try:
        return os.stat(folder).st_dev in devices
    except OSError:
        return False


def _own() -> frozenset[int]:
    """The devices that only this machine writes to."""
    try:
        with open(MOUNTS, encoding="utf-8", errors="replace") as mounts:
            return frozenset(device for line in mounts for kind, device in [_mount(line)] if kind in OWN)
    except OSError:
        return frozenset()


def _mount(line: str) -> tuple[str, int]:
    """The kind of a mounted file system, and its device: `22 27 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw`."""
    place, _dash, source = line.partition(" - ")
    major, minor = place.split(" ", 3)[2].split(":")
    return source.split(" ", 1)[0], os.makedev(int(major), int(minor))
