"""The sweep that is asked for again and again: not repeated while Linux tells of no change, and right all the same."""

from __future__ import annotations

import errno
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from commonplace import Memory
from commonplace.errors import WorkspaceNotFound, WorkspaceUnusable
from commonplace.index.store import SqliteIndex
from commonplace.storage import files
from commonplace.storage.files import inotify
from commonplace.storage.journal import JOURNAL_FOLDER, Journal
from commonplace.storage.tombstones import TOMBSTONE_FOLDER
from commonplace.storage.workspace import sweep
from commonplace.storage.workspace.sweep import (
    MAX_UNVERIFIED_S,
    SWEEPS_BEFORE_WATCHING,
    WATCH_RETRY_S,
    IncrementalSweep,
    sweep_files,
)
from tests.support.sweeps import OPERATIONS, Clock, Sweeps, again, settle

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"),
    reason="inotify is a part of Linux; on other systems every question sweeps the files, which test_sweep.py is about",
)


@pytest.fixture
def kept(tmp_path: Path, clock: Clock, sweeps: Sweeps) -> Iterator[IncrementalSweep]:
    """A lookout over two folders whose last sweep stands."""
    root = tmp_path / "kept"
    for path in ("a.md", "x/b.md", "x/y/c.md"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(path)
    kept = IncrementalSweep(str(root))
    settle(kept, sweeps)
    yield kept
    kept.close()


def test_what_stands_is_not_swept_again_and_a_few_questions_watch_nothing(
    tmp_path: Path, clock: Clock, sweeps: Sweeps, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched: list[int] = []
    whole = inotify.FolderWatcher.watch
    monkeypatch.setattr(inotify.FolderWatcher, "watch", lambda self, folders: watched.append(1) or whole(self, folders))
    kept = IncrementalSweep(str(tmp_path))
    for _time in range(SWEEPS_BEFORE_WATCHING):
        kept.sweep()
    assert (sweeps.done, len(watched)) == (SWEEPS_BEFORE_WATCHING, 0)
    settle(kept, sweeps)
    assert watched
    kept.close()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_whatever_happens_to_files_and_folders_the_lookout_says_what_a_sweep_says(
    tmp_path: Path, clock: Clock, seed: int
) -> None:
    rng, kept, changed, stood = random.Random(seed), IncrementalSweep(str(tmp_path)), 0, 0
    for _time in range(600):
        before = kept.sweep()
        try:
            rng.choice(OPERATIONS)(tmp_path, rng)
            if rng.random() < 0.3:  # and what follows at once
                rng.choice(OPERATIONS)(tmp_path, rng)
        except OSError:
            pass  # there was no such file, or there was one already
        now = kept.sweep()
        assert now == sweep_files(str(tmp_path))
        changed += now != before
        stood += kept.sweep() is kept.sweep()
    assert changed > 20
    assert stood > 20
    kept.close()


@pytest.mark.slow
def test_a_change_by_another_process_is_seen_at_once(kept: IncrementalSweep, tmp_path: Path) -> None:
    for number in range(100):
        command = f"echo {number} > b.new; mv b.new b.md" if number % 2 else f"echo {number} >> b.md"
        subprocess.run(["sh", "-c", command], cwd=tmp_path / "kept/x", check=True)
        assert kept.sweep() == sweep_files(str(tmp_path / "kept"))


def test_a_folder_that_took_the_place_of_another_is_watched_too(
    kept: IncrementalSweep, tmp_path: Path, sweeps: Sweeps
) -> None:
    again(tmp_path / "kept/x/y")
    assert "x/y/a.md" in kept.sweep().files
    settle(kept, sweeps)
    (tmp_path / "kept/x/y/d.md").write_text("d")
    assert "x/y/d.md" in kept.sweep().files


def test_a_file_with_two_names_is_looked_at_each_time(kept: IncrementalSweep, tmp_path: Path, clock: Clock) -> None:
    (tmp_path / "elsewhere").hardlink_to(tmp_path / "kept/a.md")
    clock.now += MAX_UNVERIFIED_S
    kept.sweep()
    (tmp_path / "elsewhere").write_text("written under the other name")
    assert kept.sweep() == sweep_files(str(tmp_path / "kept"))


def test_a_workspace_that_is_moved_away_with_the_folder_above_it_is_missed(
    kept: IncrementalSweep, tmp_path: Path
) -> None:
    tmp_path.rename(tmp_path.with_name("away"))
    with pytest.raises(WorkspaceNotFound):
        kept.sweep()
    tmp_path.with_name("away").rename(tmp_path)


def test_after_a_while_the_files_are_looked_at_whatever_the_system_says(
    kept: IncrementalSweep, clock: Clock, sweeps: Sweeps
) -> None:
    done = sweeps.done
    clock.now += MAX_UNVERIFIED_S
    kept.sweep()
    assert sweeps.done == done + 1
    kept.sweep()
    assert sweeps.done == done + 1


def test_disks_that_others_write_to_are_not_trusted_to_tell(
    tmp_path: Path, clock: Clock, sweeps: Sweeps, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inotify, "LOCAL_FILESYSTEMS", frozenset({"nfs"}))
    kept = IncrementalSweep(str(tmp_path))
    for _time in range(SWEEPS_BEFORE_WATCHING + 5):
        kept.sweep()
    assert sweeps.done == SWEEPS_BEFORE_WATCHING + 5


@pytest.mark.parametrize(("flags", "value"), [("INIT_FLAGS", 1), ("WATCHED_EVENTS", 0)])
def test_where_the_system_watches_no_more_the_files_are_looked_at(
    flags: str, value: int, tmp_path: Path, clock: Clock, sweeps: Sweeps, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = IncrementalSweep(str(tmp_path))
    with monkeypatch.context() as limited:
        limited.setattr(inotify, flags, value)  # no such flags: refused, as where there are too many watches
        for _time in range(SWEEPS_BEFORE_WATCHING + 5):
            kept.sweep()
        assert sweeps.done == SWEEPS_BEFORE_WATCHING + 5
    clock.now += MAX_UNVERIFIED_S
    for _time in range(5):
        kept.sweep()
    assert sweeps.done == SWEEPS_BEFORE_WATCHING + 10, "asked again at once"
    clock.now += WATCH_RETRY_S
    settle(kept, sweeps)
    kept.close()


def test_a_python_that_cannot_call_the_c_library_looks_at_the_files(
    tmp_path: Path, sweeps: Sweeps, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ctypes", None)
    kept = IncrementalSweep(str(tmp_path))
    for _time in range(SWEEPS_BEFORE_WATCHING + 5):
        kept.sweep()
    assert sweeps.done == SWEEPS_BEFORE_WATCHING + 5


class NoDescriptors:
    """Finds a module but cannot open its file."""

    def find_spec(self, name: str, *_where: object) -> None:
        if name == inotify.__name__:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))


def test_a_process_without_descriptors_to_spare_looks_at_the_files(
    tmp_path: Path, sweeps: Sweeps, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, inotify.__name__)
    monkeypatch.delattr(files, "FolderWatcher", raising=False)  # it is imported when it is first asked for
    monkeypatch.setattr(sys, "meta_path", [NoDescriptors(), *sys.meta_path])
    kept = IncrementalSweep(str(tmp_path))
    for _time in range(SWEEPS_BEFORE_WATCHING + 5):
        kept.sweep()
    assert sweeps.done == SWEEPS_BEFORE_WATCHING + 5


def mounted(monkeypatch: pytest.MonkeyPatch, path: Path, change: Callable[[str], str]) -> None:
    """Let the system tell of its mounts in other words."""
    path.write_text(change(Path(inotify.MOUNT_TABLE).read_text()))
    monkeypatch.setattr(inotify, "MOUNT_TABLE", str(path))


def test_folders_are_watched_whose_device_no_mount_has_as_those_of_btrfs(
    tmp_path: Path, clock: Clock, sweeps: Sweeps, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounted(monkeypatch, tmp_path / "mounts", lambda told: re.sub(r" \d+:\d+ ", " 0:999999 ", told))
    kept = IncrementalSweep(str(tmp_path))
    settle(kept, sweeps)
    kept.close()


def test_where_a_file_is_mounted_the_files_are_looked_at(
    tmp_path: Path, clock: Clock, sweeps: Sweeps, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "with space"
    root.mkdir()
    point = str(root / "a.md").replace(" ", r"\040")
    mounted(monkeypatch, tmp_path / "mounts", lambda told: f"{told}9999 1 8:1 /b.md {point} rw - ext4 /dev/sda1 rw\n")
    kept = IncrementalSweep(str(root))
    for _time in range(SWEEPS_BEFORE_WATCHING + 5):
        kept.sweep()
    assert sweeps.done == SWEEPS_BEFORE_WATCHING + 5


def test_folders_come_and_go_under_the_same_notices_and_none_is_watched_that_went_elsewhere(
    kept: IncrementalSweep, tmp_path: Path, sweeps: Sweeps
) -> None:
    first = kept._notices
    assert first is not None
    for number in range(4):
        (tmp_path / f"kept/new{number}").mkdir()
        settle(kept, sweeps)
        (tmp_path / "kept/x/y").rename(tmp_path / f"away{number}")
        (tmp_path / "kept/x/y").mkdir()
        settle(kept, sweeps)
    assert kept._notices is first
    told = Path(f"{inotify.DESCRIPTOR_INFO}/{first._descriptor}").read_text()
    assert told.count("inotify wd:") == len(kept.sweep().folders) == 7


def break_off(*_asked: object) -> None:
    raise KeyboardInterrupt


def test_a_change_is_not_forgotten_with_a_question_that_was_broken_off(
    kept: IncrementalSweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kept/new.md").write_text("new")
    with monkeypatch.context() as broken:
        broken.setattr(sweep, "refresh_sweep", break_off)
        with pytest.raises(KeyboardInterrupt):
            kept.sweep()
    assert "new.md" in kept.sweep().files


def test_it_is_told_whether_all_folders_that_are_to_be_watched_are_there(tmp_path: Path) -> None:
    told = inotify.FolderWatcher()
    (tmp_path / "file").touch()
    assert told.watch({f"{tmp_path}/"})
    assert not told.watch({f"{tmp_path}/", f"{tmp_path}/gone/"})
    assert not told.watch({f"{tmp_path}/", f"{tmp_path}/file/"})
    told.close()


def test_a_folder_that_could_not_be_read_for_want_of_descriptors_is_looked_at_again(
    kept: IncrementalSweep, tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, entries = kept.sweep(), files.scan_folder

    def scarce(path: str) -> AbstractContextManager[Iterator[os.DirEntry[str]]]:
        if path.endswith("/y/"):
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return entries(path)

    clock.now += MAX_UNVERIFIED_S
    with monkeypatch.context() as busy:
        busy.setattr(files, "scan_folder", scarce)
        with pytest.raises(WorkspaceUnusable):
            kept.sweep()
    assert kept.sweep() == whole


def test_a_memory_that_is_asked_often_sweeps_seldom_sees_every_edit_and_lets_go(
    tmp_path: Path, clock: Clock, sweeps: Sweeps
) -> None:
    (tmp_path / "a.md").write_text("- The lighthouse keeper is called Ana.\n")
    (tmp_path / "b.md").touch()
    before = len(os.listdir("/proc/self/fd"))
    with Memory.open(tmp_path) as memory:
        for number in range(20):
            (tmp_path / "b.md").write_text(f"- The ferry leaves from pier{number}x today.\n")
            clock.now += MAX_UNVERIFIED_S / 4
            for _time in range(5):
                assert [hit.record.text for hit in memory.recall(f"pier{number}x").hits][:1] == [
                    f"The ferry leaves from pier{number}x today."
                ]
    assert 20 / 4 <= sweeps.done <= 20 / 4 + SWEEPS_BEFORE_WATCHING + 2  # of 100 questions
    assert len(os.listdir("/proc/self/fd")) <= before


def test_a_question_while_nothing_happens_lists_the_journals_once_and_reads_no_mark_of_them(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed, read = list[str](), list[str]()
    sizes, recalled = files.list_file_sizes, SqliteIndex.get_meta
    monkeypatch.setattr("time.time_ns", lambda: 4 * 10**18)  # no file changed a moment ago: stamps are relied on
    with Memory.open(tmp_path) as memory:
        memory.retain("W The ferry leaves from the north pier.")
        for _time in range(SWEEPS_BEFORE_WATCHING + 3):
            memory.recall("where does the ferry leave from?")
        ours = str(tmp_path)  # threads of tests before this may have workspaces of their own
        monkeypatch.setattr(
            files, "list_file_sizes", lambda at, of: (at == ours and listed.append(of)) or sizes(at, of)
        )
        monkeypatch.setattr(
            SqliteIndex, "get_meta", lambda index, key: (key != "aliases" and read.append(key)) or recalled(index, key)
        )
        assert all(memory.recall("where does the ferry leave from?").hits for _time in range(3))
        assert (listed, read) == ([TOMBSTONE_FOLDER, JOURNAL_FOLDER] * 3, [])
        clock.now += MAX_UNVERIFIED_S
        memory.recall("where does the ferry leave from?")
        assert listed == [TOMBSTONE_FOLDER, JOURNAL_FOLDER] * 4


def test_what_another_process_adds_to_a_journal_is_found_though_no_file_changed(tmp_path: Path, clock: Clock) -> None:
    said = {"ts": "2025-11-03T09:00", "actor": "owner", "origin": "trusted"}
    Journal(str(tmp_path), "laptop").append({**said, "text": "The ferry has a green funnel."}, "captures")
    with Memory.open(tmp_path) as memory:
        for _time in range(SWEEPS_BEFORE_WATCHING + 3):
            assert [hit.record.text for hit in memory.recall("ferry").hits] == ["The ferry has a green funnel."]
        Journal(str(tmp_path), "laptop").append({**said, "text": "The ferry leaves at noon."}, "captures")
        assert len(memory.recall("ferry").hits) == 2
        with Memory.open(tmp_path) as other:
            Journal(str(tmp_path), "phone").append({**said, "text": "The ferry comes back at dusk."}, "captures")
            assert len(other.recall("ferry").hits) == 3
        assert len(memory.recall("ferry").hits) == 3
