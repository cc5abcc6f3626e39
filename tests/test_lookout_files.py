"""The look at those files alone to which something happened: right whatever that was, and whole where it must be."""

from __future__ import annotations

import os
import random
import shutil
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from commonplace import Memory
from commonplace.errors import CommonplaceError
from commonplace.storage import files
from commonplace.storage.files import inotify
from commonplace.storage.files.atomic_replace import exchange_names
from commonplace.storage.workspace import sweep
from commonplace.storage.workspace.sweep import MAX_UNVERIFIED_S, IncrementalSweep, Sweep, refresh_sweep, sweep_files
from commonplace.sync import synchronizer
from tests.support.sweeps import OPERATIONS, Clock, Sweeps, again, append, file, folder, settle

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is a part of Linux")

IGNORE = ("*/b.md", "w/v")
Rng = random.Random


def outside(root: Path) -> Path:
    """A folder beside the workspace, on the same disk."""
    beside = root.with_name("beside")
    beside.mkdir(exist_ok=True)
    return beside


def name_in(root: Path, rng: Rng) -> Path:
    """A name, mostly of a Markdown file, of which some are in other letters, hidden, ignored or nobody's."""
    names = ("a.md", "b.md", "c.txt", "A.md", ".t.tmp", "d.md", "l.md", "l")
    return rng.choice((root, folder(root, rng))) / rng.choice(names)


def second_name(root: Path, rng: Rng) -> Path:
    """A second name of a file, in a folder that is watched: of others nobody is told."""
    second = root / rng.choice(("x", "x/y", "w")) / rng.choice(("t.txt", "t.md", ".t"))
    second.hardlink_to(name_in(root, rng))
    return second


def through_a_second_name(root: Path, rng: Rng, leave: Callable[[Path], object]) -> None:
    """Change a file under a second name that is gone before anybody looks."""
    second = second_name(root, rng)
    append(second)
    leave(second)


def saved_by_vim(path: Path) -> None:
    """The old version gets another name, the new one is written, the old one is removed."""
    kept = path.with_name(f"{path.name}~")
    path.rename(kept)
    path.write_text("saved")
    kept.unlink()


def saved_by_sed(path: Path, name: str = "sedaX2") -> None:
    """A new file takes the place of the old one."""
    path.with_name(name).write_text("edited")
    path.with_name(name).replace(path)


def exchanged(root: Path, rng: Rng) -> None:
    one, other = folder(root, rng), folder(root, rng)
    names = [rng.choice(("a.md", "c.txt", "l")) for _time in range(2)]
    if one == other:
        descriptor = os.open(one, os.O_RDONLY)
        try:
            exchange_names(descriptor, *names)
        except files.ConcurrentChange:
            pass
        finally:
            os.close(descriptor)


def written_by_us(root: Path, rng: Rng) -> None:
    path = file(root, rng)
    believed = files.content_digest(path.read_bytes()) if rng.random() < 0.7 else ""
    files.write_atomic(
        str(root), str(path.relative_to(root)), rng.randbytes(4), expected_digest=believed, durable=False
    )


