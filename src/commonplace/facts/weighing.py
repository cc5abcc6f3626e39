"""Weigh what speaks for each category in an English statement that no pattern fits."""

from __future__ import annotations

import re
from functools import cache

from commonplace.facts.nouns import Draft, Sort, Statement
from commonplace.model import Category

ENOUGH, APART = 4, 2  # least weight of the winner, and its lead over the second
SURE = 6  # a word of the trade alone does not make a statement of it
FEWEST_WORDS = 4
_SORTS: dict[Category, Sort] = {
    "lesson": "error_fix", "decision": "decision", "plan": "commitment", "preference": "preference", "event": "event",
}  # fmt: skip


def weighed(said: Statement, speaker: str) -> Draft | None:
    """The statement as a claim of the category that most speaks for; None where too little does, or two compete.

    What a named person says in a conversation must fit a pattern: there chat outweighs what is worth keeping.
    """
    if speaker:
        return None
    words = said.low.split()
    if len(words) < FEWEST_WORDS or _passing().search(said.low):
        return None
    (first, most), (_, second) = ranked(said.low)[:2]
    if most < (SURE if first in ("project", "tool") else ENOUGH) or most - second < APART:
        return None
    return Draft(_SORTS.get(first, "attribute"), first, 0, len(said.text), confidence=0.6)


def ranked(low: str) -> list[tuple[Category, int]]:
    """The categories by weight, heaviest first."""
    weights: dict[Category, int] = {}
    for category, weight, pattern in _weights():
        weights[category] = weights.get(category, 0) + (weight if pattern.search(low) else 0)
    return sorted(weights.items(), key=lambda pair: -pair[1])


@cache
def _weights() -> tuple[tuple[Category, int, re.Pattern[str]], ...]:
    from commonplace.facts.languages.english_weights import WEIGHTS
    from commonplace.facts.rules import expand

    return tuple((category, weight, re.compile(expand(pattern, "en"))) for category, weight, pattern in WEIGHTS)


@cache
def _passing() -> re.Pattern[str]:
    from commonplace.facts.languages.english_weights import PASSING

    return re.compile(PASSING)
