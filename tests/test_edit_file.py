"""Files are listed, read with a digest and edited by lines: nothing that somebody else saved is lost, all can be undone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from commonplace import Memory
from commonplace.errors import BadArgument, NotFound, WriteConflict
from commonplace.memory import facts
from commonplace.operations.declarations import OPERATIONS
from commonplace.operations.parameters import EntityRequest
from commonplace.serve.dispatch.handlers import run_pinned

NOW = "2025-11-30T09:00"
PATH = "memory/2025-11-27.md"
NOTE = "# 2025-11-27\n\n## Retain\n\n- W @Peter: In Marrakech with @Ana.\n- Peter sails on Sundays.\n- W @Ana: Plays the harp.\n"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    (tmp_path / "memory").mkdir()
    (tmp_path / PATH).write_text(NOTE, encoding="utf-8")
    with Memory.open(tmp_path) as opened:
        yield opened


def edit(memory: Memory, text: str, line: int, last: int = -1, path: str = PATH) -> str:
    digest = memory.read_file(path).digest
    last = line if last < 0 else last
    return memory.edit_file(path, text, digest, line_start=line, line_end=last, now=NOW).change_id


def note(memory: Memory, path: str = PATH) -> str:
    return Path(memory.root, path).read_text("utf-8")


def test_a_line_is_edited_audited_and_put_back(memory: Memory) -> None:
    change = edit(memory, "- W @Peter: In Fez.", 5)
    assert note(memory) == NOTE.replace("In Marrakech with @Ana", "In Fez")
    assert [hit.record.text for hit in memory.recall("where is Peter?", k=1, now=NOW).hits] == ["@Peter: In Fez."]
    (write,) = memory.audit(path=PATH, now=NOW)
    assert (write.change_id, write.ts, write.path) == (change, NOW, PATH)
    assert (write.before, write.after) == ("- W @Peter: In Marrakech with @Ana.\n", "- W @Peter: In Fez.\n")
    assert memory.audit(path="memory/other.md", now=NOW) == ()
    memory.undo(change, now=NOW)
    assert note(memory) == NOTE


def test_several_lines_become_more_or_fewer(memory: Memory) -> None:
    edit(memory, "- one\r\n- two\r\n- three", 5, 6)  # as a browser sends lines
    assert note(memory) == "# 2025-11-27\n\n## Retain\n\n- one\n- two\n- three\n- W @Ana: Plays the harp.\n"
    edit(memory, "", 5, 7)
    assert note(memory).endswith("## Retain\n\n- W @Ana: Plays the harp.\n")
    edit(memory, "# All new", 1, 0)
    assert note(memory) == "# All new\n"
    assert edit(memory, "# All new", 1) == ""


def test_what_somebody_else_saved_meanwhile_is_not_lost(memory: Memory) -> None:
    digest = memory.read_file(PATH).digest
    theirs = NOTE.replace("harp", "lute")
    Path(memory.root, PATH).write_text(theirs, encoding="utf-8")
    with pytest.raises(WriteConflict):
        memory.edit_file(PATH, "- mine", digest, line_start=5, line_end=5, now=NOW)
    assert note(memory) == theirs
    assert memory.audit(now=NOW) == ()


def test_what_an_editor_saves_while_we_write_is_not_lost(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The digest is compared under the lock, with the bytes that are replaced, each time anew."""
    from commonplace.storage.workspace import edits

    theirs, describe = NOTE.replace("harp", "lute"), edits.describe_change

    def save_in_an_editor(*arguments: object, **options: object) -> object:
        Path(memory.root, PATH).write_text(theirs, encoding="utf-8")
        return describe(*arguments, **options)

    digest = memory.read_file(PATH).digest
    monkeypatch.setattr(edits, "describe_change", save_in_an_editor)
    with pytest.raises(WriteConflict):
        memory.edit_file(PATH, "- mine", digest, line_start=5, line_end=5, now=NOW)
    assert note(memory) == theirs


