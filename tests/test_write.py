"""Writing Markdown: nobody's line is lost, whoever else writes and wherever we are stopped."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace.errors import LockBusy, NotFound, OutsideWorkspace, WriteConflict
from commonplace.storage import files
from commonplace.storage.workspace import edits
from commonplace.storage.workspace.edits import (
    EditFunction,
    archive_file,
    describe_change,
    find_change,
    update_file,
)
from commonplace.upkeep.review.changes import restore_replaced_lines

NOW = "2025-11-30T09:00"


def adding(line: bytes) -> EditFunction:
    return lambda data: data + line + b"\n"


def changes(root: Path) -> list[str]:
    return list(files.list_file_sizes(str(root), ".memory/changes"))


def interfering(path: Path, what: Callable[[], object], times: int = 1) -> EditFunction:
    """An edit during which somebody else, who knows nothing of our lock, does something to the file."""
    left = [times]

    def edit(data: bytes) -> bytes:
        if left[0]:
            left[0] -= 1
            what()
        return data + b"- ours\n"

    return edit


# update


def test_an_update_tells_what_it_did(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"one\n")
    written = update_file(str(tmp_path), "./a.md", adding(b"two"))
    assert (tmp_path / "a.md").read_bytes() == b"one\ntwo\n"
    assert (written.path, written.size) == ("a.md", 8)
    assert (written.digest_before, written.digest_after) == (
        files.content_digest(b"one\n"),
        files.content_digest(b"one\ntwo\n"),
    )


def test_a_missing_file_is_empty_and_is_made_for_its_owner_only(tmp_path: Path) -> None:
    update_file(str(tmp_path), "memory/2025-11-30.md", adding(b"- first"))
    path = tmp_path / "memory/2025-11-30.md"
    assert path.read_bytes() == b"- first\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o660, 0o755])
def test_the_mode_is_kept(tmp_path: Path, mode: int) -> None:
    (tmp_path / "a.md").write_bytes(b"")
    (tmp_path / "a.md").chmod(mode)
    update_file(str(tmp_path), "a.md", adding(b"x"))
    assert stat.S_IMODE((tmp_path / "a.md").stat().st_mode) == mode


def test_an_edit_that_changes_nothing_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"one\n")
    before = (tmp_path / "a.md").stat()
    written = update_file(str(tmp_path), "a.md", lambda data: data)
    assert update_file(str(tmp_path), "b.md", lambda data: data).size == 0
    assert (tmp_path / "a.md").stat() == before
    assert written.change_id == ""
    assert written.digest_after == written.digest_before
    assert not (tmp_path / "b.md").exists()
    assert changes(tmp_path) == []


def test_an_edit_that_fails_leaves_everything_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"one\n")

    def edit(data: bytes) -> bytes:
        raise WriteConflict("a.md", "the line is gone", 3)

    with pytest.raises(WriteConflict, match="the line is gone"):
        update_file(str(tmp_path), "a.md", edit)
    assert (tmp_path / "a.md").read_bytes() == b"one\n"
    assert sorted(os.listdir(tmp_path)) == [".memory", "a.md"]


def test_what_an_editor_saves_meanwhile_is_read_and_edited_anew(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"one\n")
    update_file(str(tmp_path), "a.md", interfering(path, lambda: path.write_bytes(b"one, better\ntheirs\n")))
    assert path.read_bytes() == b"one, better\ntheirs\n- ours\n"
    assert len(changes(tmp_path)) == 1


def test_what_an_editor_saves_by_renaming_is_read_and_edited_anew(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"one\n")

    def save() -> None:
        (tmp_path / "a.md~").write_bytes(b"theirs\n")
        (tmp_path / "a.md~").rename(path)

    update_file(str(tmp_path), "a.md", interfering(path, save))
    assert path.read_bytes() == b"theirs\n- ours\n"


def test_a_file_that_appears_or_goes_meanwhile_is_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    update_file(str(tmp_path), "a.md", interfering(path, lambda: path.write_bytes(b"theirs\n")))
    assert path.read_bytes() == b"theirs\n- ours\n"
    update_file(str(tmp_path), "a.md", interfering(path, path.unlink))
    assert path.read_bytes() == b"- ours\n"


def test_a_file_that_never_holds_still_is_left_to_its_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edits, "MAX_WRITE_ATTEMPTS", 3)
    path = tmp_path / "a.md"
    path.write_bytes(b"")

    def append() -> None:
        with path.open("ab") as file:
            file.write(b"theirs\n")

    with pytest.raises(WriteConflict, match="3 times"):
        update_file(str(tmp_path), "a.md", interfering(path, append, times=9))
    assert path.read_bytes() == b"theirs\n" * 3
    assert changes(tmp_path) == []
    assert [name for name in os.listdir(tmp_path) if name.endswith(".tmp")] == []


def test_a_write_is_made_only_under_the_lock_of_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "b.md").write_bytes(b"x")

    def busy(root: str, name: str) -> NoReturn:
        raise LockBusy(name, 5.0)

    monkeypatch.setattr(files, "hold_workspace_lock", busy)
    with pytest.raises(LockBusy, match=files.path_lock_name("a.md")):
        update_file(str(tmp_path), "./a.md", adding(b"x"))
    with pytest.raises(LockBusy, match=files.path_lock_name("b.md")):
        archive_file(str(tmp_path), "b.md", NOW)
    assert os.listdir(tmp_path) == ["b.md"]


def test_links_and_paths_that_leave_are_refused(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "out.md").write_bytes(b"outside")
    (root / "link.md").symlink_to(tmp_path / "out.md")
    (root / "near.md").write_bytes(b"near")
    (root / "same.md").symlink_to(root / "near.md")
    os.mkfifo(root / "pipe.md")
    for path in ("link.md", "same.md", "pipe.md", "../out.md", str(tmp_path / "out.md")):
        with pytest.raises(OutsideWorkspace):
            update_file(str(root), path, adding(b"x"))
    for path in ("link.md", "same.md", "pipe.md", "../out.md"):
        with pytest.raises(OutsideWorkspace):
            archive_file(str(root), path, NOW)
    assert (tmp_path / "out.md").read_bytes() == b"outside"
    assert (root / "near.md").read_bytes() == b"near"


# crashes and other processes

KILLED = """
import os, signal, sys
from commonplace.storage.workspace.edits import update_file
real = os.{call}
def {call}(source, target, **options):
    if source.startswith(".a.md."):
        os.kill(os.getpid(), signal.SIGKILL)
    return real(source, target, **options)
