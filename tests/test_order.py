"""The last time and the first: which questions ask for them, and that it comes first of what matches alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Memory
from commonplace.retrieval.recall.question_analysis import classify_temporal_order

NOW = "2025-11-30T09:00"
VISITS = {
    "2021-03-02": "The dentist did a cleaning.",
    "2023-09-19": "The dentist took an x-ray.",
    "2025-01-17": "The dentist made a crown, which took a while.",
}


@pytest.fixture
def visits(memory: Memory) -> Memory:
    for day, said in VISITS.items():
        path = Path(memory.root, f"memory/{day}.md")
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"# {day}\n\n- {said}\n- Rain, and soup.\n", encoding="utf-8")
    return memory


def days(memory: Memory, question: str, **choices: object) -> list[str]:
    return [hit.record.time for hit in memory.recall(question, now=NOW, **choices).hits]


@pytest.mark.slow
@pytest.mark.parametrize(
    "question",
    [
        "when was I last at the dentist?",
        "the latest visit to the dentist",
        "what did the dentist do last time?",
        "most recent dentist",
        "wann war ich zuletzt beim dentist?",
        "mein letzter dentist",
        "la dernière fois, dentist",
        "¿la última vez, dentist?",
        "l'ultima volta dal dentist",
        "laatste keer dentist",
        "senaste dentist",
        "последний раз dentist",
        "上次 dentist",
        "最後に dentist",
    ],
)
def test_who_asks_for_the_last_time_gets_it_first(visits: Memory, question: str) -> None:
    assert days(visits, question) == ["2025-01-17", "2023-09-19", "2021-03-02"]


@pytest.mark.parametrize(
    "question", ["my first dentist", "when did we first see the dentist?", "zum ersten mal dentist", "第一次 dentist"]
)
def test_who_asks_for_the_first_time_gets_it_first(visits: Memory, question: str) -> None:
    assert days(visits, question) == ["2021-03-02", "2023-09-19", "2025-01-17"]


@pytest.mark.parametrize(
    "question",
    [
        "how long did the dentist last?",
        "what is the last name of the dentist?",
        "the dentist's first name",
        "at last a dentist",
        "first aid at the dentist",
        "the dentist",
        "my first and my last time",
    ],
)
def test_who_asks_for_neither_is_not_taken_to(question: str) -> None:
    assert not classify_temporal_order(question)


def test_what_hardly_matches_is_not_the_last_of_its_like(visits: Memory) -> None:
    path = Path(visits.root, "memory/2025-10-01.md")
    path.write_text("# 2025-10-01\n\n- A crown of flowers for the bride, which we made.\n", encoding="utf-8")
    hits = visits.recall("when did the dentist last take an x-ray?", now=NOW).hits
    ordered = [hit.record.time for hit in hits if any(reason.name == "order" for reason in hit.reasons)]
    assert ordered == ["2023-09-19"] == [hits[0].record.time]


def test_the_word_for_it_weighs_little(visits: Memory) -> None:
    path = Path(visits.root, "memory/2025-10-01.md")
    path.write_text("# 2025-10-01\n\n- The last apples.\n", encoding="utf-8")
    assert days(visits, "the last dentist")[0] == "2025-01-17"
    assert visits.recall("the last dentist", now=NOW).hits[-1].record.time == "2025-10-01"


def test_the_order_can_be_switched_off_and_is_explained(visits: Memory) -> None:
    question = "when was I last at the dentist?"
    explained = visits.explain(question, now=NOW)
    assert "asked for: the last of its like" in explained.query_lines
    assert "+ order        0.139535" in explained.arithmetic[1]
    Path(visits.root, "commonplace.toml").write_text('[recall]\nwithout = ["order"]\n', encoding="utf-8")
    with Memory.open(visits.root) as plain:
        assert days(plain, question)[0] == "2021-03-02"
        assert "asked for: the last of its like" not in plain.explain(question, now=NOW).query_lines
