"""Review: the queue, what was written and how it is taken back, tags, lessons that repeat."""

from __future__ import annotations

import errno
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins

from commonplace import Memory
from commonplace.errors import BadArgument, NotFound, OutsideWorkspace, WriteConflict
from commonplace.storage.journal import Journal, decode_with_checksum, encode_journal_line
from commonplace.storage.workspace import QUEUE_PATH, parse_document
from commonplace.storage.workspace.edits import find_change, update_file
from commonplace.upkeep.consolidate import file_edits
from commonplace.upkeep.consolidate.claim_record import ClaimRecord, Destination
from commonplace.upkeep.review import queue
from commonplace.upkeep.review.changes import restore_replaced_lines, revert_change
from commonplace.upkeep.review.listings import read_learnings
from tests.support.claim_grammar import (
    INFRA,
    NOW,
    Stop,
    agrees,
    hear,
    keep,
    lines_of,
    markdown,
    ports,
    run_cli,
    stopping,
    texts,
    why_skipped,
)
from tests.support.schemas import schema, validator

pytestmark = pytest.mark.usefixtures("claim_grammar")


CITY = "Ana's city is Bern"
CONTACTS = "memory/semantic/contacts.md"
LATER = "2025-11-21T08:00"


@pytest.fixture
def doubtful(memory: Memory) -> Memory:
    """A notebook in whose queue one thing waits."""
    hear(memory, f"Maybe {CITY}.")
    keep(memory)
    return memory


def path_of(memory: Memory, path: str = QUEUE_PATH) -> Path:
    return Path(memory.root, path)


# The queue.


def test_what_waits_is_shown_with_what_was_said(doubtful: Memory) -> None:
    (item,) = doubtful.pending()
    assert (item.text, item.category, item.entity, item.reason, item.why) == (
        CITY, "person", "Ana", "doubt", "not sure: 0.50",
    )  # fmt: skip
    assert [record.text for record in doubtful.evidence(item)] == [f"Maybe {CITY}."]
    assert (
        "## Doubts\n- person, Ana: Ana's city is Bern (why: not sure: 0.50) <!-- id: " in path_of(doubtful).read_text()
    )


def test_what_waits_is_not_packed_by_itself(doubtful: Memory) -> None:
    assert "Bern" not in doubtful.pack("city of Ana", automatic=True, evidence="none").text


def test_approving_writes_a_trusted_line_to_its_home_and_empties_the_queue(doubtful: Memory) -> None:
    (item,) = doubtful.pending()
    decided = doubtful.approve(item.id, now=LATER)
    assert decided.path == CONTACTS
    (record,) = lines_of(doubtful, CONTACTS, "Ana")
    assert (record.text, record.sources, record.importance) == (CITY, item.sources, item.importance)
    assert doubtful.pending() == ()
    assert texts(doubtful) == [CITY]
    assert [hit.record.trust for hit in doubtful.recall("city of Ana", evidence="none").hits][:1] == ["trusted"]
    assert agrees(doubtful)
    before = markdown(doubtful.root)
    again = doubtful.approve(item.id)  # as after a kill that came before the answer
    assert (again.path, again.item.text, again.changes) == (CONTACTS, CITY, ())
    assert markdown(doubtful.root) == before


def test_what_an_agent_said_is_trusted_once_a_person_approved_it(memory: Memory) -> None:
    hear(memory, "Maybe Staging DB's port is 6431.", actor="agent")
    keep(memory)
    (item,) = memory.pending()
    assert item.trust == "unknown"
    memory.approve(item.id)
    assert [hit.record.trust for hit in memory.recall("port of Staging DB", evidence="none").hits][:1] == ["trusted"]
    assert agrees(memory)
    hear(memory, "Staging DB's port is 6432.", "2025-11-15T09:00", "s2")
    keep(memory)
    assert ports(memory) == {"6432"}  # the ledger knows what the approved line states


