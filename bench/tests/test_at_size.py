"""Needles are found in any haystack: no candidate list is cut before it is in order."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bench import at_size


@pytest.mark.slow
@pytest.mark.parametrize("records", [1_000, 5_000])
def test_every_needle_is_among_the_first_five_whatever_the_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, records: int
) -> None:
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)
    shares = at_size.hit_shares(tmp_path, records)
    assert shares == dict.fromkeys(shares, 1.0)
