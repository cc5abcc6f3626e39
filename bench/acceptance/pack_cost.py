"""The CPU time of an automatic pack beside that of the recall of the same question, at 10,000 notes in one run.

`python -m bench.acceptance.pack_cost [--tree DIR] [--quick]`. Interleaved pairs of the same questions, either first
in turn; receipts and ledger lines are written, `fsync` is not waited for.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import notebook
from bench.acceptance.measuring import Figures, Report, run_command, shown
from commonplace import Memory

NOTES, PAIRS, WARM_UPS, QUESTIONS = 10_000, 30, 2, 10
SMALL = 1_000  # notes of a sample
BUDGET_TOKENS = 1000
NOW = "2025-11-30T09:00"
MOST_TIMES = 2.0


def measure(given: argparse.Namespace) -> Figures:
    """The median milliseconds of CPU of a recall and of an automatic pack, and the median of their ratios."""
    with TemporaryDirectory(prefix="commonplace-pack-cost-") as folder:
        root = Path(folder)
        notebook.write(root, SMALL if given.quick else NOTES)
        questions = notebook.questions(root, 200, seed=2)
        with Memory.open(root) as memory:
            memory.sync()
            pairs = [pair(memory, questions, number) for number in range(WARM_UPS + PAIRS)][WARM_UPS:]
    recalled, packed = (round(statistics.median(times), 2) for times in zip(*pairs, strict=True))
    return {"recall": recalled, "pack": packed, "times": round(statistics.median(b / a for a, b in pairs), 2)}


def pair(memory: Memory, questions: list[str], number: int) -> tuple[float, float]:
    """The milliseconds of a recall and of a pack, each the mean of some questions."""
    texts = random.Random(number).sample(questions, QUESTIONS)

    def recall(text: str) -> object:
        return memory.recall(text, now=NOW, sync=False)

    def pack(text: str) -> object:
        return memory.pack(text, budget_tokens=BUDGET_TOKENS, automatic=True, now=NOW, sync=False)

    if number % 2:
        return cpu_ms(recall, texts), cpu_ms(pack, texts)
    packed = cpu_ms(pack, texts)
    return cpu_ms(recall, texts), packed


def cpu_ms(act: Callable[[str], object], texts: list[str]) -> float:
    """The milliseconds of CPU of an act on each of the texts, their mean."""
    begun = time.process_time()
    for text in texts:
        act(text)
    return (time.process_time() - begun) * 1e3 / len(texts)


def judge(ours: Figures, base: Figures | None, report: Report) -> None:
    """Print both times, and the ratio beside its bound."""
    for name in ("recall", "pack"):
        report.add(f"ms of {name}", shown(ours[name], base and base[name]))
    report.at_most("a pack costs so many recalls", ours["times"], MOST_TIMES, base and base["times"])


if __name__ == "__main__":
    sys.exit(run_command(__doc__, measure, judge))