def test_approving_a_conflict_replaces_what_it_contradicts(memory: Memory) -> None:
    hear(memory, "Staging DB's port is 6431.")
    keep(memory)
    hear(
        memory,
        "After the move of the whole server room, Staging DB's port is 6432.",
        "2025-11-12T09:00",
        "s2",
        actor="agent",
    )
    keep(memory)
    (item,) = memory.pending()
    assert item.reason == "conflict"
    memory.approve(item.id)
    assert ports(memory, evidence="none") == {"6432"}
    ((old,), (new,)) = lines_of(memory, INFRA, "History"), lines_of(memory, INFRA, "Staging DB")
    assert (old.text, old.valid_to) == ("~~Staging DB's port is 6431~~", "2025-11-12")
    assert old.id in new.supersedes
    assert agrees(memory)


def test_what_a_person_wrote_into_the_queue_is_what_is_approved(doubtful: Memory) -> None:
    path = path_of(doubtful)
    path.write_text(path.read_text().replace("is Bern", "is Basel"))
    (item,) = doubtful.pending()
    doubtful.approve(item.id)
    assert texts(doubtful) == ["Ana's city is Basel"]
    hear(doubtful, "Ana's city is Bern.", "2025-11-21T09:00", "s9")
    doubtful.consolidate(apply=True, now="2025-11-22T08:00")  # what was first said is not known for stated
    assert "Ana's city is Bern" in texts(doubtful)


def test_secrets_that_were_typed_into_the_queue_go_no_further(doubtful: Memory) -> None:
    secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0" + "K1l2M3n4O5p6Q7r8"
    path = path_of(doubtful)
    path.write_text(path.read_text().replace("is Bern", f"is {secret}"))
    doubtful.approve(doubtful.pending()[0].id)
    assert secret not in markdown(doubtful.root)[CONTACTS].decode()
    assert "⟦secret:" in markdown(doubtful.root)[CONTACTS].decode()


def test_editing_changes_the_words_and_it_goes_on_waiting(doubtful: Memory) -> None:
    (item,) = doubtful.pending()
    doubtful.edit(item.id, "Ana's city is  Basel\n(since May)", now=LATER)
    (edited,) = doubtful.pending()
    assert (edited.id, edited.text, edited.sources) == (item.id, "Ana's city is Basel (since May)", item.sources)
    for bad in ("", " \n", "x" * 2_001):
        with pytest.raises(BadArgument):
            doubtful.edit(item.id, bad)
    with pytest.raises(NotFound) as error:
        doubtful.edit(item.id[:-1] + "z", "x")
    assert error.value.suggestions == (item.id,)


@pytest.mark.parametrize("edited", [False, True])
def test_what_was_rejected_is_not_proposed_again(doubtful: Memory, edited: bool) -> None:
    (item,) = doubtful.pending()
    if edited:
        doubtful.edit(item.id, "Ana's city is Basel")
    doubtful.reject(item.id)
    assert doubtful.pending() == ()
    for number, text in enumerate((f"Maybe {CITY}.", f"{CITY}!", f"{CITY.upper().replace('ANA', 'Ana')}.")):
        hear(doubtful, text, f"2025-11-1{number}T12:00", f"s{number}")
    run = keep(doubtful)
    assert set(why_skipped(run)) == {"rejected"}
    assert texts(doubtful) == []
    assert doubtful.pending() == ()
    ledger = b"".join(path.read_bytes() for path in Path(doubtful.root, ".memory/journal").glob("ledger-*"))
    assert b"Bern" not in ledger


def test_a_claim_in_the_intent_log_is_read_back() -> None:
    replaced = ClaimRecord(id="r0001", text="", category="note", trust="unknown", path="a.md", line_text="old")
    claim = ClaimRecord(
        id="p0001",
        text=CITY,
        claim_type="remember",
        category="person",
        trust="trusted",
        sources=("obs:1",),
        destination=Destination(CONTACTS, "Ana"),
        replaces=(replaced,),
    )
    item = file_edits.ReviewItem("q0001", CITY, "person", "doubt", "not sure")
    intent = queue._ReviewIntent("d", NOW, item, claim, (), "")
    assert decode_with_checksum(encode_journal_line(to_builtins(intent)), queue._ReviewIntent) == intent


