"""What is to be written, line by line, by a thread of its own: who answers never waits for who reads."""

from __future__ import annotations

import os
import select
import threading
from collections import deque
from typing import TYPE_CHECKING

from commonplace.stdio.hanging import unread

if TYPE_CHECKING:
    from collections.abc import Callable

PIECE = 1 << 14  # bytes written at once: the least that a socket tells to be taken
MOST_LINES, MOST_BYTES = 1_000, 16 << 20  # unread answers before no more questions are read


class Outbox:
    """Lines on their way to a file descriptor; `hung_up` is called once when nobody reads them any more."""

    def __init__(self, outgoing: int, hung_up: Callable[[], None]) -> None:
        self._outgoing, self._hung_up = outgoing, hung_up
        self._lines: deque[bytes] = deque()
        self._size = 0  # of them, and of what is being written, in bytes
        self._taken = 0  # bytes that the descriptor took
        self._is_closing = self._is_gone = False
        self._change = threading.Condition()
        self._thread = threading.Thread(target=self._write, name="commonplace-answers", daemon=True)
        self._thread.start()

    def put(self, line: bytes) -> None:
        """Write a line, some time soon; where nobody reads it is dropped."""
        with self._change:
            if not self._is_gone:
                self._lines.append(line)
                self._size += len(line)
                self._change.notify_all()

    def has_room(self, timeout_s: float) -> bool:
        """Whether what is read off is not far behind what is written; waits for that."""
        with self._change:
            return self._change.wait_for(lambda: len(self._lines) < MOST_LINES and self._size < MOST_BYTES, timeout_s)

    def how_far(self) -> tuple[int, int]:
        """How much is written, and how much of that is not read yet: the same again where nobody takes any of it.

        A socket may be written to again only once three quarters of what it holds are read.
        """
        return self._taken, unread(self._outgoing)

    def close(self, within_s: float) -> bool:
        """Write what is left; False where nobody takes it in time."""
        self._no_more()
        self._thread.join(within_s)
        return not self._thread.is_alive()

    def drain(self, patience_s: float) -> bool:
        """Write what is left, for as long as it is being taken; False where for some time nobody takes any of it."""
        self._no_more()
        before = (-1, 0)
        while self._thread.is_alive() and before != (now := self.how_far()):
            before = now
            self._thread.join(patience_s)
        return not self._thread.is_alive()

    def _no_more(self) -> None:
        with self._change:
            self._is_closing = True
            self._change.notify_all()

    def _write(self) -> None:
        while piece := self._next():
            left = memoryview(piece)
            try:
                while left:
                    count = self._begun(left[:PIECE])
                    left = left[count:]
                    with self._change:
                        self._taken += count
                        self._size -= count
                        self._change.notify_all()
            except OSError:  # the reader has gone, or the descriptor was never open: there is nobody to tell
                with self._change:
                    self._is_gone = True
                    self._lines.clear()
                    self._size = 0
                    self._change.notify_all()
                self._hung_up()
                return

    def _begun(self, piece: memoryview) -> int:
        """How many bytes were written; waits also where others have made the descriptor one that never waits."""
        try:
            return os.write(self._outgoing, piece)
        except BlockingIOError:
            poll = select.poll()
            poll.register(self._outgoing, select.POLLOUT)
            poll.poll()
            return 0

    def _next(self) -> bytes:
        """All that waits to be written; empty where nothing more will come."""
        with self._change:
            self._change.wait_for(lambda: self._lines or self._is_closing)
            piece = b"".join(self._lines)
            self._lines.clear()
            self._change.notify_all()
            return piece
