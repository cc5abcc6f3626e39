"""Dialogue lines: `HH:MM Speaker: text`, as transcripts kept in Markdown have them."""

from __future__ import annotations

import re
from functools import cache

from msgspec import Struct

MOST_WORDS = 4
MOST_CHARACTERS = 40


class Utterance(Struct):
    """Who speaks and at which minute; `start` is the column of the speaker's name."""

    speaker: str
    time: str
    start: int


def utterance(line: str, start: int, date: str) -> Utterance | None:
    """What the item says whose text begins at this column, if it is a line of dialogue of this date."""
    found = _pattern().match(line, start)
    if not found:
        return None
    hour, minute, name = found.groups()
    speaker = name.strip(" \t*_")
    if int(hour) > 23 or int(minute) > 59 or not speaker or len(speaker.split()) > MOST_WORDS or "/" in speaker:
        return None
    return Utterance(speaker, f"{date}T{int(hour):02}:{minute}", found.start(3))


@cache
def _pattern() -> re.Pattern[str]:
    clock = r"([0-9]{1,2}):([0-9]{2})(?::[0-9]{2})?"
    return re.compile(rf"{clock}[ \t]+([^\s:][^:\r]{{0,{MOST_CHARACTERS - 1}}}):[*_]{{0,3}}(?=\s|$)")
