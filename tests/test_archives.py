"""Archives: what is exported and what is not, that no changed byte passes, and what two of them differ in."""

from __future__ import annotations

import json
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from commonplace import Memory
from commonplace.cli import main
from commonplace.errors import BackupDamaged, BadArgument, NotFound, OutsideWorkspace, WriteConflict
from commonplace.storage import archives, files
from commonplace.storage.journal import Journal
from tests.support.schemas import validator

NOW = "2025-11-27T09:00"
LONG = "The lamp oil is kept behind the third door. " * 400


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A notebook with lines and captures of two projects, a secret file and a link."""
    monkeypatch.setenv("COMMONPLACE_NOW", NOW)
    monkeypatch.setenv("COMMONPLACE_DEVICE", "desk")
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / ".env.local").write_text("TOKEN=abc\n")
    (folder / "photo.bin").write_bytes(bytes(range(256)))
    (folder / "AGENTS.md").symlink_to("photo.bin")
    (folder / "hut.md").write_text(
        "# Hut\n\n- The stove is green.\n- @Peter: Has the spare key. <!-- from: obs:peter1 -->\n"
    )
    with Memory.open(folder) as memory:
        memory.retain("W @Peter: Moved to Trieste.")
        memory.retain("W @Ana: Builds the ferry.", scope="ferry")
        memory.capture("The boiler was repaired on Monday.", session="s1")
        memory.capture("The hull is painted red.", session="s2", scope="ferry", ts="2025-11-20T08:00")
        memory.capture(LONG, session="s3")
        memory.pack("where is Peter?")
    return folder


def contents(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_whole_export_has_the_files_and_journals_and_their_digests(root: Path, tmp_path: Path) -> None:
    with Memory.open(root) as memory:
        done = memory.export(path=str(tmp_path / "all.zip"))
    members = contents(tmp_path / "all.zip")
    assert members["hut.md"] == (root / "hut.md").read_bytes()
    journal = ".memory/journal/captures-desk-2025-11.jsonl"
    assert members[journal] == (root / journal).read_bytes()
    (artifact,) = (name for name in members if name.startswith(".memory/artifacts/"))
    assert members[artifact] == LONG.encode()
    left_out = (".env.local", "AGENTS.md", ".memory/key", ".memory/index.sqlite", ".memory/receipts", ".memory/changes")
    assert [name for name in members if name.startswith(left_out)] == []
    manifest = json.loads(members.pop("manifest.json"))
    assert manifest["schema"] == "commonplace.archive.v1"
    assert {one["path"]: one["sha256"] for one in manifest["files"]} == {
        name: sha256(data).hexdigest() for name, data in members.items()
    }
    assert {one.path for one in done.files} == members.keys()


def test_the_same_memory_gives_the_same_bytes(root: Path, tmp_path: Path) -> None:
    with Memory.open(root) as memory:
        for name in ("one.zip", "two.zip"):
            memory.export(path=str(tmp_path / name))
        with pytest.raises(BadArgument, match="exists already"):
            memory.export(path=str(tmp_path / "one.zip"))
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


@pytest.mark.parametrize(
    ("narrowed", "texts"),
    [
        ({"scope": "ferry"}, {"@Ana: Builds the ferry.", "The hull is painted red."}),
        ({"entity": "Ana"}, {"@Ana: Builds the ferry."}),
        ({"until": "2025-11-21"}, {"The hull is painted red."}),
        ({"scope": "ferry", "since": "2025-11-21"}, {"@Ana: Builds the ferry."}),
    ],
)
def test_an_export_can_be_narrowed(root: Path, tmp_path: Path, narrowed: dict[str, str], texts: set[str]) -> None:
    with Memory.open(root) as memory:
        memory.export(path=str(tmp_path / "part.zip"), **narrowed)
        as_json = memory.export(**narrowed)
    members = contents(tmp_path / "part.zip")
    assert members.keys() == {"records.jsonl", "captures.jsonl", "manifest.json"}
    lines = [json.loads(line) for name in ("records.jsonl", "captures.jsonl") for line in members[name].splitlines()]
    assert {line["text"].removeprefix("W ") for line in lines} == texts
    assert lines == [*as_json.records, *as_json.captures]
    assert json.loads(members["manifest.json"])["filters"] == narrowed == as_json.filters
    for line in members["captures.jsonl"].splitlines():
        validator("commonplace.capture.v1").validate(json.loads(line))


def test_a_record_comes_with_the_captures_on_which_it_rests(root: Path) -> None:
    with Memory.open(root) as memory:
        said = memory.capture("He took the spare one home.")
        text = (root / "hut.md").read_text().replace("obs:peter1", said.id)
        (root / "hut.md").write_text(text)
        part = memory.export(entity="Peter")
    assert said.id in {one["id"] for one in part.captures}


def test_what_is_forgotten_is_in_no_export(root: Path, tmp_path: Path) -> None:
    with Memory.open(root) as memory:
        memory.export(path=str(tmp_path / "before.zip"))
        for query in ("Trieste", "boiler", "stove", "lamp oil third"):
            assert memory.forget(query=query, apply=True).selected
        memory.export(path=str(tmp_path / "after.zip"))
        as_json = memory.export()
    before, after = (b"\n".join(contents(tmp_path / name).values()) for name in ("before.zip", "after.zip"))
    for word in ("Trieste", "boiler", "stove", "lamp oil"):
        assert word.encode() in before
        assert word.encode() not in after
        assert word not in json.dumps([as_json.records, as_json.captures])
    hut = contents(tmp_path / "after.zip")["hut.md"]
    assert hut == b"# Hut\n\n- @Peter: Has the spare key. <!-- from: obs:peter1 -->\n"
    with zipfile.ZipFile(tmp_path / "after.zip") as archive:
        archive.extractall(tmp_path / "again")
    problems = Journal(str(tmp_path / "again"), "desk").verify()
    assert {one.code for one in problems} == {"head-missing"}  # the next write makes one


def test_a_file_that_changed_since_it_was_indexed_is_not_exported_with_a_hidden_line(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Memory.open(root) as memory:
        memory.forget(query="stove", apply=True)
        original = files.read_file

        def edited(folder: str, path: str, *more: int) -> bytes:
            data = original(folder, path, *more)
            return b"A line above.\n" + data if path == "hut.md" else data

        memory.workspace.synced_index()
        monkeypatch.setattr("commonplace.upkeep.backup.exports.files.read_file", edited)
        with pytest.raises(WriteConflict, match="while it was exported"):
            memory.export(path=str(tmp_path / "all.zip"))
    assert not (tmp_path / "all.zip").exists()


def test_an_archive_with_one_changed_byte_is_refused_with_the_place(root: Path, tmp_path: Path) -> None:
    with Memory.open(root) as memory:
        memory.export(path=str(tmp_path / "good.zip"))
    data = (tmp_path / "good.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "good.zip") as archive:
        inside = archive.getinfo("photo.bin")
    offsets = sorted({*range(0, len(data), 37), inside.header_offset + 60, len(data) - 1, len(data) - 70})
    messages: dict[int, str] = {}
    for offset in offsets:
        (tmp_path / "bad.zip").write_bytes(data[:offset] + bytes([data[offset] ^ 1]) + data[offset + 1 :])
        with pytest.raises(BackupDamaged) as caught:
            Memory.compare_exports(str(tmp_path / "good.zip"), str(tmp_path / "bad.zip"))
        messages[offset] = caught.value.message
    assert "'photo.bin'" in messages[inside.header_offset + 60]
    assert "itself" in messages[len(data) - 1]
    assert len(offsets) > 90


@pytest.mark.parametrize("data", [b"", b"PK", b"plain text\n" * 20])
def test_what_is_no_archive_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(BadArgument, match="is no archive"), archives.open_archive(str(tmp_path / "x")):
        pass
    with pytest.raises(NotFound):
        Memory.compare_exports(str(tmp_path / "nowhere"), str(tmp_path / "x"))


def test_the_difference_of_two_archives_names_files_and_lines(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Memory.open(root) as memory:
        memory.export(path=str(tmp_path / "a.zip"))
        new = memory.capture("The mast is of ash.")
        (root / "hut.md").write_text("# Hut\n")
        (root / "photo.bin").unlink()
        (root / "sail.md").write_text("- The sail is white.\n")
        memory.export(path=str(tmp_path / "b.zip"))
    assert main(["export", "--diff", str(tmp_path / "a.zip"), str(tmp_path / "b.zip"), "--json"]) == 0
    answer: Any = json.loads(capsys.readouterr().out)
    validator("commonplace.export-diff.v1").validate(answer)
    journal = ".memory/journal/captures-desk-2025-11.jsonl"
    found = {(one["change"], one["path"], one["id"]) for one in answer["differences"]}
    assert found == {
        ("changed", journal, ""),
        ("added", journal, new.id),
        ("changed", "hut.md", ""),
        ("removed", "photo.bin", ""),
        ("added", "sail.md", ""),
    }
    assert Memory.compare_exports(str(tmp_path / "a.zip"), str(tmp_path / "a.zip")) == ()


@pytest.mark.parametrize("arguments", [["export"], ["export", "a", "b"], ["export", "--diff", "a"]])
def test_an_export_needs_a_name(root: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    assert main([*arguments, "--workspace", str(root)]) == 2
    assert "name one archive, or two with --diff" in capsys.readouterr().err


def imported(root: Path, archive: Path, *, apply: bool = True, mine: bool = True) -> Any:
    with Memory.open(root) as memory:
        return memory.import_from(str(archive), apply=apply, mine=mine)


def texts(root: Path) -> list[str]:
    with Memory.open(root) as memory:
        hits = memory.recall("Trieste ferry boiler hull stove key lamp", k=50, all_scopes=True).hits
    return sorted(hit.record.text for hit in hits)


def test_a_whole_archive_makes_an_empty_place_the_same_memory(root: Path, tmp_path: Path) -> None:
    with Memory.open(root) as memory:
        memory.export(path=str(tmp_path / "all.zip"))
    other = tmp_path / "other"
    other.mkdir()
    preview = imported(other, tmp_path / "all.zip", apply=False)
    assert (preview.applied, preview.tally.kinds["file"]) == (False, len(contents(tmp_path / "all.zip")) - 1)
    assert not (other / "hut.md").exists()
    imported(other, tmp_path / "all.zip")
    assert texts(other) == texts(root)
    with Memory.open(root) as before, Memory.open(other) as memory:
        new = {one.code for one in memory.check().problems} - {one.code for one in before.check().problems}
        assert new == {"head-missing"}  # the next write makes one
        memory.export(path=str(tmp_path / "again.zip"))
    assert (tmp_path / "again.zip").read_bytes() == (tmp_path / "all.zip").read_bytes()
    again = imported(other, tmp_path / "all.zip")
    assert (again.ingest_result.captured, again.tally.kinds) == (0, {})


def test_what_is_there_is_never_overwritten_and_lines_come_once(root: Path, tmp_path: Path) -> None:
    with Memory.open(root) as memory:
        memory.export(path=str(tmp_path / "old.zip"))
        memory.capture("The mast is of ash.")
        (root / "commonplace.toml").write_text("owner = 'Ana'\n")
        memory.export(path=str(tmp_path / "new.zip"))
    other = tmp_path / "other"
    other.mkdir()
    imported(other, tmp_path / "old.zip")
    (other / "hut.md").write_text("# My hut\n")
    with Memory.open(other) as memory:
        memory.capture("The anchor holds.")
    journal = other / ".memory/journal/captures-desk-2025-11.jsonl"
    before = journal.read_bytes()
    done = imported(other, tmp_path / "new.zip")
    assert {name: done.tally.kinds[name] for name in ("line", "file beside")} == {"line": 1, "file beside": 1}
    assert (other / "hut.md").read_text() == "# My hut\n"
    (beside,) = other.glob("hut.sync-conflict-20251127-090000-*.md")
    assert beside.read_bytes() == (root / "hut.md").read_bytes()
    assert journal.read_bytes().startswith(before)
    ids = [json.loads(line)["id"] for line in journal.read_bytes().splitlines()]
    assert len(ids) == len(set(ids)) == before.count(b"\n") + 1
    assert [one for one in Journal(str(other), "desk").verify() if one.code != "head-missing"] == []
    assert not (other / "commonplace.toml").exists()
    with Memory.open(other) as memory:  # on another day, when another name would be made
        again = memory.import_from(str(tmp_path / "new.zip"), apply=True, mine=True, now="2025-11-28T09:00")
    assert again.ingest_result.captured == 0


def test_the_files_of_an_archive_need_somebody_who_vouches_for_them(root: Path, tmp_path: Path) -> None:
    with Memory.open(root) as memory:
        memory.export(path=str(tmp_path / "all.zip"))
    other = tmp_path / "other"
    other.mkdir()
    assert imported(other, tmp_path / "all.zip", apply=False, mine=False).tally.trusts.keys() == {"untrusted"}
    with pytest.raises(BadArgument, match="trusted as yours"):
        imported(other, tmp_path / "all.zip", mine=False)
    assert not (other / "hut.md").exists()


def test_a_part_of_a_memory_comes_in_as_captures_and_once(root: Path, tmp_path: Path) -> None:
    with Memory.open(root) as memory:
        memory.export(path=str(tmp_path / "ferry.zip"), scope="ferry")
        here = memory.import_from(str(tmp_path / "ferry.zip"), apply=True)
    assert (here.ingest_result.captured, here.tally.passed_over) == (0, {"there already": 2})
    other = tmp_path / "other"
    other.mkdir()
    done = imported(other, tmp_path / "ferry.zip", mine=False)
    assert (done.ingest_result.captured, done.tally.trusts, done.tally.scopes) == (2, {"untrusted": 2}, {"ferry": 2})
    with Memory.open(other) as memory:
        (hit,) = memory.recall("hull painted", scope="ferry").hits[:1]
        assert (hit.record.text, hit.record.trust) == ("The hull is painted red.", "untrusted")
    assert imported(other, tmp_path / "ferry.zip", mine=False).ingest_result.captured == 0


def test_an_archive_with_a_path_that_leads_out_writes_nothing_there(root: Path, tmp_path: Path) -> None:
    names = (".memory/journal/other-desk-2025-11.jsonl", ".memory/key", "../evil.md")
    archives.write_archive(str(tmp_path / "evil.zip"), [(name, b"x") for name in names], {})
    key = (root / ".memory/key").read_bytes()
    with pytest.raises(OutsideWorkspace):
        imported(root, tmp_path / "evil.zip")
    assert not (tmp_path / "evil.md").exists()
    assert not (root / names[0]).exists()
    assert (root / ".memory/key").read_bytes() == key
