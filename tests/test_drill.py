"""`drill` attacks copies of a notebook, says what came through, and leaves the notebook as it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import commonplace.capture.pipeline
from commonplace import Memory
from commonplace.cli import drill, main

pytestmark = pytest.mark.usefixtures("surroundings")

FEW = ("tool in Claude Code", "group in OpenClaw", "ingest of a file", "agent's log", "owner's paste")


@pytest.fixture
def notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    assert set(FEW) < set(drill.ENTRANCES)
    monkeypatch.setattr(drill, "ENTRANCES", FEW)
    with Memory.open(tmp_path) as memory:
        memory.retain("The sail loft is open on Mondays.")
        memory.set_off_record(off=True)
    return tmp_path


def contents(root: Path) -> dict[str, bytes]:
    paths = (path for path in root.rglob("*") if path.is_file() and "index.sqlite" not in path.name)
    return {str(path.relative_to(root)): path.read_bytes() for path in paths}


def run(root: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, tuple[int, int, int]]]:
    """The exit code, and what each entrance held back, marked and let through."""
    code = main(["drill", "--json", "--workspace", str(root)])
    told = json.loads(capsys.readouterr().out)["entrances"]
    return code, {one["entrance"]: (one["held_back"], one["marked"], one["unmarked"]) for one in told}


def test_nothing_comes_through_and_nothing_is_written(notebook: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = contents(notebook)
    code, told = run(notebook, capsys)
    assert code == 0
    assert {sum(counts) for counts in told.values()} == {8}
    assert {counts[2] for counts in told.values()} == {0}
    assert told["owner's paste"] == told["group in OpenClaw"] == told["ingest of a file"] == (8, 0, 0)
    assert contents(notebook) == before


def test_what_comes_through_is_said_and_the_exit_code_tells(
    notebook: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commonplace.capture.pipeline, "mark_pastes", lambda captures, _texts, _lookups: captures)
    code, told = run(notebook, capsys)
    assert code == 3
    assert told["owner's paste"][2] > 4
    assert main(["drill", "--workspace", str(notebook)]) == 3
    assert "came through unmarked" in capsys.readouterr().err


def test_the_index_of_the_notebook_stays_its_own_whatever_the_settings_say(
    notebook: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (notebook / "commonplace.toml").write_text(f'[index]\npath = "{notebook}/own.sqlite"\n')
    with Memory.open(notebook) as memory:
        memory.sync()
        before = memory.dump()
        stamp = (notebook / "own.sqlite").stat().st_mtime_ns
        assert run(notebook, capsys)[0] == 0
        assert (notebook / "own.sqlite").stat().st_mtime_ns == stamp
        assert memory.dump() == before
