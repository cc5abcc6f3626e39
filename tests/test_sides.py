"""A question of two things is asked for either of them too."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Memory
from commonplace.language.text import query_terms
from commonplace.retrieval.recall.question_analysis import split_comparison

NOW = "2025-11-30T09:00"


def said(question: str, *languages: str) -> list[str]:
    spoken = languages or ("en",)
    return [side.text for side in split_comparison(question, query_terms(question, spoken), spoken)]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Which did I read first, Emma or Dune?", ["Emma", "Dune"]),
        ("Which came first, the lamp in the hall, or the desk?", ["the lamp in the hall", "the desk"]),
        ("After the move, which did I buy first, the lamp or the desk?", ["the lamp", "the desk"]),
        ("How many days passed between the fair and the concert?", ["the fair", "the concert"]),
        (
            "How long was it between the day I cut and dried the herbs and the day I sold them?",
            ["the day I cut and dried the herbs", "the day I sold them"],
        ),
        ("Was habe ich zuerst gelesen, den Zauberberg oder die Blechtrommel?", ["den Zauberberg", "die Blechtrommel"]),
        ("Combien de jours entre le concert et la fête de mon frère ?", ["le concert", "la fête de mon frère"]),
        ("¿Qué leí primero, la novela o el poema?", ["la novela", "el poema"]),
    ],
)
def test_a_question_of_two_things_has_two_sides(question: str, found: list[str]) -> None:
    assert said(question, "en", "de", "fr", "es") == found


@pytest.mark.parametrize(
    "question",
    [
        "Does Ada live near a beach or a lake?",  # nobody knows where the first begins
        "Which did I read first, Emma or?",
        "Which came first, this or that?",
        "Which was it, the red violin or the violin?",  # one has no word of its own
        "What is between the lamp?",
        "What did Ada and Ben eat?",
        "Was it here, Emma or Dune, Kim or Ulysses?",
        "I could not sleep. It rained all night. Was it the wind, the dog or the cat?",  # that is told and not asked
        "猫,狗 or 鱼",
    ],
)
def test_any_other_question_has_none(question: str) -> None:
    assert said(question) == []


def test_a_side_is_asked_for_with_the_words_that_both_share() -> None:
    question = "Which book did I finish first, Emma or Dune?"
    one, other = split_comparison(question, query_terms(question, ("en",)), ("en",))
    assert {term.word for term in one.terms} ^ {term.word for term in other.terms} == {"emma", "dune"}
    assert {"book", "finish"} <= {term.word for term in one.terms} & {term.word for term in other.terms}


def test_the_explanation_names_both_sides_and_what_matched_one(tmp_path: Path) -> None:
    lines = ("I bought violin strings.", "A lamp was bought.", "A lamp is on.", "The lamp fell.")
    (tmp_path / "note.md").write_text("".join(f"- {line}\n" for line in lines), encoding="utf-8")
    with Memory.open(tmp_path) as memory:
        told = memory.explain("Which did I buy first, the lamp or the violin strings?", now=NOW)
    assert "two things: the lamp · the violin strings" in told.query_lines
    assert [hit.record.text for hit in told.hits.hits[:2]] == [*lines[:2]]
    assert "lexical 1 (BM25" in told.arithmetic[0][0]
    assert "lexical 0.7 (of one side)" in told.arithmetic[1][0]


def test_what_a_scope_hides_is_not_found_by_a_side(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("- Violin strings are here.\n", encoding="utf-8")
    (tmp_path / "other.md").write_text("---\nscope: other\n---\n\n- A lamp was bought.\n", encoding="utf-8")
    with Memory.open(tmp_path) as memory:
        hits = memory.recall("Which did I buy first, the lamp or the violin strings?", now=NOW).hits
    assert [hit.record.text for hit in hits] == ["Violin strings are here."]
