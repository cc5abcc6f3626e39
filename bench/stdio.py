"""The engine over two pipes: from spawn to ready, a warm recall at 10,000 records, and the memory of the process."""

from __future__ import annotations

import compileall
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import commonplace
from bench import notebook
from commonplace import Memory
from commonplace.errors import BadArgument
from commonplace.serve import client

RECORDS = 10_000
STARTS = 15
QUESTIONS = 500
COMMAND = [sys.executable, "-m", "commonplace", "serve", "--stdio", "--workspace"]


def run() -> None:
    """Print medians and 95th percentiles in milliseconds."""
    compileall.compile_dir(str(Path(commonplace.__file__).parent), quiet=1)  # as every installed wheel is
    with tempfile.TemporaryDirectory(prefix="commonplace-stdio-") as folder:
        root = Path(folder)
        notebook.write(root, RECORDS)
        with client.spawn(root) as memory:  # the index is there from here on
            memory.recall("a")
        first = [start(root) for _ in range(STARTS)]
        print(f"spawn to ready: {told([ready for ready, _ in first])}")
        print(f"spawn to the first answer, asked at once: {told([answered for _, answered in first])}")
        with client.spawn(root) as memory:
            ask = notebook.questions(root, QUESTIONS, seed=7)
            for question in ask[:50]:
                memory.recall(question)
            spent = processor(memory.pid)
            served = [timed(partial(memory.recall, text)) for text in ask]
            spent = processor(memory.pid) - spent
            print(f"warm recall: {told(served)}, {spent / len(ask):.1f} ms of the processor")
            print(f"warm recall by a library in this process: {told(in_this_process(root, ask))}")
            way = [timed(partial(refused, memory)) for _ in range(200)]
            print(f"a question that is refused, there and back: {told(way)}")
            print(f"resident: {resident(memory.pid):.0f} MB")


def in_this_process(root: Path, ask: list[str]) -> list[float]:
    """Milliseconds of the same questions without a process between."""
    with Memory.open(root) as memory:
        for question in ask[:50]:
            memory.recall(question)
        return [timed(partial(memory.recall, text)) for text in ask]


def refused(memory: client.ProcessClient) -> None:
    """Ask for what there is not: all that is measured is the way."""
    with suppress(BadArgument):
        memory.ask("nothing", {})


def processor(pid: int) -> float:
    """Milliseconds of processor time that a process has had."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") * 1e3


def start(root: Path) -> tuple[float, float]:
    """Milliseconds from the spawn of a process to its ready line, and to the answer to a question sent with it."""
    begun = time.perf_counter()
    process = subprocess.Popen([*COMMAND, str(root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b'{"id":1,"method":"recall","params":{"text":"who said what about the harbour?"}}\n')
    process.stdin.flush()
    process.stdout.readline()
    ready = time.perf_counter()
    process.stdout.readline()
    answered = time.perf_counter()
    process.stdin.close()
    process.wait()
    return (ready - begun) * 1e3, (answered - begun) * 1e3


def timed(act: Callable[[], object]) -> float:
    """Milliseconds that an act takes."""
    begun = time.perf_counter()
    act()
    return (time.perf_counter() - begun) * 1e3


def told(times: list[float]) -> str:
    """The median and the 95th percentile."""
    return f"p50 {statistics.median(times):.1f} ms, p95 {statistics.quantiles(times, n=20)[-1]:.1f} ms"


def resident(pid: int) -> float:
    """Megabytes that a process holds."""
    lines = Path(f"/proc/{pid}/status").read_text("utf-8").split("\n")
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:"))
