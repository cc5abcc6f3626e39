"""What is forgotten on request is in no answer, and comes back as it was when that is undone."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Memory
from commonplace.errors import BadArgument, NotFound
from commonplace.upkeep.forget import ForgetWish, hide_records, select_records, show_again

NOW = "2026-11-05T10:00"
ACCOUNTANT = "My accountant is Mara Keller, her office is in Bern."


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """A notebook with two captured sessions, consolidated, and a line by hand."""
    (tmp_path / "notes").mkdir()
    memory = Memory.open(tmp_path / "notes")
    memory.capture(ACCOUNTANT, now="2026-11-01T10:00", session="work")
    memory.capture("We use pnpm, not npm, in this repo.", now="2026-11-01T10:05", session="work")
    memory.capture("So you said that my accountant is Mara Keller, her office is in Bern.", now="2026-11-02T10:00")
    memory.consolidate(apply=True, now="2026-11-03T10:00")
    Path(memory.root, "notes.md").write_text("# Notes\n\n- Call the plumber on Friday.\n", encoding="utf-8")
    return memory


def texts(memory: Memory, question: str) -> list[str]:
    return [hit.record.text for hit in memory.recall(question, now=NOW).hits]


def forget(memory: Memory, wish: ForgetWish) -> str:
    selected = select_records(memory.workspace.synced_index(), wish)
    return hide_records(memory.workspace.sync_source().journal, selected, NOW)


def test_a_line_goes_with_the_capture_it_rests_on_and_with_what_repeats_it(memory: Memory) -> None:
    line = next(hit.record for hit in memory.recall("accountant", now=NOW).hits if hit.record.sources)
    selected = select_records(memory.workspace.synced_index(), ForgetWish((line.id,)))
    assert {one.reason for one in selected} >= {"named", "source", "repeats"}
    forget(memory, ForgetWish((line.id,)))
    assert not [text for text in texts(memory, "who is the accountant Mara Keller in Bern?") if "Keller" in text]
    assert any("pnpm" in text for text in texts(memory, "pnpm or npm?"))


def test_undone_every_answer_is_as_before_and_the_files_never_changed(memory: Memory) -> None:
    before, files = memory.dump(), {path: path.read_bytes() for path in Path(memory.root).rglob("*.md")}
    forgotten = forget(memory, ForgetWish(query="accountant"))
    assert not texts(memory, "accountant")
    hidden = memory.dump()
    memory.rebuild()
    assert memory.dump() == hidden
    show_again(memory.workspace.sync_source().journal, forgotten, NOW)
    explained = [line for line in memory.dump() if line.startswith('["explained"')]
    assert explained
    assert [line for line in memory.dump() if line not in explained] == before
    assert {path: path.read_bytes() for path in files} == files


@pytest.mark.parametrize(
    ("wish", "gone", "stays"),
    [
        (ForgetWish(session="work"), "pnpm", "plumber"),
        (ForgetWish(("notes.md",)), "plumber", "pnpm"),
        (ForgetWish(("notes.md#L3",)), "plumber", "pnpm"),
        (ForgetWish(entity="Mara Keller"), "accountant", "pnpm"),
        (ForgetWish(since="2026-11-01T10:05", until="2026-11-01T10:06", query="pnpm"), "pnpm", "accountant"),
    ],
)
def test_a_wish_names_by_session_file_line_entity_and_time(
    memory: Memory, wish: ForgetWish, gone: str, stays: str
) -> None:
    forget(memory, wish)
    assert not [text for text in texts(memory, gone) if gone in text]
    assert [text for text in texts(memory, stays) if stays in text]


def test_what_is_not_there_cannot_be_forgotten(memory: Memory) -> None:
    index = memory.workspace.synced_index()
    with pytest.raises(BadArgument, match="nothing is named"):
        select_records(index, ForgetWish())
    with pytest.raises(NotFound):
        select_records(index, ForgetWish(("nowhere.md#L3",)))
    with pytest.raises(NotFound):
        show_again(memory.workspace.sync_source().journal, "led:none", NOW)


def test_what_is_hidden_is_not_learned_until_that_is_undone(tmp_path: Path) -> None:
    memory = Memory.open(tmp_path)
    memory.capture(ACCOUNTANT, now="2026-11-01T10:00", session="work")
    memory.capture("We use pnpm, not npm, in this repo.", now="2026-11-01T10:05", session="work")
    forgotten = memory.forget(query="accountant", apply=True, now="2026-11-01T10:06").id
    memory.consolidate(apply=True, now="2026-11-03T10:00")
    assert not [path for path in tmp_path.rglob("*.md") if "Keller" in path.read_text(encoding="utf-8")]
    memory.undo(forgotten)
    memory.consolidate(apply=True, now="2026-11-04T10:00")
    assert [path for path in tmp_path.rglob("*.md") if "Keller" in path.read_text(encoding="utf-8")]


def test_what_is_hidden_is_not_shown_with_the_file(memory: Memory) -> None:
    forgotten = memory.forget(references=("notes.md#L3",), apply=True, now=NOW).id
    assert memory.show("notes.md").text == "# Notes\n\n(forgotten)"
    assert memory.show("notes.md#L3").text == "(forgotten)"
    memory.undo(forgotten)
    assert memory.show("notes.md#L3").text == "- Call the plumber on Friday."


# What is hidden stays hidden.


def test_working_memory_and_resume_do_not_show_what_is_hidden(memory: Memory) -> None:
    memory.session_start("tax", goal="Prepare the taxes", actor="owner", now=NOW)
    memory.session_step("tax", facts={"who": ACCOUNTANT}, observations=("The taxes are due.",), actor="owner", now=NOW)
    hidden = memory.forget(entity="Mara Keller", apply=True, now=NOW)
    working = memory.session_show("tax").working
    assert (working.goal, working.facts["who"].text) == ("Prepare the taxes", "")
    assert "Keller" not in memory.resume(session="tax", now=NOW).text
    assert "taxes are due" in memory.resume(session="tax", now=NOW).text
    memory.undo(hidden.id, now=NOW)
    assert memory.session_show("tax").working.facts["who"].text == ACCOUNTANT


def test_the_artifact_of_a_hidden_capture_is_not_shown(memory: Memory) -> None:
    log = "The build log of the heron says that all is well. " * 400
    taken = memory.capture(log, actor="tool", type="tool_result", session="build", now=NOW)
    (path,) = Path(memory.root, ".memory/artifacts").iterdir()
    reference = f".memory/artifacts/{path.name}"
    assert "heron" in memory.show(reference).text
    hidden = memory.forget((taken.id,), apply=True, now=NOW)
    with pytest.raises(NotFound):
        memory.show(reference)
    memory.undo(hidden.id, now=NOW)
    assert "heron" in memory.show(reference).text


@pytest.mark.parametrize("erase", [False, True])
def test_neither_approve_nor_undo_writes_what_is_forgotten(memory: Memory, erase: bool) -> None:
    queue = f"# Pending\n\n## Doubts\n- person, Mara Keller: {ACCOUNTANT} (why: not sure) <!-- id: aaaaaaa -->\n"
    notes = Path(memory.root, "memory/semantic/contacts.md")
    assert ACCOUNTANT in notes.read_text("utf-8")
    change = next(one for one in memory.audit(at_most=50, now=NOW) if one.path == "memory/semantic/contacts.md")
    memory.undo(change.change_id, now=NOW)
    taken_out = next(one for one in memory.audit(at_most=50, now=NOW) if ACCOUNTANT in one.before)
    memory.forget(query="accountant", apply=True, erase=erase, now=NOW)
    Path(memory.root, "memory/pending.md").write_text(queue, "utf-8")
    with pytest.raises(BadArgument, match="forgotten" if erase else "hidden"):
        memory.approve("aaaaaaa", now=NOW)
    with pytest.raises(NotFound if erase else BadArgument):  # undo data is erased too
        memory.undo(taken_out.change_id, now=NOW)
    assert not notes.exists() or ACCOUNTANT not in notes.read_text("utf-8")


def test_what_was_hidden_and_erased_is_listed_newest_first(memory: Memory) -> None:
    assert memory.forgettings() == ()
    hidden = memory.forget(query="pnpm", apply=True, now="2026-11-05T10:00")
    erased = memory.forget(entity="Mara Keller", erase=True, apply=True, now="2026-11-05T10:00")
    last = memory.forget(query="plumber", apply=True, now="2026-11-05T11:00")
    memory.undo(hidden.id, now="2026-11-05T12:00")
    listed = memory.forgettings()
    assert [(one.is_erased, one.shown_again) for one in listed] == [
        (False, ""),
        (True, ""),
        (False, "2026-11-05T12:00"),
    ]
    assert (listed[0].id, listed[2].id) == (last.id, hidden.id)
    assert listed[2].records == tuple(one.record.id for one in hidden.selected)
    assert erased.manifest is not None
    assert (listed[1].manifest, listed[1].changed) == (erased.manifest.path, erased.manifest.changed)
    assert listed[1].scan == erased.manifest.scan
    assert listed[1].tombstones
    assert memory.forgettings(skip=1, at_most=1) == listed[1:2]
    Path(memory.root, erased.manifest.path).write_text("{", encoding="utf-8")
    assert memory.forgettings()[1].is_erased


# An item of the queue that quotes what is forgotten.

MINE, OTHERS = "My phone number is +49 341 5550172.", "My phone number is +49 341 7770001"


@pytest.fixture
def conflict(tmp_path: Path) -> Memory:
    """A notebook with a line of the owner, and an agent's with another number, about which the queue asks."""
    memory = Memory.open(tmp_path)
    memory.retain(MINE, now="2026-11-01T09:00")
    memory.retain(OTHERS, actor="agent", session="s1", now="2026-11-02T09:00")
    (item,) = memory.pending()
    assert (item.text, MINE in item.why) == (OTHERS, True)
    return memory


