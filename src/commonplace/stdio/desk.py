"""The desk: what each line asks goes to the worker, and each request is answered once."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING

from commonplace.errors import BadArgument, CommonplaceError, InternalError, TooBusy
from commonplace.stdio.lines import MOST_LINE
from commonplace.stdio.protocol import Cancel, Id, NoRequest, Request, answer_line, error_line, read_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from commonplace.operations.jobs import Job
    from commonplace.operations.worker import Worker
    from commonplace.stdio.lines import Ends

MOST_BYTES = 4 * MOST_LINE  # of questions that are not answered yet
UNENCODABLE = (TypeError, ValueError, OverflowError, RecursionError)


class Desk:
    """Takes lines in, hands lines out to `put`, which any thread may call."""

    def __init__(self, worker: Worker, put: Callable[[bytes], None]) -> None:
        self._worker, self._put = worker, put
        self._asked: dict[Id, Job] = {}
        self._bytes = 0
        self._lock = threading.Lock()  # guards the two above

    def take(self, line: bytes | Ends) -> None:
        """Do what a line asks; what is wrong with it is answered."""
        asked = read_line(line, MOST_LINE)
        if isinstance(asked, Request):
            self._ask(asked, len(line) if isinstance(line, bytes) else 0)
        elif isinstance(asked, Cancel):
            job = self._asked.get(asked.id)
            if job is not None:  # else its answer is under way
                self._worker.cancel(job)
        else:
            self._refuse(asked)

    def _refuse(self, line: NoRequest) -> None:
        """An id that is in flight keeps its one answer."""
        self._put(error_line(None if line.id in self._asked else line.id, line.error))

    def _ask(self, request: Request, size: int) -> None:
        if request.id in self._asked:
            message = f"the id {request.id!r} belongs to a request that is not answered yet"
            self._put(error_line(None, BadArgument(message, hint="give every request an id of its own")))
            return
        if self._asked and self._bytes + size > MOST_BYTES:
            self._put(error_line(request.id, TooBusy(f"{self._bytes} bytes of requests wait already")))
            return
        deadline_s = None if request.deadline_ms is None else request.deadline_ms / 1e3
        job = self._worker.submit(request.method, request.params, deadline_s=deadline_s)
        with self._lock:
            self._asked[request.id] = job
            self._bytes += size
        job.when_done(partial(self._answer, request.id, size))

    def _answer(self, number: Id, size: int, job: Job) -> None:
        line = _line(number, job)
        with self._lock:
            del self._asked[number]
            self._bytes -= size
        self._put(line)


def _line(number: Id, job: Job) -> bytes:
    if job.error is not None:
        return error_line(number, job.error)
    try:
        return answer_line(number, job.result())
    except UNENCODABLE as error:
        return error_line(number, _bug(error))


def _bug(error: Exception) -> CommonplaceError:
    return InternalError(f"the answer is no JSON: {error}", hint="this is a bug; please report it")
