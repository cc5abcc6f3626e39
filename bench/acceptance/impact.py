"""Whether `impact` finds what a search of every receipt finds: `python -m bench.acceptance.impact [--quick]`.

A notebook of some thousand invented captures and lines, many of them made of others, gets some hundred packs of
several sessions; some receipts are of an older version, some lines are hidden or erased afterwards. For 200 records by
lot the answer is compared with a search that decodes every line of every receipt, and that reads what rests on what off
the files, with nothing of `src`. Ends with 1 if one answer differs.
"""

from __future__ import annotations

import json
import random
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from commonplace import Memory
from commonplace.capture import Event
from commonplace.retrieval.pack import Impact
from commonplace.storage.journal import encode_journal_line
from commonplace.upkeep.forget import ForgetWish, hide_records, select_records

SEED = 24
NAMES = ("Ana", "Peter", "Mara", "Jonas", "Kaya", "Runa", "Tomas", "Ines", "Olek", "Zita")
PLACES = ("harbour", "mill", "abbey", "station", "castle", "library", "bridge", "garden", "tower", "market")
THINGS = ("cello", "boat", "kiln", "loom", "bicycle", "telescope", "oven", "violin", "kayak", "camera")
ANNOTATION = re.compile(r"<!-- id: (?P<id>\S+)(?: · from: (?P<sources>[^·]+?))? -->")


class Size(NamedTuple):
    """How much is made, and how many records are asked about."""

    captures: int
    lines: int
    packs: int
    asked: int


FULL, QUICK = Size(3_000, 2_000, 400, 200), Size(120, 80, 40, 40)


def sentence(lot: random.Random, number: int) -> str:
    """An invented sentence that no other is."""
    return f"{lot.choice(NAMES)} keeps the {lot.choice(THINGS)} number {number} at the {lot.choice(PLACES)}."


