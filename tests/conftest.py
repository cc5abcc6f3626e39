"""Fixtures that every test file may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("COMMONPLACE_SHARED", Path(__file__).parents[2] / "shared"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of corpora and benchmarks that nobody here wrote; read in place, never copied."""
    if not SHARED.is_dir():
        pytest.skip(f"no shared corpora at {SHARED}: the checks on texts that other people wrote were skipped")
    return SHARED
