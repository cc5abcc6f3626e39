"""Sync: what changed is decided as a table, applied once, and never at the price of an answer."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import commonplace.memory.open_workspace
import commonplace.sync.change_plan
import commonplace.sync.synchronizer
from commonplace import Memory
from commonplace.capture import text_key
from commonplace.errors import LockBusy, NotFound, OutsideWorkspace
from commonplace.index import FileRow, Stamp, database
from commonplace.index.store import SqliteIndex
from commonplace.model import Change, Record
from commonplace.storage import files
from commonplace.storage.journal import Journal, encode_journal_line
from commonplace.storage.workspace.sweep import Sweep
from commonplace.sync import index_entries
from commonplace.sync.change_plan import SyncPlan, UnreadableFile, diff_files, settled_stamps
from commonplace.sync.journals import collect_ledger_facts

pytestmark = pytest.mark.usefixtures("surroundings")

NOW = "2025-11-27T10:00"
OLD, NEW = (3, 1, 1, 1), (3, 2, 2, 1)


CLOCK_AHEAD = SimpleNamespace(**vars(time) | {"time_ns": lambda: 4 * 10**18})


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock far ahead, so that no file was changed a moment ago and stamps are relied on."""
    monkeypatch.setattr(commonplace.memory.open_workspace, "time", CLOCK_AHEAD)


def texts(memory: Memory, question: str) -> list[str]:
    return [hit.record.text for hit in memory.recall(question).hits]


def the(memory: Memory, question: str) -> Record:
    return memory.recall(question).hits[0].record


def kinds(changes: tuple[Change, ...]) -> list[tuple[str, str]]:
    return [(change.kind, change.path) for change in changes]


# the decision


def row(path: str, data: bytes, stamp: Stamp = OLD) -> FileRow:
    return FileRow(path, path, files.content_digest(data), stamp)


def decide(known: dict[str, bytes], there: dict[str, tuple[Stamp, bytes | None]], **more: Any) -> SyncPlan:
    def read(path: str) -> bytes:
        data = there[path][1]
        if data is None:
            raise OutsideWorkspace(path, "it is too large")
        return data

    rows = {path: row(path, data) for path, data in known.items()}
    return diff_files(rows, Sweep({path: stamp for path, (stamp, _data) in there.items()}), read, **more)


TABLE = {
    # case: (known: path -> bytes), (there: path -> (stamp, bytes or None if unreadable)), changes, touched
    "nothing at all": ({}, {}, [], []),
    "as before": ({"a": b"x"}, {"a": (OLD, b"not even read")}, [], []),
    "added": ({}, {"a": (NEW, b"x")}, [Change("added", "a")], []),
    "modified": ({"a": b"x"}, {"a": (NEW, b"y")}, [Change("modified", "a")], []),
    "touched": ({"a": b"x"}, {"a": (NEW, b"x")}, [], ["a"]),
    "removed": ({"a": b"x"}, {}, [Change("removed", "a")], []),
    "moved": ({"a": b"x"}, {"b": (NEW, b"x")}, [Change("moved", "b", "a")], []),
    "moved with its stamp": ({"a": b"x"}, {"b": (OLD, b"x")}, [Change("moved", "b", "a")], []),
    "copied": ({"a": b"x"}, {"a": (OLD, b"x"), "b": (NEW, b"x")}, [Change("added", "b")], []),
    "moved and changed": ({"a": b"x"}, {"b": (NEW, b"y")}, [Change("removed", "a"), Change("added", "b")], []),
    "moved over another": (
        {"a": b"x", "b": b"y"},
        {"b": (NEW, b"x")},
        [Change("removed", "a"), Change("modified", "b")],
        [],
    ),
    "one of two equals moved": (
        {"a": b"x", "b": b"x"},
        {"b": (OLD, b""), "c": (NEW, b"x")},
        [Change("moved", "c", "a")],
        [],
    ),
    "two equals, one stays gone": (
        {"a": b"x", "b": b"x"},
        {"c": (NEW, b"x")},
        [Change("removed", "b"), Change("moved", "c", "a")],
        [],
    ),
    "one became two": (
        {"a": b"x"},
        {"b": (NEW, b"x"), "c": (NEW, b"x")},
        [Change("moved", "b", "a"), Change("added", "c")],
        [],
    ),
    "names exchanged": (
        {"a": b"x", "b": b"y"},
        {"a": (NEW, b"y"), "b": (NEW, b"x")},
        [Change("modified", "a"), Change("modified", "b")],
        [],
    ),
    "unreadable at first sight": ({}, {"a": (NEW, None)}, [Change("added", "a")], []),
    "unreadable by now": ({"a": b"x"}, {"a": (NEW, None)}, [Change("modified", "a")], []),
    "unreadable as before": ({"a": b"x"}, {"a": (OLD, None)}, [], []),
    "all at once, in order of path": (
        {"a": b"1", "c": b"3", "e": b"5", "f": b"6"},
        {"b": (NEW, b"1"), "c": (NEW, b"4"), "d": (NEW, b"2"), "f": (NEW, b"6")},
        [Change("moved", "b", "a"), Change("modified", "c"), Change("added", "d"), Change("removed", "e")],
        ["f"],
    ),
}


