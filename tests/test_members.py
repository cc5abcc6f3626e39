"""Sorts of things: what is of a sort that a question names is looked for too, for less than a word of the question."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Memory
from commonplace.language import text
from commonplace.model import Query
from commonplace.retrieval.recall.lane_input import MIN_SCORED
from commonplace.retrieval.recall.omissions import _matched_terms
from commonplace.retrieval.recall.query import HYPONYM_WEIGHT, PLACE_HYPERNYM, parse_query

NOW = "2025-11-30T09:00"


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    lines = ("Mia went to Lisbon.", "Mia plays the violin.", "Mia has a dog.", "Austin: I like Dallas.")
    (tmp_path / "notes.md").write_text("".join(f"{line}\n\n" for line in lines), encoding="utf-8")
    return Memory.open(tmp_path)


@pytest.mark.parametrize(
    ("asked", "language", "said"),
    [
        ("pets", "en", ("dogs", "kittens")),
        ("exercises", "en", ("ran", "swimming")),
        ("nuts", "en", ("cashews", "walnut")),
        ("seafood", "en", ("shrimps", "oysters")),
        ("dairy", "en", ("cheese", "butter")),
        ("meat", "en", ("sausages", "lamb")),
        ("meat", "en", ("vegetarian", "vegans")),
        ("changed", "en", ("switched", "quit", "moves")),
        ("geändert", "de", ("gekündigt", "umgezogen")),
        ("changement", "fr", ("arrêté", "quittée")),
        ("boss", "en", ("manager", "supervisors")),
        ("hobby", "en", ("football", "drew")),
        ("haustier", "de", ("hunde", "kätzchen")),
        ("métier", "fr", ("infirmier", "medecin")),
        ("países", "es", ("españa", "mexico")),
    ],
)
def test_what_is_of_a_sort_is_known_by_the_stem_of_its_name(asked: str, language: str, said: tuple[str, ...]) -> None:
    found = text.hyponym_tokens(asked, language)
    assert {token for word in said for token in text.tokenize(word, language)} <= {*found}
    assert len(found) == len({*found})
    assert not text.hyponym_tokens("violin", language)
    assert not text.hyponym_tokens(asked, "sv")


def terms(memory: Memory, question: str, without: tuple[str, ...] = ()) -> dict[str, tuple[str, ...]]:
    """What is looked for as being of a sort, by the word that names it."""
    asked = parse_query(memory.workspace.open_index(), Query(text=question, now=NOW, without=without))
    assert all(term.weight == HYPONYM_WEIGHT for term in asked.terms if term.is_hypernym)
    return {term.word: term.forms for term in asked.terms if term.is_hypernym}


def test_a_sort_that_a_question_names_is_looked_for_by_what_is_of_it(memory: Memory) -> None:
    assert {"violin", "guitar"} <= {*terms(memory, "which instruments does Mia play?")["instruments"]}
    assert terms(memory, "which instruments does Mia play?", ("members",)) == {}
    assert terms(memory, "which fruit does Mia like?") == {}, "no line has any"


def test_a_word_and_a_name_of_the_question_stay_what_they_are(memory: Memory) -> None:
    assert "dog" not in terms(memory, "which pets beside the dog does Mia have?").get("pets", ())
    found = terms(memory, "which city does Austin like?")["city"]
    assert "dalla" in found
    assert "austin" not in found


def test_who_asks_where_beside_words_that_are_known_asks_for_places(memory: Memory) -> None:
    assert "lisbon" in terms(memory, "where was it that Mia went?")[PLACE_HYPERNYM]
    assert terms(memory, "where is the zyxomma?") == {}


def test_what_is_of_a_sort_is_searched_for_only_where_few_lines_match_by_the_words_themselves(tmp_path: Path) -> None:
    """It stands in very many lines of a large notebook; there it says which of the lines that match come first."""
    for kept, is_found in ((MIN_SCORED - 1, True), (MIN_SCORED, False)):
        lines = [
            *(f"Pet {number} of the mill." for number in range(kept - 1)),
            "Pet of the mill: a dog.",
            "A cat sleeps.",
        ]
        root = tmp_path / str(kept)
        root.mkdir()
        (root / "notes.md").write_text("".join(f"{line}\n\n" for line in lines), encoding="utf-8")
        with Memory.open(root) as memory:
            found = [hit.record.text for hit in memory.recall("which pets at the mill?", k=60, now=NOW).hits]
        assert found[0] == "Pet of the mill: a dog."
        assert ("A cat sleeps." in found) is is_found


def test_why_not_says_what_of_a_sort_stands_in_a_line_and_misses_no_place(memory: Memory) -> None:
    asked = parse_query(memory.workspace.open_index(), Query(text="where went the violin?", now=NOW)).terms
    assert _matched_terms(asked, {"lisbon", "went"}) == {
        "went": "went",
        PLACE_HYPERNYM: f"{PLACE_HYPERNYM} (read as lisbon)",
    }
    told = memory.why_not("where went the violin?", "notes.md#L5", now=NOW)
    (words,) = (stage.says for stage in told.stages if stage.name == "words")
    assert PLACE_HYPERNYM not in words


def test_an_explanation_tells_a_word_from_what_is_of_it(memory: Memory) -> None:
    (words,) = (line for line in memory.explain("which pets has Mia?", now=NOW).query_lines if line.startswith("words"))
    assert "pets –" in words
    assert "what is of pets " in words


def test_who_asks_what_changed_gets_what_was_begun_and_given_up(tmp_path: Path) -> None:
    for day, said in (
        ("2025-10-02", "Stopped the course."),
        ("2025-10-05", "Soup again, and all of it."),
        ("2025-10-09", "Switched to tea."),
    ):
        path = tmp_path / f"memory/{day}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"# {day}\n\n- {said}\n", encoding="utf-8")
    with Memory.open(tmp_path) as memory:
        found = [hit.record.text for hit in memory.recall("what has changed since September?", now=NOW).hits]
    assert {*found[:2]} == {"Switched to tea.", "Stopped the course."}
