"""The last time, and the first: a question for what comes last of its like, and which of what matches that is."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from commonplace.index import Index
from commonplace.text import fold

Order = Literal["", "last", "first"]

ALIKE = 0.65  # of the best match's BM25: what matches less is not of the sort that is asked for
MOST = 200  # matches that are looked at for the last of them, the newest

_LAST = (
    r"\b(?:last|latest|newest|lately|most recent(?:ly)?|zuletzt|(?:letzte|neueste|jüngste)[nrsm]?|derni(?:er|ère)s?|"
    r"(?:plus|más|mais|più) r[eé]cente?s?|[úu]ltim[aoei]s?|laatste?|meest recente|senaste?|последн\w+)\b(?! names?\b)|"
    r"上次|上一次|最后一次|最後一次|最近一次|最新|最後に|前回"
)
_FIRST = (
    r"\bfirst (?:time|ever)\b|\b(?:i|we|you|he|she|it|they|my|our|your|his|her|its|their|did \w+) first (?!names?\b)\w|"
    r"\b(?:ersten? mal|zuerst|première fois|primera vez|primeira vez|prima volta|eerste keer|första gången|впервые|"
    r"первый раз)\b|第一次|首次|初めて|最初に"
)
_LASTING = r"\bhow long\b|\bat last\b|\blast (?:long|for|until|till)\b"


def order_of(asked: str) -> Order:
    """Whether a question, less its times, is for the last or the first of its like."""
    last = _pattern(_LAST).search(asked) is not None and _pattern(_LASTING).search(asked) is None
    first = _pattern(_FIRST).search(asked) is not None
    return "" if last == first else "last" if last else "first"


def to_the_order(asked: str) -> frozenset[str]:
    """`last` and `zuletzt`, folded, in a question for the last of its like: they tell which, not what."""
    order = order_of(asked)
    found = _pattern(_LAST if order == "last" else _FIRST).finditer(asked) if order else ()
    return frozenset(word for cue in found for word in fold(cue[0]).split())


def in_order(index: Index, order: Order, matches: dict[int, float]) -> dict[int, float]:
    """Of what matches nearly as well as the best, the last day (or the first) 1, that beside it 1/2, the next 1/3, …"""
    if not order or not matches:
        return {}
    bar = ALIKE * max(matches.values())
    alike = [row for row, score in matches.items() if score >= bar]
    read = index.fetch(index.newest(alike, MOST) if order == "last" else alike)
    times = {row: kept.record.time or kept.record.valid_from for row, kept in read.items()}
    days = sorted({time[:10] for time in times.values() if time}, reverse=order == "last")
    places = {day: place for place, day in enumerate(days, 1)}
    return {row: 1 / places[time[:10]] for row, time in times.items() if time}


@cache
def _pattern(cues: str) -> re.Pattern[str]:
    return re.compile(cues, re.IGNORECASE)
