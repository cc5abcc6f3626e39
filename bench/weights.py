"""The weights of recall, fitted with one conversation or set left out: how far apart the best of them are.

Each weight is tried at every size of `SIZES` with the others as they are, on each third of the questions to work with.
"""

from __future__ import annotations

import importlib
import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from bench.ablation import SETS
from bench.acceptance.measuring import part_of
from bench.adapter import Logs
from bench.page import PAGE, put
from bench.quality import SHARED, _harness

UNITS = {**SETS, "madial_zh": "MADial in Chinese"}
SIZES = (0.0, 0.25, 0.5, 1.0)
MODULES = ("candidates", "dialogue", "lanes", "lexical", "query", "scoring")
WEIGHTS = (
    *("SPEAKER_BOOST", "ANSWER_BOOST", "LENGTH_BOOST", "PROXIMITY_WEIGHT", "TIME_WEIGHT"),
    *("SESSION_WEIGHT", "BEST_LINE_WEIGHT", "AFTER_QUESTION_WEIGHT", "TITLE_WEIGHT", "LIGHT_WEIGHT", "HYPONYM_WEIGHT"),
)
OF_WORDS = ("LIGHT_WEIGHT", "HYPONYM_WEIGHT")  # a word without any weight is not searched for
STEP = 3  # each third question is asked
PART = "weights"
K = 10


class Unit(NamedTuple):
    """A conversation or a set: where it is asked, the questions, and the name of what it is from."""

    name: str
    logs: Logs
    queries: list[dict[str, Any]]


def run() -> None:
    """Print the table, and write it to the page; says so when the sets are not there."""
    if not (SHARED / "bench").is_dir():
        print(f"no benchmark sets at {SHARED}: nothing was fitted")
        return
    harness = _harness()
    units = list(read_units(harness))
    before = [mean_quality(unit, harness.score) for unit in units]
    lines = ["| weight | now | best without one of the others | gain there |", "|---|---|---|---|"]
    for name in WEIGHTS:
        tried = {value_of(name): before}
        for size in SIZES[name in OF_WORDS :]:
            if size not in tried:
                with changed(name, size):
                    tried[size] = [mean_quality(unit, harness.score) for unit in units]
        lines.append(row(name, tried))
        print(lines[-1], flush=True)
    for unit in units:
        unit.logs.close()
    put(PAGE, PART, "\n".join(lines))


def read_units(harness: Any) -> Iterator[Unit]:
    """Every conversation of the sets that has questions to work with, written out as daily logs."""
    for name in UNITS:
        data = harness.Data(name, str(SHARED / "bench"))
        for space, docs in data.docs.items():
            asked = [query for query in data.queries if query["ns"] == space]
            work = [query for query in asked if part_of(name, query, spaces=len(data.docs)) == "work"]
            if work:
                yield Unit(name, Logs(docs), work[::STEP])


def mean_quality(unit: Unit, score: Any) -> float:
    """The mean of r@10 and nDCG@10 over the questions of a unit, in percent."""
    figures = [
        score(unit.logs.search(query["question"], K, query.get("date")), query["relevant"]) for query in unit.queries
    ]
    return 100 * statistics.fmean((one["r@10"] + one["ndcg@10"]) / 2 for one in figures)


def row(name: str, tried: dict[float, list[float]]) -> str:
    """What is best for all units but one, from least to most, and what the one left out has of it, in the mean; the
    first size that was tried is that of today."""
    now, before = next(iter(tried.items()))
    best: list[float] = []
    gains: list[float] = []
    for left in range(len(before)):
        rest = [number for number in range(len(before)) if number != left]
        size = max(tried, key=lambda size: statistics.fmean(tried[size][number] for number in rest))
        best.append(size)
        gains.append(tried[size][left] - before[left])
    gain = f"{statistics.fmean(gains):+.2f}".replace("-", "−")
    sizes = f"{min(best):g}" if min(best) == max(best) else f"{min(best):g} to {max(best):g}"
    return f"| `{name}` | {now:g} | {sizes} | {gain} |"


def value_of(name: str) -> float:
    """A weight as the code has it."""
    return float(next(getattr(module, name) for module in _modules() if hasattr(module, name)))


@contextmanager
def changed(name: str, size: float) -> Iterator[None]:
    """A weight of another size, in every module that has it."""
    having = [module for module in _modules() if hasattr(module, name)]
    before = value_of(name)
    for module in having:
        setattr(module, name, size)
    yield
    for module in having:
        setattr(module, name, before)


def _modules() -> list[Any]:
    return [importlib.import_module(f"commonplace.retrieval.recall.{name}") for name in MODULES]
