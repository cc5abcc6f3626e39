"""The life of a notebook: whatever people, programs and accidents do to it, the index equals one made anew."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

import commonplace.memory
from commonplace import Memory, files
from commonplace.capture import text_key
from commonplace.errors import SuspiciousLoss
from commonplace.index import database
from commonplace.journal import Journal
from commonplace.workspace.write import archive

NOW = "2025-11-27T10:00"
PATHS = (
    "MEMORY.md",
    "memory/2025-11-26.md",
    "memory/2025-11-27.md",
    "memory/semantic/preferences.md",
    "bank/entities/Ada.md",
    "bank/opinions.md",
    "notes/Garden.md",
    "notes/garden plan.md",
    "notes/a.sync-conflict-20251127-101010-ABCDEFG.md",
)
WORDS = (
    "tulip harbour violin copper lantern orchard granite saddle meadow thimble walnut anchor candle ferry quartz"
    " ribbon saffron tunnel umbrella velvet willow yoghurt zither basket cellar dolphin ember falcon glacier hinge"
    " straße café 旅行 привет"
).split(" ")
NAMES = ("Ada", "Peter", "The-Castle", '"Ada Lovelace"')
IDS = ("aaaa1", "bbbb2", "cccc3", "dddd4")
QUESTIONS = (
    *("tulip harbour", "who is Ada?", "what did Peter say about the violin?", "copper lantern since 2025", "café"),
    *("旅行", "привет", "orchard granite saddle", "what happened yesterday?", "preferences about walnut", "zither"),
    *("Ada Lovelace and the anchor", "candle ferry quartz ribbon", "Garden", "straße", "umbrella OR velvet", "willow"),
    *("basket cellar dolphin ember", "last week", "number 7"),
)
CLOCK_AHEAD = SimpleNamespace(
    time_ns=lambda: 10**18 * 4,  # so far ahead that no file changed a moment ago: stamps are relied on
    perf_counter=lambda: 0.0,
)


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMMONPLACE_NOW", NOW)
    monkeypatch.setenv("COMMONPLACE_DEVICE", "here")
    monkeypatch.setattr(commonplace.memory, "time", CLOCK_AHEAD)


class World:
    """A workspace, two programs that have it open, and what must never get lost."""

    def __init__(self, root: Path, chance: random.Random) -> None:
        self.root, self.chance = root, chance
        self.memories = [Memory.open(root), Memory.open(root)]
        self.kept: set[str] = set()
        self.ticks = 0

    # what there is to choose from

    def memory(self) -> Memory:
        return self.chance.choice(self.memories)

    def path(self) -> str:
        return self.chance.choice(PATHS)

    def there(self) -> list[str]:
        return sorted(p.relative_to(self.root).as_posix() for p in self.root.rglob("*.md"))

    def sentence(self) -> str:
        words = self.chance.choices(WORDS, k=self.chance.randint(1, 8))
        return f"{' '.join(words)} number {self.chance.randint(0, 30)}"

    def annotation(self) -> str:
        said = self.chance.choice(
            (
                "",
                "",
                f"id: {self.chance.choice(IDS)}",
                f"id: {self.chance.choice(IDS)} · supersedes: {self.chance.choice(IDS)}",
                f"supersedes: {self.chance.choice(IDS)}",
                "origin: untrusted",
                "project: gurdy · importance: 7",
                "valid: 2025-11-20..2025-11-28",
                "importance: very",
            )
        )
        return f" <!-- {said} -->" if said else ""

    def line(self) -> str:
        sentence, name = self.sentence(), self.chance.choice(NAMES)
        return self.chance.choice(
            (
                f"- W @{name}: {sentence}{self.annotation()}",
                f"- O(c=0.8) @{name}: {sentence}{self.annotation()}",
                f"- {sentence}{self.annotation()}",
                f"- Key: {sentence}{self.annotation()}",
                f"- 09:15 {self.chance.choice(('Ada', 'Peter'))}: {sentence}",
                f"\n{sentence} [[Garden]] #{self.chance.choice(WORDS[:5])}{self.annotation()}\n",
                f"\n## {sentence}\n",
                "\n## Retain\n",
                f"\n## 2025-11-{self.chance.randint(10, 30)}\n",
                "<<<<<<< ours",
            )
        )

    # what happens

    def write(self, path: str, text: str) -> None:
        """Write by hand: never twice at the same time of the file system, as far as its stamp tells."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        before = target.read_text(encoding="utf-8") if target.exists() else ""
        target.write_text(text, encoding="utf-8")
        self.touch(path)
        self.kept = {said for said in self.kept if said not in before or said in text}

    def touch(self, path: str) -> None:
        self.ticks += 1
        os.utime(self.root / path, ns=(self.ticks * 1000, self.ticks * 1000))

    def note(self) -> None:
        head = self.chance.choice(
            ("", "", "---\ntags: [x, y]\nproject: gurdy\n---\n", "---\naliases: The Countess\n---\n", "---\n: [\n---\n")
        )
        lines = [self.line() for _ in range(self.chance.randint(0, 6))]
        self.write(self.path(), "\n".join((f"{head}# Title", *lines)) + "\n")

    def append(self) -> None:
        path = self.path()
        before = (self.root / path).read_text(encoding="utf-8") if (self.root / path).exists() else ""
        self.write(path, f"{before}{self.line()}\n")

    def edit(self) -> None:
        for path in self._one():
            lines = (self.root / path).read_text(encoding="utf-8").split("\n")
            at = self.chance.randrange(len(lines))
            lines[at : at + 1] = self.chance.choice(([], [self.line()], [lines[at], lines[at]]))
            self.write(path, "\n".join(lines))

    def copy_line(self) -> None:
        """A line that somebody copies into another file takes its text, and its id, along."""
        for path in self._one():
            line = self.chance.choice((self.root / path).read_text(encoding="utf-8").split("\n"))
            target = self.path()
            before = (self.root / target).read_text(encoding="utf-8") if (self.root / target).exists() else ""
            self.write(target, f"{before}{line}\n")

    def retain(self) -> None:
        sentence = self.sentence()
        supersedes = (self.chance.choice(IDS),) if self.chance.random() < 0.3 else ()
        actor = self.chance.choice(("owner", "agent", "tool"))
        self.memory().retain(sentence, actor=actor, supersedes=supersedes)
        self.kept.add(sentence)

    def log(self) -> None:
        sentence = self.sentence()
        self.memory().log(sentence)
        self.kept.add(sentence)

    def rename(self) -> None:
        for path in self._one():
            target = self.path()
            if not (self.root / target).exists():
                (self.root / target).parent.mkdir(parents=True, exist_ok=True)
                (self.root / path).rename(self.root / target)

    def swap_names(self) -> None:
        for one, other in zip(self._one(), self._one(), strict=False):
            (self.root / one).rename(self.root / "between.txt")
            (self.root / other if one != other else self.root / "between.txt").rename(self.root / one)
            if one != other:
                (self.root / "between.txt").rename(self.root / other)

    def put_away(self) -> None:
        """What an archiving program does: the file moves, the ledger says which records went with it."""
        for path in self._one():
            index = self.memories[0]._fresh()
            records = [row.record.id for row in index.fetch(index.rows_of(path)).values()]
            archive(str(self.root), path, NOW)
            self.ledger("here", {"op": "archived", "ts": NOW, "records": records})

    def delete(self) -> None:
        for path in self._one():
            text = (self.root / path).read_text(encoding="utf-8")
            (self.root / path).unlink()
            self.kept = {said for said in self.kept if said not in text}

    def only_touch(self) -> None:
        for path in self._one():
            self.touch(path)

    def rewrite_the_same(self) -> None:
        for path in self._one():
            self.write(path, (self.root / path).read_text(encoding="utf-8"))

    def other_device(self) -> None:
        """The ledger of another machine arrives: what it saw move, what came from where, what was used."""
        line = self.chance.choice(
            (
                {"op": "moved", "path": self.path(), "path_before": self.path(), "origin": self.path()},
                {"op": "origin", "record": self.chance.choice(IDS), "trust": self.chance.choice(("untrusted", "unknown"))},
                {"op": "origin", "digest": text_key(self.sentence()), "trust": "untrusted"},
                {"op": "used", "records": list(self.chance.choices(IDS, k=2))},
                {"op": "included", "records": list(self.chance.choices(IDS, k=2))},
            )
        )
        self.ledger(self.chance.choice(("attic", "zebra")), {"ts": f"2025-11-{self.chance.randint(10, 30)}", **line})

    def ledger(self, device: str, line: dict[str, Any]) -> None:
        Journal(str(self.root), device).append(line, "ledger")

    def tear_ledger(self) -> None:
        """A writer was killed in the middle of a line; sometimes the next line closes it."""
        (self.root / ".memory/journal").mkdir(parents=True, exist_ok=True)
        with (self.root / ".memory/journal/ledger-torn-2025-11.jsonl").open("ab") as file:
            file.write(self.chance.choice((b'{"v":1,"id":"led:half', b"no line at all\n")))

    def spoil_index(self) -> None:
        path = self.root / ".memory/index.sqlite"
        spoilt = self.chance.choice((None, b"", b"not a database", b"SQLite format 3\0" + bytes(200), "cut"))
        if spoilt is None:
            path.unlink(missing_ok=True)
        elif path.exists():
            data = path.read_bytes()
            path.unlink()  # who has it open keeps the old one
            path.write_bytes(data[: len(data) // 2] if isinstance(spoilt, str) else spoilt)

    def reopen(self) -> None:
        number = self.chance.randrange(2)
        self.memories[number].close()
        self.memories[number] = Memory.open(self.root)

    def rebuild(self) -> None:
        self.memory().rebuild()

    def pack(self) -> None:
        self.memory().pack(self.chance.choice(QUESTIONS), budget_tokens=200)

    def recall(self) -> None:
        self.memory().recall(self.chance.choice(QUESTIONS))

    def look(self) -> None:
        """The promise: the index that grew equals one made anew, for both programs; nothing that was kept is lost."""
        for memory in self.memories:
            memory.sync(force=True)
            grown, made = memory.dump(), memory._rebuilt()
            assert grown == made, sorted(set(grown) ^ set(made))
        everything = "\n".join((self.root / path).read_text(encoding="utf-8") for path in self.there())
        assert {said for said in self.kept if said not in everything} == set()

    def _one(self) -> list[str]:
        """A file that is there, if there is any."""
        there = self.there()
        return [self.chance.choice(there)] if there else []

    def close(self) -> None:
        for memory in self.memories:
            memory.close()


DEEDS: tuple[Callable[[World], None], ...] = (
    *(World.note, World.append, World.edit, World.copy_line, World.retain, World.log, World.rename, World.swap_names),
    *(World.put_away, World.delete, World.only_touch, World.rewrite_the_same, World.other_device, World.tear_ledger),
    *(World.spoil_index, World.reopen, World.rebuild, World.pack, World.recall),
)


def a_life(folder: Path) -> type[RuleBasedStateMachine]:
    """The state machine; every deed is a rule of it."""
    numbers: Iterator[int] = iter(range(10**9))

    class Life(RuleBasedStateMachine):
        world: World

        @initialize(chance=st.randoms(use_true_random=False))
        def begin(self, chance: random.Random) -> None:
            root = folder / str(next(numbers))
            root.mkdir()
            self.world = World(root, chance)
            self.world.note()

        @rule()
        def look(self) -> None:
            self.world.look()

        def teardown(self) -> None:
            if hasattr(self, "world"):
                self.world.look()
                self.world.close()

    for deed in DEEDS:

        def happen(self: Life, deed: Callable[[World], None] = deed) -> None:
            deed(self.world)

        happen.__name__ = deed.__name__
        setattr(Life, deed.__name__, rule()(happen))
    return Life


@pytest.mark.slow
def test_after_anything_that_happens_to_a_notebook_the_index_equals_one_made_anew(tmp_path: Path) -> None:
    run_state_machine_as_test(
        a_life(tmp_path),
        settings=settings(
            max_examples=60,
            stateful_step_count=20,
            deadline=None,
            derandomize=True,
            suppress_health_check=[*HealthCheck],
        ),
    )
