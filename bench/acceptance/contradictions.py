"""Facts that later facts contradict (`fact_consolidation`, dev): which of two is first, and what a pack shows of them.

`python -m bench.acceptance.contradictions [--quick] [--base DIR]`. The facts are daily logs, or captures that were
consolidated. The answers are scored by the set's own `score.py`. An older fact in a pack counts as marked only where
the pack's JSON has `earlier_than` of its line, the line with that id stands above it, and both lines show their dates.
"""

from __future__ import annotations

import argparse
import math
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from bench.acceptance.measuring import WAYS, Figures, Report, Store, run_command, score
from bench.behaviour_parts.notebooks import docs_of, rows
from commonplace.shapes import Json, pack_json

SET = "fact_consolidation"
SPACES = ("6k", "64k")
BUDGET, QUICK, DRAWN, NEAREST = 1_000, 25, 2_500, 8
FIRST = {"logs": 97.0, "captured": 90.0}  # per cent of current_first
MOST_TWINS = 1.0  # per cent of the nearest other lines
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
DIFFERING = ("twins", "replaces", "conflicts")


def measure(given: argparse.Namespace) -> Figures:
    """The scores of each way and size, the packs with only the older fact, and the near lines taken for twins."""
    figures: Figures = {}
    for space in SPACES[:1] if given.quick else SPACES:
        docs = docs_of(SET, space)
        queries = [one for one in rows(SET, "queries.jsonl.gz") if one["category"] == f"sh_{space}"]
        queries = queries[:QUICK] if given.quick else queries
        for way in FIRST:
            store = WAYS[way](docs)
            dates = {doc["id"]: doc["timestamp"] for doc in docs}
            answers = [answer(store, query, dates) for query in queries]
            store.close()
            scored = score(SET, answers, queries)[f"sh_{space}"]
            figures[f"{way} {space}"] = {name: one[0] for name, one in scored.items() if isinstance(one, list)} | {
                "only_older": _only_older(queries, answers),
                "questions": scored.get("current_first", (0, 0))[1],
            }
        figures[f"nearest {space}"] = nearest_lines(docs, given.quick)
    return figures


def answer(store: Store, query: Json, dates: dict[str, str]) -> Json:
    """What `score.py` wants to know of a question: the ranking, the pack, what is in it, and what is marked in it."""
    ranked = store.search(query["question"], 10, query["date"])
    pack = store.pack(query["question"], BUDGET, query["date"])
    units = [store.item_units(item) for item in pack.items]
    return {
        "id": query["id"],
        "ranked": ranked,
        "pack": pack.text,
        "pack_ids": sorted({unit for of_item in units for unit in of_item}),
        "marked": sorted(set(_marked(pack_json(pack)["items"], units, dates))),
    }


def _marked(items: list[Json], units: list[list[str]], dates: dict[str, str]) -> Iterator[str]:
    """The units of the lines that the product marks, as far as the text shows both dates and the newer line above."""
    places = {item["id"]: place for place, item in enumerate(items)}
    for place, item in enumerate(items):
        above = places.get(item.get("earlier_than") or "", place)
        if above >= place:
            continue
        pair = [(items[at]["text"], dates[units[at][0]]) for at in (above, place) if units[at]]
        if len(pair) == 2 and all(shows_date(text, date) for text, date in pair):
            yield from units[place]


def shows_date(text: str, date: str) -> bool:
    """Whether a line shows a day in words or digits; the name of a file in its citation does not count."""
    words = re.sub(r"\[[^\[\]]*#L[^\[\]]*\]", "", text)
    year, month, day = date[:4], int(date[5:7]), int(date[8:10])
    name = rf"{MONTHS[month - 1]}[a-z]*\.?"
    return bool(re.search(rf"{date[:10]}|\b{day} {name}(?:,? {year})?\b|\b{name} {day}\b", words))


def _only_older(queries: list[Json], answers: list[Json]) -> int:
    packs = [(set(one["pack_ids"]), query) for one, query in zip(answers, queries, strict=True) if query["stale"]]
    return sum(bool(held & set(query["stale"])) and not held & set(query["relevant"]) for held, query in packs)


