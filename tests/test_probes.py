"""Probes that recall must answer: other forms of a word, names of code, slips of the finger, and texts in many scripts."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace import Memory
from commonplace.language import text
from commonplace.model import Query
from commonplace.retrieval.recall.lexical import MAX_COMPLETIONS, MAX_EXPANDED_TERMS
from commonplace.retrieval.recall.query import parse_query

pytestmark = pytest.mark.usefixtures("surroundings", "calm")

DATA = Path(__file__).parent / "data/probes"
NOW = "2025-11-30T09:00"
RANK = 5
LEAST_IN_SCRIPTS = 0.95


def probes(name: str) -> list[dict[str, str]]:
    """The rows of a file of probes; a row without a query is a line that only stands in the way."""
    return [json.loads(row) for row in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").split("\n") if row]


def words(why: str) -> list[tuple[str, str]]:
    """Questions of a word or a name alone, each with the line that must come first."""
    return [(row["query"], row["line"]) for row in probes("words") if row["why"] == why]


def missed(rows: list[dict[str, str]], root: Path) -> list[str]:
    """What is not among the first five, where all the lines stand in one notebook, a bullet each."""
    log = root / "memory/2025-11-20.md"
    log.parent.mkdir(parents=True)
    log.write_text("## Log\n" + "".join(f"- {row['line']}\n" for row in rows), encoding="utf-8")
    with Memory.open(root) as memory:
        return [
            f"{row['query']} -> {row['line']}"
            for row in rows
            if "query" in row
            and row["line"] not in [hit.record.text for hit in memory.recall(row["query"], now=NOW, k=RANK).hits]
        ]


def first(root: Path, lines: list[str], question: str) -> str:
    """The best hit's text, empty if there is none."""
    log = root / "memory/2025-11-20.md"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("## Log\n" + "".join(f"- {line}\n" for line in lines), encoding="utf-8")
    with Memory.open(root) as memory:
        hits = memory.recall(question, now=NOW).hits
    return hits[0].record.text if hits else ""


@pytest.mark.slow
def test_every_form_of_a_word_and_every_name_of_code_is_found(tmp_path: Path) -> None:
    rows = probes("morphology")
    sorts = Counter(row["why"] for row in rows if "query" in row)
    assert sorts.total() >= 80
    assert len(sorts) >= 12
    assert missed(rows, tmp_path) == []


@pytest.mark.slow
def test_questions_are_answered_in_every_script(tmp_path: Path) -> None:
    rows = probes("scripts")
    assert len(rows) >= 200
    assert len({row["script"] for row in rows}) >= 8
    failures = missed(rows, tmp_path)
    assert len(failures) <= (1 - LEAST_IN_SCRIPTS) * len(rows), "\n".join(failures)


@pytest.mark.slow
@pytest.mark.parametrize(("question", "line"), words("form"))
def test_a_word_alone_is_found_in_another_form(tmp_path: Path, question: str, line: str) -> None:
    assert first(tmp_path, ["The gardener comes on Tuesday.", line, "Snow is expected."], question) == line


def test_a_word_that_occurs_is_not_taken_for_another(tmp_path: Path) -> None:
    lines = ["The stable was swept.", "A staple fell out.", "The table is laid."]
    assert [first(tmp_path, lines, word) for word in ("stable", "staple", "table")] == lines
    with Memory.open(tmp_path) as memory:
        assert [hit.record.text for hit in memory.recall("table", now=NOW).hits] == lines[2:]


def test_what_a_misspelt_word_may_mean_does_not_make_an_answer_sure(tmp_path: Path) -> None:
    first(tmp_path, ["Refinanced the mortgage.", "Snow is expected."], "snow")
    with Memory.open(tmp_path) as memory:
        assert memory.recall("mortgage", now=NOW).confident
        slip = memory.recall("morgage", now=NOW)
    assert slip.hits
    assert not slip.confident


@pytest.mark.parametrize(("question", "line"), words("identifier"))
def test_a_name_that_stands_in_its_parts_is_found_for_sure(tmp_path: Path, question: str, line: str) -> None:
    lines = ["The gardener comes on Tuesday.", line, "Snow is expected."]
    assert first(tmp_path, lines, question) == line
    with Memory.open(tmp_path) as memory:
        assert memory.recall(question, now=NOW).confident


def test_of_two_halves_both_must_occur(tmp_path: Path) -> None:
    assert first(tmp_path, ["The gardener has a book.", "Snow is expected."], "bookshelf") == ""


