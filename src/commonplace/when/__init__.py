"""Time expressions in queries and text, in eleven languages, as half-open intervals of local time.

Pure: the clock comes in as `now`, an ISO date or minute. A language is a table in `languages/`, `rules` is the grammar
that they share. What means what is told in `docs/concepts/time.md`.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from commonplace.model import Interval
from commonplace.when.nouns import Direction, Ordinals, Relation, TimePhrase

__all__ = [
    "Direction",
    "Ordinals",
    "Relation",
    "TimePhrase",
    "find",
    "may_name_day",
    "parse_date",
    "resolve",
    "sessions",
]


def find(text: str, now: str, *, direction: Direction = "past") -> tuple[TimePhrase, ...]:
    """The time phrases of a text in order, none over another.

    A time that leaves its year or week open (`May`, `on Tuesday`) is the latest not after `now`, with direction
    `future` the first not before it. Raises ValueError if `now` is no ISO date or minute; no text raises.
    """
    from commonplace.when.tokens import may_hold_time

    if not may_hold_time(text):
        return ()
    from commonplace.when.phrases import phrases, reader

    return tuple(phrases(reader(text, now, direction)))


def may_name_day(text: str) -> bool:
    """Whether a text may name a day, week, month … other than that on which it was said; cheap beside `find`."""
    from commonplace.when import tokens

    return tokens.may_name_day(text)


def sessions(text: str) -> tuple[Ordinals, ...]:
    """The sessions that a text names by their order (`session 12`, `our first chat`, `2 sessions ago`), in order."""
    from commonplace.when.ordinals import may_name_session, named

    return tuple(named(text)) if may_name_session(text) else ()


def resolve(text: str, now: str) -> Interval | None:
    """The interval of an argument that is a time phrase as a whole, as after `--since`; None if it is none.

    An ISO date or minute needs no grammar and is fast.
    """
    interval = _iso(text)
    if interval is not None:
        return interval
    from commonplace.when.phrases import reader, whole

    found = whole(reader(text, now))
    return found.interval if found else None


def parse_date(text: str) -> str | None:
    """The first minute of a date that needs no clock (`2025-11-27`, `27 November 2025`, `May 2023`), in ISO form."""
    interval = _iso(text)
    if interval is not None:
        return interval.start
    from commonplace.when.phrases import reader, whole

    found = whole(reader(text, "2000-01-01"))
    return found.interval.start if found and found.stated and found.relation == "in" else None


def _iso(text: str) -> Interval | None:
    if len(text) not in (10, 16) or not text.isascii() or text[4] + text[7] + text[10:11] not in ("--", "--T"):
        return None
    try:
        start = datetime.fromisoformat(text)
        end = start + (timedelta(days=1) if len(text) == 10 else timedelta(minutes=1))
    except (ValueError, OverflowError):  # it only looks like a date, or is the last that there is
        return None
    return Interval(start.isoformat(timespec="minutes"), end.isoformat(timespec="minutes"))
