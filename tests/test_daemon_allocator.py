"""The daemon holds little memory that it does not use: one place for all threads, large pieces apart from small."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import pytest

from bench.running_daemon import running, runtime

pytestmark = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc's allocator is told anything")
ARENA = 64 << 20  # bytes, at a multiple of which glibc puts the place of a thread
LARGE_AFTER_LARGER = """
import ctypes
from commonplace.daemon.allocator import hold_little
libc = ctypes.CDLL(None)
libc.malloc.restype = libc.sbrk.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]
hold_little()
libc.free(libc.malloc(8 << 20))
before = libc.sbrk(0)
held = [libc.malloc(1 << 20) for _ in range(8)]
print(libc.sbrk(0) - before)
"""


def test_threads_of_the_daemon_take_their_memory_from_one_place(tmp_path: Path) -> None:
    (tmp_path / "plain.md").write_text("- The kettle is green.\n", "utf-8")
    with runtime() as place, running(tmp_path, place) as daemon:
        for _ in range(3):
            assert daemon.ask("recall", text="kettle").status == 200
        maps = Path("/proc", str(daemon.process.pid), "maps").read_text("ascii").split("\n")
    anonymous = [int(line.partition("-")[0], 16) for line in maps if " rw-p 00000000 00:00 0" in line]
    assert anonymous
    assert not [begin for begin in anonymous if begin % ARENA == 0]


def test_large_pieces_do_not_come_to_lie_among_small_ones_once_a_larger_was_freed() -> None:
    ran = subprocess.run([sys.executable, "-c", LARGE_AFTER_LARGER], capture_output=True, text=True, check=True)
    assert int(ran.stdout) < 1 << 20, "the heap has grown"
