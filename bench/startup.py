"""What one turn of an agent pays: the whole process of `commonplace recall` beside the bare imports it cannot avoid."""

from __future__ import annotations

import compileall
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import commonplace
from bench.speed import write_notebook

RUNS = 15
BARE = "import apsw, argparse, dataclasses, msgspec"


def run() -> None:
    """Print wall and CPU medians of both commands, run in turn, and their ratios."""
    root = Path(tempfile.mkdtemp(prefix="commonplace-startup-"))
    try:
        compileall.compile_dir(str(Path(commonplace.__file__).parent), quiet=1)  # as every installed wheel is
        lines = write_notebook(root, files=200, lines=50)
        question = " ".join(lines[5_000].split(" ")[:4])
        command = [str(Path(sys.executable).parent / "commonplace"), "recall", "--workspace", str(root), question]
        subprocess.run(command, check=True, capture_output=True)
        pairs = [(_cost(command), _cost([sys.executable, "-c", BARE])) for _ in range(RUNS)]
    finally:
        shutil.rmtree(root)
    for number, name in enumerate(("wall", "cpu")):
        ours = statistics.median(pair[0][number] for pair in pairs)
        bare = statistics.median(pair[1][number] for pair in pairs)
        ratio = statistics.median(pair[0][number] / pair[1][number] for pair in pairs)
        print(f"{name}: recall at 10,000 records {ours:.1f} ms, bare imports {bare:.1f} ms, ratio {ratio:.2f}")


def _cost(command: list[str]) -> tuple[float, float]:
    """Wall and CPU milliseconds of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall * 1e3, cpu * 1e3
