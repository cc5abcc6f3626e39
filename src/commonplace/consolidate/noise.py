"""Tell sentences that say nothing lasting: too short, mere acknowledgement, a chore, a passing state."""

from __future__ import annotations

from collections.abc import Iterable
from unicodedata import combining, east_asian_width

from commonplace import when
from commonplace.text.wordlists import Mark, marks, units

LEAST_WIDTH = 10  # columns; a Chinese or Japanese character is two wide and says about as much as two letters
PASSING_WIDTH = 60  # a chore or a passing state that takes longer to tell is more than that
DURABLE = ("rule", "preference", "decision", "relation", "life", "health")  # what outlasts the words `not yet`
ANY_DAY = "2000-01-01"  # whether a text states a time does not hang on the day it is read


def width(text: str) -> int:
    """The columns that a text takes, its blanks made single."""
    line = " ".join(text.split())
    return len(line) if line.isascii() else sum(map(_columns, line))


def is_acknowledgement(text: str, entities: Iterable[str] = ()) -> bool:
    """Whether a message is made of nothing but acknowledgement, greeting, laughter, one word, or no words at all.

    The signs that need no language come first; `entities` may stand beside a greeting (`Thanks, Ana!`).
    """
    words = units(text)
    if not any(char.isalnum() for char in text):
        return True
    if len(set(words)) == 1 and len(words[0]) > 1:
        return True
    return _covered(words, marks(text, "all"), {word for name in entities for word in units(name)})


def is_chore(text: str, language: str = "auto") -> bool:
    """Whether a short text is a to-do that nobody will ask for: it gives no reason, no deadline, no rule or fact."""
    if width(text) >= PASSING_WIDTH:
        return False
    found = {mark.label for mark in marks(text, language)}
    if "todo" not in found or "explanation" in found or found.intersection(DURABLE):
        return False
    return not has_deadline(text)


def is_passing(text: str, language: str = "auto") -> bool:
    """Whether a short text tells a state that will soon be another, and states no rule or fact beside it."""
    if width(text) >= PASSING_WIDTH:
        return False
    found = {mark.label for mark in marks(text, language)}
    return "transient" in found and not found.intersection(DURABLE)


def has_deadline(text: str) -> bool:
    """Whether a text names a day by its number, or a time until which."""
    return any(
        phrase.relation in ("until", "before") or any(map(str.isdigit, phrase.phrase))
        for phrase in when.find(text, ANY_DAY)
    )


def _covered(words: list[str], found: Iterable[Mark], names: set[str]) -> bool:
    """Whether acknowledgements, with fillers and names between them, make up all of the words."""
    idle = [word in names for word in words]
    acknowledged = False
    for mark in found:
        if mark.label in ("ack", "filler"):
            acknowledged |= mark.label == "ack"
            idle[mark.start : mark.end] = [True] * (mark.end - mark.start)
    return acknowledged and all(idle)


def _columns(char: str) -> int:
    if combining(char):
        return 0
    return 2 if east_asian_width(char) in "WF" else 1
