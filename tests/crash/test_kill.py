"""Killed at any call: nothing acknowledged is lost, nothing is doubled, and all agree after the next start by itself."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from crash.bases import Bases
from crash.deeds import DEEDS, LOOPED, Deed, said, wrong_with
from crash.orders import Trip, Way
from crash.points import HALVED
from crash.stage import Stage
from crash.trials import points, sample, sample_points, state_of
from crash.verdict import TORN, judge

WAYS: tuple[Way, ...] = ("kill-before", "kill-half", "kill-after")
SAMPLE, SAMPLE_STEPS = 4, 8  # points of a deed
KILLS, KILLS_WHOLE = 16, 500
FINISHED = (
    "pending approve",
    "pending reject",
    "skills approve",
    "skills reject",
    "scrub",
    "forget --now",
    "merge",
    "buffer add",
    "buffer rotate",
)
SEVERAL = tuple(deed for deed in DEEDS if deed.name in FINISHED)  # what the next start brings to its end
KILLS_A_DAY = 20  # so that no log grows without end


@pytest.mark.slow
@pytest.mark.parametrize("deed", DEEDS, ids=lambda deed: deed.name)
def test_a_kill_at_any_call_loses_nothing_and_the_next_start_mends_the_rest(
    deed: Deed, stage: Stage, bases: Bases, tmp_path: Path, whole: bool
) -> None:
    before = stage.look(bases.copy(deed, tmp_path / "before"))
    commands = deed.commands(tmp_path / "before")
    calls = stage.run(bases.copy(deed, tmp_path / "undisturbed"), *commands, stdin=deed.stdin).calls
    undisturbed = stage.look(tmp_path / "undisturbed")
    changing = points(calls, without=("read-open",))
    trips = [
        Trip(way, *point)
        for way in WAYS
        for point in (changing if whole else sample_points(changing, SAMPLE, deed.name))
        if way != "kill-half" or point[0] in HALVED
    ]
    judged: dict[tuple[object, ...], list[str]] = {}
    wrong = []
    killed = 0
    for trip in trips if whole else sample(trips, SAMPLE, deed.name):
        root = bases.copy(deed, tmp_path / "root")
        outcome = stage.run(root, *commands, stdin=deed.stdin, trip=trip)
        assert outcome.died or outcome.codes, outcome.err
        killed += outcome.died
        torn = TORN if trip.way == "kill-half" else ()
        state = (state_of(root), outcome.codes, outcome.out, torn)
        if state not in judged:
            found = wrong_with(deed, root, (before, stage.look(root)), outcome, *torn)
            again = stage.run(root, *commands, stdin=deed.stdin)
            if set(again.codes) != {0} and not (deed.once and all(deed.parts(root))):
                found.append(f"done again: {again.err}")
            seen = stage.look(root)
            found += [f"afterwards: {one}" for one in wrong_with(deed, root, (before, seen), again, *torn)]
            if deed.ends_alike and seen.markdown != undisturbed.markdown:
                found.append("done again, it ends otherwise")
            judged[state] = found
        wrong += [(trip, one) for one in judged[state]]
    tried = f"{len(changing)} calls, killed at {killed} points, {len(judged)} states, {len(wrong)} complaints"
    print(f"\n{deed.name}: {tried}")  # noqa: T201 - for who runs with -s
    assert not wrong
    assert killed >= len(trips) // 2 or not whole


@pytest.mark.slow
@pytest.mark.parametrize("deed", SEVERAL, ids=lambda deed: deed.name)
def test_what_is_found_half_done_is_whole_after_the_next_start(
    deed: Deed, stage: Stage, bases: Bases, tmp_path: Path, whole: bool
) -> None:
    commands = deed.commands(bases.copy(deed, tmp_path / "before"))
    calls = stage.run(bases.copy(deed, tmp_path / "calls"), *commands, stdin=deed.stdin).calls
    steps = [point for point in points(calls) if point[0] in ("exchange", "rename", "link", "write")]
    halves = 0
    for point in steps if whole else sample(steps, SAMPLE_STEPS, deed.name):
        root = bases.copy(deed, tmp_path / "root")
        assert stage.run(root, *commands, stdin=deed.stdin, trip=Trip("kill-after", *point)).died
        if len(set(deed.parts(root))) > 1:
            halves += 1
            stage.look(root)
            assert len(set(deed.parts(root))) == 1, point
    assert halves


@pytest.mark.slow
def test_random_kills_of_a_looping_writer_lose_and_double_nothing(
    stage: Stage, bases: Bases, tmp_path: Path, whole: bool
) -> None:
    chance = random.Random(2025)
    root = bases.copy(LOOPED, tmp_path / "root")
    before = stage.look(bases.copy(LOOPED, tmp_path / "before"))
    told: dict[str, list[str]] = {"lines": []}
    wrong: list[str] = []
    longest_s, died = 0.2, 0
    kills = KILLS_WHOLE if whole else KILLS
    for turn in range(kills):
        now = f"2025-{1 + turn // KILLS_A_DAY // 28:02}-{1 + turn // KILLS_A_DAY % 28:02}T10:00"
        commands = [(verb, f"Turn {turn}, sentence {number}.") for number in range(60) for verb in ("retain", "log")]
        outcome = stage.run(root, *commands, now=now, dies_after_s=chance.uniform(0.03, longest_s))
        died += outcome.died
        acknowledged = said(LOOPED, outcome)
        for field, ids in acknowledged.items():
            told.setdefault(field, []).extend(ids)
        if not any(acknowledged.values()):
            longest_s *= 1.5  # a busy machine gets nothing done in a moment
        elif not outcome.died:
            longest_s /= 1.5
        if turn % 8 == 7:
            wrong += judge(before, stage.look(root), told, *TORN)
    print(f"\n{kills} random kills: {len(told['lines'])} sentences acknowledged, {len(wrong)} complaints")  # noqa: T201 - for who runs with -s
    assert not wrong
    assert told["lines"]
    assert died > kills / 2


def test_what_was_printed_before_a_kill_counts_as_acknowledged(stage: Stage, bases: Bases, tmp_path: Path) -> None:
    """Of the tests themselves: a line that is taken away afterwards is missed."""
    root = bases.copy(LOOPED, tmp_path / "root")
    before = stage.look(bases.copy(LOOPED, tmp_path / "before"))
    outcome = stage.run(root, ("retain", "Gone."), ("retain", "Stays."), trip=Trip("kill-after", "exchange", 1))
    assert outcome.died
    told = said(LOOPED, outcome)
    assert len(told["lines"]) == 1
    assert judge(before, stage.look(root), told) == []
    page = next((root / "memory").glob("*.md"))
    page.write_text("\n".join(line for line in page.read_text().split("\n") if "Gone." not in line))
    assert f"lost: {told['lines'][0]} of lines" in judge(before, stage.look(root), told)