@pytest.mark.parametrize("case", TABLE, ids=lambda case: case.replace(" ", "-"))
def test_what_became_of_a_file_is_decided_by_stamp_and_digest(case: str) -> None:
    known, there, changes, touched = TABLE[case]
    plan = decide(known, there)
    assert list(plan.changes) == changes
    assert list(plan.touched) == touched
    unreadable = {path for path, data in plan.contents.items() if isinstance(data, UnreadableFile)}
    assert unreadable == {path for path, (stamp, data) in there.items() if data is None and path in plan.contents}


def test_a_stale_file_is_read_again_though_its_stamp_and_digest_are_the_same() -> None:
    there = {"a": (OLD, b"x"), "b": (NEW, b"x"), "c": (OLD, b"x")}
    plan = decide({"a": b"x", "b": b"x", "c": b"x"}, there, stale_paths={"a", "b"})
    assert kinds(plan.changes) == [("modified", "a"), ("modified", "b")]


@pytest.mark.usefixtures("later")
def test_a_file_is_read_once_between_deciding_and_applying_unless_too_much_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    real = files.read_file
    monkeypatch.setattr(
        commonplace.sync.synchronizer.files, "read_file", lambda *a, **k: read.append(a[1]) or real(*a, **k)
    )
    (tmp_path / "a.md").write_text("- tea\n")
    (tmp_path / "b.md").write_text("- coffee\n")
    with Memory.open(tmp_path) as memory:
        memory.sync()
        assert sorted(path for path in read if path.endswith(".md")) == ["a.md", "b.md"]
        monkeypatch.setattr(commonplace.sync.change_plan, "READ_AHEAD_BYTES", 6)
        read.clear()
        memory.rebuild()
        assert sorted(path for path in read if path.endswith(".md")) == ["a.md", "b.md", "b.md"]
        assert texts(memory, "coffee") == ["coffee"]


def test_a_file_that_vanishes_between_deciding_and_applying_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commonplace.sync.change_plan, "READ_AHEAD_BYTES", 0)
    (tmp_path / "a.md").write_text("- tea\n")
    (tmp_path / "b.md").write_text("- coffee\n")
    seen: set[str] = set()
    real = files.read_file

    def once(root: str, path: str, *limit: int, **more: int) -> bytes:
        if path == "a.md" and path in seen:
            (tmp_path / "a.md").unlink(missing_ok=True)
            raise NotFound("file", path)
        seen.add(path)
        return real(root, path, *limit, **more)

    with Memory.open(tmp_path) as memory, monkeypatch.context() as patch:
        patch.setattr(commonplace.sync.synchronizer.files, "read_file", once)
        assert texts(memory, "coffee") == ["coffee"]
        assert memory.sync().problems == ()
        assert kinds(memory.sync().changes) == []


# sync twice = once


