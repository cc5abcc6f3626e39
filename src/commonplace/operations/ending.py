"""Which signals ask a process that lasts to come to its end."""

from __future__ import annotations

import signal


def signals() -> tuple[signal.Signals, ...]:
    """SIGTERM, SIGINT, and SIGHUP of a terminal that closes, unless whoever started us ignores it, as `nohup` does."""
    is_ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return (signal.SIGTERM, signal.SIGINT, *(() if is_ignored else (signal.SIGHUP,)))
