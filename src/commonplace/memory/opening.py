"""An opened workspace: its settings, its index kept fresh, its journals and its clock; what every mixin stands on."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Self

from commonplace import config, files
from commonplace.errors import (
    BadArgument,
    CommonplaceError,
    Interrupted,
    LockBusy,
    OutsideWorkspace,
    SuspiciousLoss,
    WorkspaceUnusable,
    WriteConflict,
)
from commonplace.index import Index, is_same_file, look_again, open_index
from commonplace.sync import Notebook, build, synchronise
from commonplace.workspace.lookout import Lookout

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from commonplace.capture import Place
    from commonplace.model import Record
    from commonplace.scrub import Eye
    from commonplace.workspace.sweep import Sweep

MOST_WANTED = 1_000_000
NOT_NOW = (LockBusy, WriteConflict, WorkspaceUnusable, OutsideWorkspace, OSError)  # what may be over at the next start
UNFINISHED = "something that broke off could not be finished now, and will be tried again at the next start ({})"
BEHIND = "this is kept; the index could not take it in now, and will at the next start ({})"
BEFORE = "what changed is not in this answer: {} ({})"
AGAIN_S = 60.0  # until it is looked again whether an index in memory can be kept
UNKEPT = "the index is in memory, and made anew at each start: {} ({})"


class Opened:
    """The state of an open workspace. The index is opened at first use."""

    def __init__(self, root: str, around: config.Surroundings, progress: Callable[[int, int], None] | None) -> None:
        self.root = root
        self.around = around
        self.settings_stamp = config.settings_stamp(root)
        self.settings = config.read_settings(root)
        self.progress = progress
        self.tell: Callable[[str], None] = lambda _words: None  # what is waited for, where that takes long
        self._path = config.index_path(root, self.settings, around)
        self._index: Index | None = None
        self._lookout = Lookout(root, self.settings.ignore)
        self._notes: tuple[str, ...] = ()
        self._unfinished: tuple[str, ...] = ()
        self._is_stopped, self._last_look = False, 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    @property
    def notes(self) -> tuple[str, ...]:
        """Why the index may be behind what was just written or asked; empty if it is not."""
        return self._notes

    def stop(self) -> None:
        """Break off what is being read: it raises Interrupted, and so does what is asked until `go_on`.

        The only method that another thread may call; who writes is not to be stopped, the caller sees to that.
        """
        self._is_stopped = True
        index = self._index
        if index is not None:
            index.stop()

    def go_on(self) -> None:
        """Answer again after `stop`."""
        self._is_stopped = False
        if self._index is not None:
            self._index.go_on()

    def close(self) -> None:
        """Let go of the index."""
        self._lookout.close()
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
            self._index = open_index(self._path, lambda index: build(index, notebook), self.tell)
            self._last_look = time.monotonic()
        if self._is_stopped:
            raise Interrupted("the memory was told to stop")
        return self._index

    def _kept(self, index: Index) -> Index:
        """The index in its file, where the one in memory can be kept by now; else that."""
        notebook, self._last_look = self._notebook(), time.monotonic()
        self._index = look_again(self._path, index, lambda index: build(index, notebook))
        return self._index

    def _finish(self) -> None:
        """Do what a process that died left undone; where that cannot be done now, a later start will do it."""
        died, self._unfinished = False, ()
        self._attempt(self._move_on)
        with suppress(*NOT_NOW):
            kept: set[bytes] = set()
            for note in files.undone(self.root, kept):
                died = True
                if note and not self._attempt(partial(self._finish_one, note)):
                    kept.add(note)
            if died:
                files.tidy(self.root)

    def _move_on(self) -> None:
        from commonplace.sessions.moving import MOVING

        if not files.is_missing(self.root, MOVING) and files.find(self.root, MOVING) is not None:
            from commonplace.sessions import recover

            recover(self._place(None))

    def _finish_one(self, note: bytes) -> None:
        from commonplace.memory.finishing import finish

        if finish(self._place(None), self._eye, note):
            self._anew()

    def _attempt(self, act: Callable[[], None]) -> bool:
        """Whether it could be done; a start never fails for it, but says why not."""
        try:
            act()
        except LockBusy:
            return False  # somebody else is at it
        except (CommonplaceError, OSError) as error:
            self._unfinished = (UNFINISHED.format(getattr(error, "message", error)),)
            return False
        return True

    def _eye(self, *, writes: bool = True) -> Eye:
        """What looks for secrets; who only looks makes no key: one that is not there is stood in for."""
        from commonplace.capture.keys import KEY, KEY_BYTES, workspace_key
        from commonplace.scrub import Eye

        key = workspace_key(self.root) if writes else files.find(self.root, KEY) or bytes(KEY_BYTES)
        return Eye(self.root, key, config.secret_values(self.root), self.settings.files_max_bytes)

    def _anew(self) -> None:
        """Throw the index away and make another, for it holds what the files do not hold any more."""
        from commonplace.index import rebuild

        self.close()
        notebook = self._notebook()
        rebuild(self._path, lambda index: build(index, notebook))
        files.flush(os.path.dirname(self._path))  # the old one must not come back after a power cut

    def _fresh(self) -> Index:
        """The index after a sweep; where that cannot be done now, as it is, with a note that says so."""
        index = self._opened()
        if index.unkept and time.monotonic() - self._last_look >= AGAIN_S:
            index = self._kept(index)
        self._notes = self._unfinished
        try:
            synchronise(index, self._notebook(look=self._lookout.sweep))
        except LockBusy:
            self._notes = ("the index is being written by another process; this answer is from before that",)
        except SuspiciousLoss as error:
            self._notes = (f"{error.message} ({error.hint})",)
        except WorkspaceUnusable as error:
            if not error.is_unwritable:
                raise
            self._notes = (BEFORE.format(error.message, error.hint),)
        if index.unkept:
            self._notes += (UNKEPT.format(index.unkept.message, index.unkept.hint),)
        return index

    def _after(self, record_id: str = "") -> Record | None:
        """Bring the index up to date after something was written; the record of this id, if it has it.

        Where it cannot be had now there is a note that says so: what was written is on disk and acknowledged all the
        same, and the next start takes it in.
        """
        try:
            self._fresh()
            return self._opened().find(record_id) if record_id else None
        except NOT_NOW as error:
            self._notes = (BEHIND.format(getattr(error, "message", error)),)
            return None

    def _notebook(self, now: str | None = None, look: Callable[[], Sweep] | None = None) -> Notebook:
        device = config.device_name(self.settings, self.around)
        return Notebook(self.root, self.settings, device, self._moment(now), time.time_ns(), self.progress, look)

    def _moment(self, now: str | None) -> str:
        """The given clock as an ISO minute, or the time now. Raises BadArgument."""
        return config.clock(self.settings, self.around) if now is None else config.minute(now)


def at_least_one(wanted: int, name: str = "at_most") -> int:
    """The number if it lies between 1 and a million. Raises BadArgument."""
    if not 1 <= wanted <= MOST_WANTED:
        raise BadArgument(f"{name} must lie between 1 and {MOST_WANTED}, not {wanted}")
    return wanted
