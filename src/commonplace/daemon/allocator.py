"""The memory of a process that lasts: what one thread frees another can use, and what nobody uses goes back."""

from __future__ import annotations

M_ARENA_MAX = -8  # of mallopt, in glibc's malloc.h


def share_one_arena() -> None:
    """Let all threads take memory from one place, before there are any; where the C library can be told so.

    glibc gives each thread a place of its own, and keeps there what a job of the schedule has freed.
    """
    _call("mallopt", M_ARENA_MAX, 1)


def _call(name: str, *values: int) -> None:
    import ctypes

    function = getattr(ctypes.CDLL(None), name, None)
    if function is not None:
        function(*values)
