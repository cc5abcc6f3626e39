"""How sure recall is of its first hit: the number, the word `confident`, what is said where nothing fits."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from commonplace import Memory
from commonplace.cli import main
from commonplace.retrieval.recall.scoring import MIN_CONFIDENCE, OFFSET, SLOPE, estimate_confidence, score_lead

NOW = "2025-11-30T09:00"
Book = Callable[[str], Memory]


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Book]:
    """Opens a notebook of one log with these lines below `Retain`."""
    opened: list[Memory] = []

    def write(lines: str) -> Memory:
        (tmp_path / "memory").mkdir()
        (tmp_path / "memory/2025-11-01.md").write_text(f"## Retain\n{lines}\n", encoding="utf-8")
        opened.append(Memory.open(tmp_path))
        return opened[-1]

    yield write
    for memory in opened:
        memory.close()


# The formula.


def test_confidence_is_what_its_page_says() -> None:
    written = importlib.import_module("commonplace.retrieval.recall.scoring").__doc__ or ""
    assert f"1 / (1 + e^({-OFFSET:g} - {SLOPE:g} · √(covered · lead)))" in written
    expected = 1 / (1 + math.exp(4.5 - 6.7 * math.sqrt(0.5 * 0.32)))
    assert estimate_confidence(0.5, [1.0, *[0.68] * 9]) == pytest.approx(expected, abs=5e-4)
    assert estimate_confidence(1.0, []) == 0.0
    assert estimate_confidence(0.0, [2.0, 0.1]) == estimate_confidence(1.0, [2.0] * 10) == pytest.approx(0.011)


def test_what_covers_more_and_leads_by_more_is_surer() -> None:
    by_cover = [estimate_confidence(share / 10, [1.0, 0.5]) for share in range(11)]
    by_lead = [estimate_confidence(0.8, [1.0, *[behind / 10] * 9]) for behind in range(10, -1, -1)]
    assert by_cover == sorted(set(by_cover))
    assert by_lead == sorted(set(by_lead))
    assert 0 <= by_cover[0] < MIN_CONFIDENCE < by_cover[-1] <= 1


def test_a_hit_leads_the_nine_behind_it_and_missing_ones_count_half() -> None:
    assert score_lead([3.0] * 10) == 0
    assert score_lead([2.0]) == score_lead([2.0, *[1.0] * 9]) == score_lead([2.0, *[1.0] * 9, 2.0, 2.0]) == 0.5
    assert score_lead([2.0, 2.0]) == pytest.approx(1 - (2 + 8) / 18)
    assert score_lead([1.0, *[2.0] * 9]) == 0  # twins exchange places, and keep their scores


# What a notebook's answers say.


def test_the_number_follows_from_the_words_that_stand_in_the_first_hit(book: Book) -> None:
    hits = book("- W The boat is green.\n- W The shed is red.\n- W Tea at nine.").recall("green zeppelin", now=NOW)
    idf, unknown = math.log(1 + 2.5 / 1.5), math.log(2 * 3 + 2)
    known = idf / (idf + unknown)
    assert hits.confidence == estimate_confidence(known**2, [hit.score for hit in hits.hits])
    assert not hits.confident


def test_half_of_the_words_cover_more_than_half_of_a_question(book: Book) -> None:
    hits = book("- W The boat is green.\n- W The shed is red.\n- W Tea at nine.").recall("boat shed", now=NOW)
    assert hits.confidence == estimate_confidence(math.sqrt(0.5), [hit.score for hit in hits.hits])


def test_an_answer_is_confident_from_the_bar_on(book: Book) -> None:
    memory = book("- W The boat is green.\n- W The shed is red.\n- W Tea at nine.")
    for question in ("which colour has the boat?", "boat zeppelin", "boat", "who?", "volcanoes and zeppelins", "tea"):
        hits = memory.recall(question, now=NOW)
        assert hits.confident == (hits.confidence >= MIN_CONFIDENCE)
    assert memory.recall("boat", now=NOW).confident
    assert memory.recall("zeppelins", now=NOW).confidence == 0


def test_one_of_many_alike_is_not_relied_on_whatever_it_covers(book: Book) -> None:
    many = "\n".join(f"- W The boat is moored at pier {number}." for number in range(12))
    memory = book(f"{many}\n- W The shed is locked.")
    assert not memory.recall("where is the boat moored?", now=NOW).confident
    assert memory.recall("is the shed locked?", now=NOW).confident


def test_how_many_hits_are_asked_for_changes_nothing(book: Book) -> None:
    memory = book("\n".join(f"- W The boat is moored at pier {number}." for number in range(12)))
    assert len({memory.recall("where is the boat moored?", k=k, now=NOW).confidence for k in (1, 3, 12)}) == 1


def test_a_question_for_a_list_does_not_need_a_first_that_leads(book: Book) -> None:
    memory = book("\n".join(f"- O @Ada: Likes the tune {number}." for number in range(12)))
    found = [
        memory.recall(question, now=NOW) for question in ("who is Ada?", "what does Ada think?", "in November 2025")
    ]
    assert [hits.confident for hits in found] == [True] * 3


def test_the_newest_of_the_sort_come_where_no_word_is_known(book: Book, tmp_path: Path) -> None:
    memory = book("- W The boat is green.")
    semantic = tmp_path / "memory/semantic"
    semantic.mkdir()
    (semantic / "decisions.md").write_text("# Decisions\n- Storage: Postgres\n- Drink: tea\n", encoding="utf-8")
    hits = memory.recall("what did we decide about zirconium?", now=NOW)
    assert {hit.record.text for hit in hits.hits} == {"Storage: Postgres", "Drink: tea"}
    assert not hits.confident
    assert [hit.record.text for hit in memory.recall("what did we decide about tea?", now=NOW).hits] == ["Drink: tea"]
    nothing = memory.recall("what is zirconium?", now=NOW)
    assert (nothing.hits, nothing.confidence) == ((), 0.0)


def test_the_command_says_where_nothing_fits(book: Book, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book("- W The boat is green.\n- W The shed is red.")
    for question, told in (
        ("is the boat green?", ""),
        ("is the boat of the abbess on the glacier?", "no confident match (confidence 0."),
        ("zeppelins?", "no confident match (confidence 0.00)"),
    ):
        assert main(["--workspace", str(tmp_path), "recall", question]) == 0
        said = capsys.readouterr().err
        assert told in said
        assert ("no confident match" in said) == told.startswith("no confident")


def test_a_verb_of_asking_that_no_line_has_says_less_against_an_answer_than_another_word(book: Book) -> None:
    memory = book("- W The boat is green and lies at the mill.\n- W The shed is red.\n- W Water.")
    asked, other = (memory.recall(f"what did we {verb} of the boat?", now=NOW) for verb in ("mention", "hammer"))
    assert asked.confidence > other.confidence
