"""A scripted week, consolidated each night: which planted facts stand in the notebook, in which files, and what else.

`python -m bench.acceptance.kept_facts [--data DIR] [--base DIR]`. Beside those of `week`, a fact may have `key`, which
each line that keeps it has, and `homes`; `worthless.jsonl` {message} lists messages of which nothing is worth a line.
A fact is kept if a line outside the episodes and the queue rests on one of its messages and has its key. No sentence is
printed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from bench.acceptance.measuring import Figures, Report, all_records, run_command, workspace
from bench.acceptance.week import play, read_rows
from commonplace.model import Record

DATA = Path(__file__).parent / "data" / "week_blind"
LEAST_KEPT, LEAST_KEPT_OPENED, LEAST_GAIN = 0.68, 0.75, 0.10
MOST_JUNK, MOST_WRONG_HOMES = 0.05, 0.08
HOMES = {
    "memory/semantic/preferences.md": "preferences",
    "memory/semantic/contacts.md": "contacts",
    "memory/semantic/projects.md": "projects",
    "memory/semantic/decisions.md": "decisions",
    "memory/semantic/infrastructure.md": "infrastructure",
    "memory/procedural/lessons-learned.md": "lessons",
    "MEMORY.md": "core",
}
ELSEWHERE = ("memory/episodes/", "memory/pending.md")


def measure(given: argparse.Namespace) -> Figures:
    """The facts that are kept, those in a file where nobody would look, the lines, and those of worthless messages."""
    folder = given.data
    if not (folder / "messages.jsonl").is_file():
        return {}
    messages, facts = (read_rows(folder / f"{name}.jsonl") for name in ("messages", "facts"))
    worthless = {row["message"] for row in read_rows(folder / "worthless.jsonl")}
    with workspace() as memory:
        message_ids = play(memory, messages)
        lines = list(kept_lines(all_records(memory), message_ids))
    kept, wrong = [], []
    for fact in facts:
        own = [(text, home) for text, home, said in lines if said & {*fact["messages"]} and _has_key(text, fact)]
        if own:
            kept.append(fact["id"])
            if fact.get("homes") and not any(home in fact["homes"] for _text, home in own):
                wrong.append(f"{fact['id']} {own[0][1]}")
    figures: Figures = {"facts": len(facts), "kept": kept, "wrong": wrong, "lines": len(lines)}
    junk = sum(said <= worthless for _text, _home, said in lines)
    return figures | ({"worthless": junk} if worthless else {})


def kept_lines(records: list[Record], message_ids: dict[str, str]) -> Iterator[tuple[str, str, set[str]]]:
    """The text, the home and the messages of each line that consolidation wrote."""
    for record in records:
        said = {message_ids[one] for one in record.sources if one in message_ids}
        if said and not record.source.path.startswith(ELSEWHERE):
            path = record.source.path
            other = "procedures" if path.startswith("memory/procedural/") else "log"
            yield record.text, "entity" if path.startswith("bank/") else HOMES.get(path, other), said


def _has_key(text: str, fact: Figures) -> bool:
    return str(fact.get("key", "")).casefold() in text.casefold()


def judge(ours: Figures, base: Figures | None, report: Report) -> None:
    """The shares beside their bounds."""
    if not ours:
        report.add("kept facts", "skipped: there is no list of messages; name its folder with --data")
        return
    kept = round(len(ours["kept"]) / ours["facts"], 3)
    before = round(len(base["kept"]) / base["facts"], 3) if base else None
    is_blind = "worthless" in ours
    least = LEAST_KEPT if is_blind else max(LEAST_KEPT_OPENED, (before or 0.0) + LEAST_GAIN)
    report.at_least(f"share of {ours['facts']} facts kept", kept, least, before)
    lines = ours["lines"]
    report.add("lines", f"{lines}" + (f" (base {base['lines']})" if base else ""))
    if is_blind:
        report.at_most("share of lines of worthless messages", round(ours["worthless"] / lines, 3), MOST_JUNK)
    report.at_most(
        "share of kept facts in a wrong file",
        round(len(ours["wrong"]) / max(len(ours["kept"]), 1), 3),
        MOST_WRONG_HOMES,
    )
    report.add("wrong files", "; ".join(ours["wrong"]) or "none")


def main() -> int:
    """Measure and judge; 1 when a bound is broken."""
    return run_command(
        __doc__,
        measure,
        judge,
        lambda parser: parser.add_argument("--data", type=Path, default=DATA, help="the folder of the list"),
    )


if __name__ == "__main__":
    sys.exit(main())
