"""The queue and the writes page by page, and decisions that are taken back in any order."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Memory
from commonplace.errors import BadArgument, WriteConflict
from commonplace.storage import files

NOW, LATER = "2025-11-20T08:00", "2025-11-21T08:00"
CONTACTS = "memory/semantic/contacts.md"


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    (tmp_path / "memory").mkdir()
    return Memory.open(tmp_path)


def queue_of(memory: Memory) -> Path:
    return Path(memory.root, "memory/pending.md")


def test_decisions_are_undone_in_any_order(memory: Memory) -> None:
    """What each took off the queue comes back, whatever was decided before or after it."""
    queue_lines = [f"- person, Ana{n}: Ana{n}'s city is Bern (why: not sure) <!-- id: aaaaaa{n} -->" for n in range(4)]
    before = "\n".join(("# Pending", "", "## Doubts", *queue_lines, ""))
    queue_of(memory).write_text(before, encoding="utf-8")
    decided = [
        memory.approve("aaaaaa0", now=NOW),
        memory.reject("aaaaaa1", now=NOW),
        memory.approve("aaaaaa2", now=NOW),
    ]
    for number in (0, 0, 1, 2, 0):
        for change in decided[number].changes[::-1]:
            memory.undo(change, now=LATER)
    assert queue_of(memory).read_text() == before
    assert not Path(memory.root, CONTACTS).read_text().strip()
    memory.approve("aaaaaa1", now=NOW)
    assert "- Ana1's city is Bern <!--" in Path(memory.root, CONTACTS).read_text()


def test_a_change_whose_lines_a_later_one_changed_is_not_undone(memory: Memory) -> None:
    line = "- note, Ana: Sails (why: not sure) <!-- id: aaaaaaa -->\n"
    queue_of(memory).write_text(f"# Pending\n\n## Doubts\n{line}", encoding="utf-8")
    first, second = (memory.edit("aaaaaaa", words, now=NOW).changes[0] for words in ("Sails on Sundays", "Swims"))
    with pytest.raises(WriteConflict):
        memory.undo(first, now=LATER)
    memory.undo(second, now=LATER)
    memory.undo(first, now=LATER)
    assert queue_of(memory).read_text().endswith(line)


def test_where_somebody_edited_meanwhile_the_place_of_what_was_removed_is_not_guessed_at(memory: Memory) -> None:
    lines = "".join(f"- note, Ana: Line {n} (why: not sure) <!-- id: aaaaaa{n} -->\n" for n in range(3))
    queue_of(memory).write_text(f"# Pending\n\n## Doubts\n{lines}", encoding="utf-8")
    (change,) = memory.reject("aaaaaa1", now=NOW).changes
    memory.edit("aaaaaa2", "Line two", now=NOW)
    queue_of(memory).write_text(queue_of(memory).read_text().replace("Line 0", "Line zero"), encoding="utf-8")
    with pytest.raises(WriteConflict):
        memory.undo(change, now=LATER)


def test_the_queue_is_explained_page_by_page(memory: Memory) -> None:
    said = memory.capture("The staging DB moved to port 6432.", now="2025-11-19T10:00")
    known = memory.retain("The staging DB runs on port 6431.", now="2025-11-12T09:00").record
    assert known is not None
    queue_of(memory).write_text(
        "# Pending\n\n## Conflicts\n"
        f"- tool, staging DB: The port is 6432 (why: contradicts) [against {known.id}] <!-- id: bbbbbbb · from: {said.id} -->\n"
        "\n## Doubts\n- note, Ana: Sails (why: not sure) <!-- id: aaaaaaa -->\n",
        encoding="utf-8",
    )
    page = memory.explain_pending(limit=1)
    assert (len(page.items), page.total) == (1, 2)
    assert [(one.text, one.time) for one in page.items[0].contradicts] == [(known.text, known.time)]
    assert [(one.text, one.time) for one in page.items[0].evidence] == [
        ("The staging DB moved to port 6432.", "2025-11-19T10:00")
    ]
    assert [item.id for item in memory.pending(skip=1)] == ["aaaaaaa"]
    assert memory.pending(skip=2) == ()
    for wrong in ({"skip": -1}, {"limit": 0}):
        with pytest.raises(BadArgument):
            memory.pending(**wrong)


def test_an_item_about_a_line_that_stands_already_shows_that_line(memory: Memory) -> None:
    memory.retain("The staging DB runs on port 6431.", now="2025-11-12T09:00")
    new = memory.retain("The staging DB runs on port 6432.", actor="tool", now="2025-11-19T09:00").record
    assert new is not None
    (item,) = memory.explain_pending().items
    assert [one.id for one in item.evidence] == [new.id]


def test_writes_are_listed_page_by_page(memory: Memory) -> None:
    for number in range(5):
        memory.log(f"Called Ana{number}.", now=f"2025-11-20T08:0{number}")
    whole = memory.audit(now=LATER)
    pages = [memory.audit(skip=skip, at_most=2, now=LATER) for skip in (0, 2, 4, 6)]
    assert len(whole) == 5
    assert tuple(one for page in pages for one in page) == whole
    with pytest.raises(BadArgument):
        memory.audit(skip=-1)


def test_a_write_keeps_its_author_when_its_lines_are_written_again(memory: Memory) -> None:
    known = memory.retain("The staging DB runs on port 6431.", now=NOW).record
    assert known is not None
    queue_of(memory).write_text(
        f"# Pending\n\n## Conflicts\n- tool: The port is 6432 (why: x) [against {known.id}] <!-- id: aaaaaaa -->\n",
        encoding="utf-8",
    )
    memory.approve("aaaaaaa", now=LATER)
    assert memory.audit(now=LATER)[-1].by == ("owner",)


def test_a_page_of_the_writes_reads_no_others_again(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(9):
        memory.log(f"Line {number}.", now=f"2025-11-2{number}T08:00")
    (first,) = memory.audit(at_most=1, now=NOW)
    read: list[str] = []
    read_file = files.read_file_if_exists

    def reading(root: str, path: str, *limits: int) -> bytes | None:
        read.append(path)
        return read_file(root, path, *limits)

    monkeypatch.setattr(files, "read_file_if_exists", reading)
    assert memory.audit(at_most=2, now=NOW)[0].after == first.after
    assert len([path for path in read if path.startswith(".memory/changes")]) == 2