def state(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.dictionaries(st.sampled_from(["a.md", "b.md", "m/c.md"]), st.text("ab -#@\n<!>:`|", max_size=60)))
def test_a_second_sync_finds_nothing_to_do_and_writes_nothing(written: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(commonplace.memory.open_workspace, "time", CLOCK_AHEAD)
        root = Path(folder)
        for path, text in written.items():
            (root / path).parent.mkdir(exist_ok=True)
            (root / path).write_text(text)
        with Memory.open(root) as memory:
            memory.sync()
            before, dump = state(root), memory.dump()
            assert memory.sync().changes == ()
            assert memory.dump() == dump
            assert state(root) == before


@pytest.mark.usefixtures("later")
def test_a_file_that_was_only_touched_is_read_once_more_and_then_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.md").write_text("- tea\n")
    read: list[str] = []
    real = files.read_file
    monkeypatch.setattr(
        commonplace.sync.synchronizer.files, "read_file", lambda *a, **k: read.append(a[1]) or real(*a, **k)
    )
    with Memory.open(tmp_path) as memory:
        memory.sync()
        assert read.count("a.md") == 1
        os.utime(tmp_path / "a.md", ns=(5, 5))
        for _ in range(3):
            assert memory.sync().changes == ()
        assert read.count("a.md") == 2


@pytest.mark.usefixtures("later")
def test_a_dry_run_says_what_would_change_and_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("- tea\n")
    with Memory.open(tmp_path) as memory:
        memory.sync()
        (tmp_path / "a.md").rename(tmp_path / "b.md")
        (tmp_path / "c.md").write_text("- coffee\n")
        before = state(tmp_path)
        expected = [("moved", "b.md"), ("added", "c.md")]
        assert kinds(memory.sync(dry_run=True).changes) == expected
        assert state(tmp_path) == before
        assert kinds(memory.sync().changes) == expected


# stamps


def test_a_stamp_is_relied_on_only_when_nothing_could_have_changed_under_it() -> None:
    now, second = 10**18, 10**9
    stamps = {
        "old": (3, now - second, now - second, 1),
        "just written": (3, now - 1, now - second, 1),
        "just written, its time put back": (3, 5, now - 1, 1),
        "from the future": (3, now + second, now - second, 1),
        "in the last second of a coarse file system": (3, now - second, 0, 1),
        "long ago on a coarse file system": (3, now - 3 * second, 0, 1),
    }
    stamps["old"] = (3, now - second + 1, now - second + 1, 1)
    relied_on = [name for name, stamp in settled_stamps(stamps, now).items() if stamp == stamps[name]]
    assert relied_on == ["old", "long ago on a coarse file system"]


@pytest.mark.slow
@pytest.mark.parametrize("put_back", [False, True], ids=["its time goes on", "its time is put back"])
def test_changes_within_one_tick_of_the_file_systems_clock_are_all_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, put_back: bool
) -> None:
    tick = 40_000_000
    real = commonplace.sync.synchronizer.sweep_files

    def coarse(root: str, ignore: tuple[str, ...] = ()) -> Sweep:
        found = {
            path: (size, mtime // tick * tick + 1, ctime // tick * tick + 1, inode)
            for path, (size, mtime, ctime, inode) in real(root, ignore).files.items()
        }
        return Sweep(found)

    monkeypatch.setattr(commonplace.sync.synchronizer, "sweep_files", coarse)
    with Memory.open(tmp_path) as memory:
        for number in range(10, 50):
            (tmp_path / "a.md").write_text(f"- tea {number}\n")
            if put_back:
                os.utime(tmp_path / "a.md", ns=(1, 1))
            assert texts(memory, "tea") == [f"tea {number}"]
            if number % 2:
                assert texts(memory, "tea") == [f"tea {number}"]  # the second look must not trust the stamp either


def test_of_a_changed_file_only_the_lines_that_are_new_are_made_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.md"
    path.write_text("".join(f"- line {number}\n" for number in range(50)))
    with Memory.open(tmp_path) as memory:
        memory.sync()
        made: list[str] = []
        entry = index_entries.make_record_entry
        monkeypatch.setattr(
            index_entries, "make_record_entry", lambda record, *rest: made.append(record.text) or entry(record, *rest)
        )
        path.write_text("- one more\n" + path.read_text().replace("line 7\n", "line seven\n"))
        memory.sync()
        assert made == ["one more", "line seven"]
        assert memory.dump() == memory.workspace.dump_rebuilt_index()


def test_a_change_of_the_settings_that_shape_records_reads_every_file_again(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("- Wir gingen durch die Wälder.\n")
    (tmp_path / "b.md").write_text("x" * 2000)
    with Memory.open(tmp_path) as memory:
        before = memory.dump()
    for written in ('language = "fr"\n', "[files]\nmax_bytes = 1024\n", ""):
        (tmp_path / "commonplace.toml").write_text(written)
        with Memory.open(tmp_path) as memory:
            after = memory.dump()
            assert after == memory.workspace.dump_rebuilt_index()
            assert (after != before) == bool(written)


# files that cannot be read


def test_a_file_that_is_too_large_is_a_problem_until_it_shrinks_or_goes(tmp_path: Path) -> None:
    (tmp_path / "commonplace.toml").write_text("[files]\nmax_bytes = 1024\n")
    with Memory.open(tmp_path) as memory:
        for text, large in (("- tea\n", 0), ("- tea\n" * 400, 1), ("- tea\n", 0), ("- tea\n" * 400, 1), (None, 0)):
            path = tmp_path / "a.md"
            path.unlink() if text is None else path.write_text(text)
            assert [(p.code, p.path) for p in memory.sync().problems] == [("unreadable", "a.md")] * large
            assert bool(texts(memory, "tea")) == (text is not None and not large)
            assert memory.dump() == memory.workspace.dump_rebuilt_index()


@pytest.mark.usefixtures("later")
def test_what_a_file_said_stays_until_it_can_be_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.md").write_text("- tea\n")
    with Memory.open(tmp_path) as memory:
        memory.sync()
        (tmp_path / "a.md").write_text("- coffee\n")
        (tmp_path / "b.md").write_text("- milk\n")
        real = files.read_file

        def broken(root: str, path: str, *more: Any, **how: Any) -> bytes:
            if path.endswith(".md"):
                raise OutsideWorkspace(path, "input/output error") from OSError(errno.EIO, "")
            return real(root, path, *more, **how)

        monkeypatch.setattr(files, "read_file", broken)
        for _again in range(2):
            assert sorted(p.path for p in memory.sync().problems) == ["a.md", "b.md"]
            assert texts(memory, "tea") == ["tea"]
        monkeypatch.undo()
        assert memory.sync().problems == ()
        assert (texts(memory, "coffee"), texts(memory, "milk"), texts(memory, "tea")) == (["coffee"], ["milk"], [])
        assert memory.dump() == memory.workspace.dump_rebuilt_index()


@pytest.mark.usefixtures("later")
def test_a_file_that_stays_unreadable_costs_no_more_than_any_other(tmp_path: Path) -> None:
    (tmp_path / "commonplace.toml").write_text("[files]\nmax_bytes = 1024\n")
    (tmp_path / "a.md").write_text("- tea\n" * 400)
    with Memory.open(tmp_path) as memory:
        memory.sync()
        before = state(tmp_path)
        assert memory.sync().changes == ()
        assert state(tmp_path) == before


@pytest.mark.usefixtures("later")
def test_a_link_that_comes_or_goes_is_noticed_though_no_file_changed(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    root.mkdir()
    (root / "a.md").write_text("- tea\n")
    with Memory.open(root) as memory:
        assert memory.sync().problems == ()
        (root / "out.md").symlink_to("/etc/hostname")
        assert [problem.code for problem in memory.sync().problems] == ["symlink-outside"]
        (root / "out.md").unlink()
        assert memory.sync().problems == ()


# the lock


HOLD = """
import sys, apsw
index = apsw.Connection(sys.argv[1])
index.execute("begin immediate")
print("held", flush=True)
sys.stdin.readline()
index.execute("rollback")
"""


@contextmanager
def held_by_another_process(path: Path) -> Iterator[None]:
    run = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert run.stdout is not None
    assert run.stdout.readline() == "held\n"
    try:
        yield
    finally:
        run.communicate("\n")


def test_while_another_process_writes_the_index_recall_answers_from_before_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database.sql, "BUSY_MS", 20)
    (tmp_path / "a.md").write_text("- tea at four\n")
    with Memory.open(tmp_path) as memory:
        assert memory.recall("tea").notes == ()
        with held_by_another_process(tmp_path / ".memory/index.sqlite"):
            (tmp_path / "a.md").write_text("- tea at five\n")
            hits = memory.recall("tea")
            assert [hit.record.text for hit in hits.hits] == ["tea at four"]
            assert "being written by another process" in hits.notes[0]
            with pytest.raises(LockBusy):
                memory.sync()
            kept = memory.retain("coffee at nine")
            assert kept.record is not None
            assert "coffee at nine" in (tmp_path / kept.record.source.path).read_text()
        hits = memory.recall("tea")
        assert [hit.record.text for hit in hits.hits] == ["tea at five"]
        assert hits.notes == ()
        assert texts(memory, "coffee") == ["coffee at nine"]


def test_a_lock_that_is_held_for_a_moment_is_waited_for(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("- tea at four\n")
    with Memory.open(tmp_path) as memory:
        memory.sync()
        (tmp_path / "a.md").write_text("- tea at five\n")
        other = apsw.Connection(str(tmp_path / ".memory/index.sqlite"))
        other.execute("begin immediate")
        letting_go = threading.Timer(0.05, other.execute, ["rollback"])
        letting_go.start()
        assert kinds(memory.sync().changes) == [("modified", "a.md")]
        letting_go.join()
        other.close()


def test_who_waited_for_the_lock_looks_again_before_taking_away_what_the_other_saw(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.md").write_text("- tea at four\n")
    real = SqliteIndex.transaction
    with Memory.open(tmp_path) as slow, Memory.open(tmp_path) as fast:
        slow.sync()
        fast.sync()
        (tmp_path / "a.md").write_text("- tea at five\n")

        @contextmanager
        def behind(index: SqliteIndex) -> Iterator[None]:
            monkeypatch.setattr(SqliteIndex, "transaction", real)
            fast.retain("coffee at nine")
            with real(index):
                yield

        monkeypatch.setattr(SqliteIndex, "transaction", behind)
        slow.sync()
        assert slow.recall("coffee", sync=False).hits


# the ledger


def ledger(root: Path, device: str = "dev", **line: Any) -> None:
    Journal(str(root), device).append({"ts": NOW, **line}, "ledger")


def test_what_is_appended_to_any_ledger_is_learned_at_the_next_look_and_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.md").write_text("- tea at four <!-- id: tea4 -->\n")
    learned: list[int] = []
    real = SqliteIndex.put_ledger_facts

    def count(index: SqliteIndex, told: Any) -> None:
        learned.append(len(told.used))
        real(index, told)

    monkeypatch.setattr(SqliteIndex, "put_ledger_facts", count)
    with Memory.open(tmp_path) as memory:
        memory.sync()
        for device, uses in (("dev", 1), ("attic", 2)):
            ledger(tmp_path, device, op="used", records=["tea4"] * uses)
            for _ in range(2):
                memory.recall("tea")
        assert learned == [1, 2]
        assert '["usage","tea4",0,3]' in memory.dump()
        memory.rebuild()
        assert learned == [1, 2, 3]
        assert '["usage","tea4",0,3]' in memory.dump()


def test_an_origin_in_the_ledger_lowers_the_record_with_its_id(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("- tea at four <!-- id: tea4 -->\n")
    with Memory.open(tmp_path) as memory:
        assert the(memory, "tea").trust == "trusted"
        ledger(tmp_path, op="origin", record="tea4", trust="unknown")
        assert the(memory, "tea").trust == "unknown"
        ledger(tmp_path, op="origin", record="tea4", trust="untrusted")
        assert the(memory, "tea").trust == "untrusted"


def test_an_origin_in_the_ledger_lowers_every_record_with_its_text(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("- tea   at four\n\ncoffee\n")
    with Memory.open(tmp_path) as memory:
        memory.sync()
        ledger(tmp_path, op="origin", digest=text_key("tea at four"), trust="untrusted")
        assert the(memory, "tea").trust == "untrusted"
        (tmp_path / "b.md").write_text("## Retain\n\n- W @Ada: nothing\n- tea at four\n")
        assert {hit.record.trust for hit in memory.recall("tea at four").hits} == {"untrusted"}
        assert the(memory, "coffee").trust == "trusted"


def test_an_origin_never_raises_trust_in_whatever_order_it_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("- tea <!-- id: tea4 -->\n- coffee <!-- id: coffee -->\n")
    with Memory.open(tmp_path) as memory:
        for trust in ("untrusted", "trusted", "unknown"):
            ledger(tmp_path, op="origin", record="tea4", trust=trust)
            assert the(memory, "tea").trust == "untrusted"
        ledger(tmp_path, op="origin", record="coffee", trust="surely")
        assert the(memory, "coffee").trust == "trusted"


@pytest.mark.slow
@pytest.mark.parametrize("said", ["unknown", "untrusted", "quarantined", "trusted", "surely"])
@pytest.mark.parametrize("known", ["unknown", "untrusted", "quarantined", "trusted", ""])
def test_an_origin_in_the_text_can_only_lower_trust(tmp_path: Path, said: str, known: str) -> None:
    rank = ["quarantined", "untrusted", "unknown", "trusted"]
    (tmp_path / "a.md").write_text(f"- tea <!-- id: tea4 · origin: {said} -->\n")
    if known:
        ledger(tmp_path, op="origin", record="tea4", trust=known)
    meant = {"surely": "untrusted"}.get(said, said)
    with Memory.open(tmp_path) as memory:
        memory.sync()
        record = memory.workspace.open_index().find("tea4")
        assert record is not None
        assert record.trust == min(meant, known or "trusted", key=rank.index)


def test_an_untrusted_text_that_a_person_moves_into_another_file_stays_untrusted(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        kept = memory.retain("W @Ada: The harbour key lies under the mat.", actor="tool")
        assert kept.record is not None
        assert kept.record.trust == "untrusted"
        log = tmp_path / kept.record.source.path
        log.write_text("# 2025-11-27\n\nA quiet day.\n")
        (tmp_path / "notes.md").write_text(f"# Notes\n\n-  {kept.record.text} <!-- origin: trusted -->\n")
        moved = the(memory, "harbour key")
        assert moved.source.path == "notes.md"
        assert moved.trust == "untrusted"
        memory.rebuild()
        assert the(memory, "harbour key").trust == "untrusted"


def test_an_untrusted_text_does_not_become_trusted_by_the_id_of_a_trusted_one(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        mine = memory.retain("The harbour gate opens at nine.").record
        theirs = memory.retain("The harbour key lies under the mat.", actor="tool").record
        assert mine is not None
        assert theirs is not None
        log = tmp_path / mine.source.path
        log.write_text(f"# 2025-11-27\n\n## Retain\n\n- W {theirs.text} <!-- id: {mine.id} -->\n")
        assert the(memory, "harbour key").trust == "untrusted"
        log.write_text(f"# 2025-11-27\n\n## Retain\n\n- W {mine.text} <!-- id: {theirs.id} -->\n")
        assert the(memory, "harbour gate").trust == "untrusted"


def test_what_the_owner_says_stays_trusted_though_a_tool_said_the_same(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        theirs = memory.retain("The harbour gate opens at nine.", actor="tool").record
        mine = memory.retain("The harbour gate opens at nine.").record
        assert mine is not None
        assert theirs is not None
        found = [memory.workspace.open_index().find(record.id) for record in (mine, theirs)]
        assert [record and record.trust for record in found] == ["trusted", "untrusted"]
        assert memory.dump() == memory.workspace.dump_rebuilt_index()


def test_a_copy_of_an_untrusted_line_with_its_id_is_as_untrusted(tmp_path: Path) -> None:
    (tmp_path / "b.md").write_text("- tea <!-- id: tea4 -->\n")
    ledger(tmp_path, op="origin", record="tea4", trust="untrusted")
    with Memory.open(tmp_path) as memory:
        (tmp_path / "a.md").write_text("- coffee <!-- id: tea4 -->\n")
        assert the(memory, "tea").trust == "untrusted"
        assert the(memory, "coffee").trust == "untrusted"


def test_bad_ledger_lines_stay_listed_and_a_torn_one_until_it_is_closed(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("- tea\n")
    ledger(tmp_path, op="used", records=["x"])
    path = next((tmp_path / ".memory/journal").glob("ledger-*.jsonl"))

    def append(data: bytes) -> list[tuple[str, int]]:
        with path.open("ab") as file:
            file.write(data)
        assert memory.dump() == memory.workspace.dump_rebuilt_index()
        return [(problem.code, problem.line) for problem in memory.sync().problems]

    with Memory.open(tmp_path) as memory:
        assert append(b"") == []
        assert append(b"no line\n") == [("bad-line", 2)]
        assert append(b'{"v":1') == [("bad-line", 2), ("torn-line", 3)]
        assert append(b"\nneither\n") == [("bad-line", 2), ("bad-line", 3), ("bad-line", 4)]
        assert append(b'{"half') == [("bad-line", 2), ("bad-line", 3), ("bad-line", 4), ("torn-line", 5)]


def test_a_ledger_line_whose_writer_is_still_at_it_is_no_problem_once_it_is_whole(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("- tea\n")
    ledger(tmp_path, op="used", records=["x"])
    path = next((tmp_path / ".memory/journal").glob("ledger-*.jsonl"))
    line = encode_journal_line({"v": 1, "id": "led:x", "ts": NOW, "op": "used", "records": ["x"]}) + b"\n"
    with Memory.open(tmp_path) as memory:
        memory.sync()
        for part, expected in ((line[:20], ["torn-line"]), (line[20:], [])):
            with path.open("ab") as file:
                file.write(part)
            assert [problem.code for problem in memory.sync().problems] == expected
        assert '["usage","x",0,2]' in memory.dump()


def test_ledger_lines_of_other_make_teach_nothing_and_stop_nothing(tmp_path: Path) -> None:
    for line in (
        {"op": "moved"},
        {"op": "moved", "path": "a.md"},
        {"op": "used", "records": "tea4"},
        {"op": "included", "records": {"a": 1}},
        {"op": "origin", "record": "tea4", "trust": ["untrusted"]},
        {"op": "origin", "trust": "untrusted"},
        {"op": ["origin"]},
        {"op": "dance"},
    ):
        ledger(tmp_path, **line)
    told = collect_ledger_facts(Journal(str(tmp_path), "dev").read("ledger").entries)
    assert told == collect_ledger_facts(())
    (tmp_path / "a.md").write_text("- tea <!-- id: tea4 -->\n")
    with Memory.open(tmp_path) as memory:
        assert the(memory, "tea").trust == "trusted"


# several processes


REBUILD = """
import sys
from commonplace import Memory
with Memory.open(sys.argv[1]) as memory:
    memory.rebuild()
    memory.retain("coffee at nine")
"""


@pytest.mark.slow
def test_an_index_that_another_process_made_anew_is_noticed_and_used(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("- tea at four\n")
    with Memory.open(tmp_path) as memory:
        assert texts(memory, "tea") == ["tea at four"]
        old = memory.workspace.open_index()
        subprocess.run([sys.executable, "-c", REBUILD, str(tmp_path)], check=True)
        assert [hit.record.text for hit in memory.recall("coffee", sync=False).hits] == ["coffee at nine"]
        assert memory.workspace.open_index() is not old
        assert memory.workspace.open_index().inode == (tmp_path / ".memory/index.sqlite").stat().st_ino
        assert memory.dump() == memory.workspace.dump_rebuilt_index()


BUSY = """
import sys
from pathlib import Path
from commonplace import Memory
root, who = sys.argv[1:]
with Memory.open(root) as memory:
    for number in range(12):
        kept = memory.retain(f"sentence {number} of {who}")
        if number % 4 == 3:
            memory.rebuild()
        if number == 6:
            Path(f"{root}/.memory/index.sqlite").unlink(missing_ok=True)
        memory.recall("sentence", k=40)
        assert kept.record
"""


@pytest.mark.slow
def test_processes_that_write_rebuild_and_delete_the_index_at_once_lose_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("- tea\n" * 30)
    runs = [subprocess.Popen([sys.executable, "-c", BUSY, str(tmp_path), who]) for who in ("Ada", "Peter", "Teo")]
    assert [run.wait(timeout=60) for run in runs] == [0, 0, 0]
    with Memory.open(tmp_path) as memory:
        assert len(memory.recall("sentence", k=100).hits) == 36
        assert memory.dump() == memory.workspace.dump_rebuilt_index()
        assert memory.check().problems == ()


def test_what_one_open_memory_syncs_another_sees_without_reading_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.md").write_text("- tea at four\n")
    with Memory.open(tmp_path) as one, Memory.open(tmp_path) as other:
        one.sync()
        other.sync()
        (tmp_path / "a.md").write_text("- tea at five\n")
        one.sync()
        assert [hit.record.text for hit in other.recall("tea", sync=False).hits] == ["tea at five"]


def test_progress_is_told_for_every_changed_file(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.md").write_text("- tea\n")
    told: list[tuple[int, int]] = []
    with Memory.open(tmp_path, progress=lambda done, of: told.append((done, of))) as memory:
        memory.sync()
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_a_sync_that_fails_halfway_leaves_the_index_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.md").write_text("- tea at four\n")
    with Memory.open(tmp_path) as memory:
        before = memory.dump()
        (tmp_path / "a.md").write_text("- tea at five\n")
        with monkeypatch.context() as patch:
            patch.setattr(SqliteIndex, "reconcile", lambda _self: (_ for _ in ()).throw(apsw.FullError("disk full")))
            with pytest.raises(Exception, match="disk full"):
                memory.sync()
        assert memory.workspace.open_index().dump() == before
        assert texts(memory, "tea") == ["tea at five"]


def test_of_a_changed_file_only_the_changed_records_are_written_anew(tmp_path: Path) -> None:
    log = tmp_path / "memory/2025-11-01.md"
    log.parent.mkdir()
    log.write_text("## Retain\n- W @Ada: Tea at four.\n- W @Bruno: Coffee.\n- W Bread.\n", encoding="utf-8")
    with Memory.open(tmp_path) as memory:
        memory.sync()
        index = memory.workspace.open_index()
        before = {
            row.record.text: row.row_id for row in index.fetch(index.rows_of_file("memory/2025-11-01.md")).values()
        }
        log.write_text("## Retain\n- W Bread.\n- W Milk.\n- W @Ada: Tea at four.\n", encoding="utf-8")
        memory.sync()
        after = {
            row.record.text: row.row_id for row in index.fetch(index.rows_of_file("memory/2025-11-01.md")).values()
        }
        assert list(after) == ["Bread.", "Milk.", "@Ada: Tea at four."]
        assert (after["Bread."], after["@Ada: Tea at four."]) == (before["Bread."], before["@Ada: Tea at four."])
        assert after["Milk."] not in before.values()
        assert memory.recall("coffee", now="2025-11-30T09:00").hits == ()
        assert memory.dump() == memory.workspace.dump_rebuilt_index()


def test_a_changed_title_changes_every_record_below_it(tmp_path: Path) -> None:
    page = tmp_path / "bank/entities/Ada.md"
    page.parent.mkdir(parents=True)
    page.write_text("# Ada\n\nWrote the first program.\n", encoding="utf-8")
    with Memory.open(tmp_path) as memory:
        memory.sync()
        page.write_text("# Countess\n\nWrote the first program.\n", encoding="utf-8")
        memory.sync()
        assert memory.dump() == memory.workspace.dump_rebuilt_index()
        page.write_text("---\naliases: [Ada Lovelace]\n---\n# Countess\n\nWrote the first program.\n", encoding="utf-8")
        memory.sync()
        assert memory.dump() == memory.workspace.dump_rebuilt_index()


def test_an_edit_of_the_page_of_an_entity_leaves_all_other_files_as_they_were_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commonplace.sync.change_plan, "RACY_NS", -1_000_000_000_000)  # no file is read again in doubt
    monkeypatch.setattr(commonplace.sync.change_plan, "COARSE_NS", -1_000_000_000_000)
    page = tmp_path / "bank" / "entities" / "lena.md"
    page.parent.mkdir(parents=True)
    page.write_text("---\naliases: [Leni]\n---\n# Lena Maier\n\n- teaches physics\n")
    (tmp_path / "a.md").write_text("- tea at four\n")
    with Memory.open(tmp_path) as memory:
        memory.sync()
        assert memory.recall("Leni").hits
        for line in ("plays chess", "plays the piano"):
            page.write_text(f"{page.read_text()}- {line}\n")
            assert [change.path for change in memory.sync(force=True).changes] == ["bank/entities/lena.md"]
            (tmp_path / "a.md").write_text(f"- tea for {line}\n")
            assert [change.path for change in memory.sync(force=True).changes] == ["a.md"]
        page.write_text(page.read_text().replace("Leni", "Leni, Lene"))
        assert {change.path for change in memory.sync(force=True).changes} == {"a.md", "bank/entities/lena.md"}