@pytest.mark.slow
@pytest.mark.parametrize("deed", ["approve", "reject"])
def test_a_decision_that_is_stopped_anywhere_can_be_taken_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deed: str
) -> None:
    for number in range(12):
        for after in (False, True):
            root = tmp_path / f"{number}{after}"
            root.mkdir()
            with Memory.open(root) as memory:
                hear(memory, f"Maybe {CITY}.")
                keep(memory)
                (item,) = memory.pending()
                with monkeypatch.context() as patched:
                    met = stopping(patched, number, after=after)
                    try:
                        getattr(memory, deed)(item.id)
                    except Stop:
                        assert len(met) == number + 1
                if memory.pending():
                    getattr(memory, deed)(item.id)
                assert memory.pending() == ()
                assert texts(memory) == ([CITY] if deed == "approve" else [])
                assert agrees(memory)


# Audit and undo.


def test_what_was_written_is_told_with_by_whom_and_from_what(doubtful: Memory) -> None:
    source = hear(doubtful, "Staging DB's port is 6431.", "2025-11-19T09:00", "s2", actor="agent")
    doubtful.consolidate(apply=True, now=LATER)
    written = doubtful.audit()
    assert [one.path for one in written if one.ts == NOW] == [QUEUE_PATH]
    assert {one.path.split("_")[0] for one in written if one.ts == LATER} == {INFRA, "memory/episodes/2025-11-19"}
    (line,) = [one for one in written if one.path == INFRA]
    assert (line.by, line.trust, line.sources) == (("consolidate",), ("unknown",), (source,))
    assert line.before == ""
    assert "Staging DB's port is 6431" in line.after
    (episode,) = [one for one in written if "episodes" in one.path]
    assert (episode.trust, episode.by) == (("unknown",), ("consolidate",))
    assert len(doubtful.audit(at_most=1)) == 1
    assert {one.ts for one in doubtful.audit(since="2025-11-21", now=LATER)} == {LATER}
    doubtful.approve(doubtful.pending()[0].id, now="2025-11-22T08:00")
    assert {one.by for one in doubtful.audit(since="2025-11-22", now=LATER)} == {("owner",)}


