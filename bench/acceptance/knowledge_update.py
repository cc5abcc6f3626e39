"""Questions about values that changed (`knowledge_update` on the pool of LongMemEval), and what the pool pays for it.

`python -m bench.acceptance.knowledge_update [--base DIR] [--quick]`. The turns are daily logs, or captures that were
consolidated; the answers are scored by the set's own `score.py`. An item of a pack with `earlier_than` or `later` is
marked. A sample has the turns of the labelled values and every tenth other one, and no nDCG.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from bench.acceptance.measuring import WAYS, Figures, Report, Store, run_command, score
from bench.acceptance.recall_quality import measure_set
from bench.behaviour_parts.notebooks import rows
from commonplace.shapes import Json, pack_json

SET, POOL = "knowledge_update", "lme_pool"
BUDGET = 1_000
FEWEST_FIRST, MOST_LOST = 10, 0.3


def measure(given: argparse.Namespace) -> Figures:
    """The scores of each way, and r@10 and nDCG@10 of the pool."""
    return {way: _measure_way(build, given.quick) for way, build in WAYS.items()}


def _measure_way(build: Callable[[list[Json]], Store], quick: bool) -> Figures:
    queries = rows(SET, f"{SET}_dev.jsonl")
    docs = rows(POOL, "corpus.jsonl.gz")
    if quick:
        named = {turn for query in queries for turn in (*query["old_turns"], *query["new_turns"])}
        docs = [doc for number, doc in enumerate(docs) if doc["id"] in named or number % 10 == 0]
    store = build(docs)
    answers = [_answer(store, query) for query in queries]
    store.close()
    return {
        "scores": score(SET, answers),
        "annotated": sum(bool(one["marked"]) for one in answers),
        "pool": None if quick else measure_set(POOL, build)["all"],
    }


def _answer(store: Store, query: Json) -> Json:
    pack = store.pack(query["question"], BUDGET, query["now"])
    units = [store.item_units(item) for item in pack.items]
    marks = [bool(item.get("earlier_than") or item.get("later")) for item in pack_json(pack)["items"]]
    return {
        "id": query["id"],
        "ranked": store.search(query["question"], 10, query["now"]),
        "pack": pack.text,
        "pack_ids": sorted({unit for of_item in units for unit in of_item}),
        "marked": sorted({unit for of_item, mark in zip(units, marks, strict=True) if mark for unit in of_item}),
    }


def judge(ours: Figures, base: Figures | None, report: Report) -> None:
    """Print each figure beside its bound."""
    for way, figures in ours.items():
        before = (base or {}).get(way)
        first, total = first_of(figures, "current")
        earlier = first_of(before, "current")[0] if before else None
        report.at_least(f"{way}: newer first, of {total} that ask for the current value", first, FEWEST_FIRST, earlier)
        old, total = first_of(figures, "previous", "stale_above")
        if before:
            was = first_of(before, "previous", "stale_above")[0]
            report.at_least(f"{way}: older first, of {total} that ask for the previous value", old, was, was)
        else:
            report.add(f"{way}: older first, of {total} that ask for the previous value", old)
        for name in ("found", "stale_unmarked", "both_in_pack", "marked_right", "answer_in_pack"):
            values = [one["scores"].get("current", {}).get(name) for one in (figures, before or {"scores": {}})]
            if values[0]:
                report.add(f"{way}: {name}", f"{values[0][0]:g}" + (f" (base {values[1][0]:g})" if values[1] else ""))
        report.add(f"{way}: packs with a marked turn", figures["annotated"])
        if figures["pool"]:
            was = before["pool"] if before else figures["pool"]
            lowest = round(was["ndcg@10"] - MOST_LOST, 2)
            report.at_least(f"{way}: nDCG@10 of the pool", figures["pool"]["ndcg@10"], lowest, was["ndcg@10"])
            report.add(f"{way}: r@10 of the pool", f"{figures['pool']['r@10']:g} (base {was['r@10']:g})")


def first_of(figures: Figures, asks: str, name: str = "current_first") -> tuple[int, int]:
    """How many questions of a kind a figure is true of, and their number."""
    share, total = figures["scores"].get(asks, {}).get(name, (0.0, 0))
    return round(share * total / 100), total


def main() -> int:
    """Measure and judge; 1 when a bound is broken."""
    return run_command(__doc__, measure, judge)


if __name__ == "__main__":
    sys.exit(main())
