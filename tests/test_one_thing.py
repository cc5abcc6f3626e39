"""Ten hits are ten things: what says the same is one hit, and more hits are filled behind the first ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from commonplace import Memory
from commonplace.capture import Event
from commonplace.retrieval.recall.current_values import content_tokens
from commonplace.shapes import hits_json
from tests.support.schemas import validator

pytestmark = pytest.mark.usefixtures("surroundings", "calm")

NOW = "2025-11-30T09:00"
LONG = "I rowed the old boat to the mill with Ana, and on the way back we found a lamp. The boat is called Swift."


def take(memory: Memory, *texts: str, ts: str = "2025-11-20T09:00", **more: Any) -> list[str]:
    events = [Event(text=text, ts=ts, session=f"s{number}", **more) for number, text in enumerate(texts)]
    return [taken.id for taken in memory.capture_all(events, now=NOW)]


def write(memory: Memory, text: str) -> None:
    path = Path(memory.root, "memory/2025-11-21.md")
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"## Retain\n{text}\n", encoding="utf-8")


def recalled(memory: Memory, question: str, **more: Any) -> list[str]:
    return [hit.record.text for hit in memory.recall(question, now=NOW, **more).hits]


def test_a_record_and_the_capture_that_it_retells_are_one_hit(memory: Memory) -> None:
    [capture] = take(memory, LONG)
    write(memory, f"- W The boat is called Swift. <!-- id: swift · from: {capture} -->")
    [hit] = memory.recall("what is the boat called?", now=NOW).hits
    assert {hit.record.id, *hit.sources} == {capture, "swift"}
    shape = hits_json(memory.recall("what is the boat called?", now=NOW))
    validator("commonplace.hits.v1").validate(shape)
    assert shape["hits"][0]["source_count"] == len(shape["hits"][0]["sources"]) == 1


def test_records_that_state_different_facts_of_one_capture_are_different_hits(memory: Memory) -> None:
    [capture] = take(memory, LONG)
    write(
        memory,
        f"- W The boat is called Swift. <!-- id: swift · from: {capture} -->\n"
        f"- B @Ana: A lamp lay in the boat near the mill. <!-- id: lamp · from: {capture} -->",
    )
    assert {hit.record.id for hit in memory.recall("boat", now=NOW).hits} == {"swift", "lamp"}


@pytest.mark.parametrize(
    ("one", "other", "count"),
    [
        ("The blue boat lies at the mill.", "So the blue boat lies at the mill.", 1),
        ("The blue boat lies at the mill.", "The blue boat lies at a mill.", 1),
        ("The blue boat lies at the mill.", "The green boat lies at the mill.", 2),
        ("The boat has 2 sails.", "The boat has 3 sails.", 2),
        ("Tom sold the boat to Ben.", "Ben sold the boat to Tom.", 2),
        ("The boat is for sale.", "The boat is not for sale.", 2),
        ("The boat is at the mill.", "Is the boat at the mill?", 2),
        ("Moor the boat before noon.", "Moor the boat after noon.", 2),
    ],
)
def test_captures_that_differ_in_no_content_word_are_one_hit(memory: Memory, one: str, other: str, count: int) -> None:
    ids = take(memory, one, other)
    hits = memory.recall("boat", now=NOW).hits
    assert len(hits) == count
    assert {name for hit in hits for name in (hit.record.id, *hit.sources)} == set(ids)


def test_captures_of_two_speakers_or_days_are_two_hits(memory: Memory) -> None:
    take(memory, "I sold the boat.", detail={"speaker": "Ana"})
    take(memory, "I sold the boat.", detail={"speaker": "Ben"})
    take(memory, "Today I painted the oars.", ts="2025-11-22T09:00")
    take(memory, "Today I painted the oars.", ts="2025-11-23T09:00")
    assert len(recalled(memory, "boat")) == len(recalled(memory, "oars")) == 2


def test_places_left_by_duplicates_are_filled(memory: Memory) -> None:
    same = take(memory, *(f"{'So ' * (number % 2)}the boat is at the mill." for number in range(60)))
    take(memory, *(f"Much later boat number {number} was seen near Hamburg and sold." for number in range(20)))
    hits = memory.recall("the boat at the mill", now=NOW).hits
    assert len(hits) == 10
    assert hits[0].record.id in same


def test_the_first_hits_do_not_depend_on_how_many_are_asked_for(memory: Memory) -> None:
    kinds = ("boat", "boat mill", "mill", "boat lamp", "old boat at the mill")
    take(memory, *(f"{kinds[number % 5]} {number % 7} {'word ' * (number % 9)}{number}" for number in range(400)))
    whole = memory.recall("the old boat at the mill", k=200, now=NOW).hits
    assert len(whole) == 200
    for k in (3, 10, 11, 25, 60, 61, 120):
        assert memory.recall("the old boat at the mill", k=k, now=NOW).hits == whole[:k]


def test_what_a_hit_stands_for_may_enter_a_pack_where_the_hit_may_not(memory: Memory) -> None:
    [capture] = take(memory, LONG)
    write(memory, f"- W Its name is Swift. <!-- id: swift · from: {capture} -->")
    question = "what is the name of the boat that I rowed to the mill?"
    assert memory.recall(question, now=NOW).hits[0].record.id == capture
    packed = memory.pack(question, now=NOW, automatic=True, heard="s0")
    assert [item.record_id for item in packed.items] == ["swift"]


def test_a_pack_drops_no_line_that_has_a_content_word_of_its_own(memory: Memory) -> None:
    words = "The blue boat of Ana lies near the old mill in the north of the town"
    write(memory, f"- W {words} beside Hamburg.\n- W {words} beside Bremen.\n- W So {words} beside Bremen.")
    packed = memory.pack("where is the boat of Ana?", now=NOW)
    assert sum("Hamburg" in item.text for item in packed.items) == 1
    assert sum("Bremen" in item.text for item in packed.items) == 1


def test_function_words_are_no_content_but_negations_are() -> None:
    assert content_tokens(["so", "the", "boat", "is", "not", "at", "the", "mill"], "en") == ("boat", "not", "mill")
