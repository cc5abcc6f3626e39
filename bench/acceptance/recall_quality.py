"""r@10 and nDCG@10 of `recall(k=10)` on the sets of benchmarks (dev), beside another tree.

`python -m bench.acceptance.recall_quality --base DIR [--quick] [--sets locomo,madial_en] [--vectors use]`. Each set as
daily logs, and as captures that were consolidated; for the questions to work with, those to check with, and all. In a
sample one conversation of each set is asked about, or sixty questions. `--vectors` measures with the encoder of the
extra (`use`), or with the model of a folder.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Callable
from functools import partial

from bench.acceptance.measuring import WAYS, Figures, Report, Store, part_of, run_command
from bench.adapter import Embedded
from bench.behaviour_parts.notebooks import rows
from bench.quality import _harness
from commonplace.shapes import Json

MOST_LOST = {"locomo": 0.3, "lme_pool": 0.3, "madial_en": 1.0, "madial_zh": 1.0}  # points of per cent
QUICK = 60
MEASURES = ("r@10", "ndcg@10")


def measure(given: argparse.Namespace) -> Figures:
    """By set and way and part the means in per cent and the number of questions."""
    figures: Figures = {}
    embedded = Embedded(given.vectors) if given.vectors else None
    for name in given.sets.split(",") if given.sets else MOST_LOST:
        for way, build in WAYS.items():
            measured = measure_set(name, partial(build, embedded=embedded), given.quick)
            figures |= {f"{name} {way} {part}": one for part, one in measured.items()}
    return figures


def measure_set(name: str, build: Callable[[list[Json]], Store], quick: bool = False, *, part: str = "") -> Figures:
    """The means of a set, of the questions to work with, to check with, and of all; of one `part` alone, if named."""
    harness, docs = _harness(), rows(name, "corpus.jsonl.gz")
    queries = [query for query in rows(name, "queries.jsonl.gz") if not query.get("exclude")]
    spaces = sorted({doc["ns"] for doc in docs})
    scores: defaultdict[str, list[Figures]] = defaultdict(list)
    if part:
        queries = [query for query in queries if part_of(name, query, spaces=len(spaces)) == part]
    for space in [space for space in spaces if any(query["ns"] == space for query in queries)][: 1 if quick else None]:
        store = build([doc for doc in docs if doc["ns"] == space])
        known = {doc["id"] for doc in docs}
        for query in [query for query in queries if query["ns"] == space][: QUICK if quick else None]:
            ranked = [unit for unit in store.search(query["question"], 10, query["date"]) if unit in known]
            result = harness.score(list(dict.fromkeys(ranked))[:10], query["relevant"])
            for its_part in ("all", part_of(name, query, spaces=len(spaces))):
                scores[its_part].append(result)
        store.close()
    return {
        its_part: {"n": len(of)} | {one: round(100 * sum(score[one] for score in of) / len(of), 2) for one in MEASURES}
        for its_part, of in sorted(scores.items())
    }


def judge(ours: Figures, base: Figures | None, report: Report) -> None:
    """Print each figure beside that of the other tree; all questions of a set together have the bound."""
    for name, figures in ours.items():
        before = (base or {}).get(name)
        bound = MOST_LOST[name.split(" ")[0]]
        for one in MEASURES:
            label, figure = f"{name} (n={figures['n']}): {one}", figures[one]
            if before and name.endswith(" all"):
                lowest = round(before[one] - bound, 2)
                report.at_least(label, figure, lowest, before[one])
            else:
                report.add(label, f"{figure:g}" + (f" (base {before[one]:g})" if before else ""))


def main() -> int:
    """Measure and judge; 1 when a bound is broken."""
    return run_command(__doc__, measure, judge, add_options)


def add_options(parser: argparse.ArgumentParser) -> None:
    """What is measured, and with which model."""
    parser.add_argument("--sets", default="", help="names, with commas")
    parser.add_argument("--vectors", default="", help="`use`, or the folder of a model")


if __name__ == "__main__":
    sys.exit(main())
