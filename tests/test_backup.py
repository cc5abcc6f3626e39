"""Backups: what is copied and what is not, what a run costs, what is found when a byte changes, and how one restores."""

from __future__ import annotations

import json
import os
import stat
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from bench.acceptance.backup import measure
from bench.acceptance.measuring import Report
from commonplace import Memory
from commonplace.capture.write_context import GITIGNORE_PATH
from commonplace.cli import main
from commonplace.errors import BackupDamaged, BadArgument, NotFound
from commonplace.storage import files
from commonplace.storage.journal import encode_journal_line
from commonplace.storage.tombstones import read_tombstones
from commonplace.upkeep.backup import back_up, read_registered_backups, update_backup_tombstones, verify_backup
from commonplace.upkeep.backup.backups import SEGMENT_BYTES
from commonplace.upkeep.backup.snapshots import read_snapshot
from tests.support.tombstones import leave_tombstones

NOW = "2025-11-27T09:00"
TOMBSTONES = ".memory/tombstones-desk.jsonl"
MACHINES_OWN = ("index.sqlite", "key", "masked", "locks", "doing", "backups.json", "vectors.sqlite")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A notebook with a past, a skill, a hidden folder, a file that others may read, and a link."""
    monkeypatch.setenv("COMMONPLACE_NOW", NOW)
    monkeypatch.setenv("COMMONPLACE_DEVICE", "desk")
    folder = tmp_path / "notes"
    (folder / ".learnings").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / ".git/config").write_text("[core]\n")
    (folder / ".learnings/ERRORS.md").write_text("- The pump stalls.\n")
    (folder / "photo.bin").write_bytes(bytes(range(256)))
    (folder / "empty.md").write_bytes(b"")
    (folder / "photo.bin").chmod(0o640)
    (folder / "AGENTS.md").symlink_to("MEMORY.md")
    with Memory.open(folder) as memory:
        memory.retain("W @Peter: Moved to Trieste.")
        memory.capture("The boiler was repaired on Monday.", session="s1")
        memory.pack("where is Peter?")
    return folder


def tree(root: Path) -> dict[str, tuple[Any, ...]]:
    """The files that must come back, with mode, time and content."""
    found: dict[str, tuple[Any, ...]] = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        is_own = name.startswith(tuple(f".memory/{one}" for one in MACHINES_OWN))
        if path.is_symlink():
            found[name] = (os.readlink(path),)
        elif path.is_file() and not is_own and not name.startswith(".git/"):
            found[name] = (stat.S_IMODE(path.stat().st_mode), path.stat().st_mtime_ns, path.read_bytes())
    return found


def backed_up(root: Path, folder: Path, now: str = NOW) -> Any:
    with Memory.open(root) as memory:
        return memory.backup(str(folder), now=now)


def test_what_is_restored_is_what_was_there_byte_by_byte(root: Path, tmp_path: Path) -> None:
    backed_up(root, tmp_path / "copies")
    restored = Memory.restore(str(tmp_path / "copies"), str(tmp_path / "again"))
    assert tree(tmp_path / "again") == tree(root)
    assert {"photo.bin", ".learnings/ERRORS.md", "AGENTS.md", "empty.md"} < tree(root).keys()
    assert restored.files == len(tree(root))
    with Memory.open(root) as memory, Memory.open(tmp_path / "again") as other:
        assert other.recall("where is Peter?").hits == memory.recall("where is Peter?").hits
        assert other.check().problems == ()


def test_what_belongs_to_one_machine_or_can_be_made_anew_is_not_copied(root: Path, tmp_path: Path) -> None:
    done = backed_up(root, tmp_path / "copies")
    paths = [one.path for one in read_snapshot(done.folder, done.snapshot).files]
    lines = (root / GITIGNORE_PATH).read_text().split("\n")
    ignored = tuple(f".memory/{line.strip('/*')}" for line in lines if line.startswith("/"))
    assert len(ignored) > 5
    assert [path for path in paths if path.startswith((*ignored, ".git/"))] == []
    key = (root / ".memory/key").read_bytes()
    assert not any(key in path.read_bytes() for path in (tmp_path / "copies").rglob("*") if path.is_file())


def test_a_second_run_reads_only_what_changed(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = back_up(str(root), str(tmp_path / "copies"), now=NOW, started_ns=1 << 62)
    assert first.stored_objects > 5
    (root / "new.md").write_text("A new line.\n")
    opened: list[str] = []
    original = files.read_range

    def read_range(workspace: str, path: str, *more: int) -> bytes:
        opened.append(path)
        return original(workspace, path, *more)

    monkeypatch.setattr(files, "read_range", read_range)
    second = back_up(str(root), str(tmp_path / "copies"), now=NOW, started_ns=1 << 62)
    assert set(opened) == {"new.md"}
    assert (second.stored_objects, second.stored_bytes, second.files) == (1, 12, first.files + 1)


def test_a_file_that_changed_when_it_was_read_is_read_again_in_the_next_run(root: Path, tmp_path: Path) -> None:
    """Two writes within a tick of the disk's clock leave one stamp."""
    note = root / "note.md"
    note.write_text("one")
    now_ns = note.stat().st_ctime_ns
    done = back_up(str(root), str(tmp_path / "copies"), now=NOW, started_ns=now_ns)
    stamps = {one.path: one.stamp for one in read_snapshot(done.folder, done.snapshot).files}
    assert stamps["note.md"] == ()


