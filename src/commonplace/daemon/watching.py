"""Keep the index in step with the files: the system tells of changes, and a sweep now and then finds what it missed."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from commonplace.config import FILE
from commonplace.errors import CommonplaceError
from commonplace.journal import FOLDER
from commonplace.workspace.sweep import SKIPPED

if TYPE_CHECKING:
    from watchfiles import Change

QUIET_MS = 50  # without a change, after which those before it are taken in together
STORM_MS = 400  # a storm is taken in as often as this while it goes on
LOOK_S = 1.0  # between two looks whether the folder is there, and is the one that is watched
SWEEP_S = 30.0  # between two sweeps of all files that nothing has asked for
AGAIN_S = 2.0  # after a sync that could not be done


class Watcher:
    """Calls `sync` after changes in the workspace, one sync at a time; `say` is given lines for the log."""

    def __init__(self, root: str, sync: Callable[[], Awaitable[None]], say: Callable[[str], None]) -> None:
        self._root, self._sync, self._say = root, sync, say
        self._noticed = asyncio.Event()
        self._over = asyncio.Event()
        self._anew = asyncio.Event()
        self._watched = 0
        self._since: float | None = None  # when the oldest change came that no sync has begun to take in
        self._taking: float | None = None  # when the oldest of those came that a sync is taking in
        self._trouble = ""

    def lag(self) -> float:
        """Seconds for which the oldest change that is not in the index yet has waited; 0 if there is none."""
        oldest = self._since if self._taking is None else self._taking
        return 0.0 if oldest is None else time.monotonic() - oldest

    @property
    def trouble(self) -> str:
        """Why the files cannot be taken in now; empty if they can."""
        return self._trouble

    def notice(self) -> None:
        """There may be something new."""
        if self._since is None:
            self._since = time.monotonic()
        self._noticed.set()

    def stop(self) -> None:
        """Let `run` end."""
        self._over.set()
        self._anew.set()
        self._noticed.set()

    async def run(self) -> None:
        """Watch until `stop`."""
        self.notice()
        await asyncio.gather(self._listen(), self._look(), self._take_in())

    async def _take_in(self) -> None:
        """One sync after the other, as long as there is something new."""
        while not self._over.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._noticed.wait(), SWEEP_S)
            if self._over.is_set():
                return
            self._noticed.clear()
            self._taking, self._since = self._since, None
            try:
                await self._sync()
                self._taking = None
                self._tell("")
            except CommonplaceError as error:
                self._since = self._taking or self._since or time.monotonic()
                self._taking = None
                self._tell(f"{error.message} ({error.hint})" if error.hint else error.message)
                await self._pause(AGAIN_S)
                self._noticed.set()

    def _tell(self, trouble: str) -> None:
        if trouble != self._trouble:
            self._say(f"the index is behind the files: {trouble}" if trouble else "the index is up to date again")
        self._trouble = trouble

    async def _look(self) -> None:
        """See whether the folder that is watched is still the one of that name; another is watched anew."""
        while not self._over.is_set():
            if self._watched and _inode(self._root) != self._watched:
                self._anew.set()
            await self._pause(LOOK_S)

    async def _listen(self) -> None:
        """Watch the folder as long as it is there, and again when it is back."""
        from watchfiles._rust_notify import WatchfilesRustInternalError

        deaf = ""
        while not self._over.is_set():
            self._watched = _inode(self._root)
            self._anew.clear()
            if self._watched:
                asyncio.get_running_loop().call_soon(self.notice)  # once it is watched: nothing falls between
                try:
                    await self._hear()
                    deaf = ""
                except (OSError, WatchfilesRustInternalError) as error:
                    if str(error) != deaf:
                        deaf = str(error)
                        self._say(f"changes are found by sweeps only, every {SWEEP_S:g} s: {deaf}")
            await self._pause(LOOK_S)

    async def _hear(self) -> None:
        from watchfiles import awatch

        heard = awatch(
            self._root,
            watch_filter=self._matters,
            debounce=STORM_MS,
            step=QUIET_MS,
            stop_event=self._anew,
            ignore_permission_denied=True,
        )
        async for _changes in heard:
            self.notice()

    def _matters(self, _change: Change, path: str) -> bool:
        """Whether the index may have to know of this path: notebooks, folders, journals of others, the settings.

        A folder that is moved as a whole is all that is told of what is in it. One that has a dot in its name and has
        gone cannot be told from a file, and waits for the sweep.
        """
        below = path.removeprefix(self._root).lstrip("/")
        if below.startswith(FOLDER) or below in ("", FILE):
            return True
        *folders, name = below.split("/")
        if any(part[:1] == "." or part in SKIPPED for part in (*folders, name)):
            return False
        return name[-3:].lower() == ".md" or "." not in name or os.path.isdir(path)

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._over.wait(), seconds)


def _inode(root: str) -> int:
    try:
        return os.stat(root).st_ino
    except OSError:
        return 0
