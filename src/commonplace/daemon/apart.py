"""Jobs of the schedule, each in a process of its own: what one takes of memory goes back whole, and nobody waits."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from commonplace.errors import Cancelled, Unreachable

if TYPE_CHECKING:
    from subprocess import Popen

    from commonplace.client import Piped
    from commonplace.daemon.schedule import Job

ENDING = "the daemon is ending"
AGAIN = "it is due again at the next start"


class Apart:
    """Does one job after another on a workspace; any thread may `stop` it for good."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._lock = threading.Lock()  # guards what follows
        self._process: Piped | None = None
        self._starting: Popen[bytes] | None = None  # nothing was asked of it yet
        self._is_over = False

    def act(self, job: Job) -> str:
        """Do a job to its end; what it did, in words.

        Raises the CommonplaceError of the job, Unreachable where its process cannot start or dies, Cancelled where it
        was stopped.
        """
        process = self._begin()
        try:
            done = process.ask(job.operation, job.given)
        except Unreachable:
            self._look()  # was it stopped?
            raise
        finally:
            process.close()
        return f"{done['captures']} captures, {len(done['kept'])} lines kept, {len(done['pending'])} to review"

    def stop(self, within_s: float) -> None:
        """Begin nothing more; let what was begun come to its end, but kill it where that takes longer.

        A process that is not ready yet is killed at once: it has begun nothing.
        """
        with self._lock:
            self._is_over = True
            process = self._process
            if self._starting is not None:
                self._starting.kill()
        if process is not None:
            process.close(within_s)

    def _begin(self) -> Piped:
        """A process that is ready; a signal of the terminal does not reach it, and it ends with the daemon."""
        from commonplace.client import spawn

        self._look()
        try:
            process = spawn(self._root, begun=self._note, start_new_session=True)
        except Unreachable:
            self._look()  # was it stopped?
            raise
        finally:
            self._note(None)
        with self._lock:
            self._process = process
        self._look(process)
        return process

    def _note(self, starting: Popen[bytes] | None) -> None:
        with self._lock:
            self._starting = starting
            if self._is_over and starting is not None:
                starting.kill()

    def _look(self, process: Piped | None = None) -> None:
        """Raises Cancelled where this was stopped; then the process is let go of."""
        with self._lock:
            is_over = self._is_over
        if is_over:
            if process is not None:
                process.close()
            raise Cancelled(ENDING, hint=AGAIN)
