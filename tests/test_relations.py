"""What is derived among lines that share a signature: what replaces what, and twins, whatever came first."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commonplace import Memory
from commonplace.errors import NotFound
from commonplace.model import Record
from commonplace.storage.journal import Journal, JournalEntry
from commonplace.sync.journals import collect_ledger_facts
from tests.support import plain_statements

NOW = "2025-11-30T10:00"
OLD, NEW = "The port of Zed is 7443.", "The port of Zed is 9443."
BAND, CHOIR = "The hobby of Zed is music.", "The hobby of Zed is singing."


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMMONPLACE_NOW", NOW)
    monkeypatch.setenv("COMMONPLACE_DEVICE", "here")
    plain_statements.install(monkeypatch)


def write(root: Path, path: str, *lines: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text("".join(f"- {line}\n" for line in lines))


def write_days(root: Path, *texts: str) -> None:
    """A log a day from 1 November on, with one line."""
    for day, text in enumerate(texts, 1):
        write(root, f"memory/2025-11-{day:02d}.md", text)


def tell(root: Path, device: str = "here", **fields: Any) -> None:
    Journal(str(root), device).append({"ts": NOW, **fields}, "ledger")


def capture(root: Path, text: str, *, ts: str, device: str = "here", origin: str = "trusted", name: str = "") -> None:
    line = {
        "id": f"obs:{name or text}",
        "ts": ts,
        "type": "message",
        "actor": "owner",
        "origin": origin,
        "text": text,
    }
    Journal(str(root), device).append(line, "captures")


def records(memory: Memory) -> dict[str, Record]:
    """Records and captures by text; of equal ones the last by path and line."""
    memory.sync(force=True)
    index = memory.workspace.open_index()
    assert memory.dump() == memory.workspace.dump_rebuilt_index()
    rows = index.filtered_rows(index_filter(), 1_000) or []
    found = [one.record for one in index.fetch(rows).values()]
    return {one.text: one for one in sorted(found, key=lambda one: (one.source.path, one.source.line_start))}


def index_filter() -> Any:
    from commonplace.index import Filter

    return Filter(history=True)


def replaced(memory: Memory) -> dict[str, str]:
    """What is superseded, with the text of what supersedes it."""
    found = records(memory)
    texts = {one.id: text for text, one in found.items()}
    return {text: texts[one.superseded_by] for text, one in found.items() if one.superseded_by}


def chains(memory: Memory) -> set[tuple[tuple[str, ...], ...]]:
    """The chains of twins as texts, in order of being said."""
    index = memory.workspace.open_index()
    rows = {row: one.record.text for row, one in index.fetch(index.filtered_rows(index_filter(), 1_000) or []).items()}
    held = index.relations_of(rows)
    return {
        tuple(tuple(sorted(rows[row] for row in position)) for position in chain)
        for one in held.values()
        for chain in one.chains
    }


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_later_of_two_dated_lines_replaces_the_earlier_in_whichever_order_they_arrive(
    tmp_path: Path, order: tuple[int, int]
) -> None:
    with Memory.open(tmp_path) as memory:
        for at in order:
            write(tmp_path, f"memory/2025-11-0{at + 1}.md", (OLD, NEW)[at])
            memory.sync()
        assert replaced(memory) == {OLD: NEW}


def test_what_replaced_a_line_says_since_when_and_which_values_and_why(tmp_path: Path) -> None:
    write_days(tmp_path, OLD, NEW, "The port of Zed is 1234. <!-- valid: 2025-10-01.. -->")
    with Memory.open(tmp_path) as memory:
        found = records(memory)
        index = memory.workspace.open_index()
        row = index.row_of_record(found["The port of Zed is 1234."].id)
        (now,) = index.relations_of([row]).values()
        (over,) = now.replaces
        assert (over.old_value, over.new_value, over.since, over.reason) == ("9443", "1234", "2025-10-01", "slot")
        assert not now.replaced_by
        earlier = index.earlier_values(row)
        assert [(one.value, one.day, one.id) for one in earlier] == [
            ("9443", "2025-10-01", found[NEW].id),
            ("7443", "2025-11-02", found[OLD].id),
        ]


def test_lines_of_an_unknown_key_are_twins_in_order_of_being_said(tmp_path: Path) -> None:
    write_days(tmp_path, BAND, CHOIR, "The hobby of Zed is chess.")
    with Memory.open(tmp_path) as memory:
        assert replaced(memory) == {}
        assert chains(memory) == {((BAND,), (CHOIR,), ("The hobby of Zed is chess.",))}


def test_twins_of_one_day_in_different_files_stand_at_one_position(tmp_path: Path) -> None:
    write(tmp_path, "memory/2025-11-01.md", BAND)
    write(tmp_path, "memory/2025-11-02.md", CHOIR)
    write(tmp_path, "memory/2025-11-02 Club.md", "The hobby of Zed is chess.")
    with Memory.open(tmp_path) as memory:
        assert replaced(memory) == {}
        assert chains(memory) == {((BAND,), ("The hobby of Zed is chess.", CHOIR))}


def test_two_lines_of_which_neither_is_known_to_be_later_replace_nothing(tmp_path: Path) -> None:
    write(tmp_path, "notes/a.md", OLD)
    write(tmp_path, "notes/b.md", NEW)
    with Memory.open(tmp_path) as memory:
        assert replaced(memory) == {}
        tell(tmp_path, op="seen", records=[records(memory)[OLD].id], day="2025-11-20")
        assert replaced(memory) == {}
        tell(tmp_path, op="seen", records=[records(memory)[NEW].id], day="2025-11-21")
        assert replaced(memory) == {OLD: NEW}
        tell(tmp_path, "attic", op="seen", records=[records(memory)[NEW].id], day="2025-11-10")
        assert replaced(memory) == {NEW: OLD}


def test_lines_that_change_places_in_their_file_change_what_replaces_what(tmp_path: Path) -> None:
    write(tmp_path, "notes/a.md", OLD, NEW)
    with Memory.open(tmp_path) as memory:
        assert replaced(memory) == {OLD: NEW}
        write(tmp_path, "notes/a.md", "tea", OLD, NEW)
        assert replaced(memory) == {OLD: NEW}
        write(tmp_path, "notes/a.md", NEW, "tea", OLD)
        assert replaced(memory) == {NEW: OLD}


def test_nothing_is_replaced_across_scopes_and_nothing_is_a_twin(tmp_path: Path) -> None:
    write_days(tmp_path, OLD, f"{NEW} <!-- project: gurdy -->", BAND, f"{CHOIR} <!-- project: gurdy -->")
    with Memory.open(tmp_path) as memory:
        assert replaced(memory) == {}
        assert chains(memory) == set()


def test_nothing_is_replaced_by_a_less_trusted_line_until_its_trust_is_known(tmp_path: Path) -> None:
    write_days(tmp_path, OLD, f"{NEW} <!-- origin: untrusted -->", "The port of Zed is now 5.")
    with Memory.open(tmp_path) as memory:
        assert replaced(memory) == {OLD: "The port of Zed is now 5.", NEW: "The port of Zed is now 5."}
        last = records(memory)["The port of Zed is now 5."]
        tell(tmp_path, op="origin", record=last.id, trust="quarantined")
        assert replaced(memory) == {}
        tell(tmp_path, op="origin", record=records(memory)[OLD].id, trust="untrusted")
        assert replaced(memory) == {OLD: NEW}


def test_both_lines_of_a_pair_hold_if_the_ledger_says_so_and_others_replace_them_still(tmp_path: Path) -> None:
    write_days(tmp_path, OLD, NEW)
    with Memory.open(tmp_path) as memory:
        ids = [records(memory)[text].id for text in (NEW, OLD)]
        tell(tmp_path, op="both", records=ids)
        assert replaced(memory) == {}
        write(tmp_path, "memory/2025-11-03.md", "The port of Zed is now 5.")
        assert replaced(memory) == dict.fromkeys((OLD, NEW), "The port of Zed is now 5.")


def test_a_line_is_as_new_as_the_capture_behind_it_and_as_what_supports_it(tmp_path: Path) -> None:
    write(tmp_path, "bank/a.md", f"{OLD} <!-- id: aaaa -->", "tea")
    write(tmp_path, "bank/b.md", f"{NEW} <!-- id: bbbb · from: obs:b -->")
    with Memory.open(tmp_path) as memory:
        assert replaced(memory) == {}
        tell(tmp_path, op="seen", records=["aaaa"], day="2025-11-20")
        assert replaced(memory) == {}
        capture(tmp_path, "so it is", ts="2025-11-25T10:00", name="b")
        assert replaced(memory) == {OLD: NEW}
        capture(tmp_path, "a web page", ts="2025-11-27T10:00", origin="untrusted", name="w")
        tell(tmp_path, op="supported", record="aaaa", sources=["obs:w"])
        assert replaced(memory) == {OLD: NEW}
        tell(tmp_path, op="supported", record="aaaa", sources=["obs:a"])
        assert replaced(memory) == {OLD: NEW}
        capture(tmp_path, "yes, the old one", ts="2025-11-28T10:00", name="a")
        assert replaced(memory) == {NEW: OLD}
        assert memory.workspace.open_index().supporting_sources(["aaaa", "bbbb"]) == {
            "aaaa": (("obs:a", NOW), ("obs:w", NOW))
        }
        tell(tmp_path, "attic", op="unsupported", record="aaaa", sources=["obs:a"])
        assert replaced(memory) == {OLD: NEW}


def test_captures_of_one_statement_replace_each_other_by_time_and_place_in_the_journal(tmp_path: Path) -> None:
    capture(tmp_path, OLD, ts="2025-11-25T10:00:30")
    capture(tmp_path, NEW, ts="2025-11-25T10:00:10")
    capture(tmp_path, f"I say so. {BAND}", ts="2025-11-25T10:00")
    capture(tmp_path, CHOIR, ts="2025-11-26T10:00")
    with Memory.open(tmp_path) as memory:
        assert replaced(memory) == {OLD: NEW}
        assert chains(memory) == set()


def test_a_capture_ends_no_line_and_a_line_ends_a_capture(tmp_path: Path) -> None:
    write(tmp_path, "memory/2025-11-01.md", OLD)
    capture(tmp_path, NEW, ts="2025-11-02T10:00")
    with Memory.open(tmp_path) as memory:
        assert replaced(memory) == {}
        write(tmp_path, "memory/2025-11-03.md", "The port of Zed is 5.")
        assert replaced(memory) == dict.fromkeys((OLD, NEW), "The port of Zed is 5.")


def test_a_line_that_was_only_seen_on_a_day_may_be_older_and_is_never_newer_than_what_has_a_date(
    tmp_path: Path,
) -> None:
    write(tmp_path, "notes/a.md", OLD)
    write(tmp_path, "memory/2025-11-20.md", NEW)
    with Memory.open(tmp_path) as memory:
        tell(tmp_path, op="seen", records=[records(memory)[OLD].id], day="2025-11-25")
        assert replaced(memory) == {}
        tell(tmp_path, op="seen", records=[records(memory)[OLD].id], day="2025-11-10")
        assert replaced(memory) == {OLD: NEW}


def test_a_written_supersession_counts_before_a_derived_one_but_not_across_scopes(tmp_path: Path) -> None:
    write_days(tmp_path, f"{OLD} <!-- id: aaaa -->", NEW, "Ask Ada. <!-- supersedes: aaaa -->")
    with Memory.open(tmp_path) as memory:
        assert replaced(memory) == {OLD: "Ask Ada."}
        write(tmp_path, "memory/2025-11-03.md", "Ask Ada. <!-- supersedes: aaaa · project: gurdy -->")
        assert replaced(memory) == {OLD: NEW}
        write(tmp_path, "memory/2025-11-02.md", "tea")
        assert replaced(memory) == {}


def test_a_line_that_is_gone_replaces_nothing_and_the_next_one_does(tmp_path: Path) -> None:
    write_days(tmp_path, OLD, NEW, "The port of Zed is 5.")
    with Memory.open(tmp_path) as memory:
        assert replaced(memory) == {OLD: NEW, NEW: "The port of Zed is 5."}
        (tmp_path / "memory/2025-11-02.md").unlink()
        assert replaced(memory) == {OLD: "The port of Zed is 5."}
        (tmp_path / "memory/2025-11-03.md").unlink()
        assert replaced(memory) == {}


def test_a_signature_of_more_than_64_lines_is_a_template_and_says_nothing(tmp_path: Path) -> None:
    lines = [f"The port of Zed is {number}." for number in range(65)]
    write(tmp_path, "notes/a.md", *lines[:64])
    with Memory.open(tmp_path) as memory:
        assert len(replaced(memory)) == 63
        write(tmp_path, "notes/a.md", *lines)
        assert replaced(memory) == {}
        write(tmp_path, "notes/a.md", *lines[:2])
        assert replaced(memory) == {lines[0]: lines[1]}


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("memory/episodes/2025-11-02_10-00-00_zed.md", NEW),
        ("memory/pending.md", NEW),
        ("memory/working-buffer.md", NEW),
        ("memory/2025-11-02.sync-conflict-20251102-101010-ABCDEFG.md", NEW),
    ],
)
def test_only_what_somebody_wrote_as_a_line_replaces_another(tmp_path: Path, path: str, line: str) -> None:
    write_days(tmp_path, OLD)
    with Memory.open(tmp_path) as memory:
        write(tmp_path, path, line)
        assert replaced(memory) == {}


def test_what_is_superseded_is_settled_alike_where_few_lines_changed_and_where_many_did(tmp_path: Path) -> None:
    many = [f"tea number {number}" for number in range(600)]
    write(tmp_path, "notes/a.md", *many)
    write_days(tmp_path, f"{OLD} <!-- id: aaaa -->", NEW, f"{BAND} <!-- id: bbbb -->")
    with Memory.open(tmp_path) as memory:
        assert replaced(memory) == {OLD: NEW}
        write(tmp_path, "notes/a.md", *many[1:], "Ask Ada. <!-- supersedes: aaaa, bbbb -->", "milk")
        assert replaced(memory) == dict.fromkeys((OLD, BAND), "Ask Ada.")
        write(tmp_path, "notes/a.md", *(f"{line} again" for line in many))
        assert replaced(memory) == {OLD: NEW}


def test_a_sentence_longer_than_any_fact_has_no_signature(tmp_path: Path) -> None:
    write_days(tmp_path, f"{'tea and ' * 12}milk. {OLD}", f"{'tea and ' * 13}milk: {NEW}")
    with Memory.open(tmp_path) as memory:
        records(memory)
        signatures = [json.loads(line) for line in memory.dump() if line.startswith('["signature"')]
        assert {path for _name, _signature, path, _line in signatures} == {"memory/2025-11-01.md"}


# What a person decides


def test_undo_of_a_replaced_line_keeps_it_beside_every_later_one(tmp_path: Path) -> None:
    write_days(tmp_path, OLD, NEW, "The port of Zed is 5.")
    with Memory.open(tmp_path) as memory:
        before = {path: path.read_bytes() for path in tmp_path.rglob("*.md")}
        found = records(memory)
        assert memory.undo(found[OLD].id) == "memory/2025-11-01.md"
        assert replaced(memory) == {NEW: "The port of Zed is 5."}
        pairs = ledger(tmp_path, "both")
        assert pairs == [
            {found[OLD].id, found[NEW].id},
            {found[OLD].id, found["The port of Zed is 5."].id},
        ]
        assert before == {path: path.read_bytes() for path in tmp_path.rglob("*.md")}
        with pytest.raises(NotFound):
            memory.undo(found[OLD].id)
        assert len(ledger(tmp_path, "both")) == len(pairs)


def test_undo_of_a_current_line_gives_back_what_it_replaced(tmp_path: Path) -> None:
    write_days(tmp_path, OLD, NEW)
    with Memory.open(tmp_path) as memory:
        assert memory.undo(records(memory)[NEW].id) == "memory/2025-11-02.md"
        assert replaced(memory) == {}
        with pytest.raises(NotFound):
            memory.undo(records(memory)[NEW].id)


@pytest.mark.parametrize("undone", [OLD, NEW])
def test_undo_gives_back_what_a_line_supersedes_in_writing(tmp_path: Path, undone: str) -> None:
    write_days(tmp_path, f"{OLD} <!-- id: aaaa -->", f"{NEW} <!-- supersedes: aaaa -->")
    with Memory.open(tmp_path) as memory:
        assert replaced(memory) == {OLD: NEW}
        memory.undo(records(memory)[undone].id)
        assert replaced(memory) == {}
        newer, older = memory.recall("which port does Zed have?").hits
        assert (newer.record.text, older.record.text, older.earlier_than) == (NEW, OLD, newer.record.id)
        [held] = memory.recall("which port does Zed have?", as_of="2025-11-01").hits
        assert held.record.text == OLD
        assert len(memory.recall("which port does Zed have?", known_at="2025-11-03").hits) == 2
        memory.rebuild()
        assert replaced(memory) == {}


def test_undo_of_one_of_the_lines_that_another_names_gives_back_only_that(tmp_path: Path) -> None:
    lines = f"{OLD} <!-- id: aaaa -->", f"{BAND} <!-- id: bbbb -->", "Ask Ada. <!-- supersedes: aaaa, bbbb -->"
    write_days(tmp_path, *lines)
    with Memory.open(tmp_path) as memory:
        assert replaced(memory) == dict.fromkeys((OLD, BAND), "Ask Ada.")
        memory.undo("aaaa")
        assert replaced(memory) == {BAND: "Ask Ada."}


def test_what_waits_for_a_decision_can_be_approved_beside_what_it_contradicts(tmp_path: Path) -> None:
    write_days(tmp_path, f"{OLD} <!-- id: aaaa -->")
    line = f"- tool, Zed: {NEW} (why: another value) [against aaaa] <!-- id: cccc -->\n"
    (tmp_path / "memory/pending.md").write_text(f"# Pending\n\n## Pending\n\n{line}")
    with Memory.open(tmp_path) as memory:
        (item,) = memory.pending()
        assert (item.id, item.against) == ("cccc", ("aaaa",))
        memory.approve("cccc", both=True)
        kept = records(memory)
        assert not kept[OLD].superseded_by
        assert not kept[NEW].supersedes
        assert ledger(tmp_path, "both") == [{"aaaa", kept[NEW].id}]
        assert replaced(memory) == {}


def test_why_not_says_by_what_a_line_is_replaced_and_why(tmp_path: Path) -> None:
    write_days(tmp_path, f"{OLD} <!-- id: aaaa -->", NEW)
    with Memory.open(tmp_path) as memory:
        by = records(memory)[NEW]
        assert superseded_detail(memory) == (
            f"superseded: replaced by {by.id}, {by.source.citation}, because its value is '9443' instead of '7443'"
            " since 2025-11-02"
        )
        write(tmp_path, "memory/2025-11-03.md", "Ask Ada. <!-- id: bbbb · supersedes: aaaa -->")
        assert superseded_detail(memory).endswith("because that record names it in `supersedes`")


def superseded_detail(memory: Memory) -> str:
    stages = memory.why_not("port of Zed", "memory/2025-11-01.md#L1").stages
    return next(stage.says for stage in stages if "superseded" in stage.says)


def ledger(root: Path, op: str) -> list[set[str]]:
    entries = [entry.fields for entry in Journal(str(root), "here").read("ledger").entries]
    return [set(fields["records"]) for fields in entries if fields["op"] == op]


def test_the_ledger_lines_of_the_format_are_read_as_it_says() -> None:
    page = (Path(__file__).parents[1] / "docs" / "format.md").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in page.splitlines() if line.startswith('{"v"') and '"op"' in line]
    facts = collect_ledger_facts(JournalEntry(line, "ledger.jsonl", 1, 0, 0) for line in lines)
    assert facts.relations == (
        ("id5qmz3", "both", "idw7hk2", "2025-11-28T09:00"),
        ("idw7hk2", "supported", "obs:o76xoih7", "2025-11-28T09:05"),
    )


# Any order of files, edits and journals


VALUES = ("1", "2", "3", "4")
PATHS = (
    *(f"memory/2025-11-0{day}.md" for day in range(1, 5)),
    *("memory/2025-11-02 Club.md", "notes/a.md", "notes/b.md", "bank/world.md", "memory/archive/2025/10/2025-10-30.md"),
)
IDS = ("aaaa", "bbbb", "cccc", "dddd")


class Notebook:
    """A workspace that changes by chance; its index must equal one made anew after each change."""

    def __init__(self, root: Path, chance: random.Random) -> None:
        self.root, self.chance, self.ticks = root, chance, 0
        self.journal_lines: list[tuple[str, str, dict[str, Any]]] = []

    def statement(self) -> str:
        chance = self.chance
        key, who = chance.choice(("port", "hobby")), chance.choice(("Zed", "Ada"))
        return f"The {key} of {who} is {chance.choice(('', '', 'now '))}{chance.choice(VALUES)}."

    def line(self) -> str:
        chance = self.chance
        said = chance.choice(
            (
                *("", "", ""),
                f"id: {chance.choice(IDS)}",
                f"id: {chance.choice(IDS)} · supersedes: {chance.choice(IDS)}",
                "origin: untrusted",
                f"project: gurdy · supersedes: {chance.choice(IDS)}",
                f"id: {chance.choice(IDS)} · from: obs:{chance.randint(0, 5)}",
                "valid: 2025-10-01..",
            )
        )
        return f"{chance.choice((self.statement(), self.statement(), 'tea'))}{f' <!-- {said} -->' if said else ''}"

    def edit(self) -> None:
        path = self.root / self.chance.choice(PATHS)
        lines = path.read_text().splitlines() if path.exists() else []
        for _ in range(self.chance.randint(1, 3)):
            lines.insert(self.chance.randint(0, len(lines)), f"- {self.line()}")
        if self.chance.random() < 0.3:
            self.chance.shuffle(lines)
        lines = lines[self.chance.choice((0, 0, 1)) : 8]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines))
        self.ticks += 1
        os.utime(path, ns=(self.ticks * 1000, self.ticks * 1000))

    def rename(self) -> None:
        there = [path for path in PATHS if (self.root / path).exists()]
        if there:
            goal = self.root / self.chance.choice(PATHS)
            goal.parent.mkdir(parents=True, exist_ok=True)
            (self.root / self.chance.choice(there)).rename(goal)

    def delete(self) -> None:
        (self.root / self.chance.choice(PATHS)).unlink(missing_ok=True)

    def log(self, stream: str, fields: dict[str, Any]) -> None:
        device = self.chance.choice(("here", "attic"))
        Journal(str(self.root), device).append(fields, stream)

    def capture(self) -> None:
        chance = self.chance
        ts = f"2025-11-0{chance.randint(1, 5)}T10:0{chance.randint(0, 2)}"
        text, origin = chance.choice((self.statement(), "tea", "I am here.")), chance.choice(("trusted", "untrusted"))
        line = {"type": "message", "actor": "owner", "origin": origin, "text": text}
        self.log("captures", {"id": f"obs:{chance.randint(0, 9)}", "ts": ts, **line})

    def tell(self) -> None:
        chance, index = self.chance, self.memory.workspace.open_index()
        rows = index.filtered_rows(index_filter(), 1_000) or []
        known = [one.record.id for one in index.fetch(rows).values()]
        one, other = chance.choice([*IDS, *known]), chance.choice([*IDS, *known])
        fields = chance.choice(
            (
                {"op": "both", "records": [one, other]},
                {"op": "supported", "record": one, "sources": [f"obs:{chance.randint(0, 9)}"]},
                {"op": "unsupported", "record": one, "sources": [f"obs:{chance.randint(0, 9)}"]},
                {"op": "superseded", "record": one, "records": [other]},
                {"op": "seen", "records": [one, other], "day": f"2025-11-0{chance.randint(1, 5)}"},
                {"op": "origin", "record": one, "trust": chance.choice(("untrusted", "unknown"))},
            )
        )
        self.log("ledger", {"ts": f"2025-11-0{chance.randint(1, 5)}T09:00", **fields})

    def live(self, changes: int) -> None:
        deeds: tuple[Callable[[], None], ...] = (
            self.edit,
            self.edit,
            self.capture,
            self.tell,
            self.rename,
            self.delete,
        )
        with Memory.open(self.root) as memory:
            self.memory = memory
            for _ in range(changes):
                for _ in range(self.chance.choice((1, 1, 1, 4))):
                    self.chance.choice(deeds)()
                memory.sync(force=True)
                grown, made = memory.dump(), memory.workspace.dump_rebuilt_index()
                assert grown == made, sorted(set(grown) ^ set(made))
            self.dump = memory.dump()


@pytest.mark.parametrize("seed", range(6))
def test_an_index_that_grew_has_the_relations_of_one_made_anew(tmp_path: Path, seed: int) -> None:
    notebook = Notebook(tmp_path, random.Random(seed))
    notebook.live(25)
    tables = {json.loads(line)[0] for line in notebook.dump}
    assert {"signature", "ledger"} <= tables


@pytest.mark.parametrize("seed", range(4))
def test_files_and_the_journals_of_two_devices_may_arrive_in_any_order(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    (tmp_path / "here").mkdir()
    notebook = Notebook(tmp_path / "here", chance)
    notebook.live(30)
    files = [path.relative_to(notebook.root) for path in notebook.root.rglob("*") if path.suffix in (".md", ".jsonl")]
    expected: list[str] = []
    for number in range(3):
        root = tmp_path / f"there{number}"
        root.mkdir()
        with Memory.open(root) as memory:
            chance.shuffle(files)
            for path in files:
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(notebook.root / path, root / path)
                memory.sync(force=True)
            expected = expected or notebook.dump
            assert memory.dump() == expected


def test_a_line_that_has_nothing_to_do_with_others_changes_nothing_about_them(tmp_path: Path) -> None:
    notebook = Notebook(tmp_path, random.Random(3))
    notebook.live(30)

    def relations(dump: list[str]) -> list[str]:
        return [line for line in dump if json.loads(line)[0] in ("replacement", "twin")]

    before = relations(notebook.dump)
    with Memory.open(tmp_path) as memory:
        for number in range(5):
            write(tmp_path, f"notes/other {number}.md", f"The port of Host{number} is {number}.", "tea")
            capture(tmp_path, f"The port of Guest{number} is {number}.", ts="2025-11-03T10:00")
            memory.sync()
            assert relations(memory.dump()) == before
    assert before
