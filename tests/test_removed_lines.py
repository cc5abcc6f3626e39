"""A line that a person takes out of a file leaves a question: is what it came from to be forgotten too?"""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Memory

FIRST, NOW, LATER = "2026-11-01T10:00", "2026-11-05T10:00", "2026-11-06T10:00"
CONTACTS = "memory/semantic/contacts.md"


def opened(root: Path, setting: str = "") -> Memory:
    (root / "commonplace.toml").write_text(f'[forget]\nremoved_by_hand = "{setting}"\n' if setting else "")
    memory = Memory.open(root)
    memory.capture("My accountant is Mara Keller, her office is in Bern.", session="work", now=FIRST)
    memory.capture("My dentist is Ana Ruiz, her practice is in Thun.", session="work", now=FIRST)
    memory.consolidate(apply=True, now=FIRST)
    return memory


def remove_line(memory: Memory, word: str) -> None:
    path = Path(memory.root, CONTACTS)
    lines = path.read_text("utf-8").split("\n")
    assert any(word in one for one in lines)
    path.write_text("\n".join(one for one in lines if word not in one), "utf-8")


def is_found(memory: Memory, word: str) -> bool:
    return any(word in hit.record.text for hit in memory.recall(f"who is {word}?", now=LATER).hits)


def test_the_owner_is_asked_once_and_approving_hides_what_the_line_came_from(tmp_path: Path) -> None:
    memory = opened(tmp_path)
    remove_line(memory, "Keller")
    assert is_found(memory, "Keller")
    memory.consolidate(now=NOW)
    assert memory.pending() == ()
    for _time in range(2):
        memory.consolidate(apply=True, now=NOW)
        (item,) = memory.pending()
    assert (item.reason, "Keller" in item.text) == ("forget", True)
    assert {one.is_evidence for one in memory.evidence(item)} >= {True}
    decision = memory.approve(item.id, now=NOW)
    memory.consolidate(apply=True, now=LATER)
    assert memory.pending() == ()
    assert not is_found(memory, "Keller")
    assert is_found(memory, "Ruiz")
    memory.undo(decision.changes[0], now=LATER)
    assert is_found(memory, "Keller")


def test_what_is_rejected_is_not_asked_again(tmp_path: Path) -> None:
    memory = opened(tmp_path)
    remove_line(memory, "Keller")
    memory.consolidate(apply=True, now=NOW)
    memory.reject(memory.pending()[0].id, now=NOW)
    memory.close()
    for setting in ("ask", "forget"):
        (tmp_path / "commonplace.toml").write_text(f'[forget]\nremoved_by_hand = "{setting}"\n')
        with Memory.open(tmp_path) as again:
            again.consolidate(apply=True, now=LATER)
            assert again.pending() == ()
            assert is_found(again, "Keller")


@pytest.mark.parametrize(("setting", "found"), [("forget", False), ("keep", True)])
def test_the_settings_decide_instead(tmp_path: Path, setting: str, found: bool) -> None:
    memory = opened(tmp_path, setting)
    remove_line(memory, "Keller")
    memory.consolidate(apply=True, now=NOW)
    assert memory.pending() == ()
    assert is_found(memory, "Keller") is found
    assert is_found(memory, "Ruiz")


def test_what_our_own_writes_take_out_or_a_person_moves_or_rewords_is_no_question(tmp_path: Path) -> None:
    memory = opened(tmp_path)
    path = Path(memory.root, CONTACTS)
    original = path.read_text("utf-8")
    line = next(one for one in original.split("\n") if "Keller" in one and "<!--" in one)
    remove_line(memory, "Keller")
    notes = Path(memory.root, "notes.md")
    for text in (line, line.replace("Bern", "Biel"), line.partition(" <!--")[0]):
        notes.write_text(f"# Notes\n\n{text}\n", "utf-8")
        memory.consolidate(apply=True, now=NOW)
        assert memory.pending() == (), text
    path.write_text(original, "utf-8")
    change = next(one for one in memory.audit(at_most=50, now=NOW) if one.path == CONTACTS)
    memory.undo(change.change_id, now=NOW)
    notes.unlink()
    memory.consolidate(apply=True, now=LATER)
    assert memory.pending() == ()


def test_of_a_long_message_and_what_retells_the_line_nothing_is_left(tmp_path: Path) -> None:
    memory = Memory.open(tmp_path)
    more = " ".join(f"Then the {one} came by and we talked for long about its price." for one in ("baker", "plumber"))
    memory.capture(f"My accountant is Mara Keller, her office is in Bern. {more}", session="work", now=FIRST)
    memory.capture("My accountant is Mara Keller, her office is in Bern.", session="other", now=NOW)
    memory.consolidate(apply=True, now=NOW)
    remove_line(memory, "Keller")
    memory.consolidate(apply=True, now=NOW)
    memory.approve(memory.pending()[0].id, now=NOW)
    assert not [one for one in memory.timeline(evidence="auto", at_most=50, now=LATER) if "Keller" in one.text]


def test_an_item_that_a_person_takes_off_the_queue_is_no_question(tmp_path: Path) -> None:
    memory = opened(tmp_path)
    memory.capture("The staging DB runs on port 6431.", session="a", now=FIRST)
    memory.consolidate(apply=True, now=FIRST)
    memory.capture("The staging DB moved to port 6432.", actor="agent", session="b", now=NOW)
    memory.consolidate(apply=True, now=NOW)
    assert len(memory.pending()) == 1
    Path(memory.root, "memory/pending.md").write_text("# Pending\n", "utf-8")
    memory.consolidate(apply=True, now=LATER)
    assert memory.pending() == ()


def test_what_is_forgotten_already_is_no_question(tmp_path: Path) -> None:
    memory = opened(tmp_path)
    memory.forget(entity="Mara Keller", apply=True, now=NOW)
    remove_line(memory, "Keller")
    memory.consolidate(apply=True, now=LATER)
    assert memory.pending() == ()