def test_of_a_file_that_grew_only_the_end_is_stored(root: Path, tmp_path: Path) -> None:
    journal = root / ".memory/journal/captures-desk-2025-10.jsonl"
    journal.write_bytes(b'{"a": 1}\n' * (SEGMENT_BYTES // 8))
    backed_up(root, tmp_path / "copies")
    with journal.open("ab") as file:
        file.write(b'{"b": 2}\n')
    done = backed_up(root, tmp_path / "copies")
    assert (done.stored_objects, done.stored_bytes) == (1, 9)
    Memory.restore(done.folder, str(tmp_path / "again"))
    assert (tmp_path / "again" / journal.relative_to(root)).read_bytes() == journal.read_bytes()


def test_a_changed_byte_anywhere_in_a_backup_is_found_with_its_place(root: Path, tmp_path: Path) -> None:
    write_lines(root / TOMBSTONES, {"v": 1, "salt": "00" * 16}, {"v": 1, "ts": "2025-11", "whole": "11" * 8})
    folder = tmp_path / "copies"
    backed_up(root, folder)
    (root / "empty.md").write_text("no longer\n")
    backed_up(root, folder, "2025-11-27T10:00")
    assert verify_backup(str(folder)).problems == ()
    looked_at = 0
    for path in sorted(one for one in folder.rglob("*") if one.is_file() and one.name != "lock"):
        data = path.read_bytes()
        for offset in {0, len(data) // 3, len(data) - 66, len(data) - 1}:
            if offset < 0:
                continue
            path.write_bytes(data[:offset] + bytes([data[offset] ^ 1]) + data[offset + 1 :])
            found = [one.path for one in verify_backup(str(folder)).problems]
            assert found == [path.relative_to(folder).as_posix()], offset
            looked_at += 1
        path.write_bytes(data)
    assert looked_at > 30


def test_a_missing_object_is_found_and_the_next_run_stores_it_again(root: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copies"
    backed_up(root, folder)
    name = sha256((root / "photo.bin").read_bytes()).hexdigest()
    (folder / "objects" / name[:2] / name).unlink()
    (problem,) = verify_backup(str(folder)).problems
    assert (problem.code, "photo.bin" in problem.message) == ("damaged-object", True)
    assert backed_up(root, folder).stored_objects == 1
    assert verify_backup(str(folder)).problems == ()


def test_a_last_line_that_is_still_being_written_is_not_copied(root: Path, tmp_path: Path) -> None:
    journal = root / ".memory/journal/captures-desk-2025-11.jsonl"
    whole = journal.read_bytes()
    journal.write_bytes(whole + b'{"v": 1, "id": "half')
    done = backed_up(root, tmp_path / "copies")
    Memory.restore(done.folder, str(tmp_path / "again"))
    assert (tmp_path / "again" / journal.relative_to(root)).read_bytes() == whole


def test_what_is_written_meanwhile_is_copied_as_of_one_moment(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = files.read_range
    written: list[str] = []

    def write_in_between(workspace: str, path: str, *more: int) -> bytes:
        if path.startswith(".memory/receipts") and not written:
            written.append("once")
            with Memory.open(root) as memory:
                memory.retain("W @Ana: Moved to Bern.")
        return original(workspace, path, *more)

    monkeypatch.setattr(files, "read_range", write_in_between)
    done = back_up(str(root), str(tmp_path / "copies"), now=NOW, started_ns=1 << 62)
    assert (written, done.unsettled) == (["once"], ())
    Memory.restore(done.folder, str(tmp_path / "again"))
    assert tree(tmp_path / "again") == tree(root)


def test_a_file_that_never_stands_still_is_named(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = files.read_range

    def write_always(workspace: str, path: str, *more: int) -> bytes:
        if path == "photo.bin":
            with (root / path).open("ab") as file:
                file.write(b"x")
        return original(workspace, path, *more)

    monkeypatch.setattr(files, "read_range", write_always)
    assert back_up(str(root), str(tmp_path / "copies"), now=NOW, started_ns=1 << 62).unsettled == ("photo.bin",)


def test_snapshots_of_one_minute_have_names_of_their_own_and_the_newest_comes_back(root: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copies"
    (root / "note.md").write_text("old")
    first = backed_up(root, folder).snapshot
    (root / "note.md").write_text("new")
    second = backed_up(root, folder).snapshot
    assert (first, second) == ("2025-11-27T09-00", "2025-11-27T09-00-02")
    Memory.restore(str(folder), str(tmp_path / "newest"), snapshot="2025-11-27T09:00")
    Memory.restore(str(folder), str(tmp_path / "second"), snapshot=second)
    assert (tmp_path / "newest/note.md").read_text() == (tmp_path / "second/note.md").read_text() == "new"
    with pytest.raises(NotFound, match="no snapshot '2024'"):
        Memory.restore(str(folder), str(tmp_path / "none"), snapshot="2024")


def test_a_damaged_backup_restores_nothing_and_names_the_file(root: Path, tmp_path: Path) -> None:
    done = backed_up(root, tmp_path / "copies")
    name = sha256((root / "photo.bin").read_bytes()).hexdigest()
    (tmp_path / "copies/objects" / name[:2] / name).write_bytes(b"other")
    with pytest.raises(BackupDamaged, match=r"photo\.bin"):
        Memory.restore(done.folder, str(tmp_path / "again"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copies", "notes"]


def test_folders_that_are_something_else_are_refused(root: Path, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/mine.txt").write_text("mine")
    for folder, why in ((root / "copies", "lies in the workspace"), (tmp_path / "full", r"contains 'mine\.txt'")):
        with pytest.raises(BadArgument, match=why):
            backed_up(root, folder)
    with pytest.raises(NotFound):
        Memory.verify_backup(str(tmp_path / "nowhere"))
    done = backed_up(root, tmp_path / "copies")
    with pytest.raises(BadArgument, match="is not empty"):
        Memory.restore(done.folder, str(tmp_path / "full"))
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["mine.txt"]
    assert not (root / "copies").exists()


def test_what_cannot_be_copied_is_named_and_the_rest_is_copied(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / os.fsdecode(b"caf\xe9.md")).write_text("no name")
    os.mkfifo(root / "pipe")
    assert main(["backup", str(tmp_path / "copies"), "--workspace", str(root), "--json"]) == 3
    left_out = {one["path"]: one["reason"] for one in json.loads(capsys.readouterr().out)["left_out"]}
    assert left_out == {r"caf\xe9.md": "its name is not valid UTF-8", "pipe": "it is not a regular file"}


def test_a_small_sample_of_the_acceptance_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All but the time, which says nothing on a machine that does other things too."""
    measure(tmp_path, 200, Report())
    told = [line for line in capsys.readouterr().out.split("\n") if not line.startswith("share of the first run")]
    assert "files that differ of 1013 restored" in "".join(told)
    assert not any("BEYOND" in line for line in told)


def test_tombstones_of_a_backup_only_grow_and_an_older_snapshot_comes_back_with_them(
    root: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "copies"
    salt, other_salt = ({"v": 1, "salt": number * 32} for number in "01")
    one, two, three = ({"v": 1, "ts": "2025-11", "whole": number * 16} for number in "123")
    write_lines(root / TOMBSTONES, salt, one)
    first = backed_up(root, folder).snapshot
    write_lines(root / TOMBSTONES, salt, two)
    (registered,) = read_registered_backups(str(root))
    assert registered == str(folder)
    update_backup_tombstones(str(root), registered, "2025-11-28T09:00")
    write_lines(root / TOMBSTONES, other_salt, three)
    with (root / TOMBSTONES).open("ab") as file:
        file.write(b'{"v": 1, "torn')
    update_backup_tombstones(str(root), registered, "2025-11-28T10:00")
    Memory.restore(str(folder), str(tmp_path / "again"), snapshot=first)
    restored = {path.name: path.read_bytes() for path in (tmp_path / "again/.memory").glob("tombstones-*.jsonl")}
    write_lines(root / TOMBSTONES, salt, one, two, other_salt, three)
    lines = (root / TOMBSTONES).read_bytes().splitlines()
    assert {name: sorted(data.splitlines()) for name, data in restored.items()} == {
        "tombstones-desk.jsonl": sorted(lines)
    }
    problems = read_tombstones(str(tmp_path / "again")).problems
    assert problems == ()
    assert read_registered_backups(str(tmp_path / "again")) == (str(folder),)
    with pytest.raises(NotFound):
        update_backup_tombstones(str(root), str(tmp_path / "unplugged"), NOW)


def write_lines(path: Path, *payloads: dict[str, Any]) -> None:
    """Write the lines of a file of tombstones."""
    path.write_bytes(b"".join(encode_journal_line(one) + b"\n" for one in payloads))


def test_a_restored_backup_does_not_bring_back_what_was_forgotten_since(root: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copies"
    backed_up(root, folder)
    leave_tombstones(str(root), "desk", ["@Peter: Moved to Trieste.", "The boiler was repaired on Monday."], "2025-11")
    update_backup_tombstones(str(root), str(folder), "2025-11-28T09:00")
    Memory.restore(str(folder), str(tmp_path / "again"))
    assert "Trieste" not in "".join(path.read_text() for path in (tmp_path / "again/memory").glob("*.md"))
    with Memory.open(tmp_path / "again") as memory:
        assert memory.recall("Peter Trieste boiler Monday", evidence="auto").hits == ()


def test_forget_reaches_the_backups_that_it_knows(root: Path, tmp_path: Path) -> None:
    backed_up(root, tmp_path / "copies")
    with Memory.open(root) as memory:
        memory.forget(query="Trieste", erase=True, apply=True, now=NOW)
    Memory.restore(str(tmp_path / "copies"), str(tmp_path / "again"))
    assert not holding(tmp_path / "again", "Trieste")


def test_a_manifest_erases_from_a_backup_that_forget_could_not_reach(root: Path, tmp_path: Path) -> None:
    backed_up(root, tmp_path / "copies")
    (tmp_path / "copies").rename(tmp_path / "unplugged")
    with Memory.open(root) as memory:
        forgotten = memory.forget(query="Trieste", erase=True, apply=True, now="2026-01-05T10:00")
    assert forgotten.manifest
    assert any("could not be reached" in command for command in forgotten.manifest.commands)
    manifest = root / forgotten.manifest.path
    Memory.restore(str(tmp_path / "unplugged"), str(tmp_path / "without"))
    assert holding(tmp_path / "without", "Trieste")
    assert Memory.restore(str(tmp_path / "unplugged"), str(tmp_path / "again"), manifest=str(manifest)).notes
    assert not holding(tmp_path / "again", "Trieste")
    manifest.write_text('{"schema": "other"}')
    with pytest.raises(BadArgument, match="is no manifest"):
        Memory.restore(str(tmp_path / "unplugged"), str(tmp_path / "x"), manifest=str(manifest))
    assert not (tmp_path / "x").exists()


def holding(root: Path, word: str) -> list[Path]:
    """The files that have a word."""
    return [path for path in root.rglob("*") if path.is_file() and word.encode() in path.read_bytes()]
