"""A sample of the hostile texts of the shared corpora on every page; `bench.acceptance.page_executions` has them all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bench.acceptance import page_executions
from bench.acceptance.measuring import Report

if TYPE_CHECKING:
    from playwright.sync_api import Browser

EVERY = 500  # text of the XSS corpus


@pytest.mark.slow
def test_the_browser_runs_nothing_of_hostile_texts_and_would_notice_it(
    browser: Browser, shared: Path, tmp_path: Path, calm: None, capsys: Any
) -> None:
    report = Report()
    page_executions.watch(browser, tmp_path, page_executions.corpus_texts(EVERY), report, (1, 2))
    assert not report.is_beyond, capsys.readouterr().out
