"""The times that the text of a line names: `we went to Lisbon last weekend`, read against the day it was written."""

from __future__ import annotations

from datetime import datetime

from commonplace import text, when
from commonplace.model import Record

MOST_TIMES = 3  # of one line, the first ones
MOST_READ = 1_000  # characters of a text; what stands behind them is seldom what it is about
WIDEST = 370  # days; a line that tells of ten years tells of none of their days
NO_DAY = "2000-01-01"  # the clock against which times are read that need none
OWN_DAY = 1  # days; what is no wider and begins on the day of the line itself says nothing that is not known

Stretch = tuple[str, str]


def told(record: Record) -> tuple[Stretch, ...]:
    """The stretches of time that a line tells of, as half-open pairs of ISO minutes; of a plan those to come.

    A line without a date tells of those that need no clock: `in May 2023`.
    """
    direction: when.Direction = "future" if record.category == "plan" else "past"
    found: list[Stretch] = []
    said = record.text[:MOST_READ]
    for sentence in filter(when.may_name_day, text.sentences(said)) if when.may_name_day(said) else ():
        for phrase in when.find(sentence, record.time or NO_DAY, direction=direction):
            stretch = phrase.interval.start, phrase.interval.end
            if (record.time or phrase.stated) and _is_telling(stretch, record.time) and stretch not in found:
                found.append(stretch)
    return tuple(found[:MOST_TIMES])


def _is_telling(stretch: Stretch, written: str) -> bool:
    if not all(stretch):
        return False
    days = (datetime.fromisoformat(stretch[1]) - datetime.fromisoformat(stretch[0])).days
    return days <= WIDEST and (days > OWN_DAY or stretch[0][:10] != written[:10])
