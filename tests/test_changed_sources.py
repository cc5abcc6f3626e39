"""A line whose source was superseded, undone or removed is listed by `check` and marked in packs, and so on upward."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from commonplace import Memory
from commonplace.model import Record
from commonplace.truth.evidence import find_changed_source, names_record

pytestmark = pytest.mark.usefixtures("surroundings", "calm")

NOW = "2026-11-20T09:00"


def listed(memory: Memory) -> dict[tuple[str, int], str]:
    """The lines that `check` lists, with what it says of them."""
    problems = [one for one in memory.check().problems if one.code == "source-changed"]
    return {(one.path, one.line): one.message for one in problems}


def write(root: Path, name: str, *lines: str) -> None:
    (root / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def by_hand(records: dict[str, Record]) -> set[str]:
    """The ids of the changed, by adding what rests on a change until nothing is added."""

    def is_gone(record: Record, source: str) -> bool:
        later = records[source].superseded_by if source in records else "?"
        return later != "" and later not in (record.id, *record.sources)

    changed: set[str] = set()
    while True:
        more = {
            one.id
            for one in records.values()
            if any(is_gone(one, source) or source in changed for source in one.sources)
        }
        if more <= changed:
            return changed
        changed |= more


@pytest.mark.parametrize("seed", range(12))
def test_changed_sources_are_those_of_a_walk_over_all_of_them(tmp_path: Path, seed: int) -> None:
    lot = random.Random(seed)
    ids = [f"line{number:02}" for number in range(30)]
    lines = []
    for number, one in enumerate(ids):
        rests = lot.sample(ids, lot.choice((0, 1, 1, 2)))  # also in circles, also on itself
        replaces = lot.sample(ids, 1) if lot.random() < 0.12 else []
        note = [f"id: {one}", *(f"from: {', '.join(rests)}" for _ in rests[:1])]
        note += [f"supersedes: {replaces[0]}"] if replaces else []
        lines.append(f"- The wheel {number} turns. <!-- {' · '.join(note)} -->")
    write(tmp_path, "wheels.md", *(line for line in lines if lot.random() < 0.93))
    with Memory.open(tmp_path) as memory:
        index = memory.workspace.synced_index()
        records = {row.record.id: row.record for row in index.fetch(index.rows_of_file("wheels.md")).values()}
        found = {one.id for one in records.values() if find_changed_source(one, index)}
        assert found == by_hand(records)
        holding = {records[one].source.line_start for one in found if not records[one].superseded_by}
        assert {line for _path, line in listed(memory)} == holding


def test_what_rests_on_a_superseded_line_is_listed_and_marked_upward(tmp_path: Path) -> None:
    old = "- The harbour opens at six. <!-- id: harbour1 -->"
    gate = "- The gate is unlocked before six. <!-- id: gate1 · from: harbour1 -->"
    baker = "- The baker leaves through the gate. <!-- id: baker1 · from: gate1 -->"
    write(tmp_path, "town.md", old, gate, baker)
    with Memory.open(tmp_path) as memory:
        assert not listed(memory)
        assert "its source changed" not in memory.pack("the gate", now=NOW).text
        write(tmp_path, "later.md", "- The harbour opens at seven. <!-- id: harbour2 · supersedes: harbour1 -->")
        assert listed(memory) == {
            ("town.md", 2): "its source changed: harbour1 was superseded by harbour2",
            ("town.md", 3): "its source changed: harbour1, on which its source gate1 rests, was superseded by harbour2",
        }
        text = memory.pack("the gate", now=NOW).text
        assert "- (its source changed) The gate is unlocked" in text
        assert "- (its source changed) The baker leaves" in text
        write(tmp_path, "town.md", old, gate.replace("harbour1", "harbour1, harbour2"), baker)
        assert not listed(memory), "the line rests on what replaced its source, too"


def test_what_rests_on_an_undone_or_removed_line_is_listed(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        first = memory.retain("W The mill has two stones.", now=NOW).record
        second = memory.retain("W The mill has one wheel.", now=NOW).record
        assert first is not None
        assert second is not None
        rests = memory.retain("W The mill is small.", now=NOW, sources=(first.id, second.id)).record
        assert rests is not None
        assert not listed(memory)
        path = tmp_path / rests.source.path
        kept = [line for line in path.read_text("utf-8").split("\n") if "one wheel" not in line]
        path.write_text("\n".join(kept), encoding="utf-8")
        ((_where, message),) = listed(memory).items()
        assert message == f"its source changed: {second.id} was removed"


def test_a_consolidation_that_was_undone_is_a_source_that_was_removed(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        memory.capture("The staging database listens on port 5433.", ts="2026-11-01T09:00", session="s", now=NOW)
        run = memory.consolidate(apply=True, now=NOW)
        (line,) = (line for plan in run.plans for line in plan.lines)
        rests = memory.retain("W The tunnel needs port 5433.", now=NOW, sources=(line.id,)).record
        assert rests is not None
        assert not listed(memory)
        change = next(one for one in memory.audit() if one.path == line.destination.path)
        memory.undo(change.change_id, now=NOW)
        assert listed(memory) == {
            (rests.source.path, rests.source.line_start): f"its source changed: {line.id} was removed"
        }


def test_a_capture_that_is_no_evidence_is_not_missed(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        memory.capture("Gut strings go out of tune in the rain.", ts=NOW, session="s", now=NOW)
        kept = memory.retain("W Steel strings last longer.", now=NOW)  # its capture is not indexed: the line has it
        memory.retain("W Strings break.", now=NOW, sources=(kept.capture_id,))
        assert not listed(memory)
        memory.retain("W Strings rust.", now=NOW, sources=("obs:gone7gone7gone7g",))
        assert len(listed(memory)) == 1


def test_captures_are_not_missed_where_there_are_none(tmp_path: Path) -> None:
    write(tmp_path, "copied.md", "- The boat is blue. <!-- from: obs:qmu2luypyto2dafw -->")
    with Memory.open(tmp_path) as memory:
        assert not listed(memory)


def test_a_source_that_names_no_record_is_never_missed() -> None:
    assert all(map(names_record, ("obs:1", "7f3k9q", "wrwzzxqjcadt", "c02bb57a03d5cb6")))
    assert not any(map(names_record, ("tune-test", "memory/2025-10-21.md", "conversation", "https://a.example/1")))
