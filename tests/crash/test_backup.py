"""Killed at any call, a restore leaves nothing or all, and a backup leaves the earlier snapshots; the next run is whole."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from commonplace import Memory
from crash.bases import lived_in
from crash.orders import Trip, Way
from crash.points import HALVED
from crash.stage import Stage
from crash.trials import points, sample_points

WAYS: tuple[Way, ...] = ("kill-before", "kill-half", "kill-after")
SAMPLE = 6  # points of a command
OWN = ("index.sqlite", "key", "locks", "doing", "backups.json")


def trips(calls: tuple[str, ...], command: str, *, whole: bool) -> list[Trip]:
    """Where the command dies: at each call that changes the disk, or at some of them."""
    changing = points(calls, without=("read-open",))
    chosen = changing if whole else sample_points(changing, SAMPLE, command)
    return [Trip(way, *point) for point in chosen for way in WAYS if way != "kill-half" or point[0] in HALVED]


def tree(root: Path) -> dict[str, bytes]:
    """The files that must come back."""
    own = tuple(f".memory/{name}" for name in OWN)
    found = {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if not name.startswith(own)}


@pytest.mark.slow
def test_a_restore_that_is_killed_leaves_nothing_or_all_and_the_next_one_ends_it(
    stage: Stage, tmp_path: Path, whole: bool
) -> None:
    lived_in(stage, tmp_path / "notes")
    assert stage.run(tmp_path / "notes", ("backup", str(tmp_path / "copies"))).codes == (0,)
    command = ("restore", str(tmp_path / "copies"), str(tmp_path / "again"))
    undisturbed = stage.run(tmp_path / "notes", command)
    assert undisturbed.codes == (0,)
    expected = tree(tmp_path / "notes")
    killed = 0
    for trip in trips(undisturbed.calls, "restore", whole=whole):
        shutil.rmtree(tmp_path / "again", ignore_errors=True)
        outcome = stage.run(tmp_path / "notes", command, trip=trip)
        killed += outcome.died
        if (tmp_path / "again").exists():
            assert tree(tmp_path / "again") == expected, trip
            continue
        assert stage.run(tmp_path / "notes", command).codes == (0,), trip
        assert tree(tmp_path / "again") == expected, trip
        assert sorted(os.listdir(tmp_path)) == ["again", "copies", "notes"], trip
    assert killed > 0
    print(f"\nrestore: killed at {killed} points")  # noqa: T201 - for who runs with -s


@pytest.mark.slow
def test_a_backup_that_is_killed_leaves_the_earlier_snapshots_and_the_next_one_is_whole(
    stage: Stage, tmp_path: Path, whole: bool
) -> None:
    lived_in(stage, tmp_path / "notes")
    assert stage.run(tmp_path / "notes", ("backup", str(tmp_path / "first"))).codes == (0,)
    (tmp_path / "notes/new.md").write_text("A new line.\n", encoding="utf-8")
    command = ("backup", str(tmp_path / "copies"))
    shutil.copytree(tmp_path / "first", tmp_path / "copies")
    undisturbed = stage.run(tmp_path / "notes", command)
    killed = 0
    for trip in trips(undisturbed.calls, "backup", whole=whole):
        shutil.rmtree(tmp_path / "copies")
        shutil.rmtree(tmp_path / "again", ignore_errors=True)
        shutil.copytree(tmp_path / "first", tmp_path / "copies")
        killed += stage.run(tmp_path / "notes", command, trip=trip).died
        assert Memory.verify_backup(str(tmp_path / "copies")).problems == (), trip
        assert stage.run(tmp_path / "notes", command).codes == (0,), trip
        assert Memory.verify_backup(str(tmp_path / "copies")).problems == (), trip
        Memory.restore(str(tmp_path / "copies"), str(tmp_path / "again"))
        assert tree(tmp_path / "again") == tree(tmp_path / "notes"), trip
        assert [*tmp_path.rglob(".*.tmp")] == [], trip
    assert killed > 0
    print(f"\nbackup: killed at {killed} points")  # noqa: T201 - for who runs with -s
