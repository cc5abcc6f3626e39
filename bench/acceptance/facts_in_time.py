"""Whether `facts show` on a day, as known on a day, is what a notebook answers that stopped there.

`python -m bench.acceptance.facts_in_time [QUESTIONS]` writes a notebook day by day: sentences that are retained, lines
of people with and without a date, captures that come late, what a capture supports and what undoes
that, pairs that both hold, consolidations. Each evening it is
copied. Then questions (key, valid day, known day) are drawn: the last notebook must give the values, intervals and
sources that the copy of the known day gives. Exit code 1 if any differs.
"""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from commonplace import Memory
from commonplace.errors import NotFound
from commonplace.operations.serializers import answer_json
from commonplace.storage.journal import Journal

SEED = 21
QUESTIONS = 10_000
FIRST_DAY = date(2025, 1, 1)
DAY_COUNT = 60
NAMES = ("Mara", "Zoe", "Teo")
TEMPLATES = {  # by key: sentences of a value, and of its end
    "lives_in": ("{name} lives in {value}.", "{name} no longer lives in {value}."),
    "employer": ("{name} works at {value}.", "{name} no longer works at {value}."),
    "plays": ("{name} plays the {value}.", "{name} no longer plays the {value}."),
    "speaks": ("{name} speaks {value}.", "{name} no longer speaks {value}."),
}
VALUES = {
    "lives_in": ("Ulm", "Bern", "Trier", "Bonn"),
    "employer": ("Bosch", "Acme", "Siemens"),
    "plays": ("piano", "flute", "cello"),
    "speaks": ("French", "Dutch", "Polish"),
}
SHOWN = 5  # differences that are printed


