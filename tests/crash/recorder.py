"""A record of what a process did to the disk, in terms of files and folders and not of names, to be replayed."""

from __future__ import annotations

import os
from typing import Any


class Recorder:
    """Events in order. Files and folders are known by number: the base's by their inode, new ones counted on.

    `("create", folder, name, file)`, `("mkdir", folder, name, new)`, `("write", file, offset, bytes)`,
    `("truncate", file, size)`, `("sync", file or folder)`, `("rename"|"link"|"exchange", folder, name, folder, name)`,
    `("unlink", folder, name)`, `("said", text)`.
    """

    def __init__(self) -> None:
        self.events: list[tuple[Any, ...]] = []
        self._known: dict[int, int] = {}  # inode -> number, for an inode may come again after it was let go
        self._next = 1 << 60

    def created(self, path: Any, dir_fd: int | None, descriptor: int) -> None:
        self.events.append(("create", *self._place(path, dir_fd), self._new(os.fstat(descriptor))))

    def created_at(self, path: str) -> None:
        self.events.append(("create", *self._place(path, None), self._new(os.stat(path))))

    def made(self, path: Any, dir_fd: int | None) -> None:
        self.events.append(("mkdir", *self._place(path, dir_fd), self._new(os.stat(path, dir_fd=dir_fd))))

    def written(self, descriptor: int, offset: int, data: bytes) -> None:
        self.events.append(("write", self._number(os.fstat(descriptor)), offset, data))

    def written_at(self, path: str, offset: int, data: bytes) -> None:
        self.events.append(("write", self._number(os.stat(path)), offset, data))

    def cut(self, descriptor: int, size: int) -> None:
        self.events.append(("truncate", self._number(os.fstat(descriptor)), size))

    def cut_at(self, path: str, size: int) -> None:
        self.events.append(("truncate", self._number(os.stat(path)), size))

    def synced(self, descriptor: int) -> None:
        self.events.append(("sync", self._number(os.fstat(descriptor))))

    def synced_at(self, path: str) -> None:
        """SQLite also syncs the folder when it has made a file."""
        self.events.append(("sync", self._number(os.stat(path))))
        self.events.append(("sync", self._number(os.stat(os.path.dirname(path)))))

    def renamed(self, old: Any, old_fd: int | None, new: Any, new_fd: int | None) -> None:
        self.events.append(("rename", *self._place(old, old_fd), *self._place(new, new_fd)))

    def linked(self, old: Any, old_fd: int | None, new: Any, new_fd: int | None) -> None:
        self.events.append(("link", *self._place(old, old_fd), *self._place(new, new_fd)))

    def exchanged(self, one: str, folder: int, other: str, _folder: int) -> None:
        self.events.append(("exchange", *self._place(one, folder), *self._place(other, folder)))

    def unlinked(self, path: Any, dir_fd: int | None) -> None:
        self.events.append(("unlink", *self._place(path, dir_fd)))

    def said(self, text: str) -> None:
        """What a command printed: from here on it is acknowledged."""
        self.events.append(("said", text))

    def _place(self, path: Any, dir_fd: int | None) -> tuple[int, str]:
        folder, name = os.path.split(path)
        if dir_fd is not None and not folder:
            return self._number(os.fstat(dir_fd)), name
        return self._number(os.stat(folder or ".", dir_fd=dir_fd)), name

    def _number(self, status: os.stat_result) -> int:
        return self._known.get(status.st_ino, status.st_ino)

    def _new(self, status: os.stat_result) -> int:
        self._next += 1
        self._known[status.st_ino] = self._next
        return self._next
