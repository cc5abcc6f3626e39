"""The signals that end a long-running process."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


def shutdown_signals() -> tuple[signal.Signals, ...]:
    """SIGTERM, SIGINT, and SIGHUP of a terminal that closes, unless whoever started us ignores it, as `nohup` does."""
    is_ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return (signal.SIGTERM, signal.SIGINT, *(() if is_ignored else (signal.SIGHUP,)))


@contextmanager
def collect_early_signals() -> Iterator[list[int]]:
    """Those that come before anybody waits for them: what is made meanwhile can be taken away again at a calm end."""
    came: list[int] = []
    before = {
        number: signal.signal(number, lambda number, _frame: came.append(number)) for number in shutdown_signals()
    }
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