class Diary:
    """A notebook that is written day by day, by lot."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.root, self.copies, self.chance = folder / "notebook", folder / "copies", random.Random(seed)
        self.root.mkdir(parents=True)
        (self.root / "commonplace.toml").write_text('device = "desk"\n', encoding="utf-8")
        (self.root / "people.md").write_text("# People\n", encoding="utf-8")
        self.days: list[str] = []
        self.supporting: list[str] = []

    def live(self, day_count: int) -> None:
        """Write so many days, and keep a copy of each evening."""
        for number in range(day_count):
            day = (FIRST_DAY + timedelta(days=number)).isoformat()
            with Memory.open(self.root) as memory:
                for hour in range(self.chance.randint(1, 3)):
                    self.write(memory, f"{day}T{hour + 8:02}:00")
                if number % 12 == 11:
                    memory.consolidate(apply=True, now=f"{day}T20:00")
                memory.log("The day is over.", now=f"{day}T21:00")
            self.days.append(day)
            shutil.copytree(self.root, self.copies / day, ignore=shutil.ignore_patterns("index.sqlite*"))

    def write(self, memory: Memory, now: str) -> None:
        """Write one sentence in one of the ways."""
        name, key = self.chance.choice(NAMES), self.chance.choice(list(TEMPLATES))
        value, is_over = self.chance.choice(VALUES[key]), self.chance.random() < 0.15
        sentence = TEMPLATES[key][is_over].format(name=name, value=value)
        way = self.chance.choice(
            ("retain", "retain", "valid", "dated", "undated", "capture", "late", "support", "both", "undo")
        )
        if way == "retain" or (is_over and way in ("valid", "support")):
            memory.retain(f"W @{name}: {sentence}", now=now, actor=self.chance.choice(("owner", "owner", "agent")))
        elif way == "valid":
            start = FIRST_DAY + timedelta(days=self.chance.randint(-30, DAY_COUNT))
            end = (start + timedelta(days=self.chance.randint(5, 40))).isoformat()
            valid = f"{start}..{self.chance.choice((end, ''))}"
            memory.retain(f"W @{name}: {sentence}", now=now, valid=valid)
        elif way == "dated":
            path = self.root / f"memory/{now[:10]}-{now[11:13]}.md"
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"# {now[:10]}\n\n- {sentence}\n", encoding="utf-8")
        elif way == "undated":
            with (self.root / "people.md").open("a", encoding="utf-8") as file:
                file.write(f"\n- {sentence} It was said at {now[11:13]} of day {len(self.days)}.\n")
        elif way == "support" and (records := [hit.record for hit in memory.recall(sentence, now=now, k=1).hits]):
            said = memory.capture(sentence, now=now).id
            line = {"op": "supported", "ts": now, "record": records[0].id, "sources": [said]}
            Journal(memory.root, "desk").append(line, "ledger")
            self.supporting.append(said)
        elif way == "both":
            facts = answers(memory, name, as_of=now[:10], now=now, all_values=True).get(key, [])
            if len(ids := list(dict.fromkeys(source["id"] for fact in facts for source in fact["sources"]))) > 1:
                line = {"op": "both", "ts": now, "records": self.chance.sample(ids, 2)}
                Journal(memory.root, "desk").append(line, "ledger")
        elif way == "undo" and self.supporting:
            memory.undo(self.supporting.pop(), now=now)
        else:
            ts = f"{self.chance.choice([*self.days, now[:10]])}T07:00" if way == "late" else ""
            memory.capture(sentence, now=now, ts=ts)

    def questions(self, count: int) -> list[tuple[str, str]]:
        """So many pairs of a valid and a known day."""
        return [(self.chance.choice(self.days), self.chance.choice(self.days)) for _number in range(count)]


def compare(
    folder: Path, questions: int, *, seed: int = SEED, day_count: int = DAY_COUNT
) -> tuple[int, int, list[str]]:
    """How many questions were asked, how many of them have no answer, and what differs."""
    diary = Diary(folder, seed)
    diary.live(day_count)
    asked, empty, wrong = 0, 0, []
    pairs = sorted(diary.questions(-(-questions // (len(NAMES) * len(TEMPLATES)))), key=lambda pair: pair[1])
    stopped: dict[str, Memory] = {}
    with Memory.open(diary.root) as memory:
        for valid_day, known_day in pairs:
            if known_day not in stopped:
                for other in stopped.values():
                    other.close()
                stopped = {known_day: Memory.open(diary.copies / known_day)}
            for name in NAMES:
                now, then = f"{diary.days[-1]}T22:00", f"{known_day}T22:00"
                found = answers(memory, name, as_of=valid_day, known_at=known_day, now=now)
                expected = answers(stopped[known_day], name, as_of=valid_day, now=then)
                for key in TEMPLATES:
                    asked += 1
                    empty += not expected.get(key)
                    if found.get(key) != expected.get(key):
                        wrong.append(
                            f"{name} {key} on {valid_day} as of {known_day}:\n  {found.get(key)}\n  {expected.get(key)}"
                        )
    for other in stopped.values():
        other.close()
    return asked, empty, wrong


def answers(memory: Memory, name: str, **days: Any) -> dict[str, list[dict[str, Any]]]:
    """The facts of a name by key, as they are printed, but for the places of lines, which move."""
    try:
        facts = answer_json("facts", memory.facts(name, **days))["facts"]
    except NotFound:
        return {}
    by_key: dict[str, list[dict[str, Any]]] = {}
    for fact in facts:
        for source in fact["sources"]:
            del source["citation"]
        by_key.setdefault(fact["key"], []).append(fact)
    return by_key


def run(questions: int = QUESTIONS) -> None:
    """Ask so many questions, print how many are answered otherwise, and exit with 1 if any is."""
    with tempfile.TemporaryDirectory(prefix="cpl-") as folder:
        asked, empty, wrong = compare(Path(folder), questions)
    head = f"{asked} questions, {empty} of them without an answer, {len(wrong)} answered otherwise (0)"
    print("\n".join([head, *wrong[:SHOWN]]))
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    run(*map(int, sys.argv[1:2]))