def test_secrets_are_masked_on_new_lines_only(memory: Memory) -> None:
    secret = "AKIAIOSFODNN7EXAMPLE"
    Path(memory.root, PATH).write_text(f"{NOTE}- key {secret}\n", encoding="utf-8")
    digest = memory.read_file(PATH).digest
    text = f"- key {secret}\r\n- another key {secret[:-1]}F"
    done = memory.edit_file(PATH, text, digest, line_start=8, line_end=8, now=NOW)
    assert done.redacted == ("aws-access-key",)
    assert f"- key {secret}\n- another key ⟦" in note(memory)
    assert f"{secret[:-1]}F" not in "".join(one.read_text() for one in Path(memory.root, ".memory").rglob("*.json"))


def test_hidden_lines_are_neither_shown_nor_edited_nor_written_again(memory: Memory) -> None:
    memory.forget(query="harp", apply=True, now=NOW)
    shown = memory.read_file(PATH)
    assert (shown.hidden, "harp" in shown.view.text) == ((7,), False)
    with pytest.raises(BadArgument, match="hidden"):
        edit(memory, shown.view.text, 1, 0)
    with pytest.raises(BadArgument, match="hidden"):
        edit(memory, "- W @Ana: Plays the harp.", 6)
    edit(memory, "- Peter sails on Mondays.", 6)
    assert "harp" in note(memory)


def test_what_is_not_there_or_not_text_is_refused(memory: Memory) -> None:
    for path in ("memory/none.md", "../etc/passwd", "commonplace.toml", ".memory/key", "/etc/passwd"):
        with pytest.raises(NotFound):
            memory.read_file(path)
        with pytest.raises(NotFound):
            memory.edit_file(path, "x", "", now=NOW)
    for first, last in ((0, 1), (8, 8), (6, 5), (1, 9)):
        with pytest.raises(BadArgument, match="has 7 lines"):
            edit(memory, "x", first, last)
    Path(memory.root, PATH).write_bytes(NOTE.encode() + b"- caf\xe9\n- plain\n")
    with pytest.raises(BadArgument, match="UTF-8"):
        edit(memory, "- café", 8)
    edit(memory, "- plainer", 9)
    assert Path(memory.root, PATH).read_bytes() == NOTE.encode() + b"- caf\xe9\n- plainer\n"


def test_newlines_and_a_byte_order_mark_stay(memory: Memory) -> None:
    Path(memory.root, PATH).write_bytes(b"\xef\xbb\xbf# Title\r\n\r\n- one")
    assert memory.read_file(PATH).view.text.splitlines() == ["# Title", "", "- one"]
    edit(memory, "# Name\n", 1)
    edit(memory, "- two\n- three", 4)
    assert Path(memory.root, PATH).read_bytes() == b"\xef\xbb\xbf# Name\r\n\r\n\r\n- two\r\n- three"


def test_a_part_of_a_file_is_read_with_its_records(memory: Memory) -> None:
    part = memory.read_file(PATH, line_start=6, line_end=100)
    assert (part.view.line_start, part.view.line_end, part.line_count, part.title) == (6, 7, 7, "2025-11-27")
    assert [record.source.line_start for record in part.view.records] == [6, 7]


def test_files_are_listed_in_parts(memory: Memory) -> None:
    Path(memory.root, "notes.md").write_text("# Harbour\n\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n")
    one, two = memory.files()
    assert (one.path, one.records, one.size, one.problems) == (PATH, 4, len(NOTE), 0)
    assert (two.path, two.title, two.problems > 0) == ("notes.md", "Harbour", True)
    assert [file.path for file in memory.files(contains="HARB")] == ["notes.md"]
    assert [file.path for file in memory.files(skip=1)] == ["notes.md"]
    assert [file.path for file in memory.files(at_most=1)] == [PATH]


def test_names_that_share_lines_are_related(memory: Memory) -> None:
    Path(memory.root, "more.md").write_text("## Retain\n- W @Ana @Peter @Ben: Met.\n- W @Ben: Cooks.\n")
    related = memory.related("peter")
    assert (related.name, [(one.name, one.lines) for one in related.related]) == ("Peter", [("Ana", 2), ("Ben", 1)])
    assert [one.name for one in memory.related("Peter", at_most=1).related] == ["Ana"]
    with pytest.raises(NotFound, match="Petre"):
        memory.related("Petre")
    assert memory.entities(begins="B") == (("Ben", 2),)
    assert memory.entities(skip=1, at_most=1) == memory.entities()[1:2]