def put_in_place_of_the_other_kind(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
        path.write_text("now a file")
    else:
        path.unlink()
        path.mkdir()
        (path / "a.md").write_text("now in a folder")


def socket_at(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(path))


def linked(path: Path, target: Path) -> None:
    """A link in place of whatever link was there."""
    if path.is_symlink():
        path.unlink()
    path.symlink_to(target)


HARD_LINK = 10  # of OPERATIONS; its second names may be where nobody watches
MORE: tuple[Callable[[Path, Rng], object], ...] = (
    lambda root, rng: through_a_second_name(root, rng, Path.unlink),
    lambda root, rng: through_a_second_name(root, rng, lambda second: second.replace(outside(root) / "away")),
    lambda root, rng: through_a_second_name(root, rng, lambda second: (root / "c.txt").replace(second)),
    lambda root, rng: through_a_second_name(root, rng, lambda second: saved_by_sed(second)),
    lambda root, rng: through_a_second_name(root, rng, lambda second: second.replace(name_in(root, rng))),
    lambda root, rng: second_name(root, rng),
    lambda root, rng: name_in(root, rng).unlink(),
    lambda root, rng: name_in(root, rng).replace(outside(root) / "away"),
    lambda root, rng: (outside(root) / "away").replace(name_in(root, rng)),
    lambda root, rng: folder(root, rng).rename(outside(root) / "folder"),
    lambda root, rng: (outside(root) / "folder").rename(folder(root, rng)),
    lambda root, rng: name_in(root, rng).replace(name_in(root, rng)),
    lambda root, rng: exchanged(root, rng),
    lambda root, rng: written_by_us(root, rng),
    lambda root, rng: files.create_file(str(root), f"x/{rng.choice('abcd')}.md", b"made"),
    lambda root, rng: saved_by_vim(name_in(root, rng)),
    lambda root, rng: saved_by_sed(name_in(root, rng)),
    lambda root, rng: saved_by_sed(name_in(root, rng), ".sed.tmp"),
    lambda root, rng: (name_in(root, rng).with_name("4913").touch(), name_in(root, rng).with_name("4913").unlink()),
    lambda root, rng: put_in_place_of_the_other_kind(name_in(root, rng)),
    lambda root, rng: linked(name_in(root, rng), Path(rng.choice(("a.md", "x", "../x", ".s/y", "/etc", "nowhere")))),
    lambda root, rng: linked(root / ".s", rng.choice((root / "x", outside(root)))),
    lambda root, _rng: linked(root / "x/l", Path("../.s")),
    lambda root, rng: name_in(root, rng).rename(root / "x/A.MD"),
    lambda root, _rng: (root / "x/A.MD").rename(root / "x/a.md"),
    lambda root, _rng: Path(os.fsdecode(os.fsencode(root) + b"/x/\xff.md")).touch(),
    lambda root, rng: Path(os.fsdecode(os.fsencode(root) + b"/x/\xff.md")).rename(name_in(root, rng)),
    lambda root, rng: socket_at(name_in(root, rng)),
    lambda root, rng: name_in(root, rng).unlink(),
    lambda root, rng: append(name_in(root, rng)),
    lambda root, rng: name_in(root, rng).write_text("w"),
)


@pytest.mark.slow
@pytest.mark.parametrize("ignore", [(), IGNORE])
@pytest.mark.parametrize("seed", range(3))
def test_whatever_happens_to_names_it_is_seen_as_by_a_sweep(
    tmp_path: Path, clock: Clock, seed: int, ignore: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    alone: list[bool] = []

    def counted(*asked: object) -> Sweep | None:
        found = refresh_sweep(*asked)  # type: ignore[arg-type]
        alone.append(found is not None and found is not asked[1])
        return found

    monkeypatch.setattr(sweep, "refresh_sweep", counted)
    root, rng = tmp_path / "kept", Rng(seed)
    for path in ("x/y", "w/v"):
        (root / path).mkdir(parents=True)
        (root / path / "a.md").write_text(path)
    operations = (*OPERATIONS[:HARD_LINK], *OPERATIONS[HARD_LINK + 1 :], *MORE)
    kept, changed = IncrementalSweep(str(root), ignore), 0
    for _time in range(600):
        before = kept.sweep()
        for operation in rng.choices(operations, k=rng.choice((1, 1, 1, 2, 3, 4))):
            with suppress(OSError, shutil.Error, CommonplaceError):  # there is no such file, or there is one
                operation(root, rng)
        now, whole = kept.sweep(), sweep_files(str(root), ignore)
        assert now == whole
        assert list(now.files) == list(whole.files)
        changed += now != before
        if rng.random() < 0.2:  # begin anew, so that links and the like do not pile up
            shutil.rmtree(root, ignore_errors=True)
            for path in ("x/y", "w/v"):
                (root / path).mkdir(parents=True)
                (root / path / "a.md").write_text(path)
            for _again in range(3):
                kept.sweep()
    assert changed > 150
    assert sum(alone) > 20
    kept.close()


@pytest.fixture
def kept(tmp_path: Path, clock: Clock, sweeps: Sweeps) -> IncrementalSweep:
    """A lookout over two folders whose last sweep stands."""
    root = tmp_path / "kept"
    for path in ("a.md", "x/b.md", "x/c.txt", "w/d.md"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(path)
    kept = IncrementalSweep(str(root))
    settle(kept, sweeps)
    return kept


ALONE: dict[str, Callable[[Path], object]] = {
    "a line more": lambda root: append(root / "x/b.md"),
    "a new file": lambda root: (root / "x/new.md").write_text("new"),
    "a file that goes": lambda root: (root / "x/b.md").unlink(),
    "a file renamed in its folder": lambda root: (root / "x/b.md").rename(root / "x/B.md"),
    "a file moved to another folder": lambda root: (root / "x/b.md").rename(root / "w/b.md"),
    "a file moved in": lambda root: (made(outside(root) / "in.md")).rename(root / "x/in.md"),
    "a file moved away": lambda root: (root / "x/b.md").rename(outside(root) / "b.md"),
    "changes in two folders": lambda root: (append(root / "x/b.md"), append(root / "w/d.md")),
    "a file of another kind": lambda root: append(root / "x/c.txt"),
    "a file that becomes a note": lambda root: (root / "x/c.txt").rename(root / "x/c.md"),
    "a hidden file": lambda root: (root / "x/.b.md").write_text("hidden"),
    "a version that takes the place of another": lambda root: saved_by_sed(root / "x/b.md"),
    "a version that is written while the old one is kept": lambda root: saved_by_vim(root / "x/b.md"),
    "other permissions": lambda root: (root / "x/b.md").chmod(0o600),
    "another time": lambda root: os.utime(root / "x/b.md", ns=(1, 1)),
    "what we write": lambda root: files.write_atomic(
        str(root), "x/b.md", b"ours", expected_digest=files.content_digest(b"x/b.md"), durable=False
    ),
    "what we create": lambda root: files.create_file(str(root), "x/new.md", b"ours"),
}
WHOLE: dict[str, Callable[[Path], object]] = {
    "a new folder": lambda root: (root / "z").mkdir(),
    "a folder that goes": lambda root: shutil.rmtree(root / "x"),
    "a folder renamed into place": lambda root: (root / "w").rename(root / "z"),
    "a folder in place of another": lambda root: again(root / "x"),
    "a folder of other permissions": lambda root: (root / "x").chmod(0o700),
    "a file in place of a folder": lambda root: put_in_place_of_the_other_kind(root / "x"),
    "a folder in place of a file": lambda root: put_in_place_of_the_other_kind(root / "x/b.md"),
    "a linked file": lambda root: (root / "x/l.md").symlink_to("b.md"),
    "a linked folder": lambda root: (root / "x/l").symlink_to("../w"),
    "a hidden link": lambda root: (root / "x/.l").symlink_to("../w"),
    "a link in place of a file": lambda root: (made(root / "x/b.md").unlink(), (root / "x/b.md").symlink_to("/etc")),
    "a second name": lambda root: (root / "x/second.txt").hardlink_to(root / "a.md"),
    "a second name that is gone": lambda root: (
        (root / "x/second.txt").hardlink_to(root / "a.md"),
        append(root / "x/second.txt"),
        (root / "x/second.txt").unlink(),
    ),
    "a second name that is moved away": lambda root: (
        (root / "x/second.txt").hardlink_to(root / "a.md"),
        append(root / "x/second.txt"),
        (root / "x/second.txt").rename(outside(root) / "second"),
    ),
    "a second name that is replaced": lambda root: (
        (root / "x/second.txt").hardlink_to(root / "a.md"),
        append(root / "x/second.txt"),
        (root / "x/c.txt").replace(root / "x/second.txt"),
    ),
    "a second name that moves before it goes": lambda root: (
        (root / "x/second.txt").hardlink_to(root / "a.md"),
        append(root / "x/second.txt"),
        (root / "x/second.txt").rename(root / "w/second.txt"),
        (root / "w/second.txt").unlink(),
    ),
    "a second name from outside that is gone": lambda root: (
        (outside(root) / "second").hardlink_to(root / "a.md"),
        (outside(root) / "second").rename(root / "x/second.txt"),
        append(root / "x/second.txt"),
        (root / "x/second.txt").unlink(),
    ),
    "a pipe": lambda root: os.mkfifo(root / "x/pipe.md"),
    "a name that is not UTF-8": lambda root: Path(os.fsdecode(os.fsencode(root) + b"/x/\xff.md")).touch(),
    "very many changes": lambda root: [(root / f"x/{number}.txt").touch() for number in range(3_000)],
}


def made(path: Path) -> Path:
    path.touch()
    return path


@pytest.mark.parametrize("happening", ALONE)
def test_where_something_happened_to_files_alone_no_other_is_looked_at(
    happening: str, kept: IncrementalSweep, tmp_path: Path, sweeps: Sweeps
) -> None:
    outside(tmp_path / "kept")
    done = sweeps.done
    ALONE[happening](tmp_path / "kept")
    assert kept.sweep() == sweep_files(str(tmp_path / "kept"))
    assert kept.sweep() is kept.sweep()
    assert sweeps.done == done
    kept.close()


@pytest.mark.slow
@pytest.mark.parametrize("happening", WHOLE)
def test_where_it_may_matter_to_others_all_are_looked_at(
    happening: str, kept: IncrementalSweep, tmp_path: Path, sweeps: Sweeps
) -> None:
    outside(tmp_path / "kept")
    done = sweeps.done
    WHOLE[happening](tmp_path / "kept")
    assert kept.sweep() == sweep_files(str(tmp_path / "kept"))
    assert sweeps.done == done + 1
    kept.close()


def test_a_link_is_judged_anew_where_another_through_which_it_leads_is_changed(
    kept: IncrementalSweep, tmp_path: Path, clock: Clock
) -> None:
    root = tmp_path / "kept"
    (root / ".s").symlink_to(root / "x")
    (root / "w/l").symlink_to("../.s")
    for _time in range(3):
        clock.now += MAX_UNVERIFIED_S
        assert not kept.sweep().problems
    (root / ".s").unlink()
    assert kept.sweep() == sweep_files(str(root))
    (root / ".s").symlink_to(outside(root))
    for _time in range(3):
        assert [problem.code for problem in kept.sweep().problems] == ["symlink-outside"]
    (root / ".s").unlink()
    assert not kept.sweep().problems
    kept.close()


def test_a_link_is_judged_anew_where_one_through_which_it_leads_goes_that_was_no_problem_itself(
    kept: IncrementalSweep, tmp_path: Path, clock: Clock
) -> None:
    root = tmp_path / "kept"
    made(outside(root) / "file")
    (root / "s").symlink_to(outside(root) / "file")
    (root / "l.md").symlink_to("s")
    for _time in range(3):
        clock.now += MAX_UNVERIFIED_S
        assert [problem.path for problem in kept.sweep().problems] == ["l.md"]
    (root / "s").unlink()
    assert not kept.sweep().problems
    kept.close()


def test_a_problem_goes_with_the_file_that_had_it(kept: IncrementalSweep, tmp_path: Path, clock: Clock) -> None:
    pipe = tmp_path / "kept/x/pipe.md"
    os.mkfifo(pipe)
    for _time in range(3):
        clock.now += MAX_UNVERIFIED_S
        assert [problem.code for problem in kept.sweep().problems] == ["not-a-file"]
    pipe.unlink()
    assert not kept.sweep().problems
    kept.close()


def meanwhile(monkeypatch: pytest.MonkeyPatch, happening: Callable[[], object]) -> None:
    """Let something happen while the files are looked at."""

    def busy(*asked: object) -> Sweep | None:
        happening()
        found = refresh_sweep(*asked)  # type: ignore[arg-type]
        happening()
        return found

    monkeypatch.setattr(sweep, "refresh_sweep", busy)


def test_a_file_that_is_written_while_it_is_looked_at_is_looked_at_again(
    kept: IncrementalSweep, tmp_path: Path, sweeps: Sweeps, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, done = tmp_path / "kept", sweeps.done
    append(root / "x/b.md")
    with monkeypatch.context() as busy:
        meanwhile(busy, lambda: (append(root / "x/b.md"), append(root / "w/d.md")))
        assert kept.sweep() == sweep_files(str(root))
    assert sweeps.done == done + 1
    kept.close()


def test_what_was_written_under_a_second_name_is_seen_though_that_becomes_the_name_of_another(
    kept: IncrementalSweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "kept"
    (root / "x/second.txt").hardlink_to(root / "a.md")
    append(root / "x/second.txt")
    with monkeypatch.context() as busy:
        meanwhile(busy, lambda: saved_by_sed(root / "x/second.txt"))
        assert kept.sweep() == sweep_files(str(root))
    kept.close()


def test_what_is_new_and_gone_leaves_only_a_sweep(kept: IncrementalSweep, tmp_path: Path) -> None:
    root, before = str(tmp_path / "kept"), kept.sweep()
    assert refresh_sweep(root, before, {"x/gone.txt": True}) is None
    assert refresh_sweep(root, before, {"x/gone.txt": False}) == before
    kept.close()


def test_what_was_looked_at_again_stands_no_longer_than_the_sweep_before(
    kept: IncrementalSweep, tmp_path: Path, clock: Clock, sweeps: Sweeps
) -> None:
    done = sweeps.done
    clock.now += MAX_UNVERIFIED_S * 0.75
    append(tmp_path / "kept/a.md")
    kept.sweep()
    assert sweeps.done == done
    clock.now += MAX_UNVERIFIED_S * 0.5
    append(tmp_path / "kept/a.md")
    kept.sweep()
    assert sweeps.done == done + 1
    kept.close()


def test_a_folder_that_is_seen_at_two_places_tells_of_neither(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = inotify.FolderWatcher()
    (tmp_path / "x").mkdir()
    assert told.watch([f"{tmp_path}/x/", f"{tmp_path}/x/../x/"])
    (tmp_path / "x/a.md").touch()
    assert told.read_changes() is None
    assert told.read_changes() == {}
    told.close()


@pytest.mark.parametrize(
    "happening",
    [
        lambda root: (root / "y").mkdir(),
        lambda root: (root / "x").rmdir(),
        lambda root: (root / "x").rename(root / "y"),
        lambda root: (root / "x").chmod(0o700),
    ],
)
def test_what_happens_to_a_folder_is_not_told_as_of_a_file(happening: Callable[[Path], object], tmp_path: Path) -> None:
    told = inotify.FolderWatcher()
    (tmp_path / "x").mkdir()
    assert told.watch([f"{tmp_path}/"])
    happening(tmp_path)
    assert told.read_changes() is None
    told.close()


@pytest.mark.slow
def test_notices_that_were_lost_are_not_taken_for_few(kept: IncrementalSweep, tmp_path: Path, sweeps: Sweeps) -> None:
    root, most = tmp_path / "kept", int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    for number in range(most):
        os.utime(root / ("x/c.txt" if number % 2 else "a.md"), ns=(number, number))
    append(root / "w/d.md")
    for _time in range(2):
        assert kept.sweep() == sweep_files(str(root))
    kept.close()


def test_a_sync_looks_at_what_was_told_of_and_a_forced_one_at_all(
    tmp_path: Path, clock: Clock, sweeps: Sweeps, monkeypatch: pytest.MonkeyPatch
) -> None:
    forced: list[object] = []
    monkeypatch.setattr(synchronizer, "sweep_files", lambda *asked: forced.append(1) or sweep_files(*asked))
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text(f"- The keeper of {name} is called Ana.\n")
    with Memory.open(tmp_path) as memory:
        for _time in range(6):
            memory.sync()
        done, first = sweeps.done, len(forced)
        append(tmp_path / "b.md")
        assert [change.path for change in memory.sync().changes] == ["b.md"]
        assert (sweeps.done, len(forced)) == (done, first)
        memory.sync(force=True)
        assert not memory.sync(dry_run=True).changes
        assert (sweeps.done, len(forced)) == (done, first + 2)


def test_a_problem_is_told_where_there_is_no_file_at_all(tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("- tea\n")
    (tmp_path / "empty").mkdir()
    with Memory.open(tmp_path / "empty") as memory:
        memory.sync()
        memory.sync()
        (tmp_path / "empty" / "link.md").symlink_to(outside)
        memory.sync()
        assert [problem.code for problem in memory.workspace.open_index().problems()] == ["symlink-outside"]
