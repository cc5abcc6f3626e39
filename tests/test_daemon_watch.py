"""The index follows the files: what is changed is found by who does not look for changes, whatever changes it."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.running_daemon import Running, running, runtime
from commonplace.errors import LockBusy
from commonplace.serve.http.watcher import SWEEP_INTERVAL_S, FileWatcher
from tests.support.polling import BOUND_S, eventually

pytestmark = pytest.mark.slow


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "memory").mkdir(parents=True)
    (folder / "memory/day.md").write_text("# Day\n\n- The kettle is green.\n", "utf-8")
    return folder


@pytest.fixture
def daemon(notes: Path) -> Iterator[Running]:
    with runtime() as place, running(notes, place) as served:
        eventually(lambda: "green" in found(served, "kettle"))
        yield served


def found(daemon: Running, text: str, k: int = 10) -> str:
    """What is found without a look at the files."""
    hits = daemon.ask("recall", text=text, k=k, sync=False).json["hits"]
    return "\n".join(hit["text"] for hit in hits)


def test_what_is_added_changed_moved_and_removed_is_known_without_asking(daemon: Running, notes: Path) -> None:
    (notes / "new.md").write_text("- The heron sleeps on the weir.\n", "utf-8")
    eventually(lambda: "weir" in found(daemon, "heron"))
    (notes / "new.md").write_text("- The heron sleeps on the roof.\n", "utf-8")
    eventually(lambda: "roof" in found(daemon, "heron"))
    (notes / "deep/er").mkdir(parents=True)
    (notes / "new.md").rename(notes / "deep/er/moved.md")
    eventually(lambda: daemon.ask("recall", text="heron", sync=False).json["hits"][0]["path"] == "deep/er/moved.md")
    shutil.rmtree(notes / "deep")
    eventually(lambda: "heron" not in found(daemon, "heron"))


def test_a_folder_that_is_moved_in_whole_is_known_without_asking(daemon: Running, notes: Path) -> None:
    for name in ("plain", "v1.2 of 2025.11"):
        (notes.parent / name).mkdir()
        (notes.parent / name / "a.md").write_text(f"- The heron sleeps on {name}.\n", "utf-8")
        (notes.parent / name).rename(notes / name)
        eventually(lambda name=name: name in found(daemon, "heron"), SWEEP_INTERVAL_S / 2)


def test_an_editor_that_writes_beside_and_renames_is_followed(daemon: Running, notes: Path) -> None:
    for number in range(5):
        (notes / "memory/.day.md.swp").write_text(f"- The kettle is number {number} now.\n", "utf-8")
        os.replace(notes / "memory/.day.md.swp", notes / "memory/day.md")
        eventually(lambda number=number: f"number {number}" in found(daemon, "kettle"))


def test_no_change_of_a_storm_is_lost(daemon: Running, notes: Path) -> None:
    """5,000 files, as a `git checkout` writes them, and the last word of one that is written a hundred times."""
    for number in range(5_000):
        folder = notes / f"burst/{number % 50}"
        if number < 50:
            folder.mkdir(parents=True)
        (folder / f"{number}.md").write_text(f"- Crate {number} holds item{number}.\n", "utf-8")
    for number in range(100):
        (notes / "memory/day.md").write_text(f"- The kettle is shade{number}.\n", "utf-8")
    eventually(lambda: "shade99" in found(daemon, "kettle"), 120)
    eventually(lambda: daemon.get("/healthz").json["index_lag_seconds"] == 0, 120)
    assert daemon.ask("sync", dry_run=True).json["changes"] == []
    assert daemon.ask("status").json["files"] == 5_001
    assert "item4999" in found(daemon, "crate item4999")


def test_a_conflict_copy_of_a_sync_tool_is_indexed_and_never_packed(daemon: Running, notes: Path) -> None:
    name = "memory/day.sync-conflict-20251127-101112-ABCDEFG.md"
    (notes / name).write_text("# Day\n\n- The kettle is purple.\n", "utf-8")
    eventually(lambda: "purple" in found(daemon, "kettle"))
    packed = daemon.ask("pack", text="which colour is the kettle?").json
    assert "green" in packed["text"]
    assert "purple" not in packed["text"]
    assert "conflict-copy" in {problem["code"] for problem in daemon.ask("check").json["problems"]}


def test_a_workspace_that_vanishes_is_told_and_is_served_again_when_it_is_back(daemon: Running, notes: Path) -> None:
    notes.rename(notes.parent / "elsewhere")
    eventually(lambda: daemon.get("/healthz").json["trouble"] != "")
    reply = daemon.ask("recall", text="kettle")
    assert (reply.status, reply.json["code"]) == (503, "workspace-not-found")
    assert daemon.get("/metrics").status == 200
    (notes.parent / "elsewhere/memory/day.md").write_text("# Day\n\n- The kettle is blue.\n", "utf-8")
    (notes.parent / "elsewhere").rename(notes)
    eventually(lambda: "blue" in found(daemon, "kettle") if daemon.get("/healthz").json["trouble"] == "" else False)
    (notes / "memory/day.md").write_text("# Day\n\n- The kettle is red.\n", "utf-8")
    eventually(lambda: "red" in found(daemon, "kettle"))


def test_a_receipt_that_could_not_be_written_after_its_answer_is_shown(daemon: Running, notes: Path) -> None:
    (notes / ".memory/receipts").write_text("in the way\n")
    assert "green" in daemon.ask("pack", text="which colour is the kettle?", automatic=True).json["text"]
    eventually(lambda: "its receipt is missing" in daemon.get("/healthz").json["trouble"])
    (notes / ".memory/receipts").unlink()
    assert daemon.ask("pack", text="which colour is the kettle?", automatic=True).status == 200
    assert daemon.get("/healthz").json["trouble"] == ""


def test_what_another_process_captures_is_known_without_asking(daemon: Running, notes: Path) -> None:
    from commonplace import Memory

    with Memory.open(notes) as memory:
        memory.capture("The ferry leaves from pier nine.")
    eventually(lambda: "pier nine" in found(daemon, "ferry"))


def test_settings_that_change_are_in_force_without_a_restart(daemon: Running, notes: Path) -> None:
    (notes / "drafts").mkdir()
    (notes / "drafts/one.md").write_text("- The kettle is a draft.\n", "utf-8")
    eventually(lambda: "draft" in found(daemon, "kettle"))
    (notes / "commonplace.toml").write_text('ignore = ["drafts"]\n', "utf-8")
    eventually(lambda: "draft" not in found(daemon, "kettle"))


def test_a_change_waits_until_it_is_in_the_index_not_until_somebody_begins(tmp_path: Path) -> None:
    lags: list[bool] = []

    async def watch() -> None:
        fails = iter((True, False))

        async def sync() -> None:
            lags.append(watcher.lag() > 0)
            if next(fails):
                raise LockBusy("index.sqlite", 3.0)
            watcher.stop()

        watcher = FileWatcher(str(tmp_path), sync, said.append)
        watcher.notice()
        taken = asyncio.ensure_future(watcher._sync_changes())
        while not watcher.trouble:
            await asyncio.sleep(0)
        lags.append(watcher.lag() > 0)
        await taken
        lags.append(watcher.lag() > 0)

    said: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("commonplace.serve.http.watcher.RETRY_S", 0.01)
        asyncio.run(watch())
    assert lags == [True, True, True, False]
    assert len(said) == 2


def test_another_folder_of_the_same_name_is_watched_from_then_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No sweep helps here: each change must be heard."""
    monkeypatch.setattr("commonplace.serve.http.watcher.SWEEP_INTERVAL_S", 10_000)
    monkeypatch.setattr("commonplace.serve.http.watcher.FOLDER_CHECK_S", 0.05)
    root, other = tmp_path / "notes", tmp_path / "other"
    root.mkdir()
    other.mkdir()

    async def watch() -> None:
        synced: asyncio.Queue[None] = asyncio.Queue()
        watcher = FileWatcher(str(root), lambda: synced.put(None), [].append)
        running = asyncio.ensure_future(watcher.run())
        try:
            await asyncio.wait_for(synced.get(), BOUND_S)
            root.rename(tmp_path / "before")
            other.rename(root)
            for number in range(8):  # the first of them may be taken in with the exchange
                (root / f"{number}.md").write_text("- The kettle is blue.\n", "utf-8")
                await asyncio.wait_for(synced.get(), BOUND_S)
                while not synced.empty():
                    synced.get_nowait()
        finally:
            watcher.stop()
            await running

    asyncio.run(watch())
