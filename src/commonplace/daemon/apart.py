"""Jobs of the schedule, each in a process of its own: what one takes of memory goes back whole, and nobody waits."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from commonplace.errors import Cancelled, Unreachable

if TYPE_CHECKING:
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
        """Begin nothing more; let what was begun come to its end, but kill it where that takes longer."""
        with self._lock:
            self._is_over = True
            process = self._process
        if process is not None:
            process.close(within_s)

    def _begin(self) -> Piped:
        """A process that is ready; a signal of the terminal does not reach it, and it ends with the daemon."""
        from commonplace.client import spawn

        self._look()
        process = spawn(self._root, start_new_session=True)
        with self._lock:
            self._process = process
        self._look(process)
        return process

    def _look(self, process: Piped | None = None) -> None:
        """Raises Cancelled where this was stopped; then the process is let go of."""
        with self._lock:
            is_over = self._is_over
        if is_over:
            if process is not None:
                process.close()
            raise Cancelled(ENDING, hint=AGAIN)
