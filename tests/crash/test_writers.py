"""Many at one day's log: writers, readers, and an editor that knows no locks; every line is there, once."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from commonplace.storage import files
from commonplace.storage.files import atomic_replace
from commonplace.storage.workspace.edits import update_file
from crash.bases import DAY, Bases
from crash.crowd import started, told
from crash.deeds import LOOPED
from crash.stage import Stage
from crash.verdict import judge

LIMIT_S = 600


@pytest.mark.slow
def test_writers_readers_and_an_editor_lose_nothing_of_each_other(
    stage: Stage, bases: Bases, tmp_path: Path, whole: bool
) -> None:
    writers, turns, readers, edits = (8, 125, 4, 50) if whole else (4, 25, 2, 10)
    before = stage.look(bases.copy(LOOPED, tmp_path / "before"))
    root = bases.copy(LOOPED, tmp_path / "root")
    crowd = [
        *(started("write", root, number, turns) for number in range(writers)),
        *(started("read", root, number, 30) for number in range(readers)),
        started("edit", root, 0, edits),
    ]
    begun = time.perf_counter()
    for one in crowd:
        assert one.stdin is not None
        one.stdin.write("begin\n")
        one.stdin.flush()
    heard = [told(one, LIMIT_S) for one in crowd]
    took = time.perf_counter() - begun
    kept = [line for lines in heard[:writers] for line in lines]
    ids = [line["id"] for line in kept]
    seen = stage.look(root)
    page = seen.markdown[DAY].split("\n")
    waits = sorted(line["ms"] for line in kept)
    late = sum(bool(line["notes"]) for line in kept)
    print(  # noqa: T201 - for who runs with -s
        f"\n{len(ids)} lines by {writers} writers in {took:.1f} s, {waits[len(waits) // 2]:.0f} ms each"
        f" (99 %: {waits[len(waits) * 99 // 100]:.0f} ms), {late} with an index that is behind"
    )
    assert len(set(ids)) == writers * turns
    assert judge(before, seen, {"lines": ids, "kept": ids, "origins": ids, "index": ids}) == []
    assert Counter(line for line in page if line.startswith("A person adds")) == Counter(
        edit["text"] for edit in heard[-1]
    )


# what an editor saves at the last moment

NOW = "2025-11-27T10:00"


def adding(line: bytes) -> Callable[[bytes], bytes]:
    """An edit that adds a line at the end."""
    return lambda data: data + line


def by_rename(path: Path) -> None:
    """As most editors save."""
    text = path.read_bytes()
    (path.parent / "beside").write_bytes(text + b"theirs\n")
    (path.parent / "beside").rename(path)


def in_place(path: Path) -> None:
    """As some do."""
    with path.open("ab") as file:
        file.write(b"theirs\n")


def interrupted(monkeypatch: pytest.MonkeyPatch, path: Path, *saves: Callable[[Path], None]) -> None:
    """Between our last look and our write somebody saves; after that, before we can put it back, somebody else does."""
    real, waiting = atomic_replace.exchange_names, list(saves)

    def exchange(folder: int, one: str, other: str) -> bool:
        if waiting:
            waiting.pop(0)(path)
        return real(folder, one, other)

    monkeypatch.setattr(atomic_replace, "exchange_names", exchange)


@pytest.mark.parametrize("save", [by_rename, in_place])
def test_what_an_editor_saves_at_the_last_moment_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, save: Callable[[Path], None]
) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"old\n")
    interrupted(monkeypatch, path, save)
    update_file(str(tmp_path), "a.md", adding(b"ours\n"), now=NOW)
    assert path.read_bytes() == b"old\ntheirs\nours\n"
    assert os.listdir(tmp_path / ".memory/doing") == []
    assert sorted(os.listdir(tmp_path)) == [".memory", "a.md"]


def test_what_is_saved_while_an_earlier_save_is_put_back_stays_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"old\n")
    (tmp_path / "newer").write_bytes(b"newer\n")
    interrupted(monkeypatch, path, by_rename, lambda path: (path.parent / "newer").rename(path) and None)
    update_file(str(tmp_path), "a.md", adding(b"ours\n"), now=NOW)
    assert path.read_bytes() == b"newer\nours\n"
    assert sorted(os.listdir(tmp_path)) == [".memory", "a.md"]


def test_a_file_that_is_taken_away_while_a_save_is_put_back_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"old\n")
    interrupted(monkeypatch, path, by_rename, Path.unlink)
    update_file(str(tmp_path), "a.md", adding(b"ours\n"), now=NOW)
    assert path.read_bytes() == b"old\ntheirs\nours\n"


def test_where_names_cannot_be_exchanged_a_rename_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(atomic_replace, "_renameat2", lambda: None)
    (tmp_path / "a.md").write_bytes(b"old\n")
    update_file(str(tmp_path), "a.md", adding(b"ours\n"), now=NOW)
    assert (tmp_path / "a.md").read_bytes() == b"old\nours\n"
    assert sorted(os.listdir(tmp_path)) == [".memory", "a.md"]


def test_without_the_exchange_what_is_saved_at_the_last_moment_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The negative control: on a system that cannot exchange names, the last moment is not guarded."""
    path = tmp_path / "a.md"
    path.write_bytes(b"old\n")

    def exchange(_folder: int, _one: str, _other: str) -> bool:
        by_rename(path)
        return False

    monkeypatch.setattr(atomic_replace, "exchange_names", exchange)
    update_file(str(tmp_path), "a.md", adding(b"ours\n"), now=NOW)
    assert b"theirs" not in path.read_bytes()


def test_a_file_that_moved_on_is_neither_replaced_nor_is_anything_left(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"theirs")
    with pytest.raises(files.ConcurrentChange):
        files.write_atomic(str(tmp_path), "a.md", b"ours", expected_digest=files.content_digest(b"old"))
    assert os.listdir(tmp_path) == ["a.md"]
    assert (tmp_path / "a.md").read_bytes() == b"theirs"
