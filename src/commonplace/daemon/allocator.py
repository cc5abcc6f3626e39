"""The memory of a process that lasts: what one thread frees another can use, and what nobody uses goes back."""

from __future__ import annotations

# Of mallopt, in glibc's malloc.h.
M_MMAP_THRESHOLD = -3
M_ARENA_MAX = -8
LARGE = 128 << 10  # bytes; what glibc begins with


def hold_little() -> None:
    """Let the process hold little that it does not use, where the C library can be told so; before there are threads.

    All threads take memory from one place: glibc gives each a place of its own, and keeps there what a job has freed.
    Large pieces stay apart and go back at once: glibc, unless it is told what is large, takes the largest that was
    ever freed for it, and then large pieces lie among small ones that keep them from going back.
    """
    _call("mallopt", M_ARENA_MAX, 1)
    _call("mallopt", M_MMAP_THRESHOLD, LARGE)


def give_back() -> None:
    """Give back to the system what is free, also between pieces that are not; takes well below a millisecond."""
    _call("malloc_trim", 0)


def _call(name: str, *values: int) -> None:
    import ctypes

    function = getattr(ctypes.CDLL(None), name, None)
    if function is not None:
        function(*values)
