"""A worker: one thread that owns an open memory and does what is asked one after another, with deadlines and cancel."""

from __future__ import annotations

import heapq
import threading
import time
from collections import deque
from typing import TYPE_CHECKING
from weakref import ref

from commonplace.errors import Cancelled, CommonplaceError, DeadlinePassed, Interrupted, TooBusy
from commonplace.operations import find_operation, params_of
from commonplace.operations.failures import as_error, traceback_of
from commonplace.operations.holding import Held
from commonplace.operations.jobs import Job

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from commonplace.memory import Memory
    from commonplace.shapes import Json

MOST_WAITING = 256
MOST_DEADLINES = 4 * MOST_WAITING
NOTHING_DONE = "it had not begun: nothing was done"
BROKEN_OFF = "it only read: no memory was changed; a pack may have left its receipt"
TOO_LATE = "the deadline has passed"
GOES_ON = "it had begun and goes on: it may be done by now; what is repeated with the same `keys` adds nothing"


class Worker:
    """Runs operations on a memory that it owns from now on; `close` it at the end.

    Any thread may `submit` and `cancel`. Answers come through the `Job`, on the worker's thread or, where a deadline
    passes or somebody cancels, on another. `say` is given lines for the log.
    """

    def __init__(self, memory: Memory, *, say: Callable[[str], None], most_waiting: int = MOST_WAITING) -> None:
        self._held = Held(memory, say)
        self._say = say
        self._most = most_waiting
        self._waiting: deque[Job] = deque()
        self._running: Job | None = None
        self._deadlines: list[tuple[float, int, ref[Job]]] = []  # an answer is not to be kept until its deadline
        self._count = 0
        self._closing = False
        self._lock = threading.Lock()  # guards everything above
        self._arrived = threading.Condition(self._lock)  # work, or the end of it
        self._due = threading.Condition(self._lock)  # a deadline before all others, or the end of them
        self._threads = (
            threading.Thread(target=self._work, name="commonplace-worker", daemon=True),
            threading.Thread(target=self._watch, name="commonplace-deadlines", daemon=True),
        )
        for thread in self._threads:
            thread.start()

    # asking

    def submit(self, name: str, given: Any, *, deadline_s: float | None = None) -> Job:
        """Ask for an operation by name with its parameters as JSON; `deadline_s` is how long the answer may take.

        Never raises: what is wrong with the question is the job's error, also TooBusy.
        """
        try:
            operation = find_operation(name)
            asked = params_of(operation, given)
        except CommonplaceError as error:
            return _refused(error)
        return self.submit_call(
            lambda memory: operation.run(memory, asked), writes=operation.effect != "reads", deadline_s=deadline_s
        )

    def submit_call(
        self, run: Callable[[Memory], Json], *, writes: bool, deadline_s: float | None = None, first: bool = False
    ) -> Job:
        """Ask for anything that a memory can do; `first` puts it before all that waits."""
        job = Job(run, writes=writes, deadline=None if deadline_s is None else time.monotonic() + deadline_s)
        with self._lock:
            refusal = self._refusal()
            if refusal is None:
                self._waiting.appendleft(job) if first else self._waiting.append(job)
                self._mind(job)
                self._arrived.notify()
        if refusal is not None:
            job.settle(refusal)
        return job

    def warm_up(self) -> Job:
        """Ask something before all else, so that the first who asks does not wait for imports, files and the index."""
        return self.submit_call(_warm_up, writes=False, first=True)

    def cancel(self, job: Job) -> bool:
        """Give up an answer: what waits is dropped, what reads is broken off, what writes goes on to its end.

        False where it was answered already.
        """
        return self._give_up(job, Cancelled, "this was cancelled")

    def close(self, within_s: float) -> bool:
        """Take nothing more on, finish what was taken on, and let go of the memory; False if that takes longer."""
        with self._lock:
            self._closing = True
            self._arrived.notify()
            self._due.notify()
        until = time.monotonic() + within_s
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    @property
    def waiting(self) -> int:
        """How many jobs wait for their turn."""
        return len(self._waiting)

    def _refusal(self) -> CommonplaceError | None:
        if self._closing:
            return TooBusy("the memory is being closed")
        return TooBusy(f"{self._most} questions wait already") if len(self._waiting) >= self._most else None

    def _mind(self, job: Job) -> None:
        """Put the job's deadline on the clock."""
        if job.deadline is None:
            return
        if len(self._deadlines) > MOST_DEADLINES:  # those that were answered long before their time
            self._deadlines = [one for one in self._deadlines if _is_open(one[2]())]
            heapq.heapify(self._deadlines)
        self._count += 1
        heapq.heappush(self._deadlines, (job.deadline, self._count, ref(job)))
        if self._deadlines[0][2]() is job:
            self._due.notify()

    # the thread of the memory

    def _work(self) -> None:
        while (job := self._next()) is not None:
            answer = self._answered(job) if job.has_begun else DeadlinePassed(TOO_LATE, hint=NOTHING_DONE)
            with self._lock:
                self._running = None
                if self._closing:
                    self._due.notify()
            self._settle(job, job.verdict or answer)
        self._held.close()

    def _next(self) -> Job | None:
        """The next job that still wants an answer; None where there will be none."""
        with self._lock:
            while True:
                while self._waiting:
                    job = self._waiting.popleft()
                    if not job.is_done:
                        job.has_begun = job.deadline is None or time.monotonic() < job.deadline
                        self._running = job
                        self._held.go_on()
                        return job
                if self._closing:
                    self._due.notify()
                    return None
                self._arrived.wait()

    def _answered(self, job: Job) -> Json | CommonplaceError:
        try:
            return self._held.ask(job.run)
        except CommonplaceError as error:
            return error
        except Exception as error:  # noqa: BLE001 - the outermost frame of the worker: one bug must not end the others
            self._say(traceback_of(error))
            return as_error(error)

    # the thread of the clock

    def _watch(self) -> None:
        while True:
            with self._lock:
                job = self._overdue()
            if job is None:
                return
            self._give_up(job, DeadlinePassed, TOO_LATE)

    def _overdue(self) -> Job | None:
        """Wait for the next deadline that passes; None where there will be none."""
        while not (self._closing and not self._waiting and self._running is None):
            now = time.monotonic()
            while self._deadlines and (not _is_open(self._deadlines[0][2]()) or self._deadlines[0][0] <= now):
                job = heapq.heappop(self._deadlines)[2]()
                if job is not None and not job.is_done:
                    return job
            self._due.wait(self._deadlines[0][0] - now if self._deadlines else None)
        return None

    def _give_up(self, job: Job, kind: type[Interrupted], message: str) -> bool:
        with self._lock:
            if job in self._waiting:
                self._waiting.remove(job)
            reads = job is self._running and not job.writes
            hint = (GOES_ON if job.writes else BROKEN_OFF) if job.has_begun else NOTHING_DONE
            job.verdict = verdict = job.verdict or kind(message, hint=hint)
            if reads and not job.is_done:
                self._held.stop()  # under the lock, so that it cannot meet the next job
        return self._settle(job, verdict)

    def _settle(self, job: Job, answer: Json | CommonplaceError) -> bool:
        try:
            return job.settle(answer)
        except Exception as error:  # noqa: BLE001 - who is told may have a bug; the others still wait for their answers
            self._say(traceback_of(error))
            return True


def _is_open(job: Job | None) -> bool:
    """Whether somebody still waits for it."""
    return job is not None and not job.is_done


def _warm_up(memory: Memory) -> Json:
    import gc

    import commonplace.pack.make  # noqa: F401 - what an automatic pack imports when it is first asked for

    memory.recall("what is there to know?")
    gc.freeze()  # what is there now stays: collecting what comes need not look at it
    return {}


def _refused(error: CommonplaceError) -> Job:
    job = Job(lambda _memory: {}, writes=False)
    job.settle(error)
    return job