def test_of_changes_of_one_minute_the_last_comes_first(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        for number in range(12):
            update_file(str(tmp_path), "a.md", lambda data, n=number: data + f"- line {n}\n".encode(), now=NOW)
        assert [one.after for one in memory.audit()] == [f"- line {n}\n" for n in reversed(range(12))]
        Path(tmp_path, ".memory/changes/broken.json").write_text("{")
        assert len(memory.audit()) == 12
        memory.undo("last", now=NOW)
        assert Path(tmp_path, "a.md").read_text().endswith("- line 10\n")


def test_every_kind_of_change_can_be_taken_back_to_the_byte(memory: Memory) -> None:
    hear(memory, "Staging DB's port is 6431. Maybe Ana's city is Bern. Maybe Ben's city is Rome.")
    keep(memory)
    hear(memory, "Staging DB's port is 6432. [event Ana] Ana ran the marathon.", "2025-11-12T09:00", "s2")
    states = [({}, ""), (markdown(memory.root), "")]
    keep(memory)
    memory.edit(memory.pending()[0].id, "Ana's city is Basel", now=LATER)
    memory.approve(memory.pending()[0].id, now=LATER)
    memory.reject(memory.pending()[0].id, now=LATER)
    assert states[1][0] != markdown(memory.root)
    for change in [one.change_id for one in memory.audit(at_most=100)]:
        applied = find_change(memory.root, change)
        path = memory.undo(change, now="2025-11-23T08:00")
        assert path == applied.path
        from commonplace.storage import files

        assert files.content_digest(files.read_file_if_exists(memory.root, path) or b"") == applied.digest_before
        assert path_of(memory, path).exists() == (not applied.is_new)
    assert markdown(memory.root) == {}
    assert agrees(memory)


def test_of_a_file_that_a_change_made_stays_what_somebody_else_put_there(memory: Memory) -> None:
    hear(memory, "Staging DB's port is 6431.")
    keep(memory)
    change, page = next((one.change_id, path_of(memory, one.path)) for one in memory.audit() if one.path == INFRA)
    page.write_text(page.read_text() + "- a line of mine\n")
    memory.undo(change)
    assert page.read_text() == "- a line of mine\n"


def test_a_change_is_taken_back_though_other_lines_of_its_file_changed(memory: Memory) -> None:
    hear(memory, "Staging DB's port is 6431.")
    keep(memory)
    hear(memory, "Beta DB's port is 2000.", "2025-11-12T09:00", "s2")
    keep(memory)
    (change,) = [one.change_id for one in memory.audit() if "2000" in one.after and one.path == INFRA]
    path = path_of(memory, INFRA)
    path.write_text("a line before\n" + path.read_text() + "\n- a line of mine\n")
    memory.undo(change)
    assert "2000" not in path.read_text()
    assert path.read_text().startswith("a line before\n# Infra")
    assert "6431" in path.read_text()
    assert path.read_text().endswith("- a line of mine\n")


def test_a_change_whose_lines_were_touched_is_left_and_the_difference_shown(
    memory: Memory, capsys: pytest.CaptureFixture[str]
) -> None:
    hear(memory, "Staging DB's port is 6431.")
    keep(memory)
    (change,) = [one.change_id for one in memory.audit() if one.path == INFRA]
    path = path_of(memory, INFRA)
    path.write_text(path.read_text().replace("6431", "6500"))
    before = path.read_bytes()
    with pytest.raises(WriteConflict) as error:
        memory.undo(change)
    assert change in error.value.message
    assert "port is 6500" in error.value.hint
    assert path.read_bytes() == before
    shown = memory.difference(change)
    assert [line[0] for line in shown if "port is" in line] == ["-", "+"]
    code, out, err = run_cli(capsys, "--workspace", memory.root, "undo", change)
    assert (code, out) == (1, "")
    assert "-- Staging DB's port is 6431" in err
    assert "+- Staging DB's port is 6500" in err
    code, _out, err = run_cli(capsys, "--workspace", memory.root, "undo", change, "--json")
    assert json.loads(err)["code"] == "write-conflict"
    with pytest.raises(NotFound):
        memory.undo("nosuch")


def test_lines_that_stand_twice_or_are_gone_are_not_guessed_at(tmp_path: Path) -> None:
    root = str(tmp_path)
    update_file(root, "a.md", lambda _data: b"# a\n", now=NOW)
    change = find_change(root, update_file(root, "a.md", lambda data: data + b"- x\n", now=NOW).change_id)
    assert revert_change(b"# a\n- x\n", change) == b"# a\n"
    assert revert_change(b"# b\n\n- x\n- y\n", change) == b"# b\n\n- y\n"
    for data in (b"# b\n- x\n- x\n", b"# b\n", b"", b"# b\n-- x\n", b"# b\n- x"):
        with pytest.raises(WriteConflict):
            revert_change(data, change)
    removed = find_change(root, update_file(root, "a.md", lambda _data: b"# a\n", now="2025-11-21T08:00").change_id)
    with pytest.raises(WriteConflict):
        revert_change(b"# c\n", removed)


def test_undoing_the_newer_line_brings_the_older_one_back(memory: Memory) -> None:
    hear(memory, "Staging DB's port is 6431.")
    keep(memory)
    before = path_of(memory, INFRA).read_bytes()
    hear(memory, "Staging DB's port is 6432.", "2025-11-12T09:00", "s2")
    memory.consolidate(apply=True, now=LATER)
    (change,) = [one.change_id for one in memory.audit(since="2025-11-21", now=LATER) if one.path == INFRA]
    memory.undo(change)
    assert path_of(memory, INFRA).read_bytes() == before
    found = memory.recall("port of Staging DB", evidence="none", now=LATER).hits
    assert "Staging DB's port is 6431" in [hit.record.text for hit in found]
    assert not keep(memory).plans  # what was taken back is not written anew


# Tags and learnings.


def test_tags_are_counted_case_aside_and_found_newest_first(memory: Memory) -> None:
    path = path_of(memory, "memory/semantic/tools.md")
    path.parent.mkdir(parents=True)
    path.write_text("# Tools\n#tags: SSH, ops\n\n- one\n- two #ssh\n")
    for day in ("2025-11-01", "2025-11-03", "2025-11-02"):
        path_of(memory, f"memory/{day}.md").write_text(f"# {day}\n\n- said on {day} #ssh\n")
    found = memory.tags()
    assert [(tag.name, tag.records) for tag in found] == [("ssh", 6), ("ops", 2)]
    assert found[0].paths[0] == "memory/2025-11-01.md"
    said = [record.text for record in memory.tagged("#SSH")]
    assert said[:3] == ["said on 2025-11-03 #ssh", "said on 2025-11-02 #ssh", "said on 2025-11-01 #ssh"]
    assert len(said) == 5
    assert len(memory.tagged("ssh", at_most=2)) == 2
    with pytest.raises(NotFound) as error:
        memory.tagged("sshh")
    assert error.value.suggestions == ("ssh",)


def test_a_lesson_that_repeats_three_times_is_a_candidate(tmp_path: Path) -> None:
    folder = tmp_path / ".learnings"
    folder.mkdir()
    (folder / "ERRORS.md").write_text(
        "# Errors\n\n- [2025-11-01] Forgot to open the port.\n- 2025-11-02: forgot  to open the port\n- Another.\n"
    )
    (folder / "LEARNINGS.md").write_text("* Forgot to open the port!\n> a quote\n")
    (folder / "FEATURE_REQUESTS.md").write_bytes(b"- \xff\xfe broken\n")
    found = read_learnings(str(tmp_path))
    assert [(one.times, one.is_candidate) for one in found] == [(3, True), (1, False), (1, False)]
    assert found[0].text == "Forgot to open the port."
    assert found[0].citations == (".learnings/ERRORS.md#L3", ".learnings/ERRORS.md#L4", ".learnings/LEARNINGS.md#L1")
    assert read_learnings(str(folder)) == ()


# The commands.


def shape(told: str) -> dict[str, Any]:
    """A printed document, which holds what its schema says and nothing else."""
    value: dict[str, Any] = json.loads(told)
    validator(value["schema"]).validate(value)
    complete(value, schema(value["schema"]))
    return value


def complete(value: Any, schema: dict[str, Any]) -> None:
    if "properties" in schema:
        assert set(value) == set(schema["properties"]) == set(schema["required"])
        for key, inner in value.items():
            complete(inner, schema["properties"][key])
    for inner in value if isinstance(value, list) else ():
        complete(inner, schema.get("items", {}))


def test_the_commands_print_what_their_schemas_say(doubtful: Memory, capsys: pytest.CaptureFixture[str]) -> None:
    hear(doubtful, "Staging DB's port is 6431.", session="s2")
    at = ("--workspace", doubtful.root, "--json")
    told = shape(run_cli(capsys, *at, "consolidate", "--apply")[1])
    assert told["kept"]
    (item,) = shape(run_cli(capsys, *at, "pending")[1])["items"]
    assert item["evidence"][0]["text"] == f"Maybe {CITY}."
    assert (
        shape(run_cli(capsys, *at, "pending", "edit", item["id"], "Ana's", "city", "is", "Basel")[1])["deed"] == "edit"
    )
    decided = shape(run_cli(capsys, *at, "pending", "approve", item["id"])[1])
    assert decided["path"] == CONTACTS
    writes = shape(run_cli(capsys, *at, "audit")[1])["writes"]
    assert writes[0]["change"] in decided["changes"]
    assert shape(run_cli(capsys, *at, "undo", decided["changes"][0])[1])["path"] == CONTACTS
    assert shape(run_cli(capsys, *at, "tags")[1])["tags"]
    assert json.loads(run_cli(capsys, *at, "tags", "infrastructure")[1])["records"]
    path_of(doubtful, ".learnings").mkdir()
    path_of(doubtful, ".learnings/ERRORS.md").write_text("- again\n" * 3)
    assert shape(run_cli(capsys, *at, "learnings")[1])["learnings"][0]["times"] == 3


def test_the_commands_say_it_in_words(doubtful: Memory, capsys: pytest.CaptureFixture[str]) -> None:
    at = ("--workspace", doubtful.root)
    (item,) = doubtful.pending()
    _code, out, _err = run_cli(capsys, *at, "pending")
    assert out.startswith(f"{item.id}  person, Ana: {CITY}\n    not sure: 0.50\n    2025-11-10 09:00  Maybe {CITY}.")
    code, out, err = run_cli(capsys, *at, "pending", "approve", item.id)
    assert (code, out) == (0, f"{CONTACTS}\n")
    assert len(re.findall(r"undo with `commonplace undo [0-9a-f]{16}`", err)) == 2
    assert "no items are pending" in run_cli(capsys, *at, "pending")[2]
    assert run_cli(capsys, *at, "pending", "approve")[0] == 2
    assert run_cli(capsys, *at, "pending", "approve", "nosuch")[0] == 1
    assert run_cli(capsys, *at, "pending", "reject", "one", "two")[0] == 2
    _code, out, _err = run_cli(capsys, *at, "audit", "-n", "1")
    assert out.count("\n") >= 2
    code, out, _err = run_cli(capsys, *at, "undo", "last")
    assert code == 0
    assert out in (f"{CONTACTS}\n", f"{QUEUE_PATH}\n")
    assert "nothing occurs three times" in run_cli(capsys, *at, "learnings")[2]
    assert Journal(doubtful.root, "dev").verify() == ()
    assert os.path.exists(path_of(doubtful))
    assert parse_document(QUEUE_PATH, path_of(doubtful).read_bytes()).problems == ()


def test_a_write_that_failed_at_its_very_end_can_be_undone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.md").write_text("old\n")

    def broken(_descriptor: int) -> None:
        if (tmp_path / "a.md").read_text() == "new\n":
            raise OSError(errno.EIO, "the disk is broken")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(OutsideWorkspace):
        update_file(str(tmp_path), "a.md", lambda _data: b"new\n", now=NOW)
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)
    assert (tmp_path / "a.md").read_text() == "new\n"
    (change,) = os.listdir(tmp_path / ".memory/changes")
    restore_replaced_lines(str(tmp_path), change.removesuffix(".json"), now=LATER)
    assert (tmp_path / "a.md").read_text() == "old\n"


def test_what_was_undone_is_not_put_back_by_asking_again(memory: Memory) -> None:
    kept = [memory.retain(f"W @Ana: {text}", now=NOW).record for text in ("Lives in Bern.", "Has a cat.")]
    changes = {one.after: one.change_id for one in memory.audit()}
    (change,) = (name for after, name in changes.items() if "Bern" in after)
    for _again in range(2):
        memory.undo(change, now=LATER)
        assert "Bern" not in path_of(memory, f"memory/{NOW[:10]}.md").read_text()
    assert kept[1] is not None
    assert "Has a cat." in path_of(memory, f"memory/{NOW[:10]}.md").read_text()
