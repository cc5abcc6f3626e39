"""How sure recall is of its first hit: the number, the word `confident`, what is said where nothing fits."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import pytest

from bench import confidence as bench
from bench.confidence import Answer, auc, fitted, table, without_answers
from bench.quality import _harness
from commonplace import Memory
from commonplace.cli import main
from commonplace.retrieval.recall.scoring import MIN_CONFIDENCE, OFFSET, SLOPE, estimate_confidence, score_lead

NOW = "2025-11-30T09:00"
FALSE, FOUND = 0.2, 0.6  # most that may be, least that must be
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
    expected = 1 / (1 + math.exp(4.4 - 7.3 * math.sqrt(0.5 * 0.32)))
    assert estimate_confidence(0.5, [1.0, *[0.68] * 9]) == pytest.approx(expected, abs=5e-4)
    assert estimate_confidence(1.0, []) == 0.0
    assert estimate_confidence(0.0, [2.0, 0.1]) == estimate_confidence(1.0, [2.0] * 10) == pytest.approx(0.012)


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


# What a notebook's answers say.


def test_the_number_follows_from_the_words_that_stand_in_the_first_hit(book: Book) -> None:
    hits = book("- W The boat is green.\n- W The shed is red.\n- W Tea at nine.").recall("green zeppelin", now=NOW)
    idf, unknown = math.log(1 + 2.5 / 1.5), math.log(2 * 3 + 2)
    share = idf / (idf + unknown)
    assert hits.confidence == estimate_confidence(share, [hit.score for hit in hits.hits])
    assert not hits.confident


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
        ("zeppelins?", "nothing found"),
    ):
        assert main(["--workspace", str(tmp_path), "recall", question]) == 0
        said = capsys.readouterr().err
        assert told in said
        assert ("no confident match" in said) == told.startswith("no confident")


# The bench.


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
    assert bench.figures([*there, *nowhere]) == (0.25, 0.5, 0.5)
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


def test_the_answers_of_a_conversation_are_told_from_those_that_are_not_there(shared: Path) -> None:
    data = _harness().Data("locomo", str(shared / "bench"))
    data.queries = [one for one in data.queries if data.part(one) == "test"][::12]
    one = bench.figures(list(bench.conversations(data)))
    assert one.false <= FALSE
    assert one.found >= FOUND
