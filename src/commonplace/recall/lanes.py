"""The lanes beside the lexical one: each finds records in its own way and gives them a strength between 0 and 1."""

from __future__ import annotations

import math
from datetime import datetime

from msgspec import structs

from commonplace.index import Index
from commonplace.model import Interval, Record
from commonplace.recall.understand import Understood

Lane = dict[int, float]  # row -> strength

STRENGTHS = {"page": 1.0, "speaker": 1.0, "mention": 0.6}
MOST_TIMED = 2_000  # records of one stretch of time that are looked at, newest first


def entity(index: Index, asked: Understood) -> Lane:
    """Records of an entity that the query names: 1 on its page and where it speaks, .6 where it is mentioned."""
    found: Lane = {}
    for row, _key, role in index.mentions(tuple(asked.names)):
        found[row] = max(found.get(row, 0.0), STRENGTHS[role])
    for row in own_page(index, asked):
        found[row] = 1.0
    return found


def own_page(index: Index, asked: Understood) -> list[int]:
    """The rows of the pages that bear the names of the query, in the order in which they stand."""
    return [row for _key, path in index.pages(tuple(asked.names)) for row in index.rows_of(path)]


def within(index: Index, asked: Understood) -> list[int]:
    """Rows recorded or holding in the time that the query means, newest first."""
    rows: list[int] = []
    for window in asked.windows:
        only = asked.only
        inside = structs.replace(
            only,
            since=max(only.since, window.start),
            until=min(only.until or "9999", window.end or "9999"),
        )
        rows += index.count(inside, MOST_TIMED)
    return list(dict.fromkeys(rows))


def nearness(record: Record, windows: tuple[Interval, ...]) -> float:
    """How near a record lies to the time that is meant: 1 inside; outside it fades, faster before than after.

    .9 e^(-days/10) after the window (things are told after they happened) and .6 e^(-days/4) before it.
    """
    spans = [(record.time, record.time)] if record.time else []
    if record.valid_from or record.valid_to:
        spans.append((record.valid_from or "0001-01-01", record.valid_to or "9999-12-31"))
    return max((_closeness(span, window) for span in spans for window in windows), default=0.0)


def _closeness(span: tuple[str, str], window: Interval) -> float:
    first, last = span
    if window.end and first >= window.end.removesuffix("T00:00"):
        return 0.9 * math.exp(-_days(window.end, first) / 10)
    if window.start and last < window.start.removesuffix("T00:00"):
        return 0.6 * math.exp(-_days(last, window.start) / 4)
    return 1.0


def _days(earlier: str, later: str) -> float:
    return (_moment(later) - _moment(earlier)).total_seconds() / 86_400


def _moment(written: str) -> datetime:
    return datetime.fromisoformat(written + "0000-01-01"[len(written) :] if len(written) < 10 else written)