def write_notebook(root: Path, size: Size, lot: random.Random) -> None:
    """Captures; lines that rest on captures, or on lines before them; and packs of which somebody read each."""
    day = "2025-11-{:02}T{:02}:{:02}"
    with Memory.open(root) as memory:
        events = [
            Event(
                text=sentence(lot, number),
                actor=lot.choice(("owner", "owner", "agent", "tool")),
                session=f"talk{number % 40}",
                ts=day.format(1 + number % 20, number // 60 % 24, number % 60),
            )
            for number in range(size.captures)
        ]
        ids = [one.id for one in memory.capture_all(events, now="2025-11-21T09:00")]
        write_lines(root, size, lot, ids)
        ask(memory, size, lot)


def write_lines(root: Path, size: Size, lot: random.Random, capture_ids: list[str]) -> None:
    """Lines of daily logs and episodes with ids, half of which rest on captures or earlier lines."""
    made: list[str] = []
    texts: dict[str, list[str]] = {}
    for number in range(size.lines):
        sources: list[str] = []
        if lot.random() < 0.6:
            sources = lot.sample(capture_ids, lot.randint(1, 3)) + (
                lot.sample(made, 1) if made and lot.random() < 0.4 else []
            )
        name = f"id{number:05}x"
        origin = f" · from: {', '.join(sources)}" if sources else ""
        day = f"2025-10-{1 + number % 28:02}"
        texts.setdefault(f"memory/{day}.md", [f"# {day}", "", "## Retain", ""]).append(
            f"- W {sentence(lot, 10_000 + number)} <!-- id: {name}{origin} -->"
        )
        made.append(name)
    for path, lines in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("\n".join(lines) + "\n", encoding="utf-8")


def ask(memory: Memory, size: Size, lot: random.Random) -> None:
    """Packs of several sessions, automatic and not."""
    for number in range(size.packs):
        memory.pack(
            f"what does {lot.choice(NAMES)} keep at the {lot.choice(PLACES)}, number {lot.randrange(10_000)}?",
            automatic=lot.random() < 0.5,
            budget_tokens=lot.choice((200, 600, 1_500)),
            reader=lot.choice(("", "s1", "s2", "s3", "s4")),
            now=f"2025-11-{22 + number * 7 // size.packs:02}T10:{number % 60:02}",
        )


def age_receipts(root: Path, lot: random.Random) -> None:
    """Make every fifth receipt one of an older version, which says neither who read it nor how it came about."""
    for path in (root / ".memory/receipts").glob("*.jsonl"):
        lines = []
        for raw_line in path.read_bytes().split(b"\n")[:-1]:
            fields = json.loads(raw_line)
            if lot.random() < 0.2:
                fields.pop("basis")
            lines.append(encode_journal_line(fields))
        path.write_bytes(b"\n".join(lines) + b"\n")


class Search:
    """What the files say, read line by line with nothing of ours."""

    def __init__(self, root: Path) -> None:
        self.receipts = sorted(self._lines(root / ".memory/receipts"), key=lambda one: one["ts"])
        captures = self._lines(root / ".memory/journal", "captures-")
        self.sources = {one["id"]: list(one.get("from") or ()) for one in captures}
        for path in sorted(root.rglob("memory/**/*.md")):
            for match in ANNOTATION.finditer(path.read_text(encoding="utf-8")):
                self.sources[match["id"]] = re.split(r",\s*", match["sources"]) if match["sources"] else []

    @staticmethod
    def _lines(folder: Path, prefix: str = "") -> list[dict[str, Any]]:
        names = sorted(folder.glob(f"{prefix}*.jsonl"))
        return [json.loads(line) for path in names for line in path.read_text(encoding="utf-8").split("\n") if line]

    def roles(self, name: str, gone: frozenset[str]) -> dict[str, str]:
        """The role of everything that `name` rests on or that was made of it; of what is gone nothing is known."""
        if name in gone:
            return {name: "named"}
        above, below = set[str](), {line for line, _steps in self.derived(name, gone)}
        waiting = [name]
        while waiting:
            one = waiting.pop()
            new = set() if one in gone else set(self.sources.get(one, ())) - above - {name}
            above |= new
            waiting += new
        return dict.fromkeys(below, "derived") | dict.fromkeys(above, "source") | {name: "named"}

    def derived(self, name: str, gone: frozenset[str]) -> set[tuple[str, int]]:
        """What was made of `name`, with the number of steps."""
        level, steps, seen, lines = {name}, 0, {name}, set[tuple[str, int]]()
        while level and name not in gone:
            steps += 1
            level = {one for one, sources in self.sources.items() if level & set(sources)} - seen - gone
            seen |= level
            lines |= {(one, steps) for one in level}
        return lines

    def impact(self, name: str, gone: frozenset[str]) -> dict[str, Any]:
        """The same in the form of `in_short`."""
        roles, packs, left_out = self.roles(name, gone), list[Any](), 0
        for receipt in self.receipts:
            mine = [one for one in receipt["considered"] if one["id"] in roles]
            lines = [(one["id"], roles[one["id"]], one["citation"], one["reason"]) for one in mine if one["included"]]
            basis = receipt.get("basis") or {"session": "", "automatic": None}
            if lines:
                packs.append((receipt["id"], receipt["ts"], basis["session"], basis["automatic"], lines))
            left_out += bool(mine and not lines)
        sessions = {one[2]: [pack[1] for pack in packs if pack[2] == one[2]] for one in packs if one[2]}
        ends = sorted((who, times[0], times[-1], len(times)) for who, times in sessions.items())
        return {"packs": packs, "left_out": left_out, "sessions": ends, "derived": self.derived(name, gone)}


def in_short(impact: Impact) -> dict[str, Any]:
    """An answer of `impact` as the search gives it."""
    packs = [
        (
            *(pack.receipt_id, pack.ts, pack.session, pack.automatic),
            [(line.record_id, line.role, line.citation, line.reason) for line in pack.lines],
        )
        for pack in impact.packs
    ]
    sessions = sorted((one.session, one.first, one.last, one.packs) for one in impact.sessions)
    derived = {(line.record.id, line.steps) for line in impact.derived}
    return {"packs": packs, "left_out": impact.left_out, "sessions": sessions, "derived": derived}


def forget_some(memory: Memory, lot: random.Random, names: list[str]) -> frozenset[str]:
    """Hide a few of these, with what goes with them; returns all that is hidden."""
    for name in lot.sample(names, 5):
        selected = select_records(memory.workspace.synced_index(), ForgetWish((name,)))
        hide_records(memory.workspace.sync_source().journal, selected, "2025-11-29T09:00")
    return memory.workspace.synced_index().hidden_ids()


def compare(root: Path, size: Size) -> Iterator[tuple[str, str]]:
    """The parts that differ, by the id that was asked about."""
    lot = random.Random(SEED)
    write_notebook(root, size, lot)
    age_receipts(root, lot)
    packed = sorted(
        {one["id"] for receipt in Search(root).receipts for one in receipt["considered"] if one["included"]}
    )
    with Memory.open(root) as memory:
        gone = forget_some(memory, lot, packed)
        search = Search(root)
        asked = {*lot.sample(packed, size.asked // 2), *lot.sample(sorted(search.sources), size.asked // 2), *gone}
        for name in sorted(asked):
            expected = search.impact(name, gone)
            if not (expected["packs"] or expected["left_out"]) and name in gone:
                continue
            answer = in_short(memory.impact(name))
            yield from ((name, part) for part in expected if answer[part] != expected[part])
            yield (name, "")


def main() -> int:
    """Print how many answers were compared, and those that differ."""
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        compared = list(compare(Path(folder), QUICK if "--quick" in sys.argv else FULL))
    differing = [(name, part) for name, part in compared if part]
    for name, part in differing[:20]:
        print(f"{name}: {part} differs")
    asked = sum(not part for _name, part in compared)
    print(f"{asked} records asked about, {len(differing)} differences, {time.perf_counter() - start:.0f} s")
    return int(bool(differing) or asked < (QUICK if "--quick" in sys.argv else FULL).asked * 3 // 4)


if __name__ == "__main__":
    sys.exit(main())
