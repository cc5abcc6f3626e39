"""A job: one question on its way through a worker, answered once whatever happens."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from commonplace.errors import CommonplaceError, DeadlinePassed

if TYPE_CHECKING:
    from collections.abc import Callable

    from commonplace.memory import Memory
    from commonplace.shapes import Json


class Job:
    """One thing that a worker was asked: `result` waits for the answer, `when_done` is told of it.

    The first who settles it wins: the worker with an answer, the clock with DeadlinePassed, or a cancel.
    """

    def __init__(self, run: Callable[[Memory], Json], *, writes: bool, deadline: float | None = None) -> None:
        """`deadline` is a time of `time.monotonic`."""
        self.run, self.writes, self.deadline = run, writes, deadline
        self.has_begun = False
        self.verdict: CommonplaceError | None = None  # why it was given up; the worker's to set
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._answer: Json = {}
        self._error: CommonplaceError | None = None
        self._told: list[Callable[[Job], None]] = []

    @property
    def is_done(self) -> bool:
        """Whether there is an answer or an error."""
        return self._done.is_set()

    @property
    def error(self) -> CommonplaceError | None:
        """Why there is no answer; None while there is none yet, and where there is one."""
        return self._error

    def result(self, timeout_s: float | None = None) -> Json:
        """The answer, waited for. Raises the CommonplaceError that is its answer, DeadlinePassed after `timeout_s`."""
        if not self._done.wait(timeout_s):
            raise DeadlinePassed(f"there was no answer within {timeout_s:g} s")
        try:
            if self._error is not None:
                raise self._error
            return self._answer
        finally:
            del self  # the error holds this frame, and the job the error: neither would go before garbage is looked for

    def when_done(self, tell: Callable[[Job], None]) -> None:
        """Call `tell(job)` once it is settled, on the thread that settles it; at once where it is. It must not raise
        and should be quick."""
        with self._lock:
            if not self._done.is_set():
                self._told.append(tell)
                return
        tell(self)

    def settle(self, answer: Json | CommonplaceError) -> bool:
        """Give the answer or the error; False where there was one already, which stays."""
        with self._lock:
            if self._done.is_set():
                return False
            if isinstance(answer, CommonplaceError):
                self._error = answer.with_traceback(None)  # its frames hold what was asked
            else:
                self._answer = answer
            self._done.set()
            told, self._told = self._told, []
        for tell in told:
            tell(self)
        return True
