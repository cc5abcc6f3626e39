"""Interfaces for other programs, and the signals that end those that run long."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from signal import Signals


def shutdown_signals() -> tuple[Signals, ...]:
    """SIGTERM, SIGINT, and SIGHUP of a terminal that closes, unless whoever started us ignores it, as `nohup` does."""
    import signal

    is_ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return (signal.SIGTERM, signal.SIGINT, *(() if is_ignored else (signal.SIGHUP,)))


@contextmanager
def collect_early_signals() -> Iterator[list[int]]:
    """Those that come before anybody waits for them: what is made meanwhile can be taken away again at a calm end."""
    from signal import signal

    came: list[int] = []
    before = {number: signal(number, lambda number, _frame: came.append(number)) for number in shutdown_signals()}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal(number, handler)
