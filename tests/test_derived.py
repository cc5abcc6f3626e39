"""Derived forms: a line with the root of a word of the question is found where that word stands in other lines too."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Memory
from commonplace.model import Query
from commonplace.retrieval.recall import recall, trace_recall
from commonplace.retrieval.recall.lexical import DERIVED_WEIGHT, MAX_EXPANDED_TERMS, MAX_FEW_RECORDS

NOW = "2025-11-30T09:00"
ENGLISH = [
    ("which allergies are there?", "Nils is allergic to walnuts.", "Pollen allergies fill the spring."),
    ("who is the painter?", "Ada is painting the hall in oil.", "The painter sent his bill."),
    ("who gave the counseling?", "The counselor was called Imke.", "Free counseling is offered at the library."),
    ("what is the distance?", "A distant cousin lives in Oslo.", "The distance is eleven kilometres."),
    ("what are the religious duties?", "Her religion forbids pork.", "A religious choir sang on the square."),
    ("who is the teacher?", "Ruth is teaching at the Lyceum.", "A teacher wrote the novel."),
    ("who is the builder?", "Ben is building a boat.", "The builder ordered sand."),
    ("who is the climber?", "Mia climbed the north face.", "The climber rose covers the wall."),
]
GERMAN = [
    ("Welche Allergien gibt es?", "Tom ist allergisch gegen Walnüsse.", "Die Allergien kommen im Frühling."),
    ("Welche Versicherung haben wir?", "Das Auto ist bei der Ruhla versichert.", "Die Versicherung verlor den Brief."),
    ("Wer renoviert?", "Die Renovierung des Bads dauert drei Wochen.", "Paul renoviert gern alte Möbel."),
    ("Wer ist Musiker?", "Sie ist sehr musikalisch und spielt Harfe.", "Der Musiker stand auf dem Platz."),
    ("Gibt es Vegetarier?", "Jana isst seit Mai vegetarisch.", "Ein Vegetarier schrieb das Buch."),
    ("Wer ist Schwimmer?", "Jonas schwimmt jeden Dienstag.", "Der Schwimmer im Spülkasten klemmt."),
    ("Wer hat eine Behinderung?", "Behinderte Gäste parken hinter dem Haus.", "Die Behinderung im Verkehr dauert an."),
    ("Welche Religion hat er?", "Er ist sehr religiös und fastet.", "Die Religion war Thema im Radio."),
]


def notebook(root: Path, *lines: str) -> Memory:
    (root / "notes.md").write_text("".join(f"- {line}\n" for line in lines), encoding="utf-8")
    return Memory.open(root)


def texts(memory: Memory, question: str, **choices: object) -> list[str]:
    return [hit.record.text for hit in memory.recall(question, now=NOW, **choices).hits]


@pytest.mark.parametrize(("question", "derived", "literal"), [*ENGLISH, *GERMAN])
def test_what_is_derived_of_a_word_is_found_behind_that_word(
    tmp_path: Path, question: str, derived: str, literal: str
) -> None:
    with notebook(tmp_path, literal, "Rain fell in the valley.", derived) as memory:
        assert texts(memory, question) == [literal, derived]


def test_what_is_derived_counts_a_tenth_and_tips_what_else_is_equal(tmp_path: Path) -> None:
    with notebook(
        tmp_path, "Tom has allergies.", "Tom is in town.", "Tom is allergic.", "Hay gives allergies."
    ) as memory:
        index = memory.workspace.synced_index()
        found = texts(memory, "Tom's allergies?")
        assert found[0] == "Tom has allergies."
        assert found.index("Tom is allergic.") < found.index("Tom is in town.")
        asked, derived = trace_recall(index, Query(text="allergies?", now=NOW)).parsed.terms
        assert (derived.word, derived.forms, derived.weight) == (asked.word, ("allerg",), DERIVED_WEIGHT)
        without = recall(index, Query(text="allergies?", now=NOW, without=("spellings",))).hits
        assert sorted(hit.record.text for hit in without) == ["Hay gives allergies.", "Tom has allergies."]


def test_what_many_records_hold_is_searched_for_as_it_is(tmp_path: Path) -> None:
    lines = [f"Allergies of patient {number}." for number in range(MAX_FEW_RECORDS)]
    with notebook(tmp_path, *lines, "Nils is allergic.") as memory:
        assert "Nils is allergic." in texts(memory, "allergies?", k=20)
    with notebook(tmp_path, *lines, "Allergies again.", "Nils is allergic.") as memory:
        assert "Nils is allergic." not in texts(memory, "allergies?", k=20)


def test_what_is_derived_is_looked_up_for_few_words(tmp_path: Path) -> None:
    words = ["painter", "teacher", "builder", "climber", "cleaner", "printer", "planter"]
    with notebook(tmp_path, *words, *(word.removesuffix("er") for word in words)) as memory:
        terms = trace_recall(memory.workspace.synced_index(), Query(text=" ".join(words), now=NOW)).parsed.terms
    assert len(terms) == len(words) + MAX_EXPANDED_TERMS