def nearest_lines(docs: list[Json], quick: bool) -> Figures | None:
    """The share of the nearest other lines, and of the contradicting pairs, that are taken for two values of one thing.

    None for a tree that compares no statements.
    """
    try:
        from commonplace.truth import LineContext, compare_statements, read_statements
    except ImportError:
        return None
    read = {doc["id"]: read_statements(doc["text"], LineContext(language="en")) for doc in docs}
    pairs: defaultdict[str, set[str]] = defaultdict(set)
    for group in rows(SET, "conflicts.jsonl.gz"):
        for one in (group["current"], *group["stale"]):
            pairs[one] |= {group["current"], *group["stale"]} - {one}

    def verdicts(one: str, other: str) -> set[str]:
        old, new = sorted((one, other), key=lambda unit: int(unit.partition("/")[2]))
        return {compare_statements(a, b).verdict for a in read[new] for b in read[old]} - {"independent"}

    drawn = random.Random(21).sample(docs, min(len(docs), 100 if quick else DRAWN))
    nearest = NearestLines([(doc["id"], doc["text"]) for doc in docs])
    near = [
        verdicts(doc["id"], other)
        for doc in drawn
        for other in nearest.find(doc["text"], {doc["id"], *pairs[doc["id"]]}, NEAREST)
    ]
    contradicting = [verdicts(one, other) for one, others in pairs.items() for other in others if one in read]
    return {
        "twins": 100 * sum(bool(one & set(DIFFERING)) for one in near) / max(len(near), 1),
        "not independent": 100 * sum(map(bool, near)) / max(len(near), 1),
        "pairs seen": 100 * sum(map(bool, contradicting)) / max(len(contradicting), 1),
        "compared": len(near),
    }


class NearestLines:
    """BM25 over lines (k1 1.2, b 0.75), to find those that are near to another."""

    def __init__(self, lines: list[tuple[str, str]]) -> None:
        self._counts = {unit: Counter(_words(text)) for unit, text in lines}
        self._average = sum(sum(counts.values()) for counts in self._counts.values()) / len(lines)
        self._postings: defaultdict[str, list[str]] = defaultdict(list)
        for unit, counts in self._counts.items():
            for word in counts:
                self._postings[word].append(unit)

    def find(self, text: str, without: set[str], k: int) -> list[str]:
        """The ids of the nearest lines, best first."""
        scores: defaultdict[str, float] = defaultdict(float)
        for word in set(_words(text)):
            holding = self._postings[word]
            weight = math.log(1 + (len(self._counts) - len(holding) + 0.5) / (len(holding) + 0.5))
            for unit in holding:
                count, length = self._counts[unit][word], sum(self._counts[unit].values())
                scores[unit] += weight * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length / self._average))
        return sorted(scores.keys() - without, key=lambda unit: (-scores[unit], unit))[:k]


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def judge(ours: Figures, base: Figures | None, report: Report) -> None:
    """Print each figure beside its bound."""
    for name, figures in ours.items():
        way, _, _space = name.partition(" ")
        if way == "nearest":
            if figures:
                report.at_most(f"{name}: taken for twins, per cent", round(figures["twins"], 2), MOST_TWINS)
                report.add(f"{name}: not independent, per cent", round(figures["not independent"], 2))
                report.add(f"{name}: contradicting pairs seen, per cent", round(figures["pairs seen"], 2))
            continue
        before: dict[str, Any] = (base or {}).get(name, {})
        report.add(f"{name}: questions with an older fact", figures["questions"])
        report.at_least(f"{name}: current_first", figures["current_first"], FIRST[way], before.get("current_first"))
        report.at_least(
            f"{name}: found@10", figures["found"], before.get("found", 0.0) if base else 0.0, before.get("found")
        )
        report.at_most(f"{name}: stale_unmarked", figures["stale_unmarked"], 0, before.get("stale_unmarked"))
        report.at_most(f"{name}: packs with only the older", figures["only_older"], 0, before.get("only_older"))
        for other in ("stale_in_pack", "both_in_pack", "marked_right", "current_marked", "answer_in_pack"):
            if other in figures:
                report.add(f"{name}: {other}", shown_beside(figures, before, other))


def shown_beside(figures: Figures, before: Figures, name: str) -> str:
    """A figure without a bound, with that of the base where there is one."""
    return f"{figures[name]:g}" + (f" (base {before[name]:g})" if name in before else "")


def main() -> int:
    """Measure and judge; 1 when a bound is broken."""
    return run_command(__doc__, measure, judge)


if __name__ == "__main__":
    sys.exit(main())
