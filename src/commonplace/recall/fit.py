"""How well a line fits the form of the question: who speaks, what kind of answer it may hold, how much it says."""

from __future__ import annotations

import re
from functools import cache
from math import log1p
from typing import Literal

from msgspec import Struct

from commonplace.recall.intents import is_agent

Answer = Literal["any", "time", "count"]

SPEAKS = 0.8  # what the speaker who is asked about said himself
AGENT = 0.4  # what an assistant said, unless it is asked for
ANSWERS = 0.15  # a time where it is asked when, a number where it is asked how many
SAYS = 0.6  # a line of fifty words and more, beside one of none

_WHEN = r"\bwhen\b|\bwhat (?:date|day|month|year|time)\b|\bhow long\b"
_MANY = r"\bhow (?:many|much|old|far|often)\b|\bwhat (?:percentage|number|amount)\b"
_TIME = (
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|weeks?|weekend|months?|years?|days?|morning|january|february|"
    r"march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|"
    r"saturday|sunday|\d{4}|\d+(?:st|nd|rd|th))\b"
)
_NUMBER = (
    r"\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|dozen|couple|first|second|third|once|twice|half|"
    r"several)\b"
)


def answer_of(asked: str) -> Answer:
    """The kind of answer that a question wants."""
    if _pattern(_WHEN).search(asked):
        return "time"
    return "count" if _pattern(_MANY).search(asked) else "any"


class Said(Struct, frozen=True):
    """What of a line decides how it fits: `length` is min(ln(1 + tokens) / 4, 1), `speaks` 1 where who said it is asked
    about."""

    text: str
    by_agent: bool
    speaks: float
    length: float


def fit(said: Said, answer: Answer, *, of_agent: bool) -> dict[str, float]:
    """The factors by name; `of_agent` tells that the question asks what the agent itself said."""
    holds = answer != "any" and _pattern(_TIME if answer == "time" else _NUMBER).search(said.text) is not None
    return {
        "agent": AGENT if said.by_agent and not of_agent else 1.0,
        "answer": 1 + ANSWERS if holds else 1.0,
        "length": 1 + SAYS * said.length,
        "speaker": 1 + SPEAKS * said.speaks,
    }


def fullness(tokens: int) -> float:
    """How much a line says by its length: min(ln(1 + tokens) / 4, 1)."""
    return min(log1p(tokens) / 4, 1.0)


def is_by_agent(speaker: str, actor: str) -> bool:
    """Whether an assistant said a line, by the name in a log or by who was captured."""
    return actor == "agent" or is_agent(speaker)


@cache
def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(words, re.IGNORECASE)
