"""What time parsing returns: time phrases and ranges of sessions."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from commonplace.model import Interval

Relation = Literal["in", "since", "until", "before", "after", "around"]
Direction = Literal["past", "future"]
SlotValues = dict[str, str]  # what the words of a time say, by their kinds


class SessionRange(Struct, frozen=True):
    """Sessions by their places: `first` to `last`, both included, from 1 on, or from the end back: -1 is the last.

    `phrase` is `text[start:end]` of the text that names them.
    """

    first: int
    last: int
    start: int
    end: int
    phrase: str

    def indexes(self, count: int) -> range:
        """Which of so many sessions are meant, by their places from 0 on; empty if there are no such."""
        first, last = (place + count if place < 0 else place - 1 for place in (self.first, self.last))
        return range(max(first, 0), min(last + 1, count))


class TimePhrase(Struct, frozen=True):
    """A time in a text: `phrase` is `text[start:end]`, its governing word (`since`, `in`) included.

    `name` is what it goes by, `Christmas` in `last Christmas`, `90s` in `the early 90s`: lines that tell of it use that
    name too, whenever they were written, so its words are worth a search besides. Most times have none.
    `about` says that the interval lies around the day that is meant: `two weeks ago` is likely to be fourteen days.
    `stated` says that it is the same whatever the clock says: `May 2023`, and not `last May`.
    """

    interval: Interval
    start: int
    end: int
    phrase: str
    relation: Relation
    name: str = ""
    about: bool = False
    stated: bool = False
