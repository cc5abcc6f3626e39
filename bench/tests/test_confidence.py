"""The bench of confidence: its area under the curve, its fit, its table, and what a real conversation comes to."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from bench import confidence as bench
from bench.confidence import Answer, auc, fitted, table, without_answers
from bench.quality import _harness
from commonplace.retrieval.recall.scoring import OFFSET, SLOPE

FALSE, FOUND = 0.5, 0.85  # most that may be, least that must be


def test_auc_is_the_chance_that_right_answers_have_the_greater_number() -> None:
    assert auc([0.9, 0.8], [0.1, 0.2]) == 1
    assert auc([0.5], [0.5]) == auc([], [0.1]) == 0.5
    right, wrong = [0.3, 0.7, 0.7, 0.9], [0.1, 0.3, 0.7]
    won = sum((a > b) + (a == b) / 2 for a, b in product(right, wrong))
    assert auc(right, wrong) == pytest.approx(won / 12)


def _answers(true: Callable[[float], float]) -> list[Answer]:
    """A thousand answers for each of some confidences, of which as many come true as `true` says."""
    said = (0.02, 0.05, 0.15, 0.35, 0.65, 0.95)
    return [
        Answer("locomo", "test", True, number < 1000 * true(one), 10, one) for one in said for number in range(1000)
    ]


@pytest.mark.slow
def test_fitting_again_finds_the_constants_by_which_answers_came_true() -> None:
    assert fitted(_answers(lambda said: said)) == pytest.approx((OFFSET, SLOPE), abs=0.05)
    odds = fitted(_answers(lambda said: 1 / (1 + math.exp(0.7 - 0.5 * math.log(said / (1 - said))))))
    assert odds == pytest.approx((0.5 * OFFSET - 0.7, 0.5 * SLOPE), abs=0.05)


def test_the_table_says_what_was_said_and_what_came_true() -> None:
    lines = list(table(_answers(lambda said: said / 5)))
    assert lines[2:] == [
        "| 0.0 to 0.1 | 2000 | 0.04 | 0.01 |",
        "| 0.1 to 0.2 | 1000 | 0.15 | 0.03 |",
        "| 0.3 to 0.4 | 1000 | 0.35 | 0.07 |",
        "| 0.6 to 0.7 | 1000 | 0.65 | 0.13 |",
        "| 0.9 to 1.0 | 1000 | 0.95 | 0.19 |",
    ]


def test_sets_weigh_alike_in_the_table_however_many_questions_they_have() -> None:
    many = [Answer("locomo", "test", True, True, 10, 0.52)] * 90
    few = [Answer("lme_pool", "test", True, False, 10, 0.58)] * 10
    nowhere = [Answer("lme_pool", "test", False, False, 10, 0.55)] * 30
    assert list(table([*many, *few, *nowhere]))[2:] == ["| 0.5 to 0.6 | 130 | 0.55 | 0.33 |"]


def test_what_a_bar_lets_through_is_counted() -> None:
    there = [
        Answer("locomo", "test", True, right, 10, said) for right, said in ((True, 0.9), (True, 0.1), (False, 0.5))
    ]
    nowhere = [Answer("locomo", "test", False, False, 10, said) for said in (0.05, 0.1, 0.2, 0.6)]
    assert bench.figures([*there, *nowhere], 0.3) == (0.25, 0.5, 0.5)
    assert bench.figures([*there, *nowhere], 0.1) == (0.75, 1.0, pytest.approx(2 / 3))
    lines = list(bench.report([*there, *nowhere], [*there, there[0]._replace(hits=0)]))
    assert lines[0] == "questions that have an answer and got no hit: 1 of 4"
    assert "test, locomo: 3 with an answer, 4 without, AUC 0.650" in lines


def test_a_question_for_others_names_them() -> None:
    names = {"Ada": "Bo", "Bruno": "Cy"}
    asked = bench.renamed({"question": "Did Ada's friend meet Bruno or Adam?", "date": "2025-11-01"}, names)
    assert asked == {"question": "Did Bo's friend meet Cy or Adam?", "date": None}


def test_a_question_loses_the_sessions_of_its_evidence() -> None:
    docs = [{"id": f"d{number}", "session": f"s{number // 2}"} for number in range(8)]
    asked = [{"relevant": ["d2"], "relevant_sessions": []}, {"relevant": [], "relevant_sessions": ["s3"]}]
    assert [doc["id"] for doc in without_answers(docs, asked)] == ["d0", "d1", "d4", "d5"]


@pytest.mark.slow
def test_the_answers_of_a_conversation_are_told_from_those_that_are_not_there(shared: Path) -> None:
    data = _harness().Data("locomo", str(shared / "bench"))
    data.queries = [one for one in data.queries if data.part(one) == "test"][::12]
    one = bench.figures(list(bench.conversations(data)))
    assert one.false <= FALSE
    assert one.found >= FOUND
