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

import commonplace.memory.open_workspace
from commonplace import Memory
from commonplace.capture import text_key
from commonplace.errors import SuspiciousLoss
from commonplace.storage.journal import Journal
from commonplace.storage.workspace.edits import archive_file
from tests.support.sample_size import sample_size

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
    *("tulip", "harbour", "violin", "copper", "lantern", "orchard", "granite", "saddle", "meadow"),
    *("thimble", "walnut", "anchor", "candle", "ferry", "quartz", "ribbon", "saffron", "tunnel"),
    *("umbrella", "velvet", "willow", "yoghurt", "zither", "basket", "cellar", "dolphin", "ember"),
    *("falcon", "glacier", "hinge", "straße", "café", "旅行", "привет"),
)
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
    monotonic=lambda: 0.0,
)


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMMONPLACE_NOW", NOW)
    monkeypatch.setenv("COMMONPLACE_DEVICE", "here")
    monkeypatch.setattr(commonplace.memory.open_workspace, "time", CLOCK_AHEAD)


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
        wanted = (self.chance.choice(IDS),) if self.chance.random() < 0.3 else ()
        records = [self.memory().workspace.synced_index().find(one) for one in wanted]
        supersedes = tuple(record.id for record in records if record and not record.scope)
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
            index = self.memories[0].workspace.synced_index()
            records = [row.record.id for row in index.fetch(index.rows_of_file(path)).values()]
            archive_file(str(self.root), path, NOW)
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
                {
                    "op": "origin",
                    "record": self.chance.choice(IDS),
                    "trust": self.chance.choice(("untrusted", "unknown")),
                },
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
            grown, made = memory.dump(), memory.workspace.dump_rebuilt_index()
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
@pytest.mark.sampled
def test_after_anything_that_happens_to_a_notebook_the_index_equals_one_made_anew(tmp_path: Path) -> None:
    run_state_machine_as_test(
        a_life(tmp_path),
        settings=settings(
            max_examples=sample_size(full=300, sample=20),
            stateful_step_count=20,
            deadline=None,
            derandomize=True,
            suppress_health_check=[*HealthCheck],
        ),
    )


DUMP = """
import json, sys
from types import SimpleNamespace
from commonplace import Memory
with Memory.open(sys.argv[1]) as memory:
    asked = [memory.recall(question, k=20) for question in json.loads(sys.argv[2])]
    found = [[[hit.record.id, hit.score] for hit in hits.hits] for hits in asked]
    print(json.dumps([memory.dump(), found]))
"""


def told_elsewhere(root: Path, **environment: str) -> Any:
    """What another process says of the same notebook: the canonical dump, and ids and scores of all questions."""
    run = subprocess.run(
        [sys.executable, "-c", DUMP, str(root), json.dumps(QUESTIONS)],
        env={**os.environ, **environment},
        capture_output=True,
        check=True,
        text=True,
    )
    return json.loads(run.stdout)


def copied(root: Path, target: Path, chance: random.Random) -> Path:
    """The same files, created in another order, with other times and without the index."""
    sources = [path for path in root.rglob("*") if path.is_file() and not path.name.startswith("index.sqlite")]
    chance.shuffle(sources)
    for number, source in enumerate(sources, 1):
        copy = target / source.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(source.read_bytes())
        os.utime(copy, (number * 10**6, number * 10**6))
    return target


@pytest.mark.slow
def test_after_500_deeds_every_process_and_every_copy_of_the_files_tells_the_same(tmp_path: Path) -> None:
    chance = random.Random(2025)
    (tmp_path / "here").mkdir()
    world = World(tmp_path / "here", chance)
    for _ in range(500):
        chance.choice(DEEDS)(world)
    world.look()
    grown = json.loads(json.dumps([world.memories[0].dump(), answers(world.memories[0])]))
    world.memories[0].rebuild()
    assert grown == json.loads(json.dumps([world.memories[0].dump(), answers(world.memories[0])]))
    world.close()
    assert sum(map(len, grown[1])) > 50
    copy = copied(world.root, tmp_path / "there", chance)
    odd = {"TZ": "Pacific/Kiritimati", "LC_ALL": "tr_TR.UTF-8", "PYTHONHASHSEED": "7", "COMMONPLACE_DEVICE": "other"}
    assert told_elsewhere(copy, **odd) == grown
    assert told_elsewhere(world.root, TZ="America/Caracas", LC_ALL="C", PYTHONHASHSEED="11") == grown


def answers(memory: Memory) -> list[list[tuple[str, float]]]:
    return [[(hit.record.id, hit.score) for hit in memory.recall(question, k=20).hits] for question in QUESTIONS]


