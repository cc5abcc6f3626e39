"""Wait until something comes to hold."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event

BOUND_S = 120  # so slow no machine is; what is usual is a tenth of a second


def eventually(holds: Callable[[], bool], bound_s: float = BOUND_S) -> None:
    until, pause = time.monotonic() + bound_s, Event()
    while not holds():
        assert time.monotonic() < until, "it did not come to hold"
        pause.wait(0.02)