os.{call} = {call}
update_file(sys.argv[1], "a.md", lambda data: data + b"new\\n")
"""


@pytest.mark.parametrize(("call", "old"), [("rename", b"old\n"), ("link", None)])
def test_a_kill_between_the_temporary_file_and_its_name_leaves_the_old_bytes(
    tmp_path: Path, call: str, old: bytes | None
) -> None:
    path = tmp_path / "a.md"
    if old is not None:
        path.write_bytes(old)
    command = [sys.executable, "-c", KILLED.format(call=call), str(tmp_path)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert (path.read_bytes() if path.exists() else None) == old
    left = [name for name in os.listdir(tmp_path) if name not in ("a.md", ".memory")]
    assert len(left) == 1
    assert left[0].startswith(".a.md.")
    (noted,) = changes(tmp_path)
    assert restore_replaced_lines(str(tmp_path), noted.removesuffix(".json")).change_id == ""
    update_file(str(tmp_path), "a.md", adding(b"after"))
    assert path.read_bytes() == (old or b"") + b"after\n"


APPENDER = """
import sys
from commonplace.storage.workspace.edits import update_file
for number in range(int(sys.argv[3])):
    line = f"- {sys.argv[2]} {number}\\n".encode()
    update_file(sys.argv[1], "a.md", lambda data: data + line, now="2025-11-30T09:00")
