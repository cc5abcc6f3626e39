"""What a person rejected does not go on answering: its line is taken back, and no fact is read from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Memory

NOW, LATER = "2026-11-28T10:00", "2026-11-29T10:00"
KEY = "The spare key of room 3 hangs behind the calendar."
LOG = "memory/2026-11-27.md"


@pytest.fixture
def memory(memory: Memory) -> Memory:
    """A notebook in whose queue an agent's line waits, which the agent wrote after it had read a stranger's words."""
    memory.retain("Kaya's birthday is 14 November 2003.", now="2026-10-01T09:00")
    memory.capture("From: a guest. The room is fine.", actor="tool", session="s", now="2026-11-27T09:00")
    memory.retain(KEY, actor="agent", session="s", now="2026-11-27T09:05")
    return memory


def answers(memory: Memory, question: str) -> list[str]:
    return [hit.record.text for hit in memory.recall(question, evidence="none", now=NOW).hits]


def birthdays(memory: Memory) -> list[str]:
    return [fact.value for fact in memory.facts("Kaya", now=NOW).facts if fact.key == "birthday"]


def note(memory: Memory, path: str = LOG) -> str:
    return Path(memory.root, path).read_text("utf-8")


def test_the_line_of_an_agent_is_taken_back_and_put_back_with_its_item(memory: Memory) -> None:
    before = note(memory)
    (item,) = memory.pending()
    decided = memory.reject(item.id, now=NOW)
    assert KEY not in note(memory)
    assert KEY not in answers(memory, "Where is the spare key of room 3?")
    for change in decided.changes[::-1]:
        memory.undo(change, now=NOW)
    assert note(memory) == before
    assert [one.id for one in memory.pending()] == [item.id]
    assert KEY in answers(memory, "Where is the spare key of room 3?")


def test_an_approved_line_takes_the_place_of_the_agents(memory: Memory) -> None:
    before = note(memory)
    decided = memory.approve(memory.pending()[0].id, now=NOW)
    assert note(memory).count(KEY) == 1
    assert "untrusted" not in note(memory)
    assert answers(memory, "Where is the spare key of room 3?").count(KEY) == 1
    memory.consolidate(apply=True, now=LATER)
    assert memory.pending() == ()  # nothing is asked about the line that went
    for change in decided.changes[::-1]:
        memory.undo(change, now=NOW)
    assert note(memory) == before
    assert len(memory.pending()) == 1


def test_a_rejected_line_does_not_come_back(memory: Memory) -> None:
    memory.reject(memory.pending()[0].id, now=NOW)
    memory.capture(KEY, actor="agent", session="t", now="2026-11-28T11:00")
    memory.consolidate(apply=True, now=LATER)
    assert KEY not in "".join(path.read_text() for path in Path(memory.root).rglob("*.md"))
    assert memory.pending() == ()  # and the owner is not asked whether to forget what the line came from


def test_what_a_person_made_of_the_line_stays(memory: Memory) -> None:
    path = Path(memory.root, LOG)
    path.write_text(path.read_text().replace("calendar", "clock"), encoding="utf-8")
    memory.reject(memory.pending()[0].id, now=NOW)
    assert "behind the clock" in note(memory)


def test_of_an_agents_line_that_contradicts_both_hold_or_it_is_taken_back(memory: Memory) -> None:
    memory.retain("Kaya's birthday is 15 November 2003.", actor="agent", session="s", now="2026-11-27T09:06")
    item = memory.pending()[-1]
    assert "reject: it is taken back" in item.why
    both = memory.approve(item.id, both=True, now=NOW)
    assert birthdays(memory) == ["14 November 2003", "15 November 2003"]
    for change in both.changes[::-1]:
        memory.undo(change, now=NOW)
    memory.reject(item.id, now=NOW)
    assert birthdays(memory) == ["14 November 2003"]


def test_the_owners_own_line_stays_when_its_item_is_rejected(memory: Memory) -> None:
    kept = memory.retain("Kaya sails on Sundays.", now=NOW)
    assert kept.record is not None
    line = f"- fact: Kaya sails on Sundays. (why: x) <!-- id: q{kept.record.id} · from: {kept.capture_id} -->"
    Path(memory.root, "memory/pending.md").write_text(f"# Pending\n\n## Conflicts\n{line}\n", encoding="utf-8")
    Path(memory.root, "notes.md").write_text(f"# Notes\n\n- {KEY}\n", encoding="utf-8")
    for item in memory.pending():
        memory.reject(item.id, now=NOW)
    assert "Kaya sails on Sundays." in answers(memory, "When does Kaya sail?")
    assert KEY in answers(memory, "Where is the spare key of room 3?")


def test_of_a_rejected_capture_no_fact_is_read_until_that_is_undone(memory: Memory) -> None:
    memory.capture("Kaya's birthday is 16 November 2003.", actor="agent", session="u", now="2026-11-27T10:00")
    memory.consolidate(apply=True, now="2026-11-28T09:00")
    item = next(one for one in memory.pending() if "16" in one.text)
    assert birthdays(memory) == ["14 November 2003", "16 November 2003"]
    decided = memory.reject(item.id, now=NOW)
    assert birthdays(memory) == ["14 November 2003"]
    assert any("16 November" in hit.record.text for hit in memory.recall("Kaya's birthday", now=NOW).hits)  # as said
    for change in decided.changes[::-1]:
        memory.undo(change, now=NOW)
    assert birthdays(memory) == ["14 November 2003", "16 November 2003"]
    memory.reject(item.id, now=NOW)
    Path(memory.root, "kaya.md").write_text("# Kaya\n\n- Kaya's birthday is 16 November 2003.\n", encoding="utf-8")
    assert "16 November 2003" in birthdays(memory)  # which the owner wrote
