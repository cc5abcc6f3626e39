"""Words written together or apart: `sun screen` and `sunscreen`, `5 km` and `5km`, `Gartentür` and `Tür zum Garten`."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from itertools import pairwise

from commonplace.text.folding import fold
from commonplace.text.near import stems

LEAST_PART = 3  # letters of each half of a word that may be two
LEAST_JOINED = 4  # letters of both halves together
LEAST_SEGMENT = 2  # characters of each part of a number, account or plate
LEAST_NUMBER = 6  # characters of what may be written in more than two parts
MOST_SEGMENTS = 8
LONGEST_SPLIT = 40  # characters; nothing longer is taken apart

Halves = tuple[tuple[str, ...], tuple[str, ...]]  # the tokens of both


def neighbours(text: str) -> frozenset[tuple[str, str]]:
    """The words of a text, folded, that stand beside each other and may be one: not too few letters, or figures.

    Words with a comma or the end of a sentence between them are two: `in the car? Pets too`.
    """
    stretches = (_words().findall(stretch) for stretch in _pause().split(fold(text)))
    return frozenset(pair for words in stretches for pair in pairwise(words) if _may_join(*pair))


def as_one(one: str, other: str) -> tuple[str, ...]:
    """What two words written together may be stored as."""
    return stems(one + other)


def halves(word: str) -> tuple[Halves, ...]:
    """The ways to take a word for two, the most even first: what each half may be stored as.

    The letters that some languages put in between (`Arbeitsvertrag`) are endings to a stemmer.
    """
    if not word.isalpha() or not 2 * LEAST_PART <= len(word) <= LONGEST_SPLIT:
        return ()
    middle = len(word) / 2
    places = sorted(range(LEAST_PART, len(word) - LEAST_PART + 1), key=lambda at: abs(at - middle))
    return tuple((stems(word[:at]), stems(word[at:])) for at in places)


def segments(text: str) -> tuple[str, ...]:
    """The parts that a text with figures in it may be written in: at each change to letters, and of any length."""
    if not any(map(str.isdigit, text)) or not text.isalnum() or len(text) > LONGEST_SPLIT:
        return ()
    parts = {text[at:end] for at in range(len(text)) for end in range(at + LEAST_SEGMENT, len(text) + 1)}
    return tuple(sorted({*_changes().findall(text), *parts} - {text}))


def parted(text: str, known: Collection[str]) -> tuple[str, ...]:
    """A text with figures in it in the fewest parts that are known: `AB12 CDE`, `555 0134`; empty if none will do."""
    changes = tuple(_changes().findall(text))
    if len(changes) > 1 and all(part in known for part in changes):
        return changes
    best: dict[int, tuple[str, ...]] = {0: ()}
    for end in range(LEAST_SEGMENT, len(text) + 1):
        ways = [(*best[at], text[at:end]) for at in best if end - at >= LEAST_SEGMENT and text[at:end] in known]
        if ways:
            best[end] = min(ways, key=len)
    way = best.get(len(text), ())
    return way if len(text) >= LEAST_NUMBER and 1 < len(way) <= MOST_SEGMENTS else ()


def _may_join(one: str, other: str) -> bool:
    if one.isalpha() and other.isalpha():
        return len(one) > 1 and len(one) + len(other) >= LEAST_JOINED
    return one.isalnum() and other.isalnum()


@cache
def _words() -> re.Pattern[str]:
    return re.compile(r"[^\W_]+")


@cache
def _pause() -> re.Pattern[str]:
    return re.compile(r"[.,;:!?…](?=\s)")


@cache
def _changes() -> re.Pattern[str]:
    return re.compile(r"\d+|[^\W\d_]+")
