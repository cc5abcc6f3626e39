"""Sessions that a question names by their order: which they are, and that what was said in them comes first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from commonplace import Memory
from commonplace.capture import Event
from commonplace.index.rows import find_session_names

NOW = "2025-11-30T09:00"
SAID = {
    "b": ("2025-11-01", "The oven broke.", "A carp swam by."),
    "c": ("2025-11-08", "Rain all day.", "The bus was late."),
    "a": ("2025-11-15", "Somebody rang.", "Coffee is ready."),
}


pytestmark = pytest.mark.usefixtures("calm")


def captured(memory: Memory) -> None:
    memory.capture_all(
        [
            Event(text=text, ts=f"{day}T09:{n:02}", session=name)
            for name, (day, *lines) in SAID.items()
            for n, text in enumerate(lines)
        ]
    )


def written(memory: Memory) -> None:
    """Two dialogues of one day in one file, the third in another that comes first by its name."""
    (day, *first), (_later, *second), (last, *third) = SAID.values()
    path = Path(memory.root, f"memory/{day}.md")
    path.parent.mkdir(exist_ok=True)
    blocks = [
        "\n".join(f"- {hour}:{n:02} Ada: {line}" for n, line in enumerate(lines))
        for hour, lines in (("09", first), ("17", second))
    ]
    path.write_text(f"# {day}\n\n## Morning\n\n{blocks[0]}\n\n## Evening\n\n{blocks[1]}\n", encoding="utf-8")
    turns = "\n".join(f"- 09:{n:02} Ada: {line}" for n, line in enumerate(third))
    Path(memory.root, f"memory/{last}.md").write_text(f"# {last}\n\n## Talk\n\n{turns}\n", encoding="utf-8")


def ask(memory: Memory, question: str, **choices: object) -> list[str]:
    hits = memory.recall(question, **({"now": NOW} | choices)).hits
    return [hit.record.text.removeprefix("Ada: ") for hit in hits]


@pytest.mark.parametrize("kept", [captured, written])
@pytest.mark.parametrize(
    ("phrase", "names"),
    [
        ("in our first chat", ["b"]),
        ("in session 2", ["c"]),
        ("in the last conversation", ["a"]),
        ("2 sessions ago", ["c"]),
        ("in sessions 1 to 2", ["b", "c"]),
    ],
)
def test_what_was_said_in_the_session_that_is_named_comes_first(
    memory: Memory, kept: Callable[[Memory], None], phrase: str, names: list[str]
) -> None:
    kept(memory)
    told = {line for name in names for line in SAID[name][1:]}
    found = ask(memory, f"what was tricky {phrase}?")
    assert set(found) == told


def test_a_session_in_a_question_shuts_nothing_out(memory: Memory) -> None:
    captured(memory)
    found = ask(memory, "did the bus come in our first chat?")
    assert set(found) == {"The oven broke.", "A carp swam by.", "The bus was late."}
    assert ask(memory, "did the bus come in our second chat?")[0] == "The bus was late."


def test_of_earlier_sessions_the_last_on_the_topic_comes_first(memory: Memory) -> None:
    captured(memory)
    memory.capture("The violin broke.", ts="2025-11-02T09:00", session="v")
    memory.capture("A string of the violin broke.", ts="2025-11-09T09:00", session="w")
    assert ask(memory, "what did I say about the violin in our last chat?")[0].startswith("A string")


def test_the_words_for_a_session_that_is_there_are_not_searched(memory: Memory) -> None:
    captured(memory)
    memory.capture("The second chat was short.", ts="2025-11-20T09:00", session="d")
    assert set(ask(memory, "what was said in our second chat?")) == set(SAID["c"][1:])


def test_only_sessions_that_the_scope_lets_see_are_counted_and_shown(memory: Memory) -> None:
    captured(memory)
    memory.capture("Hidden in the attic.", ts="2025-10-01T09:00", session="z", scope="attic")
    assert set(ask(memory, "what was said in our first chat?")) == set(SAID["b"][1:])
    assert ask(memory, "what was said in our first chat?", scope="attic") == ["Hidden in the attic."]


def test_words_for_a_session_that_is_not_there_are_searched(memory: Memory) -> None:
    captured(memory)
    memory.capture("Session 9 of the course is about knots.", ts="2025-11-20T09:00", session="d")
    assert ask(memory, "what is session 9 about?") == ["Session 9 of the course is about knots."]


def test_the_order_is_read_when_it_is_needed_once_and_again_when_something_was_said(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[object] = []
    monkeypatch.setattr(
        "commonplace.index.rows.find_session_names", lambda *args: read.append(args) or find_session_names(*args)
    )
    captured(memory)
    ask(memory, "did the bus come?")
    assert not read
    for _again in range(2):
        assert set(ask(memory, "what was said in our last chat?")) == set(SAID["a"][1:])
    assert len(read) == 1
    memory.capture("Good night.", ts="2025-11-29T09:00", session="e")
    assert ask(memory, "what was said in our last chat?") == ["Good night."]


def test_an_explanation_names_the_sessions(memory: Memory) -> None:
    captured(memory)
    explained = memory.explain("what was said in sessions 1 to 2?", now=NOW)
    assert "sessions, in order of time: 1, 2 of 3" in explained.query_lines
