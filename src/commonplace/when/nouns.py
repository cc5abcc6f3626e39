"""What this room returns: a time phrase, and the words for its parts."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from commonplace.model import Interval

Relation = Literal["in", "since", "until", "before", "after", "around"]
Direction = Literal["past", "future"]
Values = dict[str, str]  # what the words of a time say, by their kinds


class TimePhrase(Struct, frozen=True):
    """A time in a text: `phrase` is `text[start:end]`, its governing word (`since`, `in`) included."""

    interval: Interval
    start: int
    end: int
    phrase: str
    relation: Relation
