"""What sort of memory and what kind of answer a question asks for, told by its words, and what is of that sort."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any, Literal

from msgspec import structs

from commonplace.index import Filter
from commonplace.model import Record
from commonplace.text import fold

Intent = Literal["any", "about", "opinion", "decision", "procedure"]
Answer = Literal["any", "time", "count", "name", "place"]

# The words that tell the sort; an earlier sort wins.
_CUES: dict[Intent, str] = {
    "decision": r"\b(?:decid(?:e|es|ed|ing)|decisions?|agreed|settled on)\b",
    "procedure": r"\bhow (?:do|can|should|must) (?:i|we|you|one)\b|\bhow to\b|\b(?:steps|procedures?|instructions)\b",
    "opinion": (
        r"\b(?:opinions?|thinks?|thought of|feels?|prefer\w*|favou?rites?|likes?|believes?|views? on|attitude)\b"
    ),
}
_YOU_SAY = (
    r"\byou (?:\w+ ){0,2}?(?:said|told|suggest|recommend|advis|propos|mention|provid|gave|list|shar|explain|wrote|"
    r"ma[dk]e|came up)"
)
_NOW = "".join(rf"(?<!\b{word} )" for word in ("can", "could", "do", "may", "should", "will", "would"))
_YOU_SAID = rf"{_NOW}{_YOU_SAY}"  # `can you suggest` and `do you have suggestions` ask for something new
_TO_THE_AGENT = (
    rf"{_YOU_SAID}|\bdid you\b|\bremind me\b|\b(?:our|previous|earlier|last) (?:chat|conversation|discussion)\b"
)
_ADVICE = r"\b(?:suggest|recommend|advi[cs]|encourag|propos)\w*"
_WHEN = r"\bwhen\b|\bwhat (?:date|day|month|year|time)\b|\bhow long\b"
_MANY = (
    r"\bhow (?:many|much|old|far|often)\b|\bwhat (?:(?:is|was|are|were) the (?:\w+ ){0,2}?)?"
    r"(?:percentage|number|amount|total|sum|distance|price|cost|age|size|weight|height|average)\b"
)
_NAME = (
    r"\b(?:who|whom|whose)\b|\b(?:which|what) (?:is the name|(?:\w+ ){0,2}?(?:names?|named|called|"
    r"city|cities|country|countries|states?|towns?|places?|museums?|parks?|universit\w+|colleges?|schools?|"
    r"stores?|shops?|restaurants?|brands?|company|companies|airlines?|services?|apps?|teams?|"
    r"books?|novels?|authors?|movies?|films?|shows?|series|songs?|bands?|artists?|singers?|games?))\b"
)
_WHERE = r"\bwhere\b"
_TIMES = (
    "yesterday|today|tonight|tomorrow|last|next|ago|week|weeks|weekend|month|months|year|years|day|days|morning|january|"
    "february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|"
    "friday|saturday|sunday"
)
_TIME = _TIMES + r"|\p{Nd}{4}|\p{Nd}+(?:st|nd|rd|th)"
_NUMBER = (
    r"\p{Nd}+|one|two|three|four|five|six|seven|eight|nine|ten|dozen|couple|first|second|third|once|twice|half|several"
)
_OPENING = tuple("\"'(“‘")
_GOING_ON = tuple(",;'\"(")
_AGENTS = frozenset(("agent", "ai", "assistant", "bot"))
_PARTS = _AGENTS | {"human", "me", "owner", "user"}


def intent_of(asked: str) -> Intent:
    """The first sort of memory that the words of a question call for."""
    return next((intent for intent, cue in _cues().items() if cue.search(asked)), "any")


def without_cues(asked: str, intent: Intent) -> str:
    """The question less the words that told its intent."""
    return _cues()[intent].sub(" ", asked) if intent in _cues() else asked


def suits(record: Record, intent: Intent) -> bool:
    """Whether a record is of the sort that is asked for."""
    if intent == "opinion":
        return record.kind == "opinion" or record.category == "preference"
    if intent == "decision":
        return record.category == "decision" or _cues()["decision"].search(record.text) is not None
    return intent == "procedure" and record.category in ("procedure", "lesson")


def narrowed(only: Filter, intent: Intent) -> Filter | None:
    """The filter for records that are kept as the sort that is asked for; None where no sort is, or it is shut out."""
    if intent == "opinion":
        return structs.replace(only, kinds=("opinion",)) if "opinion" in (only.kinds or ("opinion",)) else None
    if intent not in ("decision", "procedure") or intent not in (only.categories or (intent,)):
        return None
    return structs.replace(only, categories=(intent,))


def asks_the_agent(asked: str) -> bool:
    """Whether a question is about what the agent itself said before."""
    return _pattern(_TO_THE_AGENT).search(asked) is not None


def to_the_agent(asked: str) -> frozenset[str]:
    """`you suggest` in a question to the agent, folded: these words tell whom it asks, not what about."""
    return frozenset(word for cue in _pattern(rf"{_YOU_SAY}\w*").finditer(asked) for word in fold(cue[0]).split())


def asks_for_advice(asked: str) -> bool:
    """Whether a question is about what somebody advised another to do."""
    return _pattern(_ADVICE).search(asked) is not None


def answer_of(asked: str) -> Answer:
    """The kind of answer that a question wants: `how old was I when Ada was born` wants a number and no time."""
    if _pattern(_MANY).search(asked):
        return "count"
    if _pattern(_WHEN).search(asked):
        return "time"
    if _pattern(_WHERE).search(asked):
        return "place"
    return "name" if _pattern(_NAME).search(asked) else "any"


def may_hold(said: str, answer: Answer) -> bool:
    """Whether a text has what may be such an answer: words of time, a number, a name inside a sentence, one of a place.

    That of a month or a day is no such name.
    """
    if answer in ("name", "place"):
        return any(name.casefold() not in _times() for name in _names(said, answer))
    return answer != "any" and _words(_TIME if answer == "time" else _NUMBER).search(said) is not None


def is_agent(speaker: str) -> bool:
    """Whether the name of a speaker says that no person spoke."""
    return speaker.casefold() in _AGENTS


def is_person(speaker: str) -> bool:
    """Whether the name of a speaker is that of somebody, and not of a part in a talk with an assistant."""
    return bool(speaker) and speaker.casefold() not in _PARTS


@cache
def _cues() -> dict[Intent, re.Pattern[str]]:
    return {intent: re.compile(cue, re.IGNORECASE) for intent, cue in _CUES.items()}


@cache
def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(words, re.IGNORECASE)


@cache
def _words(words: str) -> Any:
    """Whole words, in RE2: hundreds of lines are looked at for one question, and it takes a fifth of the time."""
    import re2

    return re2.compile(rf"(?i)(?:\A|[^\pL\pN_])(?:{words})(?:\z|[^\pL\pN_])")


def _names(said: str, answer: Answer) -> Iterator[str]:
    """Capitalised words that begin no sentence, perhaps in quotes; what follows a colon begins one.

    Those of places stand behind a word like `in`.
    """
    words = said.split(" ")
    for at, (before, word) in enumerate(pairwise(words), 1):
        name = word[1:] if word[:1] in _OPENING else word
        if name[:1].isupper() and (found := _pattern(r"\w{2,}").match(name)):
            above = words[at - 2] if at > 1 and before == "the" else before
            if _at_a_place(above) if answer == "place" else _goes_on(before):
                yield found[0]


def _goes_on(word: str) -> bool:
    """Whether what follows a word is of the same sentence."""
    last = word[-1:]
    return last.islower() or last.isdecimal() or last in _GOING_ON


def _at_a_place(word: str) -> bool:
    return _before_places().search(word) is not None


@cache
def _times() -> frozenset[str]:
    return frozenset(_TIMES.split("|"))


@cache
def _before_places() -> re.Pattern[str]:
    return re.compile(r"\b(?:in|at|to|from|near|around|visit(?:ed|ing)?)\Z")
