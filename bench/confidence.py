"""How far `confidence` can be believed: against labels, on questions whose answer is there and on such whose is not.

Right is a first hit that is labelled evidence. Of LoCoMo every conversation is asked its own questions, and those of
another conversation of the same half with the names of its own two speakers in them. Of the LongMemEval pool every
question is asked of the whole, and of the pool without the sessions that answer any question of that half. The halves
are those of the harness: the constants were fitted on `dev`, the table is made on `test`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from bench.adapter import Logs
from bench.quality import SHARED, _harness
from commonplace.retrieval.recall.scoring import MIN_CONFIDENCE, OFFSET, SLOPE

CONVERSATIONS, POOL, TOLD = "locomo", "lme_pool", "madial_en"
FITTED, REPORTED = "dev", "test"
BINS, K, ROUNDS = 10, 10, 25
BARS = (MIN_CONFIDENCE, 0.2, 0.3, 0.5)
MOST_RIGHT, FEWEST_WRONG = 0.1, 0.5  # of right first hits, and of others, that are called not confident
LEAST, MOST = 0.001, 0.999  # of a rounded confidence, that it has a logarithm

Doc = dict[str, Any]


class Answer(NamedTuple):
    """What was said to one question: of which set and half, whether its answer is there, whether the first hit is it,
    how many hits there were, and the confidence."""

    name: str
    half: str
    is_there: bool
    right: bool
    hits: int
    confidence: float


class Figures(NamedTuple):
    """`false`: the share of questions without an answer that are confident; `found`: of those with a right first hit;
    `right`: the share of right first hits among confident answers to questions that have one."""

    false: float
    found: float
    right: float


def run() -> None:
    """Print the empty answers, the table, what some bars would do, and what fitting again would give."""
    if not (SHARED / "bench").is_dir():
        print(f"no benchmark sets at {SHARED}: confidence was not measured")
        return
    harness = _harness()
    sets = {name: harness.Data(name, str(SHARED / "bench")) for name in (CONVERSATIONS, POOL, TOLD)}
    answers = [*conversations(sets[CONVERSATIONS]), *pooled(sets[POOL])]
    told = _asked(sets[TOLD], sets[TOLD].queries, next(iter(sets[TOLD].docs.values())), is_there=True)
    for line in report(answers, [*answers, *told]):
        print(line, flush=True)
    offset, slope = fitted([one for one in answers if one.half == FITTED])
    print(f"fitted again on {FITTED}: offset {offset:.2f} (is {OFFSET:g}), slope {slope:.2f} (is {SLOPE:g})")


def report(answers: Sequence[Answer], every: Sequence[Answer]) -> Iterator[str]:
    """The empty answers among `every`, the table, and what some bars do."""
    there = [one for one in every if one.is_there]
    empty = sum(not one.hits for one in there)
    yield f"questions that have an answer and got no hit: {empty} of {len(there)}"
    yield from table([one for one in answers if one.half == REPORTED])
    for (half, name), some in _by_half_and_set(answers):
        right, wrong = ([one.confidence for one in some if one.right is right] for right in (True, False))
        known = sum(one.is_there for one in some)
        yield f"{half}, {name}: {known} with an answer, {len(some) - known} without, AUC {auc(right, wrong):.3f}"
    for half in (FITTED, REPORTED):
        of_half = [one for one in answers if one.half == half]
        right, wrong = (
            _share(one.confidence < MIN_CONFIDENCE for one in of_half if one.right is is_right)
            for is_right in (True, False)
        )
        aims = f"(aims: at most {MOST_RIGHT:.0%}, at least {FEWEST_WRONG:.0%})"
        yield f"{half}: not confident are {right:.1%} of right first hits and {wrong:.1%} of others {aims}"
    yield "| half | set | bar | no answer, confident | right first hit, confident | confident, right |"
    yield "|---|---|---|---|---|---|"
    for (half, name), some in _by_half_and_set(answers):
        for bar in BARS:
            one = figures(some, bar)
            yield f"| {half} | {name} | {bar} | {one.false:.1%} | {one.found:.1%} | {one.right:.1%} |"


def conversations(data: Any) -> Iterator[Answer]:
    """Every conversation asked its own questions and those of another of its half."""
    for half in (FITTED, REPORTED):
        spaces = list(dict.fromkeys(query["ns"] for query in data.queries if data.part(query) == half))
        for place, space in enumerate(spaces):
            other = spaces[place - 1]
            names = dict(zip(_speakers(data.docs[other]), _speakers(data.docs[space]), strict=True))
            own = [query for query in data.queries if query["ns"] == space]
            yield from _asked(data, own, data.docs[space], is_there=True)
            foreign = [renamed(query, names) for query in data.queries if query["ns"] == other != space]
            yield from _asked(data, foreign, data.docs[space], is_there=False)


def pooled(data: Any) -> Iterator[Answer]:
    """Every question asked of the whole pool, and of the pool without what answers the questions of its half."""
    ((_space, docs),) = data.docs.items()
    yield from _asked(data, data.queries, docs, is_there=True)
    for half in (FITTED, REPORTED):
        queries = [query for query in data.queries if data.part(query) == half]
        yield from _asked(data, queries, without_answers(docs, queries), is_there=False)


def without_answers(docs: list[Doc], queries: Iterable[dict[str, Any]]) -> list[Doc]:
    """The turns of those sessions in which no evidence of any of the questions stands."""
    gone = {name for query in queries for name in (*query["relevant"], *query["relevant_sessions"])}
    gone |= {doc["session"] for doc in docs if doc["id"] in gone}
    return [doc for doc in docs if doc["session"] not in gone]


def renamed(query: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """A question with other names; its date goes, for it is asked on the last day of another conversation."""
    either = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b")
    return query | {"question": either.sub(lambda found: names[found[0]], query["question"]), "date": None}


def table(answers: Sequence[Answer]) -> Iterator[str]:
    """The calibration table: of ten stretches of confidence, what was said and what came true.

    Sets, and in each questions with and without an answer, weigh alike.
    """
    weights = _weights(answers)
    yield "| confidence | questions | said | came true |"
    yield "|---|---|---|---|"
    for place in range(BINS):
        inside = [one for one in answers if min(int(one.confidence * BINS), BINS - 1) == place]
        if inside:
            weight = sum(weights[one.name, one.is_there] for one in inside)
            said = sum(weights[one.name, one.is_there] * one.confidence for one in inside) / weight
            true = sum(weights[one.name, one.is_there] * one.right for one in inside) / weight
            yield f"| {place / BINS:.1f} to {(place + 1) / BINS:.1f} | {len(inside)} | {said:.2f} | {true:.2f} |"


def figures(answers: Sequence[Answer], bar: float = MIN_CONFIDENCE) -> Figures:
    """What confidence from a bar on says."""
    sure = [one for one in answers if one.confidence >= bar]
    return Figures(
        _share(one.confidence >= bar for one in answers if not one.is_there),
        _share(one.confidence >= bar for one in answers if one.right),
        _share(one.right for one in sure if one.is_there),
    )


def auc(of_right: Sequence[float], of_wrong: Sequence[float]) -> float:
    """The chance that a right answer has the greater number (Mann & Whitney 1947); equals count half."""
    wrong, right = Counter(of_wrong), Counter(of_right)
    below = won = 0.0
    for value in sorted({*wrong, *right}):
        won += right[value] * (below + wrong[value] / 2)
        below += wrong[value]
    return won / (len(of_right) * len(of_wrong)) if of_right and of_wrong else 0.5


def fitted(answers: Sequence[Answer]) -> tuple[float, float]:
    """The offset and slope that logistic regression gives on these answers (Newton's method, Platt 1999)."""
    weights = _weights(answers)
    spots = [(_log_odds(one.confidence), float(one.right), weights[one.name, one.is_there]) for one in answers]
    offset, slope = 0.0, 1.0
    for _round in range(ROUNDS):
        said = [(x, y, w, 1 / (1 + math.exp(-offset - slope * x))) for x, y, w in spots]
        pull, tilt = sum(w * (y - p) for x, y, w, p in said), sum(w * (y - p) * x for x, y, w, p in said)
        a, b, c = (sum(w * p * (1 - p) * x**power for x, _y, w, p in said) for power in (0, 1, 2))
        offset, slope = (
            offset + (c * pull - b * tilt) / (a * c - b * b),
            slope + (a * tilt - b * pull) / (a * c - b * b),
        )
    return offset + slope * OFFSET, slope * SLOPE


def _log_odds(confidence: float) -> float:
    """What a confidence was before it was put between 0 and 1: its log-odds."""
    bounded = min(max(confidence, LEAST), MOST)
    return math.log(bounded / (1 - bounded))


def _asked(data: Any, queries: list[dict[str, Any]], docs: list[Doc], *, is_there: bool) -> Iterator[Answer]:
    """The answers to questions of a notebook of these turns."""
    if not queries:
        return
    logs = Logs(docs)
    for query in queries:
        hits = logs.hits(query["question"], K, query.get("date"))
        right = is_there and bool({*logs.ids(hits)[:1]} & {*query["relevant"]})
        yield Answer(data.name, data.part(query), is_there, right, len(hits.hits), hits.confidence)
    logs.close()


def _speakers(docs: list[Doc]) -> list[str]:
    return list(dict.fromkeys(doc["speaker"] for doc in docs))


def _weights(answers: Sequence[Answer]) -> dict[tuple[str, bool], float]:
    """What one answer weighs, so that sets and questions with and without an answer weigh alike."""
    return {key: 1 / many for key, many in Counter((one.name, one.is_there) for one in answers).items()}


def _by_half_and_set(answers: Sequence[Answer]) -> Iterator[tuple[tuple[str, str], list[Answer]]]:
    order = sorted(answers, key=lambda one: (one.half, one.name))
    return ((key, list(some)) for key, some in groupby(order, key=lambda one: (one.half, one.name)))


def _share(true: Iterable[bool]) -> float:
    values = list(true)
    return sum(values) / len(values) if values else 0.0
