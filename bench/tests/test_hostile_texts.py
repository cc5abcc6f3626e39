"""A sample of `bench.acceptance.hostile_texts`, of all corpora, of a megabyte, and of every kind by lot."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.acceptance import hostile_texts
from bench.acceptance.measuring import Report

pytestmark = pytest.mark.slow


def test_hostile_texts_are_embedded_stored_and_asked_in_bounded_memory(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMMONPLACE_SHARED", str(shared))
    report = Report()
    hostile_texts.judge(hostile_texts.in_process(hostile_texts.run, 500), report)
    assert not report.is_beyond