def all_bytes(memory: Memory) -> bytes:
    paths = [path for path in Path(memory.root).rglob("*") if path.is_file() and "index.sqlite" not in path.name]
    return b"\n".join(path.read_bytes() for path in paths)


def test_an_item_is_shown_without_what_its_reason_quotes_of_what_is_hidden(conflict: Memory) -> None:
    hidden = conflict.forget(query="+49 341 5550172", apply=True, now=NOW)
    assert [one.reason for one in hidden.selected] == ["named", "quotes"]
    (item,) = conflict.pending()
    assert item.text == OTHERS
    (explained,) = conflict.explain_pending().items
    assert "contradicts: " in explained.item.why
    shown = [item.why, explained.item.why, conflict.resume(now=NOW).text, conflict.show("memory/pending.md").text]
    shown += [text for question in (MINE, "contradicts", "5550172") for text in texts(conflict, question)]
    assert not [text for text in shown if "5550172" in text]
    assert OTHERS in texts(conflict, "phone number")
    conflict.undo(hidden.id, now=NOW)
    assert MINE in conflict.pending()[0].why


def test_what_only_quotes_may_be_decided_on_and_a_hidden_item_is_not_offered(conflict: Memory) -> None:
    item = conflict.pending()[0].id
    conflict.forget(query="+49 341 7770001", apply=True, now=NOW)
    assert conflict.pending() == ()
    assert conflict.explain_pending().total == 0
    conflict.undo(conflict.forgettings()[0].id, now=NOW)
    conflict.forget((conflict.pending()[0].against[0],), apply=True, now=NOW)
    assert "5550172" not in conflict.pending()[0].why
    assert conflict.approve(item, now=NOW).path
    assert conflict.pending() == ()


