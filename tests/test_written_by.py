"""Who wrote what: decisions and edits are the person's, an agent's stay the agent's; undone writes and whole acts."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Memory
from commonplace.errors import WriteConflict
from commonplace.serve.dispatch.handlers import run_operation
from commonplace.serve.mcp.tools import TOOLS
from tests.support.claim_grammar import hear

NOW, LATER = "2025-11-28T09:00", "2025-11-29T12:00"
QUEUE = "memory/pending.md"
LOG = "memory/2025-11-28.md"


def note(memory: Memory, path: str) -> str:
    return Path(memory.root, path).read_text("utf-8")


def correct(memory: Memory, old: str, new: str, **options: str) -> str:
    """Reword a line of the log."""
    file = memory.read_file(LOG)
    number = next(one.source.line_start for one in file.view.records if old in one.text)
    line = note(memory, LOG).splitlines()[number - 1].replace(old, new)
    given = {"path": LOG, "text": line, "digest": file.digest, "line_start": number, "line_end": number, **options}
    return str(run_operation(memory, "edit_file", given | {"now": LATER})["change"])


def trust_of(memory: Memory, words: str) -> list[str]:
    hits = memory.recall(words, evidence="none", now=LATER).hits
    return [hit.record.trust for hit in hits if words in hit.record.text and hit.record.source.path != QUEUE]


@pytest.mark.parametrize("actor", ["agent", "tool"])
def test_a_line_that_the_person_corrects_is_the_persons(memory: Memory, actor: str) -> None:
    memory.capture("From: a guest. Kaya sails on Mondays with Ben.", actor="tool", session="s", now=NOW)
    memory.retain("Kaya sails on Mondays with Ben.", actor=actor, session="s", now=NOW)
    before = note(memory, LOG)
    assert trust_of(memory, "Kaya sails on Mondays") == ["untrusted"]
    change = correct(memory, "Mondays", "Sundays")
    assert trust_of(memory, "Kaya sails on Sundays") == ["trusted"]
    assert "origin:" not in note(memory, LOG)
    assert [one.by for one in memory.audit(now=LATER) if one.change_id == change] == [("owner",)]
    memory.undo(change, now=LATER)
    assert note(memory, LOG) == before
    assert trust_of(memory, "Kaya sails on Mondays") == ["untrusted"]


def test_a_line_that_an_agent_edits_is_the_agents(memory: Memory) -> None:
    memory.retain("Kaya sails on Mondays.", now=NOW)
    assert trust_of(memory, "Kaya sails") == ["trusted"]
    change = correct(memory, "Mondays", "Sundays", actor="agent")
    assert trust_of(memory, "Kaya sails") == ["unknown"]
    assert [one.by for one in memory.audit(now=LATER) if one.change_id == change] == [("agent",)]


def test_what_an_agent_writes_or_decides_is_the_agents(memory: Memory) -> None:
    run_operation(memory, "retain", {"text": "Ben plays chess.", "actor": "agent", "now": NOW})
    assert memory.audit(now=LATER)[0].by == ("agent",)
    review = next(one for one in TOOLS if one.name == "review")
    for action, sent in (("approve", {"item_id": "x"}), ("reject", {"item_id": "x"}), ("undo", {"change_id": "x"})):
        assert review.to_operation({"action": action, **sent})[1]["actor"] == "agent"
    retain = next(one for one in TOOLS if one.name == "retain")
    assert retain.to_operation({"text": "Ben plays chess."})[1]["actor"] == "agent"


def queue(memory: Memory, count: int) -> str:
    Path(memory.root, "memory").mkdir(exist_ok=True)
    lines = [f"- person, Ana{n}: Ana{n}'s city is Bern (why: not sure) <!-- id: aaaaaa{n} -->" for n in range(count)]
    text = "\n".join(("# Pending", "", "## Doubts", *lines, ""))
    Path(memory.root, QUEUE).write_text(text, encoding="utf-8")
    return text


def test_acts_of_one_minute_are_apart_and_each_is_whole(memory: Memory) -> None:
    queue(memory, 4)
    for deed, number in (("approve", 0), ("approve", 1), ("reject", 2), ("approve", 3)):
        getattr(memory, deed)(f"aaaaaa{number}", now=NOW)
    acts = [one.act for one in memory.audit(now=LATER)]
    assert list(dict.fromkeys(acts)) == [
        "approve owner aaaaaa3", "reject owner aaaaaa2", "approve owner aaaaaa1", "approve owner aaaaaa0",
    ]  # fmt: skip
    assert acts == sorted(acts, key=list(dict.fromkeys(acts)).index)
    assert len(memory.audit(act="approve owner aaaaaa0", now=LATER)) == 2
    assert {one.by for one in memory.audit(now=LATER)} == {("owner",)}


def test_a_write_is_undone_until_its_undo_is_undone(memory: Memory) -> None:
    text = queue(memory, 2)
    (change,) = memory.reject("aaaaaa1", now=NOW).changes
    for expected in (True, False):
        newest = memory.audit(now=LATER)[0]
        assert memory.undo(newest.change_id if newest.act.startswith("undo") else change, now=NOW) == QUEUE
        undone = {one.change_id: one.is_undone for one in memory.audit(now=LATER)}
        assert undone[change] is expected
    memory.undo(change, now=LATER)
    assert memory.undo(change, now=LATER) == ""  # nothing is left
    assert note(memory, QUEUE) == text


def test_what_was_undone_and_done_again_in_one_minute_is_not_undone(memory: Memory) -> None:
    queue(memory, 1)
    for change in memory.approve("aaaaaa0", now=NOW).changes[::-1]:
        memory.undo(change, now=NOW)
    again = memory.approve("aaaaaa0", now=NOW).changes
    undone = {one.change_id: one.is_undone for one in memory.audit(at_most=99, now=LATER)}
    assert [undone[change] for change in again] == [False, False]
    assert sum(undone.values()) == 2


def test_what_a_decision_took_off_the_queue_is_not_undone(memory: Memory) -> None:
    memory.capture("Maybe Ana's city is Bern.", session="s", now="2025-11-27T09:00")
    queue(memory, 1)
    memory.approve("aaaaaa0", now=NOW)
    assert not any(one.is_undone for one in memory.audit(now=LATER))


def consolidate(memory: Memory, text: str, day: str) -> None:
    hear(memory, text, f"{day}T09:00", day)
    memory.consolidate(apply=True, now=f"{day}T23:30")


def undo_act(memory: Memory, act: str) -> list[str]:
    return [memory.undo(one.change_id, now=LATER) for one in memory.audit(act=act, at_most=99, now=LATER)]


@pytest.mark.usefixtures("claim_grammar")
def test_undoing_a_run_withdraws_its_own_items_and_no_others(memory: Memory) -> None:
    consolidate(memory, "Maybe Ana's city is Bern. Maybe Ben's city is Rome. Zoe DB's port is 6431.", "2025-11-20")
    consolidate(memory, "Maybe Cleo's city is Oslo. Maybe Dan's city is Nice.", "2025-11-21")
    last, first = dict.fromkeys(one.act for one in memory.audit(at_most=99, now=LATER))
    assert {one.by for one in memory.audit(act=first, now=LATER)} == {("consolidate",)}
    assert [item.entity for item in memory.pending()] == ["Ana", "Ben", "Cleo", "Dan"]
    memory.reject(memory.pending()[1].id, now="2025-11-22T09:00")
    assert {QUEUE, "memory/semantic/infrastructure.md"} <= set(undo_act(memory, first))
    assert [item.entity for item in memory.pending()] == ["Cleo", "Dan"]
    assert set(undo_act(memory, first)) == {""}
    undo_act(memory, last)
    assert memory.pending() == ()


@pytest.mark.usefixtures("claim_grammar")
def test_an_item_that_a_run_took_off_the_queue_waits_again(memory: Memory) -> None:
    consolidate(memory, "Maybe Ana's city is Bern.", "2025-11-20")
    consolidate(memory, "Ana's city is Bern. Maybe Ben's city is Rome. Maybe Dan's city is Nice.", "2025-11-21")
    consolidate(memory, "Maybe Cleo's city is Oslo.", "2025-11-22")
    _last, second, _first = dict.fromkeys(one.act for one in memory.audit(at_most=99, now=LATER))
    assert [item.entity for item in memory.pending()] == ["Ben", "Dan", "Cleo"]
    memory.reject(memory.pending()[0].id, now=NOW)
    undo_act(memory, second)
    assert sorted(item.entity for item in memory.pending()) == ["Ana", "Cleo"]


@pytest.mark.usefixtures("claim_grammar")
def test_an_item_whose_words_the_person_changed_stays(memory: Memory) -> None:
    consolidate(memory, "Maybe Ana's city is Bern.", "2025-11-20")
    change = next(one for one in memory.audit(at_most=99, now=LATER) if one.path == QUEUE).change_id
    memory.edit(memory.pending()[0].id, "Ana's city is Basel", now=NOW)
    with pytest.raises(WriteConflict) as error:
        memory.undo(change, now=LATER)
    assert "Ana's city is Basel" in error.value.hint
    assert "<!--" not in error.value.hint
    assert len(memory.pending()) == 1
