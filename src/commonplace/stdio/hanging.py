"""What can be told of the other side of a descriptor: whether it has closed its end, and what it has not read yet."""

from __future__ import annotations

import fcntl
import select
import sys
import termios
from contextlib import suppress

HUNG_UP = select.POLLHUP | getattr(select, "POLLRDHUP", 0)  # the latter of a socket that is closed for sending alone


def is_hung_up(source: int) -> bool:
    """Whether nothing more comes than what there is already."""
    poll = select.poll()
    poll.register(source, HUNG_UP)
    return any(event & HUNG_UP for _number, event in poll.poll(0))


def unread(sink: int) -> int:
    """How much of what was written is not read yet, in the measure of the system; 0 where it does not say."""
    for question in (termios.TIOCOUTQ, termios.FIONREAD):  # of sockets and terminals, of pipes
        with suppress(OSError, ValueError):  # the latter of what never was a descriptor
            return int.from_bytes(fcntl.ioctl(sink, question, bytes(4)), sys.byteorder)
    return 0