@pytest.mark.parametrize("hidden_before", [False, True])
def test_erasing_leaves_an_item_that_only_quotes_and_no_word_of_the_quotation(
    conflict: Memory, hidden_before: bool
) -> None:
    if hidden_before:
        conflict.forget(query="+49 341 5550172", apply=True, now=NOW)
    planned = conflict.forget(query="+49 341 5550172", erase=True, now=NOW).files
    assert [one.lines for one in planned if one.path == "memory/pending.md"] == [0]
    done = conflict.forget(query="+49 341 5550172", erase=True, apply=True, now=NOW)
    assert done.manifest is not None
    assert done.manifest.scan is not None
    assert not done.manifest.scan.remaining
    assert b"5550172" not in all_bytes(conflict)
    (item,) = conflict.pending()
    assert (item.text, "“…”" in item.why) == (OTHERS, True)
    assert OTHERS in texts(conflict, "phone number")


def test_what_was_hidden_is_erased_when_due_and_not_the_item_that_quoted_it(conflict: Memory) -> None:
    conflict.forget(query="+49 341 5550172", apply=True, now=NOW)
    conflict.forget(due=True, erase=True, apply=True, now="2027-01-05T10:00")
    assert b"5550172" not in all_bytes(conflict)
    assert conflict.pending()[0].text == OTHERS
    assert OTHERS in texts(conflict, "phone number")


