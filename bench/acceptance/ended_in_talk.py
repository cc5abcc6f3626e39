"""What ends, and what waits for a decision, when real talk is consolidated: LoCoMo and the pool of LongMemEval (dev).

`python -m bench.acceptance.ended_in_talk [--quick]`. Every line that ended is printed with the one that ended it, to be
read; so are 50 items of the queue, drawn by lot. `data/talk_read.jsonl` has what a reader said of them, by the ids of
the turns: {"old": …, "new": …, "right": true}. Lines that nobody has read count as wrong.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path

from bench.acceptance.measuring import Figures, Report, all_records, run_command
from bench.adapter import Captured
from bench.behaviour_parts.notebooks import rows
from commonplace.model import Record
from commonplace.shapes import Json

READ = Path(__file__).with_name("data") / "talk_read.jsonl"
SETS = ("locomo", "lme_pool")
QUICK_TURNS, DRAWN = 600, 50
MOST_WRONG, MOST_PENDING, FEWEST_REAL = 0.2, 1.0, 40.0  # per 1,000 turns; per 200 turns; per cent


def measure(given: argparse.Namespace) -> Figures:
    """For each set the number of turns, the pairs of which the older ended, and the items of the queue."""
    figures: Figures = {}
    for name in SETS:
        docs = rows(name, "corpus.jsonl.gz")
        spaces = sorted({doc["ns"] for doc in docs})
        turns, ended, pending = 0, [], []
        for space in spaces[:1] if given.quick else spaces:
            mine = [doc for doc in docs if doc["ns"] == space][: QUICK_TURNS if given.quick else None]
            store = Captured(mine, consolidated=True, evidence="auto")
            turns += len(mine)
            ended += list(ended_lines(store))
            pending += list(pending_items(store))
            store.close()
        figures[name] = {"turns": turns, "ended": ended, "pending": pending}
    return figures


def ended_lines(store: Captured) -> Iterator[Json]:
    """Each line that something supersedes, once by the turns: not again where it was said, nor in an episode."""
    index = store.memory.workspace.synced_index()
    seen = set()
    for record in [*all_records(store.memory), *filter(None, map(index.find, store.captures))]:
        later = index.find(record.superseded_by) if record.superseded_by else None
        if not record.superseded_by:
            continue
        pair = _pair(store, record, later)
        turns = pair["old"].partition(" ")[0], pair["new"].partition(" ")[0]
        if turns not in seen:
            seen.add(turns)
            yield pair


def _pair(store: Captured, record: Record, later: Record | None) -> Json:
    return {
        "old": " ".join(store.units_of(record)),
        "new": " ".join(store.units_of(later)) if later else "",
        "old_text": record.text,
        "new_text": later.text if later else "",
    }


def pending_items(store: Captured) -> Iterator[Json]:
    """Each item of the queue, with the lines that it contradicts."""
    index = store.memory.workspace.synced_index()
    for item in store.memory.pending():
        against = [record for one in item.against if (record := index.find(one))]
        yield {
            "reason": item.reason,
            "new": " ".join(store.units_named(item.sources)),
            "old": " ".join(unit for record in against for unit in store.units_of(record)),
            "new_text": item.text,
            "old_text": " / ".join(record.text for record in against),
            "why": item.why,
        }


def judge(ours: Figures, base: Figures | None, report: Report) -> None:
    """Print what ended and what waits, and the rates beside their bounds."""
    lines = READ.read_text(encoding="utf-8").split("\n") if READ.exists() else []
    read = {(one["old"], one["new"]): one["right"] for one in map(json.loads, filter(str.strip, lines))}
    for name, found in ours.items():
        turns, before = found["turns"], (base or {}).get(name)
        right = [pair for pair in found["ended"] if read.get((pair["old"], pair["new"]))]
        wrong = len(found["ended"]) - len(right)
        for pair in found["ended"]:
            _print_pair(report, "ended", pair, read)
        report.add(f"{name}: turns", turns)
        report.add(f"{name}: lines that ended", f"{len(found['ended'])}" + _beside(before, "ended"))
        report.add(f"{name}: rightly ended", len(right))
        report.at_most(
            f"{name}: wrongly ended or not read, per 1,000 turns", round(1000 * wrong / turns, 2), MOST_WRONG
        )
        items = [item for item in found["pending"] if item["reason"] == "conflict"]
        report.at_most(f"{name}: pending conflicts per 200 turns", round(200 * len(items) / turns, 2), MOST_PENDING)
        report.add(f"{name}: other pending items", f"{len(found['pending']) - len(items)}" + _beside(before, "pending"))
        drawn = random.Random(21).sample(items, min(DRAWN, len(items)))
        for item in drawn:
            _print_pair(report, "pending", item, read)
        if drawn:
            real = round(100 * sum(bool(read.get((one["old"], one["new"]))) for one in drawn) / len(drawn), 1)
            report.at_least(f"{name}: of {len(drawn)} pending conflicts real, per cent", real, FEWEST_REAL)


def _print_pair(report: Report, what: str, pair: Json, read: dict[tuple[str, str], bool]) -> None:
    verdict = {True: "right", False: "wrong", None: "not read"}[read.get((pair["old"], pair["new"]))]
    report.add(f"  {what}, {verdict}, {pair['old']} > {pair['new']}", f"{pair['old_text']!r} -> {pair['new_text']!r}")


def _beside(before: Figures | None, name: str) -> str:
    return f" (base {len(before[name])})" if before else ""


def main() -> int:
    """Measure and judge; 1 when a bound is broken."""
    return run_command(__doc__, measure, judge)


if __name__ == "__main__":
    sys.exit(main())
