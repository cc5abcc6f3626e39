"""The worker: one thread that owns an open Memory and runs jobs one at a time, with deadlines and cancellation."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable
from math import inf
from operator import attrgetter
from typing import Any

from commonplace import errors
from commonplace.memory import Memory
from commonplace.redact import mask_error, mask_messages
from commonplace.serve.dispatch.handlers import HANDLERS, decode_parameters, find_operation, pin_request, run_pinned
from commonplace.shapes import Json
from commonplace.storage import config, files


class Job:
    """One thing that a worker was asked: `result` waits for the answer, `when_done` is told of it.

    The first who settles it wins: the worker with an answer, the clock with DeadlinePassed, or a cancel.
    """

    def __init__(
        self, run: Callable[[Memory], Json], *, writes: bool, deadline: float = inf, typed: Any = None
    ) -> None:
        """`deadline` is a time of `time.monotonic`; no error repeats a secret in `typed`, which is JSON."""
        self.typed = typed
        self.run, self.writes, self.deadline = run, writes, deadline
        self.has_begun = False
        self.abort_error: errors.CommonplaceError | None = None  # why it was given up; the worker's to set
        self._lock = threading.Lock()
        self._settled_event = threading.Event()
        self._answer: Json = {}
        self.error: errors.CommonplaceError | None = None  # why there is no answer, once that is known
        self._listeners: list[Callable[[Job], object]] = []

    @property
    def is_done(self) -> bool:
        """Whether there is an answer or an error."""
        return self._settled_event.is_set()

    def result(self, timeout_s: float | None = None) -> Json:
        """The answer, waited for. Raises the CommonplaceError that is its answer, DeadlinePassed after `timeout_s`."""
        if not self._settled_event.wait(timeout_s):
            raise errors.DeadlinePassed(f"no answer within {timeout_s:g} s")
        try:
            if self.error is not None:
                raise self.error
            return self._answer
        finally:
            del self  # the error holds this frame, and the job the error: neither would go before garbage is looked for

    def when_done(self, listener: Callable[[Job], object]) -> None:
        """Call `tell(job)` once it is settled, on the thread that settles it; at once if it already is. It must not
        raise and should be quick."""
        with self._lock:
            if not self._settled_event.is_set():
                self._listeners.append(listener)
                return
        listener(self)

    def settle(self, outcome: Json | errors.CommonplaceError) -> bool:
        """Give the answer or the error; False if there was one already, which stays."""
        if isinstance(outcome, errors.CommonplaceError):
            mask_error(outcome, repr(self.typed))
        with self._lock:
            if self._settled_event.is_set():
                return False
            if isinstance(outcome, errors.CommonplaceError):
                self.error = outcome.with_traceback(None)  # its frames hold what was asked
            else:
                self._answer = outcome
            self._settled_event.set()
            told, self._listeners = self._listeners, []
        for tell in told:
            tell(self)
        return True


FolderStamp = tuple[int, ...]  # of a file or folder; empty where there is none
LATE_WRITE_TROUBLE = "a pack was given and its receipt is missing: {}"
MOUNT_HINT = "check that it is mounted; the daemon continues when it is back"


class ReopeningMemory:
    """An open `memory` whose folder and settings are checked before each question; one thread asks it."""

    def __init__(self, memory: Memory, log: Callable[[str], None]) -> None:
        self.memory, self._log = memory, log
        memory.workspace.answers_once = False
        self._folder = _folder_stamp(memory.root)
        self._settings = memory.workspace.settings_stamp
        self._note = ""
        self._late_writes: list[Callable[[], None]] = []
        self.trouble = ""  # why the last write after an answer failed, until a write succeeds

    def ask(self, run: Callable[[Memory], Json], deadline: float) -> Json:
        """The answer of `run`, with a note of what is wrong with settings or receipts. Raises what `run` raises."""
        self._check_workspace()
        self.memory.workspace.defer_write = None
        self.memory.workspace.deadline = deadline
        answer = run(self.memory)
        notes = [note for note in (self._note, self.trouble) if note]
        return answer | {"notes": [*answer["notes"], *notes]} if notes and "notes" in answer else answer

    def finish_writes(self, *, is_answered: bool) -> None:
        """Write what waits for an answer that was given now; what belongs to one that was not is dropped."""
        writes, self._late_writes = self._late_writes, []
        for write in writes if is_answered else ():
            try:
                write()
            except Exception as error:  # noqa: BLE001 - nobody waits for it any more; the worker must go on
                self.trouble = LATE_WRITE_TROUBLE.format(getattr(error.__cause__ or error, "message", repr(error)))
                is_ours = isinstance(error, errors.CommonplaceError)
                self._log(self.trouble if is_ours else errors.format_traceback(error))

    def defer_write(self, write: Callable[[], None]) -> None:
        """Keep a write until the answer is given; after one has failed, write at once until that succeeds."""
        if self.trouble:
            write()
            self.trouble = ""
        else:
            self._late_writes.append(write)

    def _check_workspace(self) -> None:
        """Open the memory again if its folder or settings are others now; settings that cannot be read change nothing.

        Raises WorkspaceNotFound.
        """
        root = self.memory.root
        folder = _folder_stamp(root)
        if not folder or (folder != self._folder and not files.list_folder_names(root)):
            self.memory.close()  # it must not keep a folder busy that is to be unmounted
            raise errors.WorkspaceNotFound(root, hint=MOUNT_HINT)
        settings = config.settings_stamp(root)
        if (folder, settings) != (self._folder, self._settings):
            before = self.memory
            before.close()
            try:
                self.memory, self._note = type(before).open(root, progress=before.workspace.progress), ""
            except errors.BadSettings as error:
                self._note = f"the settings of before are in force: {error.message}"
                self._log(self._note)
            self._folder, self._settings = folder, settings


def _folder_stamp(root: str) -> FolderStamp:
    try:
        found = os.stat(root)
    except (FileNotFoundError, NotADirectoryError):
        return ()
    return (found.st_dev, found.st_ino)


MAX_WAITING = 256
NOT_BEGUN_HINT = "the request had not started: nothing was done"
INTERRUPTED_HINT = "the request only reads: no memory was changed; a pack may have left its receipt"
DEADLINE_MESSAGE = "the deadline has passed"
STILL_RUNNING_HINT = (
    "the request had started and continues; it may be finished by now; repeating it with the same `keys` adds nothing"
)


class Worker:
    """Runs operations on a memory that it owns from now on; `close` it at the end.

    Any thread may `submit` and `cancel`. Answers come through the `Job`, on the worker's thread or, where a deadline
    passes or somebody cancels, on another. `log` is given lines for the log. With a `scope`, operations keep to it.
    """

    def __init__(
        self, memory: Memory, *, log: Callable[[str], None], max_waiting: int = MAX_WAITING, scope: str = ""
    ) -> None:
        self._scope = scope
        self._memory = ReopeningMemory(memory, log)
        self._log = log
        self._max_waiting = max_waiting
        self._waiting: deque[Job] = deque()
        self._running: Job | None = None
        self._first_deadline = inf  # which is waited for
        self._closing = False
        self._lock = threading.Lock()  # guards everything above
        self._job_available = threading.Condition(self._lock)  # work, or the end of it
        self._deadlines_changed = threading.Condition(self._lock)  # a deadline before all others, or the end of them
        self._threads = (
            threading.Thread(target=self._work, name="commonplace-worker", daemon=True),
            threading.Thread(target=self._watch_deadlines, name="commonplace-deadlines", daemon=True),
        )
        for thread in self._threads:
            thread.start()

    # asking

    def submit(self, name: str, arguments: Any, *, deadline_s: float | None = None) -> Job:
        """Ask for an operation by name with its parameters as JSON; `deadline_s` is how long the answer may take.

        The receipt of an automatic pack is written right after the answer. Never raises: what is wrong with the
        question is the job's error, also TooBusy.
        """
        try:
            operation = find_operation(name)
            asked = decode_parameters(operation, arguments)
            asked = pin_request(operation, asked, self._scope) if self._scope else asked
        except errors.CommonplaceError as error:
            job = Job(lambda _memory: {}, writes=False, typed=arguments)
            job.settle(error)
            return job

        def run(memory: Memory) -> Json:
            memory.workspace.defer_write = self._memory.defer_write
            pinned = self._scope
            return run_pinned(memory, operation, asked, pinned) if pinned else HANDLERS[name](memory, asked)

        return self.submit_call(run, writes=operation.effect != "reads", deadline_s=deadline_s, typed=arguments)

    def submit_call(
        self,
        run: Callable[[Memory], Json],
        *,
        writes: bool,
        deadline_s: float | None = None,
        urgent: bool = False,
        typed: Any = None,
    ) -> Job:
        """Ask for anything that a memory can do; `urgent` puts it before all that waits."""
        deadline = inf if deadline_s is None else time.monotonic() + deadline_s
        job = Job(run, writes=writes, deadline=deadline, typed=typed)
        with self._lock:
            refusal = self._refusal()
            if refusal is None:
                self._waiting.appendleft(job) if urgent else self._waiting.append(job)
                self._job_available.notify()
                if deadline < self._first_deadline:
                    self._deadlines_changed.notify()
        if refusal is not None:
            job.settle(refusal)
        return job

    def warm_up(self) -> Job:
        """Ask something before all else, so that the first who asks does not wait for imports, files and the index."""
        return self.submit_call(_warm_up_memory, writes=False, urgent=True)

    def cancel(self, job: Job) -> bool:
        """Cancel a job: a waiting one is dropped, a read is interrupted, a write is completed.

        False where it was answered already.
        """
        return self._abort(job, errors.Cancelled, "this was cancelled")

    def close(self, within_s: float) -> bool:
        """Take nothing more on, finish what was taken on, and let go of the memory; False if that takes longer."""
        with self._lock:
            self._closing = True
            self._job_available.notify()
            self._deadlines_changed.notify()
        until = time.monotonic() + within_s
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    @property
    def waiting(self) -> int:
        """The number of waiting jobs."""
        return len(self._waiting)

    @property
    def trouble(self) -> str:
        """Why the receipt of an answer is missing, until one could be written again; else empty."""
        return self._memory.trouble

    def _refusal(self) -> errors.CommonplaceError | None:
        if self._closing:
            return errors.TooBusy("the memory is being closed")
        is_full = len(self._waiting) >= self._max_waiting
        return errors.TooBusy(f"{self._max_waiting} questions wait already") if is_full else None

    # the thread of the memory

    def _work(self) -> None:
        while (job := self._next()) is not None:
            answer = (
                self._run_job(job) if job.has_begun else errors.DeadlinePassed(DEADLINE_MESSAGE, hint=NOT_BEGUN_HINT)
            )
            with self._lock:
                self._running = None
                if self._closing:
                    self._deadlines_changed.notify()
            is_settled = self._settle(job, job.abort_error or answer)
            self._memory.finish_writes(is_answered=is_settled and job.error is None)
        self._memory.memory.close()

    def _next(self) -> Job | None:
        """The next job whose answer is still needed; None if there will be none."""
        with self._lock:
            while True:
                while self._waiting:
                    job = self._waiting.popleft()
                    if not job.is_done:
                        job.has_begun = time.monotonic() < job.deadline
                        self._running = job
                        self._memory.memory.workspace.go_on()
                        return job
                if self._closing:
                    self._deadlines_changed.notify()
                    return None
                self._job_available.wait()

    def _run_job(self, job: Job) -> Json | errors.CommonplaceError:
        try:
            return self._memory.ask(job.run, job.deadline)
        except errors.CommonplaceError as error:
            return error
        except Exception as error:  # noqa: BLE001 - the outermost frame of the worker: one bug must not end the others
            self._log(mask_messages((errors.format_traceback(error),), repr(job.typed))[0])
            return errors.to_commonplace_error(error)

    # the thread of the clock

    def _watch_deadlines(self) -> None:
        while True:
            with self._lock:
                job = self._next_overdue()
            if job is None:
                return
            self._abort(job, errors.DeadlinePassed, DEADLINE_MESSAGE)

    def _next_overdue(self) -> Job | None:
        """Wait for the next deadline that passes; None if there will be none."""
        while not (self._closing and not self._waiting and self._running is None):
            awaited = (job for job in (self._running, *self._waiting) if job and not job.is_done)
            first, now = min(awaited, key=attrgetter("deadline"), default=None), time.monotonic()
            self._first_deadline = first.deadline if first else inf
            if self._first_deadline <= now:
                return first
            first = None  # its answer is not to be kept until the deadline
            self._deadlines_changed.wait(min(self._first_deadline - now, threading.TIMEOUT_MAX))
        return None

    def _abort(self, job: Job, error_type: type[errors.Interrupted], message: str) -> bool:
        with self._lock:
            if job in self._waiting:
                self._waiting.remove(job)
            reads = job is self._running and not job.writes
            hint = (STILL_RUNNING_HINT if job.writes else INTERRUPTED_HINT) if job.has_begun else NOT_BEGUN_HINT
            job.abort_error = verdict = job.abort_error or error_type(message, hint=hint)
            if reads and not job.is_done:
                self._memory.memory.workspace.stop()  # under the lock, so that it cannot meet the next job
        return self._settle(job, verdict)

    def _settle(self, job: Job, outcome: Json | errors.CommonplaceError) -> bool:
        try:
            return job.settle(outcome)
        except Exception as error:  # noqa: BLE001 - who is told may have a bug; the others still wait for their answers
            self._log(errors.format_traceback(error))
            return True


def _warm_up_memory(memory: Memory) -> Json:
    import gc

    from commonplace.memory import recall_records
    from commonplace.operations.parameters import RecallRequest

    # What an automatic pack imports when it is first asked for.
    from commonplace.retrieval.pack import make_pack  # noqa: F401

    recall_records(memory.workspace, RecallRequest("what is there to know?"))  # which asks no language model
    gc.freeze()  # what is there now stays: collecting what comes need not look at it
    return {}
