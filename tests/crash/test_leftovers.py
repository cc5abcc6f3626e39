"""What the dead leave behind: word of what they were doing, temporary files, half a line; and who may tidy it away."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from commonplace import Memory
from commonplace.capture import retaining
from commonplace.errors import NotFound, WorkspaceUnusable, WriteConflict
from commonplace.memory import open_workspace
from commonplace.storage import files
from commonplace.storage.files.atomic_replace import swap_file_name

DYING = """
import os, signal, sys
from commonplace.storage import files
die = lambda: os.kill(os.getpid(), signal.SIGKILL)
"""


def dies(root: Path, code: str) -> None:
    """Run code that kills itself."""
    run = subprocess.run([sys.executable, "-c", DYING + code, str(root)], check=False)
    assert run.returncode == -signal.SIGKILL


def test_word_of_what_is_being_done_goes_when_it_is_done(tmp_path: Path) -> None:
    with files.log_intent(str(tmp_path), b"a note"):
        assert len(os.listdir(tmp_path / ".memory/doing")) == 1
        assert list(files.unfinished_intents(str(tmp_path))) == []  # it lives
    assert os.listdir(tmp_path / ".memory/doing") == []


def test_what_a_process_that_died_was_doing_is_found_once(tmp_path: Path) -> None:
    dies(tmp_path, "with files.log_intent(sys.argv[1], b'a note'): die()")
    assert list(files.unfinished_intents(str(tmp_path))) == [b"a note"]
    assert list(files.unfinished_intents(str(tmp_path))) == []


def test_a_head_that_was_being_made_leaves_nothing(tmp_path: Path) -> None:
    code = """
