"""Keeps the index in step with the files: syncs after file events, and sweeps now and then."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress

from watchfiles import Change, awatch
from watchfiles._rust_notify import WatchfilesRustInternalError

from commonplace.errors import CommonplaceError
from commonplace.storage.config import SETTINGS_FILE
from commonplace.storage.journal import JOURNAL_FOLDER
from commonplace.storage.workspace import SKIPPED_FOLDERS

DEBOUNCE_STEP_MS = 50  # without a change, after which those before it are taken in together
DEBOUNCE_MS = 400  # a storm is taken in as often as this while it goes on
FOLDER_CHECK_S = 1.0  # between two looks whether the folder is there, and is the one that is watched
SWEEP_INTERVAL_S = 30.0  # between two sweeps of all files that nothing has asked for
RETRY_S = 2.0  # after a sync that could not be done


class FileWatcher:
    """Calls `sync` after changes in the workspace, one sync at a time; `log` is given lines for the log."""

    def __init__(self, root: str, sync: Callable[[], Awaitable[None]], log: Callable[[str], None]) -> None:
        self._root, self._sync, self._log = root, sync, log
        self._change_pending = asyncio.Event()
        self._stopping = asyncio.Event()
        self._restart_watch = asyncio.Event()
        self._watched_inode = 0
        self._oldest_pending: float | None = None  # when the oldest change came that no sync has begun to take in
        self._oldest_syncing: float | None = None  # when the oldest of those came that a sync is taking in
        self.trouble = ""  # why the files cannot be taken in now; empty if they can

    def lag(self) -> float:
        """The age in seconds of the oldest change that is not indexed yet; 0 if there is none."""
        oldest = self._oldest_pending if self._oldest_syncing is None else self._oldest_syncing
        return 0.0 if oldest is None else time.monotonic() - oldest

    def notice(self) -> None:
        """Notify the watcher that there may be changes."""
        if self._oldest_pending is None:
            self._oldest_pending = time.monotonic()
        self._change_pending.set()

    def stop(self) -> None:
        """Let `run` end."""
        self._stopping.set()
        self._restart_watch.set()
        self._change_pending.set()

    async def run(self) -> None:
        """Watch until `stop`."""
        self.notice()
        await asyncio.gather(self._watch_folder(), self._check_folder(), self._sync_changes())

    async def _sync_changes(self) -> None:
        """One sync after the other, as long as there is something new."""
        while not self._stopping.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._change_pending.wait(), SWEEP_INTERVAL_S)
            if self._stopping.is_set():
                return
            self._change_pending.clear()
            self._oldest_syncing, self._oldest_pending = self._oldest_pending, None
            try:
                await self._sync()
                self._oldest_syncing = None
                self._set_trouble("")
            except CommonplaceError as error:
                self._oldest_pending = self._oldest_syncing or self._oldest_pending or time.monotonic()
                self._oldest_syncing = None
                self._set_trouble(f"{error.message} ({error.hint})" if error.hint else error.message)
                await self._pause(RETRY_S)
                self._change_pending.set()

    def _set_trouble(self, trouble: str) -> None:
        if trouble != self.trouble:
            self._log(f"the index is behind the files: {trouble}" if trouble else "the index is up to date again")
        self.trouble = trouble

    async def _check_folder(self) -> None:
        """Check that the watched folder is still the one at this path; a replaced folder is watched instead."""
        while not self._stopping.is_set():
            if self._watched_inode and _folder_inode(self._root) != self._watched_inode:
                self._restart_watch.set()
            await self._pause(FOLDER_CHECK_S)

    async def _watch_folder(self) -> None:
        """Watch the folder as long as it is there, and again when it is back."""
        deaf = ""
        while not self._stopping.is_set():
            self._watched_inode = _folder_inode(self._root)
            self._restart_watch.clear()
            if self._watched_inode:
                asyncio.get_running_loop().call_soon(self.notice)  # once it is watched: nothing falls between
                try:
                    await self._await_changes()
                    deaf = ""
                except (OSError, WatchfilesRustInternalError) as error:
                    if str(error) != deaf:
                        deaf = str(error)
                        self._log(f"changes are found by sweeps only, every {SWEEP_INTERVAL_S:g} s: {deaf}")
            await self._pause(FOLDER_CHECK_S)

    async def _await_changes(self) -> None:
        heard = awatch(
            self._root,
            watch_filter=self._is_relevant,
            debounce=DEBOUNCE_MS,
            step=DEBOUNCE_STEP_MS,
            stop_event=self._restart_watch,
            ignore_permission_denied=True,
        )
        async for _changes in heard:
            self.notice()

    def _is_relevant(self, _change: Change, path: str) -> bool:
        """Whether the index may have to know of this path: notebooks, folders, journals of others, the settings.

        A folder that is moved as a whole is all that is told of what is in it. One that has a dot in its name and has
        gone cannot be told from a file, and waits for the sweep.
        """
        below = path.removeprefix(self._root).lstrip("/")
        if below.startswith(JOURNAL_FOLDER) or below in ("", SETTINGS_FILE):
            return True
        *folders, name = below.split("/")
        if any(part[:1] == "." or part in SKIPPED_FOLDERS for part in (*folders, name)):
            return False
        return name[-3:].lower() == ".md" or "." not in name or os.path.isdir(path)

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)


def _folder_inode(root: str) -> int:
    try:
        return os.stat(root).st_ino
    except OSError:
        return 0
