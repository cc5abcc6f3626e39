"""An open workspace: its settings, its clock, its index kept in step with the files, and unfinished writes finished."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Self

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
from commonplace.index import Index, is_same_index_file, open_index, retry_on_disk
from commonplace.storage import config, files
from commonplace.storage.workspace.sweep import IncrementalSweep
from commonplace.sync import SyncSource, fill_index, synchronise

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from commonplace.capture import WriteContext
    from commonplace.model import Record
    from commonplace.storage.workspace.sweep import Sweep
    from commonplace.upkeep.scrub import SecretScanner


def finish_intents(context: WriteContext, open_scanner: Callable[[], SecretScanner], intent_bytes: bytes) -> bool:
    """Do what a note says was begun, if it is whole; what is no package's note is nobody's.

    True if the index holds now what the files do not hold any more.
    """
    from commonplace import capture
    from commonplace.upkeep import scrub, sessions, skills
    from commonplace.upkeep.review import queue

    capture.finish_retain(context.root, intent_bytes)
    sessions.finish_note(context, intent_bytes)
    queue.finish_decision(context.root, intent_bytes)
    skills.finish_skill_decision(context.root, intent_bytes)
    return scrub.finish_scrub(open_scanner, intent_bytes)


MAX_RESULT_COUNT = 1_000_000
TRANSIENT_ERRORS = (
    LockBusy,
    WriteConflict,
    WorkspaceUnusable,
    OutsideWorkspace,
    OSError,
)  # what may be over at the next start
UNFINISHED_NOTE = "something that broke off could not be finished now, and will be tried again at the next start ({})"
INDEX_BEHIND_NOTE = "this is kept; the index could not take it in now, and will at the next start ({})"
STALE_ANSWER_NOTE = "what changed is not in this answer: {} ({})"
INDEX_FILE_RETRY_S = 60.0  # until it is looked again whether an index in memory can be kept
INDEX_IN_MEMORY_NOTE = "the index is in memory, and made anew at each start: {} ({})"


class OpenWorkspace:
    """The state of an open workspace. The index is opened at first use."""

    def __init__(self, root: str, environment: config.Environment, progress: Callable[[int, int], None] | None) -> None:
        self.root = root
        self.environment = environment
        self.settings_stamp = config.settings_stamp(root)
        self.settings = config.read_settings(root)
        self.progress = progress
        self.report_wait: Callable[[str], None] = lambda _words: None  # what is waited for, where that takes long
        self._index_path = config.index_path(root, self.settings, environment)
        self._index: Index | None = None
        self._incremental_sweep = IncrementalSweep(root, self.settings.ignore)
        self._notes: tuple[str, ...] = ()
        self._unfinished: tuple[str, ...] = ()
        self._is_stopped, self._index_file_checked_at = False, 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
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
            self._index.resume()

    def close(self) -> None:
        """Let go of the index."""
        self._incremental_sweep.close()
        if self._index is not None:
            self._index.close()
            self._index = None

    def _write_context(self, now: str | None) -> WriteContext:
        from commonplace.capture import WriteContext

        device = config.device_name(self.settings, self.environment)
        return WriteContext(self.root, device, self._resolve_now(now), config.read_secret_values(self.root))

    def _open_index(self) -> Index:
        """The index, made where it is missing or cannot be used, opened again where another process swapped it."""
        self._finish_interrupted()
        if self._index is not None and not is_same_index_file(self._index_path, self._index.inode):
            self.close()
        if self._index is None:
            sync_source = self._sync_source()
            self._index = open_index(self._index_path, lambda index: fill_index(index, sync_source), self.report_wait)
            self._index_file_checked_at = time.monotonic()
        if self._is_stopped:
            raise Interrupted("the memory was told to stop")
        return self._index

    def _retry_index_file(self, index: Index) -> Index:
        """The index in its file, where the one in memory can be kept by now; else that."""
        sync_source, self._index_file_checked_at = self._sync_source(), time.monotonic()
        self._index = retry_on_disk(self._index_path, index, lambda index: fill_index(index, sync_source))
        return self._index

    def _finish_interrupted(self) -> None:
        """Do what a process that died left undone; where that cannot be done now, a later start will do it."""
        died, self._unfinished = False, ()
        self._attempt(self._finish_buffer_rotation)
        with suppress(*TRANSIENT_ERRORS):
            kept: set[bytes] = set()
            for note in files.unfinished_intents(self.root, kept):
                died = True
                if note and not self._attempt(partial(self._finish_intent, note)):
                    kept.add(note)
            if died:
                files.remove_abandoned_files(self.root)

    def _finish_buffer_rotation(self) -> None:
        from commonplace.upkeep.sessions.rotation_plan import ROTATION_PLAN_PATH

        if (
            not files.is_missing(self.root, ROTATION_PLAN_PATH)
            and files.read_file_if_exists(self.root, ROTATION_PLAN_PATH) is not None
        ):
            from commonplace.upkeep.sessions import recover_buffer

            recover_buffer(self._write_context(None))

    def _finish_intent(self, intent_bytes: bytes) -> None:

        if finish_intents(self._write_context(None), self._secret_scanner, intent_bytes):
            self._replace_index()

    def _attempt(self, action: Callable[[], None]) -> bool:
        """Whether it could be done; a start never fails for it, but says why not."""
        try:
            action()
        except LockBusy:
            return False  # somebody else is at it
        except (CommonplaceError, OSError) as error:
            self._unfinished = (UNFINISHED_NOTE.format(getattr(error, "message", error)),)
            return False
        return True

    def _secret_scanner(self, *, may_create_key: bool = True) -> SecretScanner:
        """What looks for secrets; who only looks makes no key: one that is not there is stood in for."""
        from commonplace.capture.write_context import KEY_BYTES, KEY_PATH, workspace_key
        from commonplace.upkeep.scrub import SecretScanner

        key = (
            workspace_key(self.root)
            if may_create_key
            else files.read_file_if_exists(self.root, KEY_PATH) or bytes(KEY_BYTES)
        )
        return SecretScanner(self.root, key, config.read_secret_values(self.root), self.settings.files_max_bytes)

    def _replace_index(self) -> None:
        """Throw the index away and make another, for it holds what the files do not hold any more."""
        from commonplace.index import rebuild_index

        self.close()
        sync_source = self._sync_source()
        rebuild_index(self._index_path, lambda index: fill_index(index, sync_source))
        files.fsync_path(os.path.dirname(self._index_path))  # the old one must not come back after a power cut

    def _synced_index(self) -> Index:
        """The index after a sweep; where that cannot be done now, as it is, with a note that says so."""
        index = self._open_index()
        if index.memory_only_error and time.monotonic() - self._index_file_checked_at >= INDEX_FILE_RETRY_S:
            index = self._retry_index_file(index)
        self._notes = self._unfinished
        try:
            synchronise(index, self._sync_source(look=self._incremental_sweep.sweep))
        except LockBusy:
            self._notes = ("the index is being written by another process; this answer is from before that",)
        except SuspiciousLoss as error:
            self._notes = (f"{error.message} ({error.hint})",)
        except WorkspaceUnusable as error:
            if not error.is_unwritable:
                raise
            self._notes = (STALE_ANSWER_NOTE.format(error.message, error.hint),)
        if index.memory_only_error:
            self._notes += (INDEX_IN_MEMORY_NOTE.format(index.memory_only_error.message, index.memory_only_error.hint),)
        return index

    def _index_after_write(self, record_id: str = "") -> Record | None:
        """Bring the index up to date after something was written; the record of this id, if it has it.

        Where it cannot be had now there is a note that says so: what was written is on disk and acknowledged all the
        same, and the next start takes it in.
        """
        try:
            self._synced_index()
            return self._open_index().find(record_id) if record_id else None
        except TRANSIENT_ERRORS as error:
            self._notes = (INDEX_BEHIND_NOTE.format(getattr(error, "message", error)),)
            return None

    def _sync_source(self, now: str | None = None, look: Callable[[], Sweep] | None = None) -> SyncSource:
        device = config.device_name(self.settings, self.environment)
        return SyncSource(self.root, self.settings, device, self._resolve_now(now), time.time_ns(), self.progress, look)

    def _resolve_now(self, now: str | None) -> str:
        """The given clock as an ISO minute, or the time now. Raises BadArgument."""
        return config.current_minute(self.settings, self.environment) if now is None else config.parse_minute(now)


def require_result_count(result_count: int, parameter_name: str = "at_most") -> int:
    """The number if it lies between 1 and a million. Raises BadArgument."""
    if not 1 <= result_count <= MAX_RESULT_COUNT:
        raise BadArgument(f"{parameter_name} must lie between 1 and {MAX_RESULT_COUNT}, not {result_count}")
    return result_count
