"""Time expressions in queries and text, in eleven languages, as half-open intervals of local time.

Pure: the clock comes in as `now`, an ISO date or minute. The words of a language are data (`word_data`), `rules` is
the grammar that all languages share. `docs/concepts/time.md` says what each expression means.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from commonplace.language.text import fold_name
from commonplace.language.word_data import load_time_words
from commonplace.lazy import lazy_names
from commonplace.model import Interval

if TYPE_CHECKING:
    from commonplace.language.when.calendar import Direction as Direction
    from commonplace.language.when.phrases import Relation as Relation
    from commonplace.language.when.phrases import TimePhrase as TimePhrase
    from commonplace.language.when.session_ordinals import *
    from commonplace.language.when.tokenizer import *
else:
    __getattr__ = lazy_names(
        __name__,
        calendar="Direction",
        phrases="Relation TimePhrase",
        session_ordinals="SessionRange find_session_ranges session_triggers",
        tokenizer="may_name_other_day",
    )


def find_time_phrases(text: str, now: str, *, direction: Direction = "past") -> tuple[TimePhrase, ...]:
    """Return the time phrases of a text in order; they do not overlap.

    A time without its year or week (`May`, `on Tuesday`) is the latest not after `now`, with direction `future` the
    first not before it. Raises ValueError if `now` is not an ISO date or minute; no text raises.
    """
    from commonplace.language.when.tokenizer import may_hold_time

    return _parse_time_phrases(text, now, direction) if may_hold_time(text) else ()


@lru_cache(maxsize=64)  # whoever reads a line asks one after another
def _parse_time_phrases(text: str, now: str, direction: Direction) -> tuple[TimePhrase, ...]:
    from commonplace.language.when.phrases import iter_phrases, open_parser

    return tuple(iter_phrases(open_parser(text, now, direction)))


def has_right_weekday(phrase: TimePhrase) -> bool:
    """Return whether a weekday in a date (`Monday, 2 October 2023`) is that of the date; True for any other phrase."""
    day, words = phrase.named.start[:10], phrase.phrase.replace(",", " ").split()
    if phrase.named.last_day != day or len(words) == 1:
        return True
    weekdays = (word for word in words if fold_name(word) in calendar_words(weak=True))
    named = (one.named for word in weekdays for one in find_time_phrases(word, day))
    return all(one.start[:10] == day for one in named if one.last_day == one.start[:10])


@cache
def calendar_words(*, weak: bool) -> frozenset[str]:
    """Return the names of weekdays and months in all languages, folded; those that are other words too (`may`) only if
    `weak`."""
    kinds = ("month", "weekday", "weekdays")
    slots = (slot for table in load_time_words() for kind in kinds for slot in table.get(kind, ()))
    words = (word for slot in slots for word in slot.split("|"))
    return frozenset(fold_name(word.strip("~.")) for word in words if weak or word[0] != "~")


def resolve_interval(text: str, now: str) -> Interval | None:
    """Return the interval of an argument that is one time phrase, as after `--since`, None if it is not; an ISO date or
    minute needs no grammar."""
    interval = _parse_iso_interval(text)
    if interval is not None:
        return interval
    from commonplace.language.when.phrases import open_parser, parse_full_text

    found = parse_full_text(open_parser(text, now))
    return found.interval if found else None


def _parse_iso_interval(text: str) -> Interval | None:
    if len(text) not in (10, 16) or not text.isascii() or text[4] + text[7] + text[10:11] not in ("--", "--T"):
        return None
    try:
        start = datetime.fromisoformat(text)
        end = start + (timedelta(days=1) if len(text) == 10 else timedelta(minutes=1))
    except (ValueError, OverflowError):  # it only looks like a date, or is the last that there is
        return None
    return Interval(start.isoformat(timespec="minutes"), end.isoformat(timespec="minutes"))
