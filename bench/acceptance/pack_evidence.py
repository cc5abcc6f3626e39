"""The share of evidence in automatic and explicit packs of 1,000 tokens on LoCoMo and the pool of LongMemEval.

`python -m bench.acceptance.pack_evidence --base DIR [--quick] [--sets locomo,lme_pool]`. Every turn is captured,
and the captures are consolidated; a turn counts as shown as in `bench.packs`. Questions to work with and those
to check with are printed apart; all together have the bound. In a sample each eighth question is asked.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict

from bench.acceptance.measuring import Figures, Report, part_of, run_command, shown
from bench.adapter import Captured
from bench.behaviour_parts.notebooks import rows
from bench.packs import ENOUGH, HITS, beside, found_in, text_shares, turns_of, turns_of_hits

BUDGET_TOKENS = 1000
MOST_LOST = {"automatic": 1.0, "explicit": 0.5}  # points of per cent
SETS = ("locomo", "lme_pool")
SAMPLE_STEP = 8


def measure(given: argparse.Namespace) -> Figures:
    """By set, way of packing and part: the share of evidence in per cent, the mean of lines, how many questions."""
    figures: Figures = {}
    for name in given.sets.split(",") if given.sets else SETS:
        docs, queries = rows(name, "corpus.jsonl.gz"), rows(name, "queries.jsonl.gz")
        asked = [query for query in queries if not query.get("exclude")][:: SAMPLE_STEP if given.quick else 1]
        spaces = sorted({doc["ns"] for doc in docs})
        scores: defaultdict[str, list[tuple[float, int]]] = defaultdict(list)
        for space in spaces:
            store = Captured([doc for doc in docs if doc["ns"] == space], consolidated=True, evidence="auto")
            for query in [query for query in asked if query["ns"] == space]:
                for way in MOST_LOST:
                    score = shown_evidence(store, query, automatic=way == "automatic")
                    scores[f"{name} {way} all"].append(score)
                    scores[f"{name} {way} {part_of(name, query, spaces=len(spaces))}"].append(score)
            store.close()
        for label, of in sorted(scores.items()):
            share, lines = (sum(values) / len(of) for values in zip(*of, strict=True))
            figures[label] = {"n": len(of), "share": round(100 * share, 2), "lines": round(lines, 1)}
    return figures


def shown_evidence(store: Captured, query: Figures, *, automatic: bool) -> tuple[float, int]:
    """The share of the evidence for a question that its pack shows, and the number of its lines."""
    memory, now = store.memory, (query["date"] or store.last)[:16]
    question, relevant = query["question"], set(query["relevant"])
    packed = memory.pack(question, budget_tokens=BUDGET_TOKENS, automatic=automatic, now=now, sync=False)
    hits = memory.recall(question, k=HITS, now=now, sync=False)
    turns = turns_of_hits(store, hits)
    records = {hit.record.id: hit.record for hit in hits.hits} | beside(memory, packed, turns)
    turns |= {name: set(turns_of(store, records[name])) for name in records.keys() - turns.keys()}
    return found_in(text_shares(packed, records), turns, relevant, ENOUGH), len(packed.items)


def judge(ours: Figures, base: Figures | None, report: Report) -> None:
    """Print each figure beside that of the other tree; all questions of a set together have the bound."""
    for label, figures in ours.items():
        before = (base or {}).get(label)
        lines = shown(figures["lines"], before and before["lines"])
        name = f"{label} (n={figures['n']}, {lines} lines)"
        if before and label.endswith(" all"):
            lowest = round(before["share"] - MOST_LOST[label.split(" ")[1]], 2)
            report.at_least(name, figures["share"], lowest, before["share"])
        else:
            report.add(name, f"{figures['share']:g}" + (f" (base {before['share']:g})" if before else ""))


def main() -> int:
    """Measure and judge; 1 when a bound is broken."""
    return run_command(
        __doc__, measure, judge, lambda parser: parser.add_argument("--sets", default="", help="names, with commas")
    )


if __name__ == "__main__":
    sys.exit(main())
