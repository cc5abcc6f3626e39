"""What stands in the notebook with a large model, whose recorded replies are replayed through the product.

`python -m bench.acceptance.large_model`; with `--prompts DIR` it writes the prompts that have no reply there, and with
`--replies DIR --model NAME` it records DIR/DIGEST.json as the replies of a model. Important facts of two conversations
of LoCoMo and eleven sessions of the pool of LongMemEval were listed before any reply was recorded. A fact has a line if
a line that rests on one of its turns has its words. `--print FILE` writes the lines with the turns that they rest on,
for a reader. Then two aims: of the updates of `traps` that were said how many are replaced or wait where a model
compares lines, and r@10 of questions of LoCoMo, in order of their digests, where it puts the hits in order.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections import defaultdict
from datetime import date
from pathlib import Path
from typing import Any

from bench.acceptance.measuring import Figures, Report, part_of, run_command, shown, workspace
from bench.acceptance.recorded_model import prompt_digest, with_places
from bench.acceptance.traps import observe
from bench.adapter import event, said
from bench.behaviour_parts.notebooks import rows
from commonplace.language.text import fold_name

DATA = Path(__file__).parent / "data"
FACTS, REPLIES = DATA / "important_facts_blind.jsonl", DATA / "recorded_replies.jsonl"
UPDATES = (DATA / "truth_updates.jsonl", DATA / "truth_updates_blind.jsonl")
PROGRAM = Path(__file__).with_name("recorded_model.py")
STEPS = ("claims", "compare", "summary", "rerank")
LEAST_FACTS, LEAST_UPDATES, LEAST_GAIN = 0.70, 0.80, 0.03
RERANKED_QUESTIONS = 60


def measure(given: argparse.Namespace) -> Figures:
    """The facts that have a line, with the model and by the rules alone, and what the lines say that no turn does."""
    if given.replies:
        record(given.replies, given.prompts, given.model)
    facts = [json.loads(line) for line in FACTS.read_text(encoding="utf-8").splitlines()]
    figures: Figures = {"facts": [fact["id"] for fact in facts]}
    for name, is_asked in (("rules", False), ("model", True)):
        if is_asked or not given.prompts:
            figures[name] = _consolidate(facts, given.prompts if is_asked else None, is_asked=is_asked)
    for is_asked in (False, True) if given.aims else ():
        name = "model" if is_asked else "rules"
        figures[f"updates, {name}"] = _count_updates(_settings("compare", given.prompts) if is_asked else "")
        figures[f"r@10, {name}"] = _measure_recall(_settings("rerank", given.prompts) if is_asked else "")
    if given.print:
        text = "".join(json.dumps(line) + "\n" for line in figures["model"]["lines"])
        given.print.write_text(text, encoding="utf-8")
    return figures


def _consolidate(facts: list[Figures], prompts: Path | None, *, is_asked: bool) -> Figures:
    """Consolidate the sessions of the facts, each name space in a notebook of its own."""
    sessions: dict[tuple[str, str], set[str]] = defaultdict(set)
    for fact in facts:
        sessions[fact["set"], fact["session"].partition("/")[0]].add(fact["session"])
    kept: list[str] = []
    lines: list[Figures] = []
    notes: list[str] = []
    for (name, _space), wanted in sorted(sessions.items()):
        docs = [doc for doc in rows(name, "corpus.jsonl.gz") if doc["session"] in wanted]
        with workspace(_settings("claims", prompts) if is_asked else "") as memory:
            taken = memory.capture_all([event(doc) for doc in docs], now=docs[-1]["timestamp"][:16])
            unit = {one.id: doc for one, doc in zip(taken, docs, strict=True)}
            run = memory.consolidate(apply=True, now=docs[-1]["timestamp"][:16])
            notes += run.notes
            for claim in (claim for plan in run.plans for claim in plan.lines):
                cited = [unit[source] for source in claim.sources if source in unit]
                turns = [[doc["id"], doc["timestamp"], doc["speaker"], said(doc)] for doc in cited]
                lines.append({"text": claim.text, "turns": turns})
    for fact in facts:
        own = [line["text"] for line in lines if {turn[0] for turn in line["turns"]} & {*fact["turns"]}]
        if any(all(fold_name(word) in fold_name(text) for word in fact["must"]) for text in own):
            kept.append(fact["id"])
    return {"kept": kept, "lines": lines, "strange": [one for one in map(_strange_words, lines) if one], "notes": notes}


def _count_updates(settings: str) -> list[float]:
    """Of each update that was said whether the old line is replaced, or the new one waits."""
    items = [json.loads(line) for path in UPDATES for line in path.read_text(encoding="utf-8").splitlines()]
    spoken = [item for item in items if item["via"] == "talk" and item["expect"] == "replace"]
    return [float(seen["ended"] or seen["pending"]) for item in spoken if (seen := observe(item, settings))]


def _measure_recall(settings: str) -> list[float]:
    """The share of evidence in the first ten hits, of each of some questions to work with."""
    name, shares = "locomo", list[float]()
    docs, queries = list(rows(name, "corpus.jsonl.gz")), list(rows(name, "queries.jsonl.gz"))
    spaces = {query["ns"] for query in queries}
    asked = [one for one in queries if one["relevant"] and part_of(name, one, spaces=len(spaces)) == "work"]
    chosen = sorted(asked, key=lambda one: prompt_digest(one["id"]))[:RERANKED_QUESTIONS]
    for space in sorted({one["ns"] for one in chosen}):
        own = [doc for doc in docs if doc["ns"] == space]
        with workspace(settings) as memory:
            taken = memory.capture_all([event(doc) for doc in own], now=own[-1]["timestamp"][:16])
            unit = {one.id: doc["id"] for one, doc in zip(taken, own, strict=True)}
            for one in (one for one in chosen if one["ns"] == space):
                at = (one["date"] or own[-1]["timestamp"])[:16]
                hits = memory.recall(one["question"], k=10, now=at, evidence="only").hits
                found = {unit[hit.record.id] for hit in hits if hit.record.id in unit}
                shares.append(len(found.intersection(one["relevant"])) / len({*one["relevant"]}))
    return shares


def _settings(step: str, prompts: Path | None) -> str:
    """The settings of a notebook in which a model is asked in this step alone."""
    command = f"{sys.executable} {PROGRAM} {REPLIES}" + (f" {prompts.resolve()}" if prompts else "")
    off = "".join(f'[models.step.{other}]\nprovider = "none"\n' for other in STEPS if other != step)
    limits = "calls_per_day = 100000\ntokens_per_day = 90000000\n"
    return f'[models]\nprovider = "command"\ncommand = "{command}"\n{limits}{off}'


def _strange_words(line: Figures) -> str:
    """The words with a capital or a digit that are in none of the turns; those of dates count where they are a day of
    a turn. It knows nothing of how the product checks them."""
    known = " ".join(f"{turn[2]} {turn[3]}" for turn in line["turns"])
    days = {turn[1][:10] for turn in line["turns"]}
    dates = " ".join(f"{day} {date.fromisoformat(day):%d %B %Y %A}" for day in days)
    words = [word.strip(".,;:!?()\"'’“”").removesuffix("'s").removesuffix("’s") for word in line["text"].split()[1:]]
    marked = [word for word in words if word[:1].isupper() or any(map(str.isdigit, word))]
    strange = [word for word in marked if word.casefold() not in f"{known} {dates}".casefold() and word != "I"]
    return f"{', '.join(strange)}: {line['text']}" if strange else ""


def record(replies: Path, prompts: Path | None, model: str) -> None:
    """Add the replies in a folder to those that are replayed, with the name of the model and the day."""
    with REPLIES.open("a", encoding="utf-8") as target:
        for path in sorted(replies.glob("*.json")):
            prompt = (replies / f"{path.stem}.txt").read_text(encoding="utf-8")
            assert prompt_digest(prompt) == path.stem, path
            answer: dict[str, Any] = json.loads(path.read_bytes())
            placed = with_places(answer, prompt) if "claims" in answer else answer
            row = {"prompt": path.stem, "model": model, "day": date.today().isoformat(), "answer": placed}
            target.write(json.dumps(row, ensure_ascii=False) + "\n")


def judge(ours: Figures, _base: Figures | None, report: Report) -> None:
    """The shares beside their bounds."""
    number = len(ours["facts"])
    by_rules = round(len(ours["rules"]["kept"]) / number, 3) if "rules" in ours else None
    model = ours["model"]
    report.at_least(
        f"share of {number} important facts with a line", len(model["kept"]) / number, LEAST_FACTS, by_rules
    )
    report.add(
        "lines", f"{len(model['lines'])}" + (f" (rules {len(ours['rules']['lines'])})" if "rules" in ours else "")
    )
    report.add("notes of refusals and failures", len(model["notes"]))
    report.add("lines with a capital or a digit of no turn, to be read", len(model["strange"]))
    for line in model["strange"]:
        report.add("  ", line)
    for aim, least in (("updates", LEAST_UPDATES), ("r@10", 0.0)) if "updates, rules" in ours else ():
        before, after = (statistics.fmean(ours[f"{aim}, {name}"]) for name in ("rules", "model"))
        bound, number = least or before + LEAST_GAIN, len(ours[f"{aim}, rules"])
        report.add(f"aim, {aim} of {number}", shown(round(after, 3), round(before, 3)), f">= {bound:.3g}")


def main() -> int:
    """Measure and judge; 1 when a bound is broken."""

    def extend(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--prompts", type=Path, help="where to write the prompts that have no reply")
        parser.add_argument("--replies", type=Path, help="a folder of prompts and their replies to record")
        parser.add_argument("--model", default="", help="whose replies these are")
        parser.add_argument("--aims", action="store_true", help="measure the aims too")
        parser.add_argument("--print", type=Path, help="where to write the lines for a reader")

    return run_command(__doc__, measure, judge, extend)


if __name__ == "__main__":
    sys.exit(main())