def test_inflected_words_in_scripts_that_tell_the_language_are_found_beside_the_very_word(tmp_path: Path) -> None:
    lines = ["Η γάτα κοιμάται.", "Δύο γάτες παίζουν.", "Χιονίζει σήμερα."]
    first(tmp_path, lines, "γάτα")
    with Memory.open(tmp_path) as memory:
        assert {hit.record.text for hit in memory.recall("γάτα", now=NOW).hits} == set(lines[:2])


def test_of_many_unknown_words_only_some_are_looked_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first(tmp_path, ["Refinanced the mortgage."], "mortgage")
    looked_up: list[str] = []
    monkeypatch.setattr(text, "stem_in_all_languages", lambda word: (looked_up.append(word), (word,))[1])
    with Memory.open(tmp_path) as memory:
        memory.recall(" ".join(f"xyzzyq{chr(97 + at)}" for at in range(20)), now=NOW)
    assert len([word for word in looked_up if word.count("xyzzy") == 1]) == MAX_EXPANDED_TERMS  # not two joined


def test_of_very_many_addresses_that_begin_so_the_shortest_are_looked_for(tmp_path: Path) -> None:
    lines = [f"The host is 10.0.{place}." for place in range(10, 10 + 2 * MAX_COMPLETIONS)]
    assert first(tmp_path, [*lines, "The gateway is 10.0.1."], "gateway")
    with Memory.open(tmp_path) as memory:
        asked = parse_query(memory.workspace.open_index(), Query(text="10.0", now=NOW))
    forms = asked.terms[-1].forms
    assert len(forms) == MAX_COMPLETIONS
    assert forms[0] == "10.0.1"


def test_words_with_a_stop_between_them_are_not_one(tmp_path: Path) -> None:
    assert first(tmp_path, ["The carpet is red."], "in the car? pet rules") == ""
    assert first(tmp_path, ["The carpet is red."], "the car pet") == "The carpet is red."


@settings(max_examples=200)
@given(st.text("abcde", min_size=5, max_size=9), st.data())
def test_every_single_edit_is_near(word: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(word) - 1))
    letter = data.draw(st.sampled_from("abcz"))
    swapped = word[:at] + word[at + 1 : at + 2] + word[at] + word[at + 2 :]
    edited = (word[:at] + word[at + 1 :], word[:at] + letter + word[at + 1 :], word[:at] + letter + word[at:], swapped)
    start, spellings = text.spelling_lookup_keys(word)
    for other in edited:
        assert other == word or text.rank_near_tokens((word,), (other,)) == (other,)
        assert other == word or other.startswith(start) or other in spellings


def test_one_function_word_hints_at_the_language_of_a_question() -> None:
    forms = [form for term in text.query_terms("¿Quién repara goteras?", ("en",)) for form in term.forms]
    assert "goter" in forms
    assert "quien" not in forms
    assert next(term.forms for term in text.query_terms("what did die hard cost", ("en",))) == ("die", "dice")


def test_a_verb_of_asking_weighs_little_where_no_line_has_it(tmp_path: Path) -> None:
    def weights(lines: list[str]) -> dict[str, float]:
        first(tmp_path, lines, "gasket")
        with Memory.open(tmp_path) as memory:
            asked = parse_query(memory.workspace.open_index(), Query(text="did she mention the gasket?", now=NOW))
        return {term.word: term.weight for term in asked.terms}

    assert weights(["The gasket is worn."]) == {"mention": 0.25, "gasket": 1.0}
    assert weights(["The gasket is worn.", "You may mention it."]) == {"mention": 1.0, "gasket": 1.0}


@pytest.mark.parametrize("stem", ["mein", "dein", "sein", "ihr", "unser", "kein", "eur"])
def test_every_form_of_a_german_pronoun_is_a_function_word(stem: str) -> None:
    for ending in ("e", "em", "en", "er", "es"):
        assert text.is_stop_word(stem + ending, "de"), ending
    assert not text.is_stop_word(stem + "ung", "de")


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("De quoi avons-nous parlé lors de la séance ?", "parlé"),
        ("Sur quoi portait notre séance ?", "séance"),
        ("Wie heißt das?", "heißt"),
    ],
)
def test_a_question_of_words_that_only_form_it_has_nothing_else(question: str, word: str) -> None:
    assert text.has_only_light_words(question)
    assert not text.has_only_light_words(question.replace(word, "Zirkel"))
