"""Which sentences are kept: the selector beside the tree before, a heuristic and chance, at the same number of lines.

`python -m bench.acceptance.selection --base DIR`. LoCoMo and the pool of LongMemEval are captured
and consolidated in both trees; a question has a line if one rests on a turn of its evidence. The heuristic, chance and
the selector get as many lines of each conversation as the tree before has. Then the held-out texts of the extraction
corpus (a text is kept if one of its sentences is), and what must never be missed, from a sealed list.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

from bench.acceptance.measuring import Figures, Report, part_of, run_command
from bench.adapter import Captured
from bench.behaviour_parts.notebooks import rows

SETS = ("locomo", "lme_pool")
HELD_OUT = Path(__file__).parents[2] / "tests" / "data" / "extraction" / "heldout.jsonl"
MUST_KEEP = Path(__file__).parent / "data" / "keep_blind" / "must_keep.jsonl"
DECOYS = MUST_KEEP.with_name("must_keep_decoys.jsonl")
LEAST_ASKED, LEAST_TURNS = 0.38, 0.55  # LoCoMo's questions with a line; turns of evidence of the pool
LEAST_PRECISION, LEAST_RECALL, HELD_OUT_TEXTS = 0.95, 0.74, 125
SEED = 23
Line = tuple[float, str]  # a score, and the turn


def measure(_given: argparse.Namespace) -> Figures:
    """The turns of each line that consolidation writes, by set and conversation."""
    figures: Figures = {}
    for name in SETS:
        docs, lines = rows(name, "corpus.jsonl.gz"), {}
        for space in sorted({doc["ns"] for doc in docs}):
            store = Captured([doc for doc in docs if doc["ns"] == space], consolidated=True, evidence="auto")
            assert store.run is not None
            lines[space] = [store.units_named(claim.sources) for plan in store.run.plans for claim in plan.lines]
            store.close()
        figures[name] = lines
    return figures


def judge(ours: Figures, base: Figures | None, report: Report) -> None:
    """The table, for the questions to work with and to check with."""
    for name in SETS:
        docs, queries = rows(name, "corpus.jsonl.gz"), rows(name, "queries.jsonl.gz")
        spaces = {query["ns"] for query in queries}
        counts = {space: len(_of_users(lines, docs)) for space, lines in (base or ours)[name].items()}
        ways: dict[str, list[list[str]]] = {"as it is": [one for lines in ours[name].values() for one in lines]}
        if base:
            ways = {"tree before": [one for lines in base[name].values() for one in lines]} | ways
        for way, score in (("selector", selector), ("heuristic", heuristic), ("chance", chance)):
            ways[way] = [
                [turn]
                for space, count in counts.items()
                for _score, turn in sorted(score([doc for doc in docs if doc["ns"] == space]), reverse=True)[:count]
            ]
        for part in ("work", "proof"):
            asked = [one for one in queries if one["relevant"] and part_of(name, one, spaces=len(spaces)) == part]
            for way, lines in ways.items():
                turns = {turn for line in lines for turn in line}
                evidence = {turn for query in asked for turn in query["relevant"]}
                of_turns = round(len(evidence & turns) / len(evidence), 3)
                of_asked = round(sum(not turns.isdisjoint(one["relevant"]) for one in asked) / len(asked), 3)
                figure = f"{len(_of_users(lines, docs))} lines, turns of evidence {of_turns}, questions {of_asked}"
                bound, value = (LEAST_ASKED, of_asked) if name == "locomo" else (LEAST_TURNS, of_turns)
                is_judged = part == "proof" and way == "selector"
                report.add(
                    f"{name} {part}, {way}", figure, f">= {bound}" * is_judged, holds=not is_judged or value >= bound
                )
    _judge_held_out(report)
    _judge_must_keep(report)


def _of_users(lines: Iterable[list[str]], docs: list[Figures]) -> list[list[str]]:
    """The lines that rest on a turn that no agent said."""
    agents = {doc["id"] for doc in docs if doc["speaker"] == "assistant"}
    return [line for line in lines if set(line) - agents]


def selector(docs: list[Figures]) -> list[Line]:
    """The sentences of the turns with their scores; cues first."""
    from commonplace.extract.candidates import find_candidates

    return [
        (candidate.score + candidate.is_cue, doc["id"])
        for doc in docs
        if doc["speaker"] != "assistant"
        for candidate in find_candidates(doc["text"], to_agent=doc["speaker"] == "user")
    ]


def heuristic(docs: list[Figures]) -> list[Line]:
    """A score by hand: content words and their rarity, the first person, names, numbers and times."""
    from math import log

    from bench.selection.data import spans_of
    from commonplace.language.text import is_stop_word, split_units
    from commonplace.language.when import find_time_phrases

    frequency: dict[str, int] = defaultdict(int)
    for doc in docs:
        for unit in set(split_units(doc["text"])):
            frequency[unit] += 1
    found = []
    for doc in docs:
        for span in spans_of(doc["text"]) if doc["speaker"] != "assistant" else ():
            sentence = doc["text"][slice(*span)]
            units = [unit for unit in split_units(sentence) if not is_stop_word(unit, "en")]
            rarity = sum(log(len(docs) / frequency[unit]) for unit in set(units) if unit in frequency)
            score = min(rarity, 40) / 10 + 1.5 * any(unit in ("i", "my", "we", "our") for unit in split_units(sentence))
            score += 0.5 * any(word[:1].isupper() for word in sentence.split()[1:]) + any(map(str.isdigit, sentence))
            score += bool(find_time_phrases(sentence, "2000-01-01")) - 3 * sentence.endswith("?")
            found.append((score, doc["id"]))
    return found


def chance(docs: list[Figures]) -> list[Line]:
    """The sentences in a random order."""
    from bench.selection.data import spans_of

    lot = random.Random(SEED)
    return [
        (lot.random(), doc["id"]) for doc in docs if doc["speaker"] != "assistant" for _span in spans_of(doc["text"])
    ]


def _judge_held_out(report: Report) -> None:
    """The precision and recall of as many texts as the tree before keeps."""
    from commonplace.extract.candidates import find_candidates

    texts = []
    for row in _read(HELD_OUT):
        found = find_candidates(row["text"], to_agent=True) if row["speaker"] not in ("tool", "assistant") else []
        best = max((one.score + one.is_cue for one in found), default=-1e9)
        texts.append((best, bool(row["gold"])))
    texts.sort(reverse=True)
    right = sum(is_worth for _score, is_worth in texts[:HELD_OUT_TEXTS])
    worth = sum(is_worth for _score, is_worth in texts)
    report.at_least(f"held-out texts, precision of {HELD_OUT_TEXTS}", round(right / HELD_OUT_TEXTS, 3), LEAST_PRECISION)
    report.at_least(f"held-out texts, recall of {worth}", round(right / worth, 3), LEAST_RECALL)


def _judge_must_keep(report: Report) -> None:
    """Those that are cues, or above the floor; and decoys that are cues."""
    from commonplace.extract.candidates import find_candidates
    from commonplace.upkeep.consolidate.claims import MIN_SCORE

    def is_kept(text: str, least: Callable[[float], bool]) -> bool:
        return any(one.is_cue or least(one.score) for one in find_candidates(text, to_agent=True))

    kept: dict[str, list[bool]] = defaultdict(list)
    for row in _read(MUST_KEEP):
        kept[row["lang"]].append(is_kept(row["text"], lambda score: score >= MIN_SCORE))
    for language, ones in kept.items():
        report.at_least(f"must never be missed, {language}", round(sum(ones) / len(ones), 3), 1.0)
    decoys = [is_kept(row["text"], lambda _score: False) for row in _read(DECOYS)]
    report.add("decoys that are taken for cues", f"{sum(decoys)} of {len(decoys)}")


def _read(path: Path) -> list[Figures]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []


def main() -> int:
    """Measure and judge; 1 when a bound is broken."""
    return run_command(__doc__, measure, judge)


if __name__ == "__main__":
    sys.exit(main())
