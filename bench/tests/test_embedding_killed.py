"""A sample of `bench.acceptance.embedding_killed`: embedding that is killed, and an encoder that changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.acceptance import embedding_killed
from bench.acceptance.embedding_killed import Encoder, change_encoder, copied, kill_at_calls, kill_at_moments, workspace
from bench.acceptance.measuring import Report

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("calm")]


@pytest.fixture
def report() -> Report:
    return Report()


def test_killed_at_any_call_that_writes_it_goes_on_where_it_was(tmp_path: Path, report: Report) -> None:
    kill_at_calls(workspace(tmp_path / "few", 100), Encoder(), 5, report)
    assert not report.is_beyond


def test_killed_at_any_moment_it_ends_like_an_undisturbed_run(tmp_path: Path, report: Report) -> None:
    kill_at_moments(workspace(tmp_path / "notes", 300), Encoder(), 2, report)
    assert not report.is_beyond


@pytest.mark.parametrize("new", [Encoder("another"), Encoder("seeded", 64)], ids=["another", "another size"])
def test_a_changed_encoder_starts_anew_and_never_answers_from_mixed_vectors(
    new: Encoder, tmp_path: Path, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding_killed, "QUESTIONS", 10)
    root = workspace(tmp_path / "notes", 300)
    embedding_killed.run_process(root, Encoder())
    change_encoder(root, Encoder(), new, report)
    before = copied(root, "before")
    assert not report.is_beyond
    embedding_killed.run_process(root, Encoder())
    assert embedding_killed.answers(root, Encoder())[1] == set(), "going back costs nothing"
    assert embedding_killed.rows(root, Encoder()) == embedding_killed.rows(before, Encoder())
