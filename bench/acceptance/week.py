"""A scripted week: what an automatic pack on the Monday after shows, and how much of it nobody wants to read.

`python -m bench.acceptance.week [--data DIR] [--base DIR]`. A folder has `messages.jsonl` {id, time, session, actor,
text}, `facts.jsonl` {id, messages, text, standing, replaces} and `questions.jsonl` {id, text, answer, facts, useful}.
The messages are captured session by session, and consolidated each night; each question is asked as a pack of 1,000
tokens. A line is noise (small talk, questions, output of tools) if none of the messages that it is, or rests on, are of
a fact or `useful` for any question; beside it stands the share of lines not useful for the question asked. What is
shown whatever is asked (core, standing instructions, tail) is counted apart. An answer is in a pack if one of its
strings is.
No sentence is printed, because a list may be sealed; of questions without an answer, why its captures are not shown.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import groupby
from pathlib import Path

from bench.acceptance.measuring import Figures, Report, run_command, workspace
from commonplace import Memory
from commonplace.capture import Event
from commonplace.model import Pack

DATA = Path(__file__).parent / "data" / "week_blind"
BUDGET_TOKENS = 1000
MAX_NOISE = 0.15
ALWAYS_SHOWN = ("core", "standing", "tail")  # parts that the question does not choose
NIGHT = "23:50"
ASKING_HOUR = timedelta(hours=9)


def measure(given: argparse.Namespace) -> Figures:
    """The counts of lines, of noise and of answers; nothing where there is no list."""
    folder = given.data
    if not (folder / "messages.jsonl").is_file():
        return {}
    messages, facts, questions = (read_rows(folder / f"{name}.jsonl") for name in ("messages", "facts", "questions"))
    with workspace() as memory:
        message_ids = play(memory, messages)
        now = monday_after(max(message["time"] for message in messages))
        counts: Counter[str] = Counter(messages=len(messages), facts=len(facts), questions=len(questions))
        worthwhile = {one for row in (*facts, *questions) for one in row.get("messages", row.get("useful", ()))}
        answered: list[str] = []
        for question in questions:
            packed = memory.pack(question["text"], budget_tokens=BUDGET_TOKENS, automatic=True, now=now)
            if any(one.casefold() in packed.text.casefold() for one in question["answer"]):
                answered.append(question["id"])
            else:
                said = {one["id"]: one["text"].casefold() for one in messages if one["id"] in question["useful"]}
                wanted = [one.casefold() for one in question["answer"]]
                has_answer = {name for name, text in said.items() if any(one in text for one in wanted)}
                captures = {one for one, name in message_ids.items() if name in has_answer}
                reasons = [*reasons_against(memory, packed, captures)] or ["in no single message"]
                counts.update(f"unanswered: {reason}" for reason in reasons)
            for part, sources in lines_of(memory, packed, message_ids):
                is_noise = sources.isdisjoint(question["useful"])
                counts.update({f"lines {part}": 1, f"noise {part}": is_noise})
                if part not in ALWAYS_SHOWN:
                    counts.update({"lines": 1, "noise": is_noise, "chatter": sources.isdisjoint(worthwhile)})
    return dict(counts) | {"answered": answered}


def read_rows(path: Path) -> list[Figures]:
    """The rows of a file of JSON lines; none where there is no file."""
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def play(memory: Memory, messages: list[Figures]) -> dict[str, str]:
    """Capture the messages session by session, and consolidate each night; the message by the id of its capture."""
    message_ids: dict[str, str] = {}
    for day, of_day in groupby(sorted(messages, key=lambda one: one["time"]), key=lambda one: one["time"][:10]):
        for _session, said in groupby(of_day, key=lambda one: one["session"]):
            of_session = list(said)
            events = [
                Event(text=one["text"], ts=one["time"], session=one["session"], actor=one["actor"])
                for one in of_session
            ]
            results = memory.capture_all(events, now=of_session[-1]["time"])
            message_ids |= {result.id: one["id"] for result, one in zip(results, of_session, strict=True) if result.id}
        memory.consolidate(apply=True, now=f"{day}T{NIGHT}")
    return message_ids


def monday_after(time: str) -> str:
    """Nine o'clock on the first Monday after a time."""
    day = datetime.fromisoformat(time[:10])
    return (day + timedelta(days=7 - day.weekday()) + ASKING_HOUR).isoformat(timespec="minutes")


def lines_of(memory: Memory, packed: Pack, message_ids: dict[str, str]) -> Iterator[tuple[str, set[str]]]:
    """The part of each line of a pack, and the messages that it is, or rests on."""
    index = memory.workspace.open_index()
    for item in packed.items:
        open_ids, captures = [item.record_id], set[str]()
        while open_ids:
            record_id = open_ids.pop()
            record = index.find(record_id)
            if record_id not in captures and record is not None:
                captures.add(record_id)
                open_ids += record.sources
        yield item.part, {message_ids[one] for one in captures if one in message_ids}


def reasons_against(memory: Memory, packed: Pack, captures: set[str]) -> Iterator[str]:
    """For each of these captures, which have the answer, why the pack does not show it."""
    index = memory.workspace.open_index()
    entries = [(entry, index.find(entry.record_id)) for entry in memory.receipt(packed.receipt_id).considered]
    for record in filter(None, map(index.find, captures)):
        reasons = [entry.reason for entry, other in entries if other and record.id in (other.id, *other.sources)]
        outcome = reasons[0].split(" of ")[0] if reasons else f"no hit of {record.actor}"
        yield getattr(record, "speech_act", "") or outcome


def judge(ours: Figures, base: Figures | None, report: Report) -> None:
    """The share of noise beside its bound, by the parts of a pack, and the answers beside those of the other tree."""
    if not ours:
        report.add("week", "skipped: there is no list of messages; name its folder with --data")
        return
    report.add("messages, facts, questions", " ".join(str(ours[one]) for one in ("messages", "facts", "questions")))
    for name in sorted(key for key in ours if key.startswith("lines ")):
        part = name.removeprefix("lines ")
        report.add(f"{part}: lines, noise", f"{ours[name]} {ours.get(f'noise {part}', 0)}")
    for name in sorted(key for key in ours if key.startswith("unanswered: ")):
        report.add(name, ours[name])
    lines = [one.get("lines", 0) for one in (ours, base or {})]
    shares = [round(one.get("noise", 0) / max(one.get("lines", 0), 1), 3) for one in (ours, base or {})]
    chatter = [round(one.get("chatter", 0) / max(one.get("lines", 0), 1), 3) for one in (ours, base or {})]
    report.at_most("share of lines of no use to any question", chatter[0], MAX_NOISE, chatter[1] if base else None)
    report.add("lines for the question", f"{lines[0]}" + (f" (base {lines[1]})" if base else ""))
    report.add("share of no use to this question", f"{shares[0]}" + (f" (base {shares[1]})" if base else ""))
    answered = len(ours["answered"])
    if base:
        report.at_least("answers in packs", answered, len(base["answered"]) - 1, len(base["answered"]))
        report.add("answers lost", " ".join(sorted(set(base["answered"]) - set(ours["answered"]))) or "none")
    else:
        report.add("answers in packs", answered)


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
