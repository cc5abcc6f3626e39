"""Watch folders with inotify(7), and report which files in them changed."""

from __future__ import annotations

import os
import re
import struct
import sys
from collections.abc import Callable, Collection, Iterable
from weakref import finalize

from commonplace.storage.files.intent_log import is_temporary_name

# Of inotify.h: what becomes of a file or folder, of names in the folder, and of the folder itself, which must be one.
MODIFY, ATTRIB, CLOSE_WRITE, MOVED_FROM, MOVED_TO, CREATE, DELETE = 0x2, 0x4, 0x8, 0x40, 0x80, 0x100, 0x200
DELETE_SELF, MOVE_SELF, ONLYDIR = 0x400, 0x800, 0x01000000
INIT_FLAGS = os.O_NONBLOCK | os.O_CLOEXEC
FILE_EVENTS = frozenset(
    {MODIFY, ATTRIB, CLOSE_WRITE, MOVED_FROM, MOVED_TO, CREATE, DELETE}
)  # of a folder: one bit more
WATCHED_EVENTS = sum(FILE_EVENTS) | DELETE_SELF | MOVE_SELF | ONLYDIR
# The number of the watch, what happened, what joins both ends of a move, bytes of name.
EVENT_HEADER = struct.Struct("=iIII")

# Nobody else writes there.
LOCAL_FILESYSTEMS = frozenset({"btrfs", "ext2", "ext3", "ext4", "f2fs", "overlay", "tmpfs", "xfs", "zfs"})
MOUNT_TABLE, DESCRIPTOR_INFO = "/proc/self/mountinfo", "/proc/self/fdinfo"
READ_BYTES = 1 << 16  # bytes of notices read at once; what is left is told the next time
MISSING_ERRORS = (FileNotFoundError, NotADirectoryError)


class FolderWatcher:
    """The notices of some folders, not of those below; `close` them at the end. Raises OSError where there are none."""

    def __init__(self) -> None:
        if not sys.platform.startswith("linux"):
            raise OSError("this system is not asked to tell of changes")
        try:
            import ctypes

            libc = ctypes.CDLL(None, use_errno=True)
            self._add, self._remove, begin = libc.inotify_add_watch, libc.inotify_rm_watch, libc.inotify_init1
        except (ImportError, AttributeError) as error:  # a Python without libffi, a C library without inotify
            raise OSError("the C library cannot be called") from error
        self._errno: Callable[[], int] = ctypes.get_errno
        self._folders_by_watch: dict[int, str] = {}  # folder by number; empty where several have it
        self._descriptor: int = begin(INIT_FLAGS)
        if self._descriptor < 0:
            raise OSError("the system tells so many of changes already")
        self.close = finalize(self, os.close, self._descriptor)

    def watch(self, folders: Collection[str]) -> bool:
        """Watch these folders and no others, also those that took the place of others; whether all of them are there.

        The paths are absolute and end in `/`. Raises OSError where not all that happens in them would be told.
        """
        kinds = _filesystem_types(folders)
        own: dict[int, bool] = {}  # by device
        watched: dict[int, str] = {}
        is_whole = True
        for folder in folders:
            try:
                device = os.stat(folder).st_dev
                if device not in own:
                    own[device] = kinds.get(_mount_number(folder)) in LOCAL_FILESYSTEMS
                if not own[device]:
                    raise OSError("others may write to this disk")
                number: int = self._add(self._descriptor, os.fsencode(folder), WATCHED_EVENTS)
                if number < 0:
                    raise OSError(self._errno(), "this folder cannot be watched", folder)
                watched[number] = "" if number in watched else folder
            except MISSING_ERRORS:
                is_whole = False
        for moved in self._folders_by_watch.keys() - watched.keys():  # what was removed has no watch any more
            self._remove(self._descriptor, moved)
        self._folders_by_watch = watched
        return is_whole

    def read_changes(self) -> dict[str, bool] | None:
        """The paths of the files to which something happened since this was asked before, and whether they are new.

        None if something happened to a folder, and where what happened cannot be seen from the files of these names.
        """
        try:
            data = os.read(self._descriptor, READ_BYTES)
        except BlockingIOError:
            return {}
        told: list[tuple[int, int, str]] = []
        at = 0
        while at < len(data):
            number, kind, move, size = EVENT_HEADER.unpack_from(data, at)
            at += EVENT_HEADER.size + size
            name = os.fsdecode(data[at - size : at].rstrip(b"\0"))
            folder = self._folders_by_watch.get(number)
            if not folder or not name or kind not in FILE_EVENTS:
                return None
            told.append((kind, move, f"{folder}{name}"))
        return _changed_files(told)


def _changed_files(file_events: Iterable[tuple[int, int, str]]) -> dict[str, bool] | None:
    """The paths in notices, given as (what happened, number of the move, path), and which are new.

    None if something new is no longer there, unless it is a temporary file of ours: it may have been a second name of
    another file, and what was done to that under this name is told of no other.
    """
    paths: set[str] = set()
    new: set[str] = set()
    moving: dict[int, bool] = {}  # what has left its name and not got another, and whether it is new
    for kind, move, path in file_events:
        paths.add(path)
        if kind == MOVED_FROM:
            moving[move] = path in new
            new.discard(path)
        elif kind in (CREATE, MOVED_TO, DELETE):
            if path in new and not is_temporary_name(path.rpartition("/")[2]):
                return None
            new.discard(path)
            if kind == CREATE or (kind == MOVED_TO and moving.pop(move, True)):
                new.add(path)
    return None if any(moving.values()) else {path: path in new for path in paths}


def _filesystem_types(folders: Collection[str]) -> dict[str, str]:
    """The kind of each mounted file system by its number in this process. Raises OSError, also where a Markdown file is
    mounted in one of the folders: that changes unreported where it comes from."""
    kinds: dict[str, str] = {}
    with open(MOUNT_TABLE, encoding="utf-8", errors="surrogateescape") as mounts:
        for line in mounts:  # `22 27 8:1 / /point rw,relatime shared:1 - ext4 /dev/sda1 rw`
            place, _dash, source = line.partition(" - ")
            number, *more = place.split(" ")
            point = more[3] if len(more) > 3 else ""
            if point.lower().endswith(".md"):  # spaces and the like are told by their octal numbers
                path = re.sub(r"\\(\d{3})", lambda octal: chr(int(octal[1], 8)), point)
                if f"{path.rpartition('/')[0]}/" in folders:
                    raise OSError("a file is mounted")
            kinds[number] = source.split(" ", 1)[0]
    return kinds


def _mount_number(folder: str) -> str:
    """The number of the mount that a folder is in, empty if unknown; in btrfs the device's number is no mount's."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with open(f"{DESCRIPTOR_INFO}/{descriptor}", encoding="ascii") as told:
            return next((line.split()[1] for line in told if line.startswith("mnt_id:")), "")
    finally:
        os.close(descriptor)
