"""An open workspace: its settings, its clock, its index that follows the files, and interrupted writes completed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property, partial
from math import inf
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from commonplace import capture, errors, sync, truth
from commonplace.index import Index, is_same_index_file, open_index, rebuild_index, retry_on_disk
from commonplace.model import Record
from commonplace.storage import config, files
from commonplace.storage.settings import EXTRA_MODULE, EXTRA_PROVIDER, Environment
from commonplace.storage.tombstones import read_tombstones
from commonplace.storage.workspace import IncrementalSweep, Sweep
from commonplace.sync import SyncSource, fill_index, synchronise
from commonplace.upkeep import forget, merge, review, scrub, sessions, skills

if TYPE_CHECKING:
    from commonplace.models import Embedder
    from commonplace.retrieval.vectors import VectorSearch


def finish_intents(
    context: capture.WriteContext, open_scanner: Callable[[], scrub.SecretScanner], intent_bytes: bytes
) -> tuple[bool, str]:
    """Finish the writes that were begun according to a note, if the note is complete and a package owns it.

    Whether the index now contains what the files no longer contain, and the path of a line that was written.
    """
    path = capture.finish_retain(context.root, intent_bytes)
    sessions.finish_note(context, intent_bytes)
    review.finish_decision(context.root, intent_bytes)
    skills.finish_skill_decision(context.root, intent_bytes)
    is_merged = merge.finish_merge(context, intent_bytes)
    is_erased = forget.finish_erasure(context.root, intent_bytes)
    return scrub.finish_scrub(open_scanner, intent_bytes) or is_erased or is_merged, path


MAX_RESULT_COUNT = 1_000_000
# What may be over at the next start.
TRANSIENT_ERRORS = (errors.LockBusy, errors.WriteConflict, errors.WorkspaceUnusable, errors.OutsideWorkspace, OSError)
UNFINISHED_NOTE = "something that broke off could not be finished now, and will be tried again at the next start ({})"
FINISHED_NOTE = "a line whose `retain` or `log` had failed or broken off was in the journal, and is in {} now"
INDEX_BEHIND_NOTE = "this is stored; the index could not be updated, and will be at the next start ({})"
STALE_ANSWER_NOTE = "this answer does not include the latest changes: {} ({})"
INDEX_FILE_RETRY_S = 60.0  # until it is looked again whether an index in memory can be kept
INDEX_IN_MEMORY_NOTE = "the index is kept in memory and rebuilt at each start: {} ({})"


class OpenWorkspace:
    """The state of an open workspace. The index is opened at first use."""

    def __init__(self, root: str, environment: Environment, progress: Callable[[int, int], None] | None) -> None:
        self.root = root
        self.environment = environment
        self.settings_stamp = config.settings_stamp(root)
        self.settings = config.read_settings(root)
        self.progress = progress
        self.report_wait: Callable[[str], None] = lambda _words: None  # what is waited for, where that takes long
        self.index_path = config.index_path(root, self.settings, environment)
        self._index: Index | None = None
        self.incremental_sweep = IncrementalSweep(root, self.settings.ignore)
        self.notes: tuple[str, ...] = ()  # why the index may be behind what was just written or asked
        self._unfinished: tuple[str, ...] = ()
        self.scanned_bytes: dict[str, int] = {}  # of each capture journal, for `has_untrusted`
        self.has_untrusted = False
        self.vector_search: VectorSearch | None = None
        self.answers_once = False  # whether the process ends after an answer, for which an encoder is not loaded
        self.defer_write: Callable[[Callable[[], None]], None] | None = None  # takes what may follow the answer
        self.deadline = inf  # of `time.monotonic`, after which nobody waits for the answer to what is being read
        self._is_stopped, self._index_file_checked_at = False, 0.0

    def stop(self) -> None:
        """Interrupt the current read: it raises Interrupted, and so do further reads until `go_on`.

        The only method that another thread may call; who writes is not to be stopped, the caller sees to that.
        """
        self._is_stopped = True
        index = self._index
        if index is not None:
            index.stop()

    def go_on(self) -> None:
        """Allow reading again after `stop`."""
        self._is_stopped = False
        if self._index is not None:
            self._index.resume()

    def close(self) -> None:
        """Close the index and the vectors."""
        self.incremental_sweep.close()
        if self.vector_search is not None:
            self.vector_search.close()
        if self._index is not None:
            self._index.close()
            self._index = None

    def write_context(self, now: str | None, act: str = "") -> capture.WriteContext:
        device, exact = config.device_name(self.settings, self.environment), config.read_secret_values(self.root)
        return capture.WriteContext(self.root, device, self.resolve_now(now), exact, act)

    def open_index(self) -> Index:
        """The index, built if it is missing or unusable, and reopened if another process has replaced it."""
        self.finish_interrupted()
        if self._index is not None and not is_same_index_file(self.index_path, self._index.inode):
            self.close()
        if self._index is None:
            sync_source = self.sync_source()
            self._index = open_index(self.index_path, lambda index: fill_index(index, sync_source), self.report_wait)
            self._index_file_checked_at = time.monotonic()
        if self._is_stopped:
            raise errors.Interrupted("the memory was told to stop")
        return self._index

    def has_index(self) -> bool:
        """Whether the index is open, or a file."""
        return self._index is not None or os.path.exists(self.index_path)

    def retry_index_file(self, index: Index) -> Index:
        """The index in its file, if the one in memory can be stored there now; else the one in memory."""
        sync_source, self._index_file_checked_at = self.sync_source(), time.monotonic()
        self._index = retry_on_disk(self.index_path, index, lambda index: fill_index(index, sync_source))
        return self._index

    def finish_interrupted(self) -> None:
        """Finish what an interrupted process left undone; what cannot be done now is left for a later start."""
        is_clean, self._unfinished = False, ()
        self._attempt(self._finish_buffer_rotation)
        with suppress(*TRANSIENT_ERRORS):
            kept: set[bytes] = set()
            for note in files.unfinished_intents(self.root, kept):
                is_done = not note or self._attempt(partial(self._finish_intent, note))
                is_clean = is_clean or self._attempt(partial(files.remove_abandoned_files, self.root))
                if not (is_done and is_clean):
                    kept.add(note)

    def _finish_buffer_rotation(self) -> None:
        root, path = self.root, files.ROTATION_PLAN_PATH
        if not files.is_missing(root, path) and files.read_file_if_exists(root, path) is not None:
            sessions.recover_buffer(self.write_context(None))

    def _finish_intent(self, intent_bytes: bytes) -> None:
        is_outdated, path = finish_intents(self.write_context(None), self.secret_scanner, intent_bytes)
        if path:
            self._unfinished += (FINISHED_NOTE.format(path),)
        if is_outdated:
            self.replace_index()

    def _attempt(self, action: Callable[[], object]) -> bool:
        """Whether an action succeeded; its failure does not prevent the start, but is noted."""
        try:
            action()
        except errors.LockBusy:
            return False  # somebody else is at it
        except (errors.CommonplaceError, OSError) as error:
            self._unfinished = (UNFINISHED_NOTE.format(getattr(error, "message", error)),)
            return False
        return True

    def secret_scanner(self, *, may_create_key: bool = True) -> scrub.SecretScanner:
        """The scanner for secrets; if the workspace has no key yet, a temporary one is used, so that scanning writes
        nothing."""
        if may_create_key:
            key = capture.workspace_key(self.root)
        else:
            key = files.read_file_if_exists(self.root, capture.KEY_PATH) or bytes(capture.KEY_BYTES)
        exact, masked = config.read_secret_values(self.root), capture.TextMasker(self.root).values("")
        return scrub.SecretScanner(self.root, key, exact, self.settings.files_max_bytes, masked)

    def replace_index(self) -> None:
        """Discard the index and create another, because it contains what the files no longer contain."""
        self.close()
        sync_source = self.sync_source()
        rebuild_index(self.index_path, lambda index: fill_index(index, sync_source))
        files.fsync_path(os.path.dirname(self.index_path))  # the old one must not come back after a power cut

    def dump_rebuilt_index(self) -> list[str]:
        """The canonical dump of a freshly built index, which is discarded afterwards."""
        import tempfile

        sync_source = self.sync_source()
        with tempfile.TemporaryDirectory(prefix="commonplace-") as folder:
            fresh = open_index(f"{folder}/index.sqlite", lambda index: fill_index(index, sync_source))
            dump = fresh.dump()
            fresh.close()
        return dump

    @cached_property
    def vectors_mode(self) -> str:
        """How recall uses vectors: `none`, `fallback` or `hybrid`; whether the extra is there is seen without loading
        it."""
        mode, provider = self.settings.vectors_mode, self.settings.vectors_provider
        if mode != "auto":
            return mode
        if provider not in ("", EXTRA_PROVIDER) or self.environment.vectors == "off":
            return "none"
        from importlib.machinery import PathFinder

        return "hybrid" if PathFinder.find_spec(EXTRA_MODULE) else "none"

    def open_embedder(self, timeout_s: float) -> Embedder:
        """The embedder that the settings name, else that of the extra. Raises EmbedderUnavailable."""
        from commonplace.models import EmbedderChoice, open_embedder

        settings = self.settings
        folder = os.path.join(self.root, os.path.expanduser(settings.vectors_model))
        model = folder if os.path.isdir(folder) else settings.vectors_model
        key = config.environment_variable(settings.vectors_key_env)
        provider = settings.vectors_provider or EXTRA_PROVIDER
        choice = EmbedderChoice(provider, model, settings.vectors_endpoint, key, timeout_s)
        return open_embedder(choice)

    def synced_index(self) -> Index:
        """The index after a sweep; if that is not possible now, the index as it is, with a note."""
        index = self.open_index()
        if index.memory_only_error and time.monotonic() - self._index_file_checked_at >= INDEX_FILE_RETRY_S:
            index = self.retry_index_file(index)
        self.notes = self._unfinished
        try:
            synchronise(index, self.sync_source(look=self.incremental_sweep.sweep))
        except errors.LockBusy:
            self.notes = ("the index is being written by another process; this answer is from before that",)
        except errors.SuspiciousLoss as error:
            self.notes = (f"{error.message} ({error.hint})",)
        except errors.WorkspaceUnusable as error:
            if not error.is_unwritable:
                raise
            self.notes = (STALE_ANSWER_NOTE.format(error.message, error.hint),)
        if index.memory_only_error:
            self.notes += (INDEX_IN_MEMORY_NOTE.format(index.memory_only_error.message, index.memory_only_error.hint),)
        return index

    def index_after_write(self, record_id: str = "", now: str | None = None) -> Record | None:
        """Bring the index up to date after something was written; the record of this id, if it has it.

        Where it cannot be had now there is a note that says so: what was written is on disk and acknowledged all the
        same, and the next start takes it in. What people wrote without a date is recorded as of now.
        """
        try:
            sync.append_seen(self.synced_index(), self.sync_source().journal, self.resolve_now(now))
            return self.open_index().find(record_id) if record_id else None
        except TRANSIENT_ERRORS as error:
            self.notes = (INDEX_BEHIND_NOTE.format(getattr(error, "message", error)),)
            return None

    def sync_source(self, now: str | None = None, look: Callable[[], Sweep] | None = None) -> SyncSource:
        device, minute = config.device_name(self.settings, self.environment), self.resolve_now(now)
        tombstones = read_tombstones(self.root)
        return SyncSource(self.root, self.settings, device, minute, time.time_ns(), self.progress, look, tombstones)

    def vocabulary(self, index: Index | None = None) -> truth.Vocabulary:
        """The names and keys of the notebook, as its files declare them now; of an index that is read already, which
        would be closed if another process put a new one in its place."""
        sync_source, index = self.sync_source(look=self.incremental_sweep.sweep), index or self.open_index()
        synced = index.synced_state()
        return sync_source.vocabulary(index, synced[0] if synced else sync_source.sweep())

    def resolve_now(self, now: str | None) -> str:
        """The given clock as an ISO minute, or the time now. Raises BadArgument."""
        return config.current_minute(self.settings, self.environment) if now is None else config.parse_minute(now)


def shared_fields(request: Struct, target: type[Struct]) -> dict[str, Any]:
    """The fields of a request that another Struct has too, by name."""
    return {name: getattr(request, name) for name in request.__struct_fields__ if name in target.__struct_fields__}


def find_records(index: Index, record_ids: Sequence[str]) -> tuple[Record, ...]:
    """The records with these ids, without those that do not exist."""
    return tuple(record for record_id in record_ids if (record := index.find(record_id)) is not None)


def require_skip(skip: int) -> int:
    """The number, if it is not negative. Raises BadArgument."""
    if skip < 0:
        raise errors.BadArgument(f"skip must be 0 or more, not {skip}")
    return skip


def require_result_count(result_count: int, parameter_name: str = "at_most") -> int:
    """The number, if it is between 1 and a million. Raises BadArgument."""
    if not 1 <= result_count <= MAX_RESULT_COUNT:
        raise errors.BadArgument(f"{parameter_name} must lie between 1 and {MAX_RESULT_COUNT}, not {result_count}")
    return result_count
