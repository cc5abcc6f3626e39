"""What answers are worth: shares of the labelled evidence, and times."""

from __future__ import annotations

import statistics
from typing import Any, NamedTuple

from bench.peers.driven import Answers
from bench.peers.drivers.job import Turn

HITS, SESSIONS, BUDGET = 10, 5, 1_000
CHARACTERS_OF_A_TOKEN, TOKENS_OF_A_HIT = 4, 8  # as the harness that came with the sets counts them


class Middle(NamedTuple):
    """A median and a 95th percentile, in milliseconds."""

    p50: float
    p95: float


class Figures(NamedTuple):
    """One row: percentages are means over the questions."""

    recall: float  # the evidence turns that the first ten hits show
    session: float  # questions with an evidence session among the first five sessions of the hits
    packed: float  # the evidence turns in 1,000 tokens of hits, taken in order, what does not fit left out
    empty: float  # questions without any hit
    wall: Middle
    cpu: Middle
    index: float  # CPU seconds
    peak: float  # megabytes
    size: float  # megabytes


def figures(answers: Answers, queries: list[dict[str, Any]], turns: list[Turn], size: float) -> Figures:
    """The row of answers to the queries, which are in the same order."""
    of = {turn["id"]: turn for turn in turns}
    judged = list(zip(answers.hits, queries, strict=True))
    return Figures(
        recall=_percent(found(hits[:HITS], query["relevant"]) for hits, query in judged),
        session=_percent(_session(hits, query["relevant_sessions"], of) for hits, query in judged),
        packed=_percent(found(_within(hits, of), query["relevant"]) for hits, query in judged),
        empty=_percent(not hits for hits, _ in judged),
        wall=middle(answers.wall),
        cpu=middle(answers.cpu),
        index=answers.index_cpu,
        peak=answers.peak,
        size=size,
    )


def found(hits: list[list[str]], relevant: list[str]) -> float:
    """The share of the relevant turns that the hits show."""
    shown = {turn for hit in hits for turn in hit}
    return len(shown.intersection(relevant)) / len(set(relevant))


def middle(values: list[float]) -> Middle:
    """The median and the 95th percentile."""
    ordered = sorted(values)
    return Middle(statistics.median(ordered), ordered[int(0.95 * (len(ordered) - 1))])


def _session(hits: list[list[str]], relevant: list[str], of: dict[str, Turn]) -> bool:
    sessions = dict.fromkeys(of[turn]["session"] for hit in hits for turn in hit)
    return bool(set(relevant).intersection(list(sessions)[:SESSIONS]))


def _within(hits: list[list[str]], of: dict[str, Turn]) -> list[list[str]]:
    """The hits that fit into the budget; each costs the words of its turns and a little for itself."""
    left, taken = BUDGET, []
    for hit in hits:
        letters = sum(len(of[turn]["words"]) for turn in hit)
        cost = -(-letters // CHARACTERS_OF_A_TOKEN) + TOKENS_OF_A_HIT
        if cost <= left:
            left -= cost
            taken.append(hit)
    return taken


def _percent(values: Any) -> float:
    return 100 * statistics.fmean(values)
