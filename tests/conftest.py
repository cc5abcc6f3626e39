"""Fixtures that every test file may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from commonplace import Memory

SHARED = Path(os.environ.get("COMMONPLACE_SHARED", Path(__file__).parents[2] / "shared"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of corpora and benchmarks that nobody here wrote; read in place, never copied."""
    if not SHARED.is_dir():
        pytest.skip(f"no shared corpora at {SHARED}: the checks on texts that other people wrote were skipped")
    return SHARED


@pytest.fixture
def calm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for the disk: for tests that are not about what survives."""
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An open memory over an empty workspace."""
    with Memory.open(tmp_path) as opened:
        yield opened