"""


@pytest.mark.slow
def test_two_processes_lose_no_line_of_each_other(tmp_path: Path) -> None:
    commands = [[sys.executable, "-c", APPENDER, str(tmp_path), name, "100"] for name in ("a", "b")]
    children = [subprocess.Popen(command) for command in commands]
    assert [child.wait() for child in children] == [0, 0]
    lines = (tmp_path / "a.md").read_text().split("\n")
    assert sorted(lines) == sorted(["", *(f"- {name} {number}" for name in ("a", "b") for number in range(100))])


# the record of a change, and undo


def test_a_change_is_noted_with_what_it_replaced_and_can_be_undone(tmp_path: Path) -> None:
    old, new = b"# A\n\n- one\n- two\n- three\n", b"# A\n\n- one\n- 2\n- two and a half\n- three\n"
    (tmp_path / "a.md").write_bytes(old)
    written = update_file(str(tmp_path), "a.md", lambda _data: new, now=NOW)
    noted = json.loads((tmp_path / f".memory/changes/{written.change_id}.json").read_bytes())
    assert (noted["path"], noted["ts"], noted["offset"]) == ("a.md", NOW, 11)
    assert (noted["before"], noted["after"]) == ("- two\n", "- 2\n- two and a half\n")
    assert (noted["digest_before"], noted["digest_after"]) == (files.content_digest(old), files.content_digest(new))
    undone = restore_replaced_lines(str(tmp_path), written.change_id, now=NOW)
    assert (tmp_path / "a.md").read_bytes() == old
    assert restore_replaced_lines(str(tmp_path), undone.change_id).digest_after == files.content_digest(new)


def test_a_file_that_a_change_made_goes_with_it_and_comes_with_it_again(tmp_path: Path) -> None:
    made = update_file(str(tmp_path), "notes/a.md", adding(b"- ours"), now=NOW)
    gone = restore_replaced_lines(str(tmp_path), made.change_id, now=NOW)
    assert os.listdir(tmp_path / "notes") == []
    assert (gone.digest_after, gone.size) == (files.content_digest(b""), 0)
    restore_replaced_lines(str(tmp_path), gone.change_id, now=NOW)
    assert (tmp_path / "notes/a.md").read_bytes() == b"- ours\n"


def test_a_file_that_was_there_and_empty_stays_when_a_change_is_undone(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"")
    restore_replaced_lines(str(tmp_path), update_file(str(tmp_path), "a.md", adding(b"- ours"), now=NOW).change_id)
    assert (tmp_path / "a.md").read_bytes() == b""


def test_a_change_is_undone_alone_once_the_file_moved_on(tmp_path: Path) -> None:
    written = update_file(str(tmp_path), "a.md", adding(b"- ours"), now=NOW)
    with (tmp_path / "a.md").open("ab") as file:
        file.write(b"theirs\n")
    restore_replaced_lines(str(tmp_path), written.change_id)
    assert (tmp_path / "a.md").read_bytes() == b"theirs\n"


def test_a_note_that_does_not_fit_undoes_nothing(tmp_path: Path) -> None:
    from commonplace.storage.journal import encode_journal_line

    written = update_file(str(tmp_path), "a.md", adding(b"- ours"), now=NOW)
    note = tmp_path / f".memory/changes/{written.change_id}.json"
    fields = json.loads(note.read_bytes())
    for wrong in ({"offset": 2}, {"before": "x"}, {"after": "x"}):
        note.write_bytes(encode_journal_line({**fields, **wrong}))
        with pytest.raises(WriteConflict):
            restore_replaced_lines(str(tmp_path), written.change_id)
    for broken in (
        b"",
        note.read_bytes().replace(b'"x"', b'"y"'),
        encode_journal_line({"id": "x"}),
        b"[" * 5000,
    ):
        note.write_bytes(broken)
        with pytest.raises(NotFound):
            restore_replaced_lines(str(tmp_path), written.change_id)
    assert (tmp_path / "a.md").read_bytes() == b"- ours\n"


@pytest.mark.parametrize("name", ["", "none", "../../a", "a/b", "\0", "/etc/passwd"])
def test_a_change_that_is_not_there_is_not_found(tmp_path: Path, name: str) -> None:
    with pytest.raises(NotFound):
        restore_replaced_lines(str(tmp_path), name)


def test_bytes_that_are_no_text_come_back_as_they_were(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"ok\n\xff\xfe\x00\r\n")
    written = update_file(str(tmp_path), "a.md", lambda data: data[:-2] + b"\xe9")
    assert find_change(str(tmp_path), written.change_id).encoding == "latin-1"
    restore_replaced_lines(str(tmp_path), written.change_id)
    assert (tmp_path / "a.md").read_bytes() == b"ok\n\xff\xfe\x00\r\n"


TEXTS = st.lists(st.sampled_from([b"a", b"b", b"\n", b"\r\n", b"\xff", "é".encode(), b"- one\n", b""]), max_size=12)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(TEXTS.map(b"".join), TEXTS.map(b"".join))
def test_undo_is_the_inverse_of_every_update(old: bytes, new: bytes) -> None:
    with tempfile.TemporaryDirectory() as root:
        (Path(root) / "a.md").write_bytes(old)
        written = update_file(root, "a.md", lambda _data: new, now=NOW)
        assert (Path(root) / "a.md").read_bytes() == new
        if old != new:
            restore_replaced_lines(root, written.change_id)
        assert (Path(root) / "a.md").read_bytes() == old


@pytest.mark.slow
@settings(max_examples=500, deadline=None)
@given(TEXTS.map(b"".join), TEXTS.map(b"".join))
def test_a_comparison_names_whole_lines_and_rebuilds_both_sides(old: bytes, new: bytes) -> None:
    change = describe_change("a.md", old, new, NOW)
    before, after = change.before.encode(change.encoding), change.after.encode(change.encoding)
    rest = old[change.offset + len(before) :]
    assert old[: change.offset] + before + rest == old
    assert old[: change.offset] + after + rest == new
    assert change.offset == 0 or old[change.offset - 1 : change.offset] == b"\n"
    if rest:
        assert all(not side or side.endswith(b"\n") for side in (before, after))


def test_a_comparison_is_no_longer_than_the_lines_that_differ() -> None:
    lines = [b"- line %d\n" % number for number in range(1000)]
    change = describe_change("a.md", b"".join(lines), b"".join([*lines[:500], b"- new\n", *lines[500:]]), NOW)
    assert (change.before, change.after) == ("", "- new\n")


# archive


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("memory/2024-03-09.md", "memory/archive/2024/03/2024-03-09.md"),
        ("memory/episodes/2024-03-09_10-11-12_x.md", "memory/archive/2024/03/2024-03-09_10-11-12_x.md"),
        ("notes/plan.md", "memory/archive/2025/11/plan.md"),
        ("notes/2024-13-01 no date.md", "memory/archive/2025/11/2024-13-01 no date.md"),
        ("report 2023-07.md", "memory/archive/2023/07/report 2023-07.md"),
    ],
)
def test_a_file_is_archived_by_the_date_in_its_name_else_by_the_clock(tmp_path: Path, path: str, expected: str) -> None:
    update_file(str(tmp_path), path, adding(b"x"))
    inode = (tmp_path / path).stat().st_ino
    assert archive_file(str(tmp_path), path, NOW) == expected
    assert (tmp_path / expected).stat().st_ino == inode
    assert not (tmp_path / path).exists()
    assert archive_file(str(tmp_path), expected, NOW) == expected


def test_the_archive_overwrites_nothing(tmp_path: Path) -> None:
    places = []
    for number in range(3):
        update_file(str(tmp_path), "plan.v1.md", adding(b"%d" % number))
        places.append(archive_file(str(tmp_path), "plan.v1.md", NOW))
    assert [place.rpartition("/")[2] for place in places] == ["plan.v1.md", "plan.v1-2.md", "plan.v1-3.md"]
    assert [(tmp_path / place).read_bytes() for place in places] == [b"0\n", b"1\n", b"2\n"]


def test_what_is_not_there_is_not_archived(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        archive_file(str(tmp_path), "a.md", NOW)
    assert not (tmp_path / "memory/archive/2025/11/a.md").exists()
