"""Lines over file descriptors: bytes split into lines of bounded length, and a queue of lines written by a thread."""

from __future__ import annotations

import fcntl
import os
import select
import sys
import termios
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress

from msgspec import Struct

from commonplace.lazy import lazy_pattern

MAX_LINE_BYTES = 16_000_000  # bytes; a long transcript to ingest
KEPT_END_BYTES = 1_024  # bytes held of the beginning and of the end of a longer one


class OversizedLine(Struct, frozen=True):
    """The beginning and the end of a line that was too long."""

    head: bytes
    tail: bytes

    def outer_members(self) -> bytes:
        """JSON: an object of the whole numbers and short ASCII texts that stand in the line before and behind all else.

        So who sent it can be answered under its `id`. What stands deeper, or in a text, is never taken for one of them.
        """
        head, tail = _HEAD_MEMBERS.match(self.head), _TAIL_MEMBERS.search(self.tail)
        found = [member for part in (head, tail) if part for member in _MEMBER_PATTERN.findall(part[1])]
        return b"{" + b",".join(found) + b"}"


class LineSplitter:
    """Feed it what was read; it yields lines without their end, and the ends of one that was too long."""

    def __init__(self, max_bytes: int = MAX_LINE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._partial = bytearray()
        self._head: bytes | None = None  # of a line that is being skipped; its end is what was begun

    def feed(self, piece: bytes) -> Iterator[bytes | OversizedLine]:
        """The lines that end in this piece."""
        *ends, rest = piece.split(b"\n")
        for end in ends:
            yield self._complete(end)
        self._extend(rest)

    def finish(self) -> Iterator[bytes | OversizedLine]:
        """What was begun and has no end; the brace that one too long was cut off behind may be any."""
        if self._partial or self._head is not None:
            line = self._complete(b"")
            yield line if isinstance(line, bytes) else OversizedLine(line.head, b"")

    def _complete(self, end: bytes) -> bytes | OversizedLine:
        if not self._partial and self._head is None and len(end) <= self._max_bytes:
            return end
        self._extend(end)
        line = bytes(self._partial) if self._head is None else OversizedLine(self._head, bytes(self._partial))
        self._partial, self._head = bytearray(), None
        return line

    def _extend(self, piece: bytes) -> None:
        self._partial += piece
        if self._head is None and len(self._partial) > self._max_bytes:
            self._head = bytes(self._partial[:KEPT_END_BYTES])
        if self._head is not None:
            del self._partial[:-KEPT_END_BYTES]


_MEMBER = rb'"[a-z_]+"[ \t\r]*:[ \t\r]*(?:-?(?:0|[1-9][0-9]{0,15})|"[ !#-\[\]-~]{0,200}")'


_MEMBER_PATTERN = lazy_pattern(_MEMBER)
_HEAD_MEMBERS = lazy_pattern(rb"[ \t\r]*\{((?:[ \t\r]*" + _MEMBER + rb"[ \t\r]*,)*)")
# Members between commas and the brace that ends the line: it closes the outermost object, so they are of that.
_TAIL_MEMBERS = lazy_pattern(rb"((?:,[ \t\r]*" + _MEMBER + rb"[ \t\r]*)+)\}[ \t\r]*\Z")
HUNG_UP = select.POLLHUP | getattr(select, "POLLRDHUP", 0)  # the latter of a socket that is closed for sending alone


def is_hung_up(descriptor: int) -> bool:
    """Whether nothing more comes than what there is already."""
    poll = select.poll()
    poll.register(descriptor, HUNG_UP)
    return any(event & HUNG_UP for _number, event in poll.poll(0))


def unread_bytes(descriptor: int) -> int:
    """The number of bytes written that are not read yet, as the system measures it; 0 if it does not say."""
    for question in (termios.TIOCOUTQ, termios.FIONREAD):  # of sockets and terminals, of pipes
        with suppress(OSError, ValueError):  # the latter of what never was a descriptor
            return int.from_bytes(fcntl.ioctl(descriptor, question, bytes(4)), sys.byteorder)
    return 0


WRITE_BYTES = 1 << 14  # bytes written at once: the least that a socket tells to be taken
MAX_QUEUED_LINES, MAX_QUEUED_BYTES = 1_000, 16 << 20  # unread answers before no more questions are read


class Outbox:
    """Lines on their way to a file descriptor; `on_hang_up` is called once when nobody reads them any more."""

    def __init__(self, outgoing: int, on_hang_up: Callable[[], object]) -> None:
        self._outgoing, self._on_hang_up = outgoing, on_hang_up
        self._lines: deque[bytes] = deque()
        self._size = 0  # of them, and of what is being written, in bytes
        self._written_bytes = 0  # bytes that the descriptor took
        self._is_closing = self._is_gone = False
        self._change = threading.Condition()
        self._thread = threading.Thread(target=self._write, name="commonplace-answers", daemon=True)
        self._thread.start()

    def put(self, raw_line: bytes) -> None:
        """Write a line, some time soon; where nobody reads it is dropped."""
        with self._change:
            if not self._is_gone:
                self._lines.append(raw_line)
                self._size += len(raw_line)
                self._change.notify_all()

    def has_room(self, timeout_s: float) -> bool:
        """Whether what is read off is not far behind what is written; waits for that."""
        with self._change:
            return self._change.wait_for(
                lambda: len(self._lines) < MAX_QUEUED_LINES and self._size < MAX_QUEUED_BYTES, timeout_s
            )

    def progress(self) -> tuple[int, int]:
        """How much is written, and how much of that is not read yet: the same again where nobody takes any of it.

        A socket may be written to again only once three quarters of what it holds are read.
        """
        return self._written_bytes, unread_bytes(self._outgoing)

    def close(self, within_s: float) -> bool:
        """Write what is left; False if nobody takes it in time."""
        self._begin_closing()
        self._thread.join(within_s)
        return not self._thread.is_alive()

    def drain(self, patience_s: float) -> bool:
        """Write what is left, for as long as it is being taken; False if for some time nobody takes any of it."""
        self._begin_closing()
        before = (-1, 0)
        while self._thread.is_alive() and before != (now := self.progress()):
            before = now
            self._thread.join(patience_s)
        return not self._thread.is_alive()

    def _begin_closing(self) -> None:
        with self._change:
            self._is_closing = True
            self._change.notify_all()

    def _write(self) -> None:
        while piece := self._next():
            left = memoryview(piece)
            try:
                while left:
                    count = self._write_some(left[:WRITE_BYTES])
                    left = left[count:]
                    with self._change:
                        self._written_bytes += count
                        self._size -= count
                        self._change.notify_all()
            except OSError:  # the reader has gone, or the descriptor was never open: there is nobody to tell
                with self._change:
                    self._is_gone = True
                    self._lines.clear()
                    self._size = 0
                    self._change.notify_all()
                self._on_hang_up()
                return

    def _write_some(self, piece: memoryview) -> int:
        """The number of bytes written; also waits if others have made the descriptor non-blocking."""
        try:
            return os.write(self._outgoing, piece)
        except BlockingIOError:
            poll = select.poll()
            poll.register(self._outgoing, select.POLLOUT)
            poll.poll()
            return 0

    def _next(self) -> bytes:
        """All that waits to be written; empty if nothing more will come."""
        with self._change:
            self._change.wait_for(lambda: self._lines or self._is_closing)
            piece = b"".join(self._lines)
            self._lines.clear()
            self._change.notify_all()
            return piece
