"""Transcripts: the conversations that OpenClaw saves as notes, `user: text` from line to line below one heading."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from msgspec import Struct

from commonplace.workspace import starts
from commonplace.workspace.dialogue import MOST_CHARACTERS, MOST_WORDS
from commonplace.workspace.fences import Fences

PAGE, SECTION = "Session: ", "Conversation Summary"
RETAIN = "retain"  # a heading that we write ourselves, and that ends a transcript
PARTS = frozenset(("user", "assistant", "system", "tool"))


class Saying(Struct, frozen=True):
    """What one speaker says, from one line to another."""

    speaker: str
    first: int
    last: int


def is_transcript(titles: tuple[str, ...]) -> bool:
    """Whether what stands below these titles is a session as OpenClaw saves it."""
    return len(titles) == 2 and titles[0].startswith(PAGE) and titles[1] == SECTION


def sayings(lines: list[str], first: int, end: int, fences: Fences) -> list[Saying]:
    """Who says what from the line `first` to `end`; nothing if the first line that is not blank names no speaker.

    Where a part opens (`user`), only parts speak; else those whose name begins two lines and more, for `Plan: …` may
    stand in any text. What is said runs to the next speaker, whatever it holds; in a fence nobody speaks.
    """
    places, end = _named(lines, first, end, fences)
    begun = next((number for number in range(first, end) if lines[number].strip()), end)
    if not places or places[0][0] != begun:
        return []
    counts = Counter(name for _number, name in places)
    by_part = places[0][1] in PARTS
    speaking = [
        (number, name) for number, name in places if (name in PARTS if by_part else counts[name] > 1 or number == begun)
    ]
    ends = [*(number for number, _name in speaking[1:]), end]
    return [
        Saying(name, number, _last_text(lines, number, after))
        for (number, name), after in zip(speaking, ends, strict=True)
    ]


def _named(lines: list[str], first: int, end: int, fences: Fences) -> tuple[list[tuple[int, str]], int]:
    """The lines outside of fences that begin with a name and a colon, and where the transcript ends."""
    found: list[tuple[int, str]] = []
    number = first
    while number < end:
        body = lines[number].strip()
        opening = starts.fence(body) if body[:1] in ("`", "~") else None
        if opening and fences.can_close(number, opening):
            number = fences.closing(number, opening, 0)[0]
        elif body[:1] == "#" and body.strip("# ").casefold() == RETAIN:
            return found, number
        elif (named := _speaker().match(lines[number])) and len(named[1].split()) <= MOST_WORDS:
            found.append((number, named[1]))
        number += 1
    return found, end


def _last_text(lines: list[str], first: int, end: int) -> int:
    """The last line before `end` that is not blank."""
    return next(number for number in range(end - 1, first - 1, -1) if lines[number].strip())


@cache
def _speaker() -> re.Pattern[str]:
    return re.compile(rf"([^\W\d_][^:/\r\n]{{0,{MOST_CHARACTERS - 1}}}):(?=\s|$)")
