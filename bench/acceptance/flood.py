"""Questions that are asked again and again: whether the answer comes first in an automatic pack, or the question.

`python -m bench.acceptance.flood [--base DIR]`. `data/flood.jsonl` has 32 facts, each with a question about it. The
owner says the facts in sessions of four; then come four rounds, in each of which every question is asked and
answered in a session, and everything is consolidated. After each round an automatic pack of 1,000 tokens is made for
each question.
"""

from __future__ import annotations

import argparse
import json
import sys
from datetime import datetime, timedelta
from pathlib import Path

from bench.acceptance.measuring import Figures, Report, run_command, workspace
from commonplace import Memory
from commonplace.capture import Event

DATA = Path(__file__).parent / "data" / "flood.jsonl"
ROUNDS = 4
OF_A_SESSION = 4
BUDGET_TOKENS = 1000
FIRST_DAY = datetime(2026, 11, 2, 9, 0)
LEAST_FIRST = 30
MAX_OWN = 0.1


def measure(_given: argparse.Namespace) -> Figures:
    """By round: the questions whose answer is in the first line, all lines, and the owner's questions among them."""
    rows = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    figures: Figures = {}
    with workspace() as memory:
        questions = set[str]()
        capture_pairs(memory, [(row["fact"], "Noted.") for row in rows], FIRST_DAY)
        for place in range(1, ROUNDS + 1):
            day = FIRST_DAY + timedelta(days=place)
            questions |= capture_pairs(memory, [(row["question"], row["reply"]) for row in rows], day)
            figures[f"round {place}"] = count = {"first": 0, "own first": 0, "lines": 0, "own": 0}
            for row in rows:
                now = _minute(day + timedelta(hours=22))
                packed = memory.pack(row["question"], budget_tokens=BUDGET_TOKENS, automatic=True, now=now)
                items = packed.items
                is_first = bool(items) and row["answer"].casefold() in items[0].text.casefold()
                count["first"] += is_first
                count["own first"] += is_first and row["own"]
                count["lines"] += len(items)
                count["own"] += sum(item.record_id in questions for item in items)
    return figures | {"questions": len(rows)}


def capture_pairs(memory: Memory, pairs: list[tuple[str, str]], day: datetime) -> set[str]:
    """Capture what the owner said and the agent replied, some pairs a session, and consolidate; the ids of what the
    owner said."""
    said = set[str]()
    for start in range(0, len(pairs), OF_A_SESSION):
        session = f"{day:%Y-%m-%d}-{start}"
        events: list[Event] = []
        for number, (text, reply) in enumerate(pairs[start : start + OF_A_SESSION]):
            ts = _minute(day + timedelta(minutes=10 * start + number))
            events += (
                Event(text=text, ts=ts, session=session),
                Event(text=reply, ts=ts, session=session, actor="agent"),
            )
        said.update(result.id for result in memory.capture_all(events, now=events[-1].ts)[::2])
    memory.consolidate(apply=True, now=_minute(day + timedelta(hours=14)))
    return said


def _minute(moment: datetime) -> str:
    return moment.isoformat(timespec="minutes")


def judge(ours: Figures, base: Figures | None, report: Report) -> None:
    """Each round beside its bounds and the figures of the other tree."""
    for place in range(1, ROUNDS + 1):
        figures, before = ours[f"round {place}"], (base or {}).get(f"round {place}")
        label = f"round {place}"
        report.at_least(
            f"{label}: answer first, of {ours['questions']}", figures["first"], LEAST_FIRST, before and before["first"]
        )
        report.add(f"{label}: answer first, of the first eight", figures["own first"])
        shares = [round(one["own"] / max(one["lines"], 1), 3) for one in (figures, before) if one]
        report.at_most(f"{label}: own questions of {figures['lines']} lines", shares[0], MAX_OWN, *shares[1:])


def main() -> int:
    """Measure and judge; 1 when a bound is broken."""
    return run_command(__doc__, measure, judge)


if __name__ == "__main__":
    sys.exit(main())
