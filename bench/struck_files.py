"""A file system for SQLite in which this process is killed (SIGKILL) at its n-th call that writes."""

from __future__ import annotations

import os
import signal
from typing import Any, Literal

import apsw
from msgspec import Struct

NAME = "struck"
When = Literal["before", "half", "after"]


class Blow(Struct):
    """At which call the process dies, before it, after it or when half of it is written; 0 is never. `calls` counts."""

    number: int = 0
    when: When = "before"
    calls: int = 0

    def is_due(self, when: When) -> bool:
        """Whether the process is to die now, at this moment of the present call."""
        return self.calls == self.number and self.when == when

    def fall(self, when: When) -> None:
        """End the process if it is to die now."""
        if self.is_due(when):
            os.kill(os.getpid(), signal.SIGKILL)


class StruckFiles(apsw.VFS):
    """The default file system, with the blow; registered as `struck` while this object lives."""

    def __init__(self, blow: Blow) -> None:
        super().__init__(NAME, "")
        self.blow = blow

    def xOpen(self, name: Any, flags: list[int]) -> Any:  # noqa: N802 - names of SQLite
        """A file whose calls count."""
        return _StruckFile(self.blow, name, flags)

    def xDelete(self, path: str, directory_is_synced: bool) -> None:  # noqa: N802
        """Remove a file, such as the journal with which a transaction ends."""
        self.blow.calls += 1
        self.blow.fall("before")
        super().xDelete(path, directory_is_synced)
        self.blow.fall("after")


class _StruckFile(apsw.VFSFile):
    def __init__(self, blow: Blow, name: Any, flags: list[int]) -> None:
        super().__init__("", name, flags)
        self._blow = blow

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._blow.calls += 1
        self._blow.fall("before")
        if self._blow.is_due("half"):
            super().xWrite(data[: len(data) // 2], offset)
            self._blow.fall("half")
        super().xWrite(data, offset)
        self._blow.fall("after")

    def xTruncate(self, size: int) -> None:  # noqa: N802
        self._blow.calls += 1
        self._blow.fall("before")
        super().xTruncate(size)
        self._blow.fall("after")
