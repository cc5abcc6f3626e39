"""Of all that lanes find, what is scored in full is what it would be if every row were put together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from commonplace.index import Filter, Index, IndexedTurn
from commonplace.language.text import query_terms
from commonplace.model import RECALL_SWITCHES, Query
from commonplace.retrieval.recall import recall, trace_recall
from commonplace.retrieval.recall.candidates import (
    BOUND_MARGIN,
    CandidateSet,
    LaneSignals,
    combine_lanes,
    select_candidates,
)
from commonplace.retrieval.recall.dialogue import DialogueScores, TurnScores, score_single_turns
from commonplace.retrieval.recall.lanes import LANES, TURN_PARTS
from commonplace.retrieval.recall.lexical import Bm25Scorer
from commonplace.retrieval.recall.query import ParsedQuery, SessionReference
from commonplace.retrieval.recall.scoring import (
    ANSWER_FEATURES,
    EVENT_SHARE,
    SCORE_PARTS,
    TIME_WEIGHT,
    Signals,
    enabled_answer_features,
    enabled_parts,
    max_feature_product,
)
from tests.support.indexes import made, talk
from tests.support.sample_size import sample_size

ROWS = range(1, 61)
SAID = ("Tea was at four yesterday.", "Three cups?", "Tea", "")
PLAIN_PARTS = [lane.name for lane in LANES if not lane.per_turn]
SWITCHED_OFF = ("time", "event", "session", "lexical", "length", "speaker", "entity")


class Newest:
    """An index in which the rows with the highest numbers are the newest."""

    def newest_of_rows(self, rows: Iterable[int], at_most: int) -> list[int]:
        return sorted(rows, reverse=True)[:at_most]

    def files(self) -> dict[str, object]:
        return {}


class Given(dict[int, TurnScores]):
    """Rows as measured, in dialogues of so many rows each, and how those match that do."""

    def __init__(self, rows: dict[int, TurnScores], scores: dict[int, float], size: int = 7) -> None:
        super().__init__(rows)
        self.positions, self._scores, self._size = rows, scores, size

    def matches(self) -> dict[int, float]:
        return {row: score for row, score in self._scores.items() if row in self}

    def turn(self, row: int) -> IndexedTurn:
        return self[row].turn

    def context_scores(self, rows: Iterable[int]) -> Iterator[float]:
        return (one.session + one.nearby_lines + one.after_question for one in map(self.__getitem__, rows))

    def bounds_by_dialogue(self) -> Iterator[tuple[float, list[int]]]:
        rows = list(self)
        for turns in (rows[at : at + self._size] for at in range(0, len(rows), self._size)):
            yield max(self.context_scores(turns)), [*turns, 999]


def given_rows(rows: dict[int, TurnScores], scores: dict[int, float], size: int = 7) -> DialogueScores:
    return cast("DialogueScores", Given(rows, scores, size))


INDEX = cast("Index", Newest())
level = st.sampled_from((0.0, 0.25, 0.5, 1.0)) | st.floats(0, 1).map(lambda drawn: round(drawn, 6))
lane = st.dictionaries(st.sampled_from(ROWS), level, max_size=30)
heard = st.builds(
    TurnScores,
    turn=st.builds(
        IndexedTurn,
        *[st.just(0), st.just(""), st.just(""), st.integers(0, 90), st.sampled_from(("", "Ada", "assistant"))],
        actor=st.sampled_from(("", "owner", "agent")),
        text=st.sampled_from(SAID),
    ),
    session=st.floats(0, 4),
    nearby_lines=st.floats(0, 2),
    after_question=st.floats(0, 3),
    is_between_people=st.booleans(),
)
asked = st.builds(
    ParsedQuery,
    terms=st.just(()),
    entity_names=st.just({"ada": "ada"}),
    speakers=st.sampled_from((frozenset(), frozenset(("ada",)))),
    time_windows=st.just(()),
    sessions=st.just(SessionReference()),
    record_filter=st.just(Filter()),
    required_rows=st.none(),
    reference_time=st.just("2025-11-30T09:00"),
    intent=st.sampled_from(("any", "opinion", "procedure")),
    has_only_cues=st.booleans(),
    asks_about_agent=st.booleans(),
    answer_type=st.sampled_from(("any", "time", "count")),
    notes=st.just(()),
    disabled=st.frozensets(st.sampled_from(SWITCHED_OFF), max_size=2),
)


NAMING = ParsedQuery(
    terms=(),
    entity_names={"ada": "ada"},
    speakers=frozenset(("ada",)),
    time_windows=(),
    sessions=SessionReference(),
    record_filter=Filter(),
    required_rows=None,
    reference_time="2025-11-30T09:00",
    intent="any",
    has_only_cues=False,
    asks_about_agent=False,
    answer_type="any",
    notes=(),
)


def gathered(
    asked: ParsedQuery,
    plain: LaneSignals,
    around: DialogueScores,
    close: dict[int, float] | None = None,
    said_by: Iterable[int] = (),
) -> CandidateSet:
    return CandidateSet(asked, plain, dialogue_scores=around, proximity=close or {}, speaker_rows=set(said_by))


def a_turn(session: float) -> TurnScores:
    return TurnScores(IndexedTurn(0, "", "", 20, "Ada", "", "Tea was at four."), session=session)


def worth(asked: ParsedQuery, said: Signals) -> tuple[float, float]:
    """The strength of a row, and what of it the time that is meant makes up."""
    fit = fit_of(said, asked)
    relevance = sum([part(said, asked) for part in enabled_parts(SCORE_PARTS, asked).values()])
    return relevance * fit, TIME_WEIGHT * max(said.time, EVENT_SHARE * said.event) * fit


def fit_of(said: Signals, asked: ParsedQuery) -> float:
    return math.prod([factor(said, asked) for factor in enabled_answer_features(asked).values()])


def strongest(strengths: dict[int, float], depth: int) -> set[int]:
    return set(sorted(strengths, key=lambda row: (-strengths[row], -row))[:depth])


@pytest.mark.slow
@pytest.mark.sampled
@settings(max_examples=sample_size(full=400, sample=60), deadline=None)
@given(
    asked,
    st.fixed_dictionaries(dict.fromkeys(PLAIN_PARTS, lane)),
    st.dictionaries(st.sampled_from(ROWS), heard, max_size=40),
    st.dictionaries(st.sampled_from(ROWS), st.floats(0, 9)),
    st.tuples(lane, st.integers(1, 20), st.integers(1, 20)),
    st.sets(st.sampled_from(ROWS)),
)
def test_what_is_scored_in_full_is_the_strongest_of_all(
    asked: ParsedQuery,
    lanes: dict[str, dict[int, float]],
    turns: dict[int, TurnScores],
    scores: dict[int, float],
    others: tuple[dict[int, float], int, int],
    said_by: set[int],
) -> None:
    close, depth, size = others
    around = given_rows(turns, scores, size)
    plain = combine_lanes({row for lane in lanes.values() for row in lane}, lanes)
    every = gathered(asked, plain, around, close, said_by)
    known = {row: worth(asked, every[row]) for row in every}
    by_time = {row: strength for row, (strength, timed) in known.items() if timed}
    untimed = {row: strength - timed for row, (strength, timed) in known.items()}
    expected = strongest(untimed, depth) | strongest(by_time, depth)
    assert select_candidates(INDEX, gathered(asked, plain, around, close, said_by), depth).keys() == expected


def test_what_is_said_by_whom_the_question_names_may_be_so_much_the_stronger() -> None:
    lines = {row: a_turn(0.2) for row in ROWS}
    plain = combine_lanes(ROWS, {"lexical": {row: 0.9 if row <= 30 else 0.6 for row in ROWS}})
    for said in (60, 31):
        found = gathered(NAMING, plain, given_rows(lines, {1: 1.0}), said_by={said})
        assert select_candidates(INDEX, found, 3).keys() == {
            said,
            29,
            30,
        }


def test_a_line_that_is_too_short_to_come_up_to_the_bar_is_not_put_together() -> None:
    turn = a_turn(0.2)
    short = structs.replace(turn, turn=structs.replace(turn.turn, token_count=2))
    lines = {row: turn if row <= 30 else short for row in ROWS}
    plain = combine_lanes(ROWS, {"lexical": dict.fromkeys(ROWS, 0.9)})
    for without, looked_at in ((frozenset[str](), set(range(1, 31))), (frozenset(("length",)), set(ROWS))):
        understood = structs.replace(NAMING, disabled=without)
        found = gathered(understood, plain, given_rows(lines, {1: 1.0}))
        select_candidates(INDEX, found, 3)
        assert found.known_signals.keys() == looked_at


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(asked, st.builds(Signals, *[level] * len(Signals.__struct_fields__)))
def test_no_line_fits_better_than_the_most_that_is_possible(asked: ParsedQuery, said: Signals) -> None:
    fit = fit_of(said, asked)
    if asked.answer_type != "any" or not said.holds:
        assert fit <= max_feature_product(asked, speaks=bool(said.speaks)) * (1 + 1e-12)
    assert max_feature_product(asked, speaks=False) <= max_feature_product(asked, speaks=True)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(asked, st.builds(Signals, *[level] * len(Signals.__struct_fields__)))
def test_a_part_of_which_no_lane_says_anything_is_nothing(asked: ParsedQuery, said: Signals) -> None:
    for name, part in SCORE_PARTS.items():
        values: dict[str, Any] = {field: getattr(said, field) for field in Signals.__struct_fields__}
        assert part.weigh(Signals(**values | {name: 0.0}), asked) == 0
    for factor in ANSWER_FEATURES.values():
        assert factor.weigh(Signals(lexical=said.lexical, time=said.time, entity=said.entity), asked) == 1


def test_what_is_too_weak_whatever_it_says_is_not_put_together() -> None:
    strong = range(1, 11)
    around = {row: a_turn(1.0) for row in ROWS}
    plain = combine_lanes(strong, {"lexical": dict.fromkeys(strong, 1.0)})
    found = gathered(NAMING, plain, given_rows(around, {1: 5.0}))
    assert select_candidates(INDEX, found, len(strong)).keys() == set(strong)
    assert set(found.known_signals) == set(strong)


def test_of_a_dialogue_that_adds_too_little_no_turn_is_looked_at_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    strong = range(1, 6)
    turns = {row: a_turn(0.1) for row in ROWS} | {30: a_turn(9.0)}
    asked: list[int] = []
    lent = Given.context_scores
    monkeypatch.setattr(Given, "context_scores", lambda given, rows: asked.extend(rows) or lent(given, rows))
    given = Given(turns, {1: 1.0}, 10)
    together = [(9.0 if 30 in rows else 0.1, rows) for rows in ([*range(at, at + 10)] for at in range(1, 60, 10))]
    monkeypatch.setattr(given, "bounds_by_dialogue", lambda: together, raising=False)
    plain = combine_lanes(strong, {"lexical": dict.fromkeys(strong, 1.0)})
    assert select_candidates(INDEX, gathered(NAMING, plain, cast("DialogueScores", given)), 3).keys() == {
        30,
        4,
        5,
    }
    assert set(asked) == {*strong, *range(21, 31)}


def test_a_dialogue_is_looked_at_for_what_whom_the_question_names_says_in_it() -> None:
    plain = combine_lanes(range(1, 4), {"lexical": dict.fromkeys(range(1, 4), 1.0)})
    turns = {row: a_turn(0.0 if row < 4 else 0.9) for row in ROWS}
    found = gathered(NAMING, plain, given_rows(turns, {1: 1.0}), said_by={40})
    assert 40 in select_candidates(INDEX, found, 3)


def test_a_row_with_words_close_together_is_weighed_once() -> None:
    turns = {row: a_turn({1: 0.5, 2: 1.0}.get(row, 0.1)) for row in range(1, 12)}
    found = gathered(NAMING, combine_lanes([], {}), given_rows(turns, {}, 1), {1: 0.0, 2: 0.0})
    assert select_candidates(INDEX, found, 3).keys() == {1, 2, 11}


QUESTIONS = (
    "which boat is green?",
    "when did Ben paint the old boat?",
    "boat number seven",
    "how was the weather of day three?",
)


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_turn_gains_from_its_dialogue_what_its_bound_says_and_no_more(question: str, tmp_path: Path) -> None:
    said = (
        *(f"Ada: The boat number {n} is green." for n in range(9)),
        "Ada: Who paints it?",
        "Ben: I paint the old boat.",
    )
    calm = [f"{'Ben' if n % 2 else 'Ada'}: The weather of day {n} was fine." for n in range(20)]
    pages = {**talk(*calm[:9], *said, *calm[9:]), **{f"notes/{name}.md": "- The sails\n" for name in "ab"}}
    trace = trace_recall(made(tmp_path, pages), Query(text=question, now="2025-12-01T00:00"))
    candidates, dialogues = trace.candidates, trace.candidates.dialogue_scores
    bounds = candidates.context_bounds(dialogues.positions)
    gains = {
        row: sum(SCORE_PARTS[part].weigh(candidates[row], trace.parsed) for part in TURN_PARTS)
        for row in dialogues.positions
    }
    assert sum(gain > 0 for gain in gains.values()) > 9
    assert all(gains[row] < bounds[row] < gains[row] + 2 * BOUND_MARGIN for row in gains)
    for most, turns in dialogues.bounds_by_dialogue():
        assert most == max(dialogues.context_scores(row for row in turns if row), default=0.0)


def test_a_hit_of_an_earlier_pass_is_judged_by_its_own_signals(tmp_path: Path) -> None:
    """A deeper pass, run where the first gave fewer than k hits, may have other candidates."""
    index = made(tmp_path, talk(*(f"Ada: The boat number {n} is green." for n in range(9))))
    trace = trace_recall(index, Query(text="Which boat is green?", now="2025-12-01T00:00"))
    other = trace_recall(index, Query(text="Who paints the shed?", now="2025-12-01T00:00"))
    assert trace.choice.ranked[0].row_id not in other.candidates
    deeper = structs.replace(trace, candidates=other.candidates)
    assert deeper.hits.confidence == trace.hits.confidence > 0


def test_every_part_of_the_score_has_one_lane_and_every_lane_its_parts() -> None:
    fed = [part for lane in LANES for part in lane.feeds]
    assert sorted(fed) == sorted(SCORE_PARTS)
    assert set(fed) <= set(Signals.__struct_fields__)
    assert set(fed) <= set(RECALL_SWITCHES)
    assert all(lane.feeds == (lane.name,) for lane in LANES if not lane.per_turn)
    assert len({lane.name for lane in LANES}) == len(LANES)


def test_what_was_reckoned_to_choose_a_row_is_not_reckoned_again_for_its_score(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = made(tmp_path, talk(*(f"Ada: The boat number {n} is green." for n in range(9))))
    reckoned: list[Signals] = []
    real = ANSWER_FEATURES["length"]
    counted = structs.replace(real, weigh=lambda said, asked: reckoned.append(said) or real.weigh(said, asked))
    monkeypatch.setitem(ANSWER_FEATURES, "length", counted)
    hits = recall(index, Query(text="which boat is green?", now="2025-12-01T00:00")).hits
    assert all(any(reason.name == "length×" for reason in hit.reasons) for hit in hits)
    put_together = [said for said in reckoned if said.length < 1]  # the others are the most that a line can be
    assert len(put_together) == len(set(map(id, put_together))) == 9


def test_rows_that_are_left_out_match_nothing(tmp_path: Path) -> None:
    index = made(tmp_path, {"a.md": "- tea\n- milk and tea\n"})
    one, other = sorted(index.matching_rows("tea"))
    around = score_single_turns(index, Bm25Scorer(index, query_terms("tea", ("en",))), (one, other), Filter())
    assert around.matches().keys() == {one, other}
    assert list(around.context_scores((one, other))) == [0.0, 0.0]  # nothing is said around them
    assert around.restrict_to({other}).matches().keys() == {other}
