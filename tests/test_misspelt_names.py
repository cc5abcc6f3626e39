"""A name that is one letter off: read as the one that the notebook has, and the answer says so."""

from __future__ import annotations

import pytest

from commonplace import Memory

NOW = "2026-04-01T09:00"
SAID = (
    ("Debora", "I adopted two cats from the shelter."),
    ("Marco", "I adopted a dog in spring."),
    ("Karla", "The ferry was late again."),
)


@pytest.fixture
def talk(memory: Memory) -> Memory:
    """Three people who said something."""
    for day, (speaker, said) in enumerate(SAID, 1):
        now = f"2026-03-0{day}T10:00"
        memory.capture(said, ts=now, now=now, session="s", detail={"speaker": speaker})
    return memory


@pytest.mark.parametrize(
    ("question", "first", "read_as"),
    [
        ("what did Debra adopt?", SAID[0][1], "nothing has Debra; read as Debora"),
        ("what did Marko adopt?", SAID[1][1], "nothing has Marko; read as Marco"),
        ("what did Kara's ferry do?", SAID[2][1], "nothing has Kara; read as Karla"),
    ],
)
def test_a_name_one_letter_off_is_understood(talk: Memory, question: str, first: str, read_as: str) -> None:
    hits = talk.recall(question, now=NOW)
    assert hits.hits[0].record.text == first
    assert read_as in hits.notes


@pytest.mark.parametrize(
    "question",
    [
        "what did Debora adopt?",
        "what did Nora adopt?",
        "what was adopted in March?",
        "which Cats came from the Shelter?",
    ],
)
def test_what_is_known_or_is_another_word_stays(talk: Memory, question: str) -> None:
    assert not any("read as" in note for note in talk.recall(question, now=NOW).notes)
