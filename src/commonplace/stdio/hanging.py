"""Whether the other side of a descriptor has closed its end, also where something is left to be read."""

from __future__ import annotations

import select

HUNG_UP = select.POLLHUP | getattr(select, "POLLRDHUP", 0)  # the latter of a socket that is closed for sending alone


def is_hung_up(source: int) -> bool:
    """Whether nothing more comes than what there is already."""
    poll = select.poll()
    poll.register(source, HUNG_UP)
    return any(event & HUNG_UP for _number, event in poll.poll(0))
