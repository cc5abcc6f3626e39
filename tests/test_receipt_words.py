"""What a receipt says of its lines: the words that were packed, and those of today."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Memory
from commonplace.errors import BadArgument
from commonplace.operations import parameters
from commonplace.operations.declarations import OPERATIONS
from commonplace.serve.dispatch.handlers import pin_request, run_operation
from commonplace.shapes import Json
from tests.support.page import write_note

DAY, NOW = "memory/2025-11-27.md", "2025-11-30T09:00"
CELLO, VIOLA = "Mara plays the cello.", "Mara plays the viola."
NOTE = "notes/mill.md"


@pytest.fixture
def memory(memory: Memory) -> Memory:
    """A notebook of which a pack was made."""
    memory.retain(CELLO, now="2025-11-27T09:00")
    write_note(memory, NOTE, "# The mill\n\nThe mill grinds rye for Mara.\n")
    memory.pack("what does Mara play, and what does the mill grind for her?", now="2025-11-28T09:00")
    return memory


def ask_why(memory: Memory, text: str) -> Json:
    """The entry of the last receipt that has, or had, these words in its line, or stood there."""
    considered = run_operation(memory, "why", {"words": True})["considered"]
    (entry,) = [one for one in considered if text in (one["citation"], one["before"], (one["line"] or {}).get("text"))]
    return entry


def replace(memory: Memory, path: str, old: str, new: str) -> None:
    """Replace words of a file, as an editor would."""
    write_note(memory, path, Path(memory.root, path).read_text(encoding="utf-8").replace(old, new))


def test_a_line_that_was_not_touched_has_its_words(memory: Memory) -> None:
    entry = ask_why(memory, CELLO)
    assert (entry["changed"], entry["before"], entry["named"]) == (False, "", [])
    assert entry["line"] == {
        "id": entry["id"], "text": CELLO, "trust": "trusted", "scope": "", "citation": f"{DAY}#L4",
    }  # fmt: skip


def test_no_words_are_given_unasked_and_none_are_stored(memory: Memory) -> None:
    (first, *_) = run_operation(memory, "why", {})["considered"]
    assert not first.keys() & {"line", "changed", "before", "named"}
    ask_why(memory, CELLO)
    stored = b"".join(path.read_bytes() for path in Path(memory.root, ".memory/receipts").iterdir())
    assert b"cello" not in stored


def test_a_corrected_line_has_the_words_of_then_and_of_today(memory: Memory) -> None:
    replace(memory, DAY, CELLO, VIOLA)
    entry = ask_why(memory, CELLO)
    assert (entry["changed"], entry["before"], entry["line"]["text"]) == (True, CELLO, VIOLA)
    told = memory.why()
    assert "tokens, score" in told
    assert ", changed since\n" in told
    assert f"      {CELLO}  (today: {VIOLA})" in told
    assert f"  {CELLO}  (today: {VIOLA})" in memory.why("last", entry["id"])


def test_words_that_no_write_has_are_not_made_up(memory: Memory) -> None:
    entry = ask_why(memory, f"{NOTE}#L3")
    replace(memory, NOTE, "rye", "wheat")
    gone = ask_why(memory, f"{NOTE}#L3")
    assert (entry["changed"], entry["line"]["text"]) == (False, "The mill grinds rye for Mara.")
    assert (gone["id"], gone["changed"], gone["before"]) == (entry["id"], True, "")
    assert gone["line"] is None or gone["line"]["text"] == "The mill grinds wheat for Mara."


def test_another_mark_behind_a_line_is_no_other_word(memory: Memory) -> None:
    replace(memory, DAY, " -->", " · importance: 0.9 -->")
    entry = ask_why(memory, CELLO)
    assert (entry["changed"], entry["line"]["text"]) == (False, CELLO)


def test_a_line_with_another_id_is_found_by_its_words_and_place(memory: Memory) -> None:
    entry = ask_why(memory, CELLO)
    replace(memory, DAY, entry["id"], "another0id")
    replace(memory, DAY, "## Retain", "More.\n\n## Retain")
    there = ask_why(memory, f"{DAY}#L4")
    assert (there["id"], there["line"]["id"], there["changed"]) == (entry["id"], "another0id", False)
    assert there["line"]["citation"] == f"{DAY}#L6"
    assert f"{DAY}#L4 (now {DAY}#L6)" in memory.why()


def test_a_line_is_found_by_what_took_its_place(memory: Memory) -> None:
    entry = ask_why(memory, CELLO)
    memory.retain(VIOLA, supersedes=[entry["id"]], now=NOW)
    Path(memory.root, DAY).unlink()
    there = ask_why(memory, CELLO)
    assert (there["changed"], there["before"], there["line"]["text"]) == (True, CELLO, VIOLA)


def test_a_line_that_is_gone_keeps_the_words_that_were_packed(memory: Memory) -> None:
    Path(memory.root, DAY).unlink()
    entry = ask_why(memory, CELLO)
    assert (entry["line"], entry["changed"], entry["before"]) == (None, True, CELLO)
    assert f"{CELLO}  (today: (no longer there))" in memory.why()


def test_what_is_hidden_brings_no_words(memory: Memory) -> None:
    entry = ask_why(memory, CELLO)
    memory.forget(references=[entry["id"]], apply=True, now=NOW)
    hidden = ask_why(memory, f"{DAY}#L4")
    assert (hidden["line"], hidden["before"], hidden["changed"]) == (None, "", False)
    assert "cello" not in memory.why()


def test_what_is_hidden_by_another_id_brings_no_words(memory: Memory) -> None:
    replace(memory, DAY, ask_why(memory, CELLO)["id"], "another0id")
    memory.forget(references=["another0id"], apply=True, now=NOW)
    hidden = ask_why(memory, f"{DAY}#L4")
    assert (hidden["line"], hidden["before"]) == (None, "")
    assert "cello" not in memory.why()


def test_a_reason_brings_the_record_that_it_names(memory: Memory) -> None:
    old = memory.retain("The staging DB runs on port 6431.", now="2025-11-27T09:00").record
    assert old is not None
    new = memory.retain("The staging DB runs on port 6432.", supersedes=[old.id], now="2025-11-28T09:00").record
    assert new is not None
    memory.pack("which port does the staging DB use?", history=True, now=NOW)
    entries = run_operation(memory, "why", {"words": True})["considered"]
    named = [entry["named"] for entry in entries if new.id in entry["reason"]]
    assert named
    assert all(one == [{"id": new.id, "text": new.text}] for one in named)


def test_a_client_that_is_pinned_to_a_scope_gets_no_words(memory: Memory) -> None:
    run_operation(memory, "why", {"words": True})
    with pytest.raises(BadArgument, match="pinned to its scope"):
        pin_request(OPERATIONS["why"], parameters.WhyRequest(words=True), "heron")
