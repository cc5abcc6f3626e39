"""A memory over two pipes: JSON lines in, JSON lines out, for as long as the other side is there."""

from __future__ import annotations

import os
import select
import signal
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from commonplace.operations import ending
from commonplace.operations.worker import Worker
from commonplace.stdio.desk import Desk
from commonplace.stdio.hanging import is_hung_up
from commonplace.stdio.lines import Lines
from commonplace.stdio.outbox import Outbox
from commonplace.stdio.protocol import PROTOCOL, ready_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from commonplace.memory import Memory

__all__ = ["PROTOCOL", "Pipes", "serve"]

PIECE = 1 << 16  # bytes read at once
LOOK_S = 1.0  # how often the parent is looked after
End = Literal["", "closed", "told", "alone"]


class Pipes(Struct, frozen=True):
    """Where requests come from and answers go to, as file descriptors, and how long the end may take.

    `finish_s` is for what was accepted when the other side closed its end; `leave_s` when it is gone altogether, or the
    process was told to end.
    """

    incoming: int
    outgoing: int
    finish_s: float = 30.0
    leave_s: float = 5.0


def serve(memory: Memory, version: str, pipes: Pipes, say: Callable[[str], None]) -> bool:
    """Answer until the other side closes its end, goes away, or a signal ends it; owns the memory from now on.

    To be called on the main thread. `say` is given lines for the log. False where something could not be finished in
    time: then the threads are still at it, and the process should end itself.
    """
    parent = os.getppid()  # before anybody knows that we are ready
    with _bell() as (bell, ring):
        outbox = Outbox(pipes.outgoing, ring)
        outbox.put(ready_line(version, memory.root))
        worker = Worker(memory, say=say)
        worker.warm_up()
        ways = _Ways(pipes.incoming, bell, parent)
        end = _read(ways, Desk(worker, outbox.put), outbox)
        until = time.monotonic() + (pipes.finish_s if end == "closed" else pipes.leave_s)
        is_done = worker.close(until - time.monotonic())
        is_written = outbox.close(max(0.0, until - time.monotonic()))
    if not is_done:
        say("what was asked last is not finished and is left behind")
    return is_done and is_written


@contextmanager
def _bell() -> Iterator[tuple[int, Callable[[], None]]]:
    """A descriptor that can be read when a signal came, or when the function was called."""
    bell, rope = os.pipe()
    os.set_blocking(rope, False)
    before = {number: signal.signal(number, lambda _number, _frame: None) for number in ending.signals()}
    wakeup = signal.set_wakeup_fd(rope, warn_on_full_buffer=False)
    try:
        yield bell, lambda: _ring(rope)
    finally:
        signal.set_wakeup_fd(wakeup)
        for number, handler in before.items():
            signal.signal(number, handler)


def _ring(rope: int) -> None:
    os.write(rope, b"!")


class _Ways(Struct, frozen=True):
    """What can end the reading: the input, the bell, the process that was the parent at the start."""

    incoming: int
    bell: int
    parent: int

    def next(self) -> tuple[End, bytes]:
        """What was read next; or nothing and why, empty while there is nothing yet."""
        ready, _, _ = select.select([self.incoming, self.bell], [], [], LOOK_S)
        end = self.end()
        if end or not ready:
            return end, b""
        piece = os.read(self.incoming, PIECE)
        return ("" if piece else "closed"), piece

    def is_over(self) -> bool:
        """Whether nothing more comes than what there is already."""
        return is_hung_up(self.incoming)

    def end(self) -> End:
        """Whether it is time to go, whatever else could be read; the pipes of a parent that died may be held open."""
        if select.select([self.bell], [], [], 0)[0]:
            return "told"
        return "alone" if os.getppid() != self.parent else ""


def _read(ways: _Ways, desk: Desk, outbox: Outbox) -> End:
    """Take in lines until there will be no more; why."""
    lines = Lines()
    end: End = ""
    while not end:
        end, piece = ways.next()
        for line in lines.feed(piece) if piece else lines.finish() if end == "closed" else ():
            while not (outbox.has_room(0) or ways.is_over() or outbox.has_room(LOOK_S)):
                if told := ways.end():
                    return told
            desk.take(line)
    return end