from commonplace.storage.files import content
from commonplace.storage.journal import Journal
content._rename_in_folder = lambda *_names: die()
Journal(sys.argv[1], "desk").append({"ts": "2025-11-27T09:00", "text": "It rains."}, "captures")
"""
    dies(tmp_path, code)
    assert list(tmp_path.rglob(".chains-desk.head.*.tmp"))
    with Memory.open(tmp_path) as memory:
        memory.sync()
    assert list(tmp_path.rglob(".chains-desk.head.*.tmp")) == []


def test_a_note_stays_until_it_was_dealt_with(tmp_path: Path) -> None:
    with pytest.raises(KeyError), files.log_intent(str(tmp_path), b"a note"):
        raise KeyError
    notes = files.unfinished_intents(str(tmp_path))
    assert next(notes) == b"a note"
    notes.close()  # as if dealing with it had failed
    for note in files.unfinished_intents(str(tmp_path)):
        assert note == b"a note"
        assert list(files.unfinished_intents(str(tmp_path))) == []  # nobody else gets it meanwhile
    assert list(files.unfinished_intents(str(tmp_path))) == []


def test_a_note_that_cannot_be_dealt_with_stays_and_keeps_nobody_from_the_next(tmp_path: Path) -> None:
    for note in (b"bad", b"good"):
        with pytest.raises(KeyError), files.log_intent(str(tmp_path), note):
            raise KeyError
    assert sorted(files.unfinished_intents(str(tmp_path), {b"bad"})) == [b"bad", b"good"]
    assert list(files.unfinished_intents(str(tmp_path))) == [b"bad"]


def test_a_start_says_what_it_could_not_finish_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KeyError), files.log_intent(str(tmp_path), b"a note"):
        raise KeyError

    def refuse(*_arguments: object) -> bool:
        raise NotFound("file", "a.md")

    monkeypatch.setattr(open_workspace, "finish_intents", refuse)
    with Memory.open(tmp_path) as memory:
        assert any("no file 'a.md'" in note for note in memory.recall("tea").notes)
    assert list(files.unfinished_intents(str(tmp_path))) == [b"a note"]


def test_a_retain_that_failed_is_finished_at_the_next_start_which_reports_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object, **_more: object) -> None:
        raise WriteConflict("a.md")

    with Memory.open(tmp_path) as memory, monkeypatch.context() as patched:
        patched.setattr(retaining.workspace, "update_file", refuse)
        with pytest.raises(WriteConflict):
            memory.retain("W @Ana: The gate is green.", now="2025-11-30T09:00")
    with Memory.open(tmp_path) as memory:
        answer = memory.recall("green gate")
        assert [hit.record.text for hit in answer.hits if not hit.record.is_evidence] == ["@Ana: The gate is green."]
        assert any("had failed" in note and "memory/2025-11-30.md" in note for note in answer.notes)
        assert memory.recall("green gate").notes == ()


def test_a_block_without_a_note_that_raises_leaves_no_word(tmp_path: Path) -> None:
    with pytest.raises(KeyError), files.log_intent(str(tmp_path)):
        raise KeyError
    assert os.listdir(tmp_path / ".memory/doing") == []


def test_temporary_files_of_the_dead_are_tidied_away_and_those_of_the_living_stay(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    dies(tmp_path, "files.write_atomic(sys.argv[1], 'notes/a.md', b'new', guard=die)")
    assert len(os.listdir(tmp_path / "notes")) == 1

    def look() -> None:
        assert files.remove_abandoned_files(str(tmp_path)) == 1
        assert len(os.listdir(tmp_path / "notes")) == 1

    files.write_atomic(str(tmp_path), "notes/b.md", b"new", guard=look)
    assert os.listdir(tmp_path / "notes") == ["b.md"]


def test_what_cannot_be_tidied_away_now_is_at_a_later_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dies(tmp_path, "with files.log_intent(sys.argv[1]): files.write_atomic(sys.argv[1], 'a.md', b'new', guard=die)")

    def fails(_root: str) -> int:
        raise WorkspaceUnusable(_root, "too many open files")

    for is_failing in (True, False):
        with monkeypatch.context() as patched, Memory.open(tmp_path) as memory:
            if is_failing:
                patched.setattr(files, "remove_abandoned_files", fails)
            memory.sync()
        assert bool(list(tmp_path.glob(".a.md.*"))) == is_failing


def test_a_version_that_a_person_saved_is_never_tidied_away(tmp_path: Path) -> None:
    old, new = b"old", b"new"
    for data in (old, new, b"what a person saved meanwhile"):
        left = tmp_path / swap_file_name("a.md", files.content_digest(old), files.content_digest(new))
        left.write_bytes(data)
        assert files.remove_abandoned_files(str(tmp_path)) == (data in (old, new))
        assert left.exists() == (data not in (old, new))


@pytest.mark.parametrize("name", ["notes.tmp", ".notes", ".git/.x.0123456789abcdef.tmp"])
def test_what_is_not_ours_is_not_tidied_away(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine")
    assert files.remove_abandoned_files(str(tmp_path)) == 0
    assert (tmp_path / name).read_text() == "mine"


def test_a_folder_that_cannot_be_read_keeps_nobody_from_tidying_the_others(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "a/.x.0123456789abcdef.tmp").write_text("left")
    (tmp_path / "c").symlink_to("/")
    (tmp_path / "b").chmod(0)
    assert files.remove_abandoned_files(str(tmp_path)) == 1
    (tmp_path / "b").chmod(0o700)


def test_what_a_dead_builder_of_an_index_left_goes_when_it_is_opened_and_a_living_ones_stays(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        memory.sync()
    left = tmp_path / ".memory/index.sqlite.1.building"
    left.write_bytes(b"half an index")
    with files.hold_file_lock(str(tmp_path / ".memory/index.sqlite.lock")), Memory.open(tmp_path) as memory:
        memory.sync()
        assert left.exists()
    with Memory.open(tmp_path) as memory:
        memory.sync()
    assert not left.exists()


def test_what_a_full_disk_leaves_of_a_line_is_cut_off_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files.append_lines(str(tmp_path), "a.jsonl", [b"one"])
    real = os.write

    def full(descriptor: int, data: bytes) -> int:
        if len(data) < 9:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(descriptor, data[:6])

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(WorkspaceUnusable, match="no space"):
        files.append_lines(str(tmp_path), "a.jsonl", [b"two", b"three"])
    monkeypatch.undo()
    assert (tmp_path / "a.jsonl").read_bytes() == b"one\ntwo\n"
    assert files.append_lines(str(tmp_path), "a.jsonl", [b"four"]) == 8
    assert (tmp_path / "a.jsonl").read_bytes() == b"one\ntwo\nfour\n"
