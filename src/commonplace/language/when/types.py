"""The results of time parsing: time phrases and ranges of sessions."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from commonplace.model import Interval

Relation = Literal["in", "since", "until", "before", "after", "around"]
Direction = Literal["past", "future"]
SlotValues = dict[str, str]  # what the words of a time say, by their kinds


class SessionRange(Struct, frozen=True):
    """Sessions by position: `first` to `last`, both included, counted from 1, or from the end: -1 is the last.

    `phrase` is `text[start:end]` of the text that names them.
    """

    first: int
    last: int
    start: int
    end: int
    phrase: str

    def indexes(self, count: int) -> range:
        """Return the positions, from 0 on, that are meant of this many sessions; empty if there are no such."""
        first, last = (place + count if place < 0 else place - 1 for place in (self.first, self.last))
        return range(max(first, 0), min(last + 1, count))


class TimePhrase(Struct, frozen=True):
    """A time in a text: `phrase` is `text[start:end]`, with its preposition (`since`, `in`).

    `name` is `Christmas` in `last Christmas`, `90s` in `the early 90s`: lines about it use that name too, whenever they
    were written, so its words are worth searching for. Most times have none. `about`: the interval is approximate,
    since `two weeks ago` need not be fourteen days. `stated`: it does not depend on the clock, as `May 2023` does not.
    """

    interval: Interval
    start: int
    end: int
    phrase: str
    relation: Relation
    name: str = ""
    about: bool = False
    stated: bool = False
