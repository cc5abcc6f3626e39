"""The CPU time of what people wait for, beside that of another source tree: interleaved pairs, and their median ratio.

`--base DIR` names the other tree (a worktree of this repository), `--pairs N` how many are measured, and
`--only recall,pack` what. Both trees get the same tasks in turn, each on a notebook of its own with the same bytes, and
which of them goes first alternates. CPU time is that of the process, so that what else runs here matters little.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench import notebook

ROOT = Path(__file__).parents[2]
MAX_RATIO = 1.1
MAX_RATIOS = {"retain": 1.5}  # of tasks with another bound
RECORDS, PAIRS, WARM_UPS = 3_000, 30, 2
NOW = "2025-11-30T09:00"
TASKS = {
    "recall": 15,
    "pack": 5,
    "sync": 3,
    "capture": 10,
    "retain": 3,
    "rebuild": 1,
}  # how often a measurement does it
START = "start of the command"


class Tree:
    """A source tree with a notebook, questions about it, and a process that does what it is told."""

    def __init__(self, source: Path, folder: Path) -> None:
        self._root = folder / "notes"
        notebook.write(self._root, RECORDS)
        self.questions = notebook.questions(self._root, 200, seed=2)
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        self._environment = kept | {
            "PYTHONPATH": str(source / "src"),
            "PYTHONPYCACHEPREFIX": str(folder / "compiled"),  # nothing is left in the tree
            "HOME": str(folder),
            "COMMONPLACE_DEVICE": "bench",
        }
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("one_tree.py")), str(self._root)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=self._environment,
            text=True,
        )

    def close(self) -> None:
        """End the process."""
        self._process.communicate()

    def measure(self, task: dict[str, Any]) -> float:
        """The milliseconds of CPU that a task takes."""
        if task["name"] == START:
            return self._run("-m", "commonplace", "recall", task["texts"][0], "--workspace", str(self._root))
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(task) + "\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())

    def _run(self, *arguments: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *arguments], env=self._environment, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3


def pair(head: Tree, base: Tree, name: str, number: int) -> tuple[float, float]:
    """The CPU times of one task in both trees."""
    texts = random.Random(number).sample(head.questions, TASKS.get(name, 1))
    path = "one-more.md" if number % 2 else "another.md"
    task = {"name": name, "texts": texts, "now": NOW, "number": number, "path": path}
    if number % 2:
        first = base.measure(task)
        return head.measure(task), first
    return head.measure(task), base.measure(task)


def main() -> int:
    """Print the median ratio of each task; 1 when one is beyond the bound."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--base", type=Path, required=True, help="the source tree to compare with")
    parser.add_argument("--head", type=Path, default=ROOT, help="the source tree that is measured (this one)")
    parser.add_argument("--pairs", type=int, default=PAIRS)
    parser.add_argument("--only", default=",".join((*TASKS, START)), help="names of tasks, with commas between")
    given = parser.parse_args()
    beyond = False
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="commonplace-ratios-")))
        head, base = (
            Tree(path.resolve(), folder / name) for name, path in (("head", given.head), ("base", given.base))
        )
        stack.callback(head.close)
        stack.callback(base.close)
        for name in given.only.split(","):
            pairs = [pair(head, base, name, number) for number in range(WARM_UPS + given.pairs)][WARM_UPS:]
            ratios = [ours / theirs for ours, theirs in pairs]
            ours, theirs = (statistics.median(times) / TASKS.get(name, 1) for times in zip(*pairs, strict=True))
            low, middle, high = statistics.quantiles(ratios, n=4)
            is_beyond = middle > MAX_RATIOS.get(name, MAX_RATIO)
            beyond |= is_beyond
            spread = f"half of {given.pairs} pairs: {low:.3f} to {high:.3f}"
            bound = f"<= {MAX_RATIOS.get(name, MAX_RATIO):g}{' | BEYOND' * is_beyond}"
            print(f"{name}: {ours:.2f} ms, base {theirs:.2f} ms, ratio {middle:.3f} ({spread}) | {bound}", flush=True)
    return int(beyond)


if __name__ == "__main__":
    sys.exit(main())