@pytest.mark.parametrize("by_record", [False, True])
def test_what_is_hidden_is_erased_by_the_id_of_what_hid_it_or_its_own(conflict: Memory, by_record: bool) -> None:
    hidden = conflict.forget(query="+49 341 5550172", apply=True, now=NOW)
    reference = hidden.selected[0].record.id if by_record else hidden.id
    assert [one.path for one in conflict.forget((reference,), erase=True, now=NOW).files if one.kind == "text"] == [
        "memory/2026-11-01.md",
        "memory/pending.md",
    ]
    with pytest.raises(NotFound):  # it fits no other part of a wish
        conflict.forget((reference,), query="phone", erase=True, now=NOW)
    with pytest.raises(NotFound):
        conflict.forget((reference, "nothing"), erase=True, now=NOW)
    assert b"5550172" in all_bytes(conflict)
    conflict.forget((reference,), erase=True, apply=True, now=NOW)
    assert b"5550172" not in all_bytes(conflict)
    assert conflict.pending()[0].text == OTHERS
    assert [len(one.records) for one in conflict.forgettings() if not one.is_erased] == [0]


def test_an_item_is_left_out_where_only_a_sentence_of_it_is_hidden(conflict: Memory) -> None:
    queue = Path(conflict.root, "memory/pending.md")
    queue.write_text("## Doubts\n- fact: Ana sails. The heron is grey. <!-- id: heron001 -->\n", encoding="utf-8")
    conflict.forget(query="heron", apply=True, now=NOW)
    assert conflict.pending() == ()


def test_forgotten_by_its_id_a_line_is_quoted_nowhere(conflict: Memory) -> None:
    conflict.forget((conflict.pending()[0].against[0],), apply=True, now=NOW)
    assert not [text for question in ("contradicts", "phone") for text in texts(conflict, question) if "0172" in text]


@pytest.mark.parametrize("when_due", [False, True])
def test_what_a_forgotten_item_quotes_stays(conflict: Memory, when_due: bool) -> None:
    conflict.forget(query="+49 341 7770001", apply=True, erase=not when_due, now=NOW)
    conflict.forget(due=True, erase=True, apply=True, now="2027-01-05T10:00")
    assert b"7770001" not in all_bytes(conflict)
    assert MINE in texts(conflict, "phone number")


def test_the_list_of_writes_does_not_say_what_is_hidden(conflict: Memory) -> None:
    conflict.forget(query="+49 341 5550172", apply=True, now=NOW)
    assert not [one for one in conflict.audit(now=NOW) if "5550172" in one.before + one.after]
    assert [one for one in conflict.audit(now=NOW) if OTHERS in one.after]
