"""A Memory served over two pipes: JSON lines in, JSON lines out, until the client closes its end."""

from __future__ import annotations

import os
import select
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Literal

from msgspec import Struct

from commonplace.errors import BadArgument, InternalError, TooBusy
from commonplace.memory import Memory
from commonplace.serve import handle_shutdown_signals
from commonplace.serve.dispatch import Job, Worker
from commonplace.serve.stdio import protocol
from commonplace.serve.stdio.line_streams import MAX_LINE_BYTES, LineSplitter, Outbox, OversizedLine, is_hung_up

MAX_PENDING_BYTES = 4 * MAX_LINE_BYTES  # of questions that are not answered yet
UNENCODABLE = (TypeError, ValueError, OverflowError, RecursionError)


class LineDispatcher:
    """Takes lines in, hands lines out to `put`, which any thread may call."""

    def __init__(self, worker: Worker, put: Callable[[bytes], None]) -> None:
        self._worker, self._put = worker, put
        self._jobs_by_id: dict[protocol.RequestId, Job] = {}
        self._pending_bytes = 0
        self._lock = threading.Lock()  # guards the two above

    def dispatch(self, raw_line: bytes | OversizedLine) -> None:
        """Execute the request of a line; a malformed line gets an error."""
        asked = protocol.parse_line(raw_line, MAX_LINE_BYTES)
        if isinstance(asked, protocol.StdioRequest):
            self._submit(asked, len(raw_line) if isinstance(raw_line, bytes) else 0)
        elif isinstance(asked, protocol.CancelRequest):
            job = self._jobs_by_id.get(asked.id)
            if job is not None:  # else its answer is under way
                self._worker.cancel(job)
        else:
            # An id in use is not answered here: its request is.
            self._put(protocol.error_line(None if asked.id in self._jobs_by_id else asked.id, asked.error))

    def _submit(self, request: protocol.StdioRequest, size: int) -> None:
        if request.id in self._jobs_by_id:
            message = f"the id {request.id!r} belongs to a request that is not answered yet"
            self._put(protocol.error_line(None, BadArgument(message, hint="give every request an id of its own")))
            return
        if self._jobs_by_id and self._pending_bytes + size > MAX_PENDING_BYTES:
            self._put(protocol.error_line(request.id, TooBusy(f"{self._pending_bytes} bytes of requests wait already")))
            return
        deadline_s = None if request.deadline_ms is None else request.deadline_ms / 1e3
        job = self._worker.submit(request.method, request.params, deadline_s=deadline_s)
        with self._lock:
            self._jobs_by_id[request.id] = job
            self._pending_bytes += size
        job.when_done(partial(self._answer, request.id, size))

    def _answer(self, request_id: protocol.RequestId, size: int, job: Job) -> None:
        raw_line = _response_line(request_id, job)
        with self._lock:
            del self._jobs_by_id[request_id]
            self._pending_bytes -= size
        self._put(raw_line)


def _response_line(request_id: protocol.RequestId, job: Job) -> bytes:
    if job.error is not None:
        return protocol.error_line(request_id, job.error)
    try:
        return protocol.answer_line(request_id, job.result())
    except UNENCODABLE as error:
        bug = InternalError(f"the answer is no JSON: {error}", hint="this is a bug; please report it")
        return protocol.error_line(request_id, bug)


READ_BYTES = 1 << 16  # bytes read at once
PARENT_CHECK_S = 1.0  # how often the parent is looked after
EndReason = Literal["", "closed", "told", "alone"]


class Pipes(Struct, frozen=True):
    """The file descriptors for requests and answers, and the timeouts for shutting down.

    `drain_timeout_s` is for what was accepted when the other side closed its end; `exit_timeout_s` when it is gone
    altogether, or the process was told to end.
    """

    incoming: int
    outgoing: int
    drain_timeout_s: float = 30.0
    exit_timeout_s: float = 5.0


def serve_stdio_pipes(memory: Memory, version: str, pipes: Pipes, log: Callable[[str], None]) -> bool:
    """Answer until the other side closes its end, goes away, or a signal ends it; owns the memory from now on.

    To be called on the main thread. `log` is given lines for the log. False where something could not be finished in
    time: then the threads are still at it, and the process should end itself.
    """
    parent = os.getppid()  # before anybody knows that we are ready
    with _wakeup_pipe() as (bell, ring):
        outbox = Outbox(pipes.outgoing, ring)
        outbox.put(protocol.ready_line(version, memory.root))
        worker = Worker(memory, log=log)
        worker.warm_up()
        ways = _Inputs(pipes.incoming, bell, parent)
        end = _dispatch_lines(ways, LineDispatcher(worker, outbox.put), outbox)
        until = time.monotonic() + (pipes.drain_timeout_s if end == "closed" else pipes.exit_timeout_s)
        is_done = worker.close(until - time.monotonic())
        is_written = outbox.close(max(0.0, until - time.monotonic()))
    if not is_done:
        log("what was asked last is not finished and is left behind")
    return is_done and is_written


@contextmanager
def _wakeup_pipe() -> Iterator[tuple[int, Callable[[], object]]]:
    """A descriptor that can be read when a signal came, or when the function was called."""
    bell, rope = os.pipe()
    os.set_blocking(rope, False)
    with handle_shutdown_signals(lambda _number, _frame: None):
        wakeup = signal.set_wakeup_fd(rope, warn_on_full_buffer=False)
        try:
            yield bell, lambda: os.write(rope, b"!")
        finally:
            signal.set_wakeup_fd(wakeup)


class _Inputs(Struct, frozen=True):
    """The events that can end the reading: the input, the wake-up pipe, the end of the original parent process."""

    incoming: int
    wakeup: int
    parent: int

    def next(self) -> tuple[EndReason, bytes]:
        """The next input; or nothing and the reason, which is empty as long as there is no input."""
        ready, _, _ = select.select([self.incoming, self.wakeup], [], [], PARENT_CHECK_S)
        end = self.end_reason()
        if end or not ready:
            return end, b""
        piece = os.read(self.incoming, READ_BYTES)
        return ("" if piece else "closed"), piece

    def end_reason(self) -> EndReason:
        """Whether it is time to go, whatever else could be read; the pipes of a parent that died may be held open."""
        if select.select([self.wakeup], [], [], 0)[0]:
            return "told"
        return "alone" if os.getppid() != self.parent else ""


def _dispatch_lines(inputs: _Inputs, dispatcher: LineDispatcher, outbox: Outbox) -> EndReason:
    """Take in lines until there will be no more; why."""
    lines = LineSplitter()
    end: EndReason = ""
    while not end:
        end, piece = inputs.next()
        for line in lines.feed(piece) if piece else lines.finish() if end == "closed" else ():
            while not (outbox.has_room(0) or is_hung_up(inputs.incoming) or outbox.has_room(PARENT_CHECK_S)):
                if told := inputs.end_reason():
                    return told
            dispatcher.dispatch(line)
    return end
