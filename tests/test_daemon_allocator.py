"""The daemon holds little memory that it does not use: one place for all threads, large pieces apart from small."""

from __future__ import annotations

import os
import platform
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bench.running_daemon import running, runtime
from commonplace import Memory
from commonplace.serve.http import daemon
from commonplace.serve.http import daemon as running_daemon

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        platform.libc_ver()[0] != "glibc",
        reason="mallopt and malloc_trim are calls of glibc; with another C library the daemon leaves its memory alone",
    ),
]
ARENA = 64 << 20  # bytes, at a multiple of which glibc puts the place of a thread
LARGE_AFTER_LARGER = """
import ctypes
from commonplace.serve.http.daemon import limit_allocator
libc = ctypes.CDLL(None)
libc.malloc.restype = libc.sbrk.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]
limit_allocator()
libc.free(libc.malloc(8 << 20))
before = libc.sbrk(0)
held = [libc.malloc(1 << 20) for _ in range(8)]
print(libc.sbrk(0) - before)
"""
FREE_BETWEEN_OTHERS = """
import ctypes
from commonplace.serve.http.daemon import resident_bytes, trim_heap
libc = ctypes.CDLL(None)
libc.calloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]
held = [libc.calloc(1, 100_000) for _ in range(400)]
for place in held:
    ctypes.memset(place, 1, 100_000)
for place in held[:-1]:
    libc.free(place)
before = resident_bytes()
trim_heap()
print(before - resident_bytes())
"""


def told(code: str) -> int:
    """The number that a program prints."""
    return int(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)


def unnamed(process: int) -> list[tuple[int, int, bool]]:
    """The stretches of memory of a process that are of no file: from where to where, and whether it can be used."""
    lines = [line.split() for line in Path("/proc", str(process), "maps").read_text("ascii").splitlines()]
    found: list[tuple[int, int, bool]] = []
    for where, rights, _offset, _device, inode, *_name in lines:
        begin, end = (int(edge, 16) for edge in where.split("-"))
        found += [(begin, end, rights == "rw-p")] if inode == "0" else []
    return found


def test_threads_of_the_daemon_take_their_memory_from_one_place(tmp_path: Path) -> None:
    (tmp_path / "plain.md").write_text("- The kettle is green.\n", "utf-8")
    with runtime() as place, running(tmp_path, place) as daemon:
        for _ in range(3):
            assert daemon.ask("recall", text="kettle").status == 200
        anonymous = unnamed(daemon.process.pid)
    assert anonymous
    ends = {end for _begin, end, is_used in anonymous if not is_used}  # of what is set aside for later
    assert not [begin for begin, _end, is_used in anonymous if is_used and begin % ARENA == 0 and begin + ARENA in ends]


def test_large_pieces_do_not_come_to_lie_among_small_ones_once_a_larger_was_freed() -> None:
    assert told(LARGE_AFTER_LARGER) < 1 << 20, "the heap has grown"


def test_what_is_free_between_other_pieces_is_given_back() -> None:
    assert told(FREE_BETWEEN_OTHERS) > 30_000_000


def test_the_daemon_gives_back_what_is_free_now_and_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running_daemon, "SCHEDULE_CHECK_S", 0.01)
    given: list[int] = []

    def give_back() -> None:
        given.append(len(given))
        if len(given) == 3:
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(daemon, "trim_heap", give_back)
    with runtime() as place:
        monkeypatch.setenv("XDG_RUNTIME_DIR", place)
        running_daemon.serve_workspace(Memory.open(tmp_path), running_daemon.ListenOptions(), lambda _line: None)
    assert given[:3] == [0, 1, 2]