def test_names_are_listed_anew_after_a_change(memory: Memory) -> None:
    assert "Carla" not in dict(memory.entities())
    edit(memory, "- W @Carla: Sails.", 6)
    assert "Carla" in dict(memory.entities())


def test_lines_that_name_somebody_in_words_only_are_told_apart(memory: Memory) -> None:
    entity = memory.entity("Peter")
    unlinked = [one.text for one in entity.mentions if one.id in entity.unlinked]
    assert unlinked == ["Peter sails on Sundays."]
    assert len(entity.mentions) == 2


def test_a_pinned_client_does_not_learn_of_lines_of_other_scopes(memory: Memory) -> None:
    Path(memory.root, "crane.md").write_text("---\nproject: crane\n---\nPeter builds a crane.\n", encoding="utf-8")
    (hidden,) = (one for one in memory.entity("Peter").mentions if one.scope == "crane")
    answer = run_pinned(memory, OPERATIONS["entity"], EntityRequest("Peter"), "heron")
    assert len(answer["unlinked"]) == 1
    assert hidden.id not in answer["unlinked"]


def test_of_a_name_in_many_lines_the_newest_are_read(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that are marked, those that only have the name in their words, and the facts."""
    for month in range(1, 13):
        lines = "".join(
            f"- W @Peter: Saw heron {month}-{number}.\n- Peter saw swan {month}-{number}.\n" for number in range(60)
        )
        Path(memory.root, f"memory/2024-{month:02}-01.md").write_text(
            f"# Log\n\n## Retain\n\n{lines}", encoding="utf-8"
        )
    Path(memory.root, "memory/2023-01-01.md").write_text(
        "# L\n\n## Retain\n\n- W @Peter: Peter's city is Bern.\n- W @Peter @Zoe: Met.\n"
    )
    others = "".join(f"- W @Ben: Heard {number} owls.\n" for number in range(300))
    Path(memory.root, "memory/2025-11-28.md").write_text(f"# Log\n\n## Retain\n\n{others}", encoding="utf-8")
    plain = facts._read_lines
    entity = memory.entity("Peter", at_most=20)
    assert {one.time[:10] for one in entity.mentions} == {"2025-11-27", "2024-12-01"}
    assert 0 < len(entity.unlinked) < 20
    every = memory.entity("Peter", at_most=5_000)
    assert [one.id for one in every.mentions[:20]] == [one.id for one in entity.mentions]
    assert len(every.mentions) == 12 * 120 + 4
    assert [one.name for one in memory.related("Peter").related] == ["Ana"]  # the newest 500 lines of the name
    read: list[int] = []
    monkeypatch.setattr(
        facts, "_read_lines", lambda index, rows, *more: read.append(len(rows)) or plain(index, rows, *more)
    )
    (fact,) = memory.facts("Peter", newest=10, now=NOW).facts
    assert (fact.value, fact.holds, read) == ("Bern", True, [11])


def test_facts_of_all_days_say_whether_they_hold(memory: Memory) -> None:
    Path(memory.root, "memory/2025-05-01.md").write_text(
        "# 5\n\n## Retain\n\n- W @Peter: Peter's city is Bern. <!-- valid: 2025-05-01..2025-08-31 -->\n"
    )
    (fact,) = memory.facts("Peter", all_values=True, now=NOW).facts
    assert not fact.holds
    (fact,) = memory.facts("Peter", all_values=True, as_of="2025-06-01", now=NOW).facts
    assert fact.holds


def test_what_is_edited_was_recorded_then(memory: Memory) -> None:
    Path(memory.root, "notes.md").write_text("# Notes\n\nold words\n", encoding="utf-8")
    memory.sync()
    edit(memory, "quite other words", 3, path="notes.md")
    (record,) = (one for one in memory.read_file("notes.md", line_start=3).view.records)
    assert record.recorded == NOW
