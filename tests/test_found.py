"""Of all that lanes find, what is scored in full is what it would be if every row were put together."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, cast

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from commonplace.index import Filter, Index, Turn
from commonplace.recall.dialogue import Heard
from commonplace.recall.fit import FITS, fits, most
from commonplace.recall.found import Found, by_lane, candidates
from commonplace.recall.lexical import Measured
from commonplace.recall.parts import EVENT, PARTS, TIME, Strengths, counted
from commonplace.recall.understand import Sessions, Understood

ROWS = range(1, 61)
SAID = ("Tea was at four yesterday.", "Three cups?", "Tea", "")
LANES = ("lexical", "entity", "kind", "time", "event", "vector")
SWITCHED_OFF = ("time", "event", "session", "lexical", "length", "speaker", "entity")


class Newest:
    """An index in which the rows with the highest numbers are the newest."""

    def newest(self, rows: Iterable[int], at_most: int) -> list[int]:
        return sorted(rows, reverse=True)[:at_most]


INDEX = cast("Index", Newest())
level = st.sampled_from((0.0, 0.25, 0.5, 1.0)) | st.floats(0, 1)
lane = st.dictionaries(st.sampled_from(ROWS), level, max_size=30)
heard = st.builds(
    Heard,
    turn=st.builds(
        Turn,
        *[st.just(0), st.just(""), st.just(""), st.integers(0, 90), st.sampled_from(("", "Ada", "assistant"))],
        actor=st.sampled_from(("", "owner", "agent")),
        text=st.sampled_from(SAID),
    ),
    match=st.builds(Measured, st.floats(0, 9), st.just(0.0), st.just(())),
    session=st.floats(0, 4),
    near=st.floats(0, 2),
    window=st.floats(0, 2),
    answers=st.floats(0, 3),
    between=st.booleans(),
)
asked = st.builds(
    Understood,
    terms=st.just(()),
    names=st.just({"ada": "ada"}),
    mentions=st.sets(st.sampled_from(ROWS)).map(lambda rows: [(row, "ada", "speaker") for row in rows]),
    speakers=st.sampled_from((frozenset(), frozenset(("ada",)))),
    windows=st.just(()),
    sessions=st.just(Sessions()),
    only=st.just(Filter()),
    among=st.none(),
    at=st.just("2025-11-30T09:00"),
    intent=st.sampled_from(("any", "opinion", "procedure")),
    bare=st.booleans(),
    of_agent=st.booleans(),
    of_advice=st.booleans(),
    answer=st.sampled_from(("any", "time", "count")),
    notes=st.just(()),
    without=st.frozensets(st.sampled_from(SWITCHED_OFF), max_size=2),
)


NAMING = Understood(
    terms=(),
    names={"ada": "ada"},
    mentions=[],
    speakers=frozenset(("ada",)),
    windows=(),
    sessions=Sessions(),
    only=Filter(),
    among=None,
    at="2025-11-30T09:00",
    intent="any",
    bare=False,
    of_agent=False,
    of_advice=False,
    answer="any",
    notes=(),
)


def a_turn(score: float, session: float) -> Heard:
    said = Turn(0, "", "", 20, "Ada", "", "Tea was at four.")
    return Heard(said, Measured(score, 0.0, {}), session=session)


def worth(asked: Understood, said: Strengths) -> tuple[float, float]:
    """The strength of a row, and what of it the time that is meant makes up."""
    fit = fit_of(said, asked)
    relevance = sum([part(said, asked) for part in counted(PARTS, asked).values()])
    return relevance * fit, TIME * max(said.time, EVENT * said.event) * fit


def fit_of(said: Strengths, asked: Understood) -> float:
    return math.prod([factor(said, asked) for factor in fits(asked).values()])


def strongest(strengths: dict[int, float], depth: int) -> set[int]:
    return set(sorted(strengths, key=lambda row: (-strengths[row], -row))[:depth])


@settings(max_examples=400, deadline=None)
@given(
    asked,
    st.fixed_dictionaries(dict.fromkeys(LANES, lane)),
    st.dictionaries(st.sampled_from(ROWS), heard, max_size=40),
    lane,
    st.integers(1, 20),
)
def test_what_is_scored_in_full_is_the_strongest_of_all(
    asked: Understood, lanes: dict[str, dict[int, float]], around: dict[int, Heard], close: dict[int, float], depth: int
) -> None:
    plain = by_lane({row for lane in lanes.values() for row in lane}, lanes)
    every = Found(asked, plain, around, close)
    known = {row: worth(asked, every[row]) for row in every}
    by_time = {row: strength for row, (strength, timed) in known.items() if timed}
    untimed = {row: strength - timed for row, (strength, timed) in known.items()}
    expected = strongest(untimed, depth) | strongest(by_time, depth)
    assert candidates(INDEX, asked, Found(asked, plain, around, close), depth) == expected


def test_what_is_said_by_whom_the_question_names_may_be_so_much_the_stronger() -> None:
    lines = {row: a_turn(1.0, 0.2) for row in ROWS}
    plain = by_lane(ROWS, {"lexical": {row: 0.9 if row <= 30 else 0.6 for row in ROWS}})
    for said in (60, 31):
        understood = structs.replace(NAMING, mentions=[(said, "ada", "speaker")])
        assert candidates(INDEX, understood, Found(understood, plain, lines, {}), 3) == {said, 29, 30}


def test_a_line_that_is_too_short_to_come_up_to_the_bar_is_not_put_together() -> None:
    turn = a_turn(1.0, 0.2)
    short = structs.replace(turn, turn=structs.replace(turn.turn, length=2))
    lines = {row: turn if row <= 30 else short for row in ROWS}
    plain = by_lane(ROWS, {"lexical": dict.fromkeys(ROWS, 0.9)})
    for without, looked_at in ((frozenset[str](), set(range(1, 31))), (frozenset(("length",)), set(ROWS))):
        understood = structs.replace(NAMING, without=without)
        found = Found(understood, plain, lines, {})
        candidates(INDEX, understood, found, 3)
        assert found._whole.keys() == looked_at


@settings(max_examples=300, deadline=None)
@given(asked, st.builds(Strengths, *[level] * len(Strengths.__struct_fields__)))
def test_no_line_fits_better_than_the_most_that_is_possible(asked: Understood, said: Strengths) -> None:
    fit = fit_of(said, asked)
    if asked.answer != "any" or not said.holds:
        assert fit <= most(asked, speaks=bool(said.speaks)) * (1 + 1e-12)
    assert most(asked, speaks=False) <= most(asked, speaks=True)


@settings(max_examples=200, deadline=None)
@given(asked, st.builds(Strengths, *[level] * len(Strengths.__struct_fields__)))
def test_a_part_of_which_no_lane_says_anything_is_nothing(asked: Understood, said: Strengths) -> None:
    for name, part in PARTS.items():
        values: dict[str, Any] = {field: getattr(said, field) for field in Strengths.__struct_fields__}
        assert part(Strengths(**values | {name: 0.0}), asked) == 0
    for factor in FITS.values():
        assert factor(Strengths(lexical=said.lexical, time=said.time, entity=said.entity), asked) == 1


def test_what_is_too_weak_whatever_it_says_is_not_put_together() -> None:
    strong = range(1, 11)
    around = {row: a_turn(5.0 if row in strong else 0.0, 1.0) for row in ROWS}
    found = Found(NAMING, by_lane(strong, {"lexical": dict.fromkeys(strong, 1.0)}), around, {})
    assert candidates(INDEX, NAMING, found, len(strong)) == set(strong)
    assert set(found._whole) == set(strong)
