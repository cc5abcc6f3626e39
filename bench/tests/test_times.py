"""Whole questions with the times in them: our own, and those of another project's analyser, a second opinion."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import times

pytestmark = pytest.mark.slow
CASES = times.written()
VERDICTS = times.verdicts()


def test_our_questions_are_many_in_many_languages_with_and_without_times() -> None:
    assert len({case.query for case in CASES}) == len(CASES) >= 200
    for language in times.LANGUAGES:
        of_it = [case for case in CASES if case.lang == language]
        assert len(of_it) >= 10
        assert any(case.interval is None for case in of_it)


def test_our_questions_mean_what_a_person_wrote_beside_them() -> None:
    wrong = [f"{case.query}: {times.read(case)}, not {case.interval}" for case in CASES]
    wrong = [line for line, case in zip(wrong, CASES, strict=True) if times.read(case) != times.expected(case)]
    assert 1 - len(wrong) / len(CASES) >= 0.97, "\n".join(wrong)


@pytest.mark.parametrize("verdict", VERDICTS.values(), ids=VERDICTS)
def test_where_we_differ_from_another_analyser_our_reading_stands_and_has_a_reason(verdict: times.Verdict) -> None:
    assert times.ours(verdict) == verdict.ours != verdict.theirs
    assert len(verdict.reason.split()) > 3


def test_every_disagreement_with_another_analyser_is_listed_as_it_is(shared: Path) -> None:
    rows = times.golden(shared)
    assert [row for row in rows if times.ours(row) != row.theirs and row.query not in VERDICTS] == []
    seen = {(row.query, row.now[:16]): row.theirs for row in rows}
    listed = {(verdict.query, verdict.now): verdict.theirs for verdict in VERDICTS.values()}
    assert listed.items() <= seen.items()


def test_most_is_read_as_another_analyser_reads_it_where_its_reading_can_be_meant(shared: Path) -> None:
    rows = times.golden(shared)
    differing = [row for row in rows if times.ours(row) != row.theirs]
    assert len(differing) / len(rows) < 0.09
    held, lost = times.fair(rows, differing)
    assert len(held) > 0.9 * len(rows)
    assert len(lost) / len(held) < 0.03


def test_the_bench_prints_the_shares_and_the_reasons(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    times.run()
    printed = capsys.readouterr().out
    assert shared.is_dir()
    assert "our own phrases:" in printed
    assert f" x {VERDICTS['at 3pm'].reason}" in printed
    assert "not listed" not in printed


@pytest.mark.parametrize(
    ("query", "language"),
    [
        ("was war letzte woche", "de"),
        ("what did I do last week", "en"),
        ("上周", "zh"),
        ("先週の会議", "ja"),
        ("", "en"),
    ],
)
def test_the_language_of_a_query_is_that_of_its_time_words(query: str, language: str) -> None:
    assert times.language_of(query) == language