def ids(memory: Memory, path: str) -> list[str]:
    index = memory.workspace.synced_index()
    return [row.record.id for row in index.fetch(index.rows_of_file(path)).values()]


def many_lines(first: int, last: int) -> str:
    return "".join(f"- line {number} of the book\n" for number in range(first, last))


def ledger_lines(root: Path, op: str) -> list[dict[str, Any]]:
    read = Journal(str(root), "here").read("ledger")
    return [entry.fields for entry in read.entries if entry.fields["op"] == op]


def test_a_file_that_was_renamed_twice_keeps_its_ids_also_when_the_index_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "one.md").write_text("# T\n\n- tea at four\n- tea at four\n\nA paragraph.\n")
    with Memory.open(tmp_path) as memory:
        before = ids(memory, "one.md")
        assert len(before) == 3
        (tmp_path / "one.md").rename(tmp_path / "two.md")
        assert ids(memory, "two.md") == before
        (tmp_path / "memory/archive").mkdir(parents=True)
        (tmp_path / "two.md").rename(tmp_path / "memory/archive/three.md")
        assert ids(memory, "memory/archive/three.md") == before
        assert [line["path"] for line in ledger_lines(tmp_path, "moved")] == ["two.md", "memory/archive/three.md"]
    (tmp_path / ".memory/index.sqlite").unlink()
    with Memory.open(tmp_path) as memory:
        assert ids(memory, "memory/archive/three.md") == before


def test_a_file_that_goes_back_where_it_stood_needs_no_line_in_the_ledger(tmp_path: Path) -> None:
    (tmp_path / "one.md").write_text("- tea at four\n")
    with Memory.open(tmp_path) as memory:
        before = ids(memory, "one.md")
        (tmp_path / "one.md").rename(tmp_path / "two.md")
        memory.sync()
        (tmp_path / "two.md").rename(tmp_path / "one.md")
        assert ids(memory, "one.md") == before
        assert memory.dump() == memory.workspace.dump_rebuilt_index()
    assert len(ledger_lines(tmp_path, "moved")) == 1


def test_a_move_that_another_machine_saw_gives_the_file_here_its_first_ids(tmp_path: Path) -> None:
    (tmp_path / "one.md").write_text("- tea at four\n")
    with Memory.open(tmp_path) as memory:
        before = ids(memory, "one.md")
        (tmp_path / "two.md").write_text("- tea at four\n")  # the new name arrives, the old one is not gone yet
        assert ids(memory, "two.md") != before
        (tmp_path / "one.md").unlink()
        memory.sync()
        line = {"op": "moved", "ts": NOW, "path": "two.md", "path_before": "one.md", "origin": "one.md"}
        Journal(str(tmp_path), "attic").append(line, "ledger")
        assert ids(memory, "two.md") == before
        assert memory.dump() == memory.workspace.dump_rebuilt_index()


def test_of_two_machines_that_tell_of_a_move_the_later_line_counts_in_whatever_order_they_arrive(
    tmp_path: Path,
) -> None:
    (tmp_path / "x.md").write_text("- tea at four\n")
    with Memory.open(tmp_path) as memory:
        for device, day, origin in (("attic", "2025-11-20", "late.md"), ("zebra", "2025-11-10", "early.md")):
            line = {"op": "moved", "ts": day, "path": "x.md", "path_before": origin, "origin": origin}
            Journal(str(tmp_path), device).append(line, "ledger")
            memory.sync()
        assert memory.workspace.open_index().files()["x.md"].origin == "late.md"
        assert memory.dump() == memory.workspace.dump_rebuilt_index()


def test_a_loss_that_nothing_explains_is_refused_until_somebody_insists(tmp_path: Path) -> None:
    (tmp_path / "book.md").write_text(many_lines(0, 25))
    (tmp_path / "rest.md").write_text(many_lines(100, 120))
    with Memory.open(tmp_path) as memory:
        assert memory.recall("line 7").notes == ()
        (tmp_path / "book.md").unlink()
        with pytest.raises(SuspiciousLoss, match="25 of 45"):
            memory.sync()
        hits = memory.recall("line 7 of the book")
        assert hits.hits[0].record.text == "line 7 of the book"
        assert "25 of 45 records are missing" in hits.notes[0]
        assert "sync --force" in hits.notes[0]
        assert memory.sync(dry_run=True).changes[0].kind == "removed"
        memory.sync(force=True)
        assert memory.status()["records"] == 20
        assert memory.recall("line 107").notes == ()


