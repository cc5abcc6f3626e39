"""Interfaces for other programs, and the signals that end those that run long."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from signal import Signals


def shutdown_signals() -> tuple[Signals, ...]:
    """SIGTERM, SIGINT, and SIGHUP of a terminal that closes, unless whoever started us ignores it, as `nohup` does."""
    import signal

    is_ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return (signal.SIGTERM, signal.SIGINT, *(() if is_ignored else (signal.SIGHUP,)))


@contextmanager
def handle_shutdown_signals(handler: Callable[[int, Any], object]) -> Iterator[None]:
    """While this lasts, a signal that would end the process is given to a function instead."""
    from signal import signal

    before = {number: signal(number, handler) for number in shutdown_signals()}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal(number, earlier)
