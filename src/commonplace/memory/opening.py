"""An opened workspace: its settings, its index kept fresh, its journals and its clock; what every mixin stands on."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from commonplace import config, files
from commonplace.errors import (
    BadArgument,
    LockBusy,
    OutsideWorkspace,
    SuspiciousLoss,
    WorkspaceUnusable,
    WriteConflict,
)
from commonplace.index import Index, is_same_file, open_index
from commonplace.sync import Notebook, build, synchronise

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from commonplace.capture import Place

MOST_WANTED = 1_000_000


class Opened:
    """The state of an open workspace. The index is opened at first use."""

    def __init__(self, root: str, around: config.Surroundings, progress: Callable[[int, int], None] | None) -> None:
        self.root = root
        self.around = around
        self.settings = config.read_settings(root)
        self._progress = progress
        self._path = config.index_path(root, self.settings, around)
        self._index: Index | None = None
        self._notes: tuple[str, ...] = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the index."""
        if self._index is not None:
            self._index.close()
            self._index = None

    def _place(self, now: str | None) -> Place:
        from commonplace.capture import Place

        device = config.device_name(self.settings, self.around)
        return Place(self.root, device, self._moment(now), config.secret_values(self.root))

    def _opened(self) -> Index:
        """The index, made where it is missing or cannot be used, opened again where another process swapped it."""
        self._finish()
        if self._index is not None and not is_same_file(self._path, self._index.inode):
            self.close()
        if self._index is None:
            notebook = self._notebook()
            self._index = open_index(self._path, lambda index: build(index, notebook))
        return self._index

    def _finish(self) -> None:
        """Do what a process that died left undone; where that cannot be done now, a later start will do it."""
        died = False
        with suppress(LockBusy, WriteConflict, WorkspaceUnusable, OutsideWorkspace):
            for note in files.undone(self.root):
                died = True
                if note:
                    from commonplace.capture import finish

                    finish(self.root, note)
            if died:
                files.tidy(self.root)

    def _fresh(self) -> Index:
        """The index after a sweep; where that cannot be done now, as it is, with a note that says so."""
        index = self._opened()
        self._notes = ()
        try:
            synchronise(index, self._notebook())
        except LockBusy:
            self._notes = ("the index is being written by another process; this answer is from before that",)
        except SuspiciousLoss as error:
            self._notes = (f"{error.message} ({error.hint})",)
        return index

    def _notebook(self, now: str | None = None) -> Notebook:
        device = config.device_name(self.settings, self.around)
        return Notebook(self.root, self.settings, device, self._moment(now), time.time_ns(), self._progress)

    def _moment(self, now: str | None) -> str:
        """The given clock as an ISO minute, or the time now. Raises BadArgument."""
        return config.clock(self.settings, self.around) if now is None else config.minute(now)


def at_least_one(wanted: int, name: str = "at_most") -> int:
    """The number if it lies between 1 and a million. Raises BadArgument."""
    if not 1 <= wanted <= MOST_WANTED:
        raise BadArgument(f"{name} must lie between 1 and {MOST_WANTED}, not {wanted}")
    return wanted