@pytest.mark.parametrize(
    ("gone", "left", "refused"),
    [(20, 19, True), (19, 0, False), (20, 20, False), (40, 0, True)],
    ids=["20 and more than half", "fewer than 20", "no more than half", "all"],
)
def test_a_loss_is_suspicious_from_20_records_and_more_than_half(
    tmp_path: Path, gone: int, left: int, *, refused: bool
) -> None:
    (tmp_path / "gone.md").write_text(many_lines(0, gone))
    (tmp_path / "left.md").write_text(many_lines(100, 100 + left))
    with Memory.open(tmp_path) as memory:
        memory.sync()
        (tmp_path / "gone.md").unlink()
        if refused:
            with pytest.raises(SuspiciousLoss):
                memory.sync()
        else:
            memory.sync()
            assert memory.status()["records"] == left


def test_the_loss_of_most_daily_logs_is_suspicious_though_all_say_the_same(tmp_path: Path) -> None:
    for day in range(1, 31):
        (tmp_path / f"2025-11-{day:02}.md").write_text("- slept eight hours\n")
    with Memory.open(tmp_path) as memory:
        memory.sync()
        for day in range(1, 30):
            (tmp_path / f"2025-11-{day:02}.md").unlink()
        with pytest.raises(SuspiciousLoss):
            memory.sync()


def test_a_file_that_was_renamed_and_edited_at_once_is_no_loss_and_its_citations_hold(tmp_path: Path) -> None:
    (tmp_path / "book.md").write_text(many_lines(0, 25))
    with Memory.open(tmp_path) as memory:
        cited = memory.cite("book.md#L9")
        said = memory.show(cited).text
        (tmp_path / "book.md").unlink()
        (tmp_path / "volume.md").write_text("Another line.\n\n" + many_lines(0, 25))
        found = memory.show(cited)
        assert memory.sync(dry_run=True).changes == ()
    assert (found.path, found.status, found.text) == ("volume.md", "moved", said)


@pytest.mark.parametrize("op", ["archived", "removed", "forgotten"])
def test_what_the_ledger_says_went_on_purpose_is_no_loss(tmp_path: Path, op: str) -> None:
    (tmp_path / "book.md").write_text(many_lines(0, 25))
    with Memory.open(tmp_path) as memory:
        gone = ids(memory, "book.md")
        (tmp_path / "book.md").unlink()
        Journal(str(tmp_path), "here").append({"op": op, "ts": NOW, "records": gone}, "ledger")
        assert len(memory.sync().changes) == 1
        assert memory.recall("line").notes == ()


def test_a_move_is_no_loss(tmp_path: Path) -> None:
    (tmp_path / "book.md").write_text(many_lines(0, 25))
    with Memory.open(tmp_path) as memory:
        memory.sync()
        (tmp_path / "book.md").rename(tmp_path / "volume.md")
        assert [change.kind for change in memory.sync().changes] == ["moved"]


def test_a_refused_sync_tells_the_ledger_of_a_move_but_once(tmp_path: Path) -> None:
    (tmp_path / "book.md").write_text(many_lines(0, 25))
    (tmp_path / "other.md").write_text("- tea at four\n")
    with Memory.open(tmp_path) as memory:
        before = ids(memory, "other.md")
        (tmp_path / "book.md").unlink()
        (tmp_path / "other.md").rename(tmp_path / "moved.md")
        for _ in range(3):
            assert memory.recall("tea").notes
        memory.sync(force=True)
        assert ids(memory, "moved.md") == before
        assert len(ledger_lines(tmp_path, "moved")) == 1
        assert memory.dump() == memory.workspace.dump_rebuilt_index()


def test_a_folder_that_is_not_mounted_empties_nothing(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    root, away = tmp_path / "vault", tmp_path / "away"
    root.mkdir()
    (root / "commonplace.toml").write_text(f'[index]\npath = "{tmp_path}/state/index.sqlite"\n')
    (root / "book.md").write_text(many_lines(0, 25))
    with Memory.open(root) as memory:
        memory.sync()
        (root / "book.md").rename(away)
        hits = memory.recall("line 7 of the book")
        assert hits.hits
        assert "check that the folder is mounted" in hits.notes[0]
        away.rename(root / "book.md")
        assert memory.recall("line 7 of the book").notes == ()


def test_where_the_ledger_cannot_be_written_a_moved_file_is_still_read(tmp_path: Path) -> None:
    (tmp_path / "one.md").write_text("- tea at four\n")
    with Memory.open(tmp_path) as memory:
        memory.sync()
        (tmp_path / ".memory/journal").write_text("no folder")
        (tmp_path / "one.md").rename(tmp_path / "two.md")
        assert [hit.record.source.path for hit in memory.recall("tea").hits] == ["two.md"]
        assert memory.dump() == memory.workspace.dump_rebuilt_index()
