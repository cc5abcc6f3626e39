"""Tell what was said to keep a conversation going: reactions, announcements, words to steer the other, truisms."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from commonplace.consolidate.candidates import Candidate
from commonplace.text.wordlists import Mark, marks, spoken, units

Chatter = Literal["reaction", "announcement", "steering", "truism"]

MOST_AFTER = 2  # words behind an announcement: more of them tell the story itself
OFFERED_WITHIN = 5  # words from `the` to `idea`
STANDING = ("rule", "preference")  # what steers for good is no chatter
_MET = ("the", "your", "that", "this", "these", "those", "it", "they")  # how what the other spoke of begins
_DEFINITE = ("le", "la", "les", "l", "ton", "ta", "votre", "der", "die", "das", "deine", "el", "los", "las", "tu", "su")
PRO_DROP = ("es", "zh", "ja")  # here sentences are about their speaker without a word for `I`


def chatter(candidate: Candidate) -> Chatter | None:
    """What kind of chatter a candidate is, by the sentence in which it was said; None if it is none."""
    found = marks(candidate.sentence or candidate.text, candidate.language)
    labels = {mark.label for mark in found}
    if "steer" in labels and not labels.intersection(STANDING):
        return "steering"
    if "reaction" in labels or _welcomes(candidate, found):
        return "reaction"
    if _announces(candidate):
        return "announcement"
    return "truism" if _is_truism(candidate, found) else None


def is_personal(sentence: str) -> bool:
    """Whether a sentence speaks of who says it; always so in languages that leave the person to the verb."""
    return _may_drop_person(sentence) or bool(_persons(sentence, ("1", "we")))


def speaks_of_oneself(said: str) -> bool:
    """Whether somebody says `I`, `me` or `my`: the `we` of a text may be anybody's."""
    return _may_drop_person(said) or bool(_persons(_initials().sub(" ", said), ("1",)))


def _announces(candidate: Candidate) -> bool:
    """Whether nothing comes after the announcement."""
    most = len(units(candidate.text)) - MOST_AFTER
    return any(mark.label == "herald" and mark.end >= most for mark in marks(candidate.text, candidate.language))


def _welcomes(candidate: Candidate, found: tuple[Mark, ...]) -> bool:
    """Whether an opinion or liking only greets what the other proposed."""
    said = candidate.sentence or candidate.text
    words = units(said)
    if candidate.sort == "opinion":
        praised = any(mark.label == "praise" for mark in found) and not _is_own(candidate, found)
        after = [words[mark.end] for mark in found if mark.label == "supposed" and mark.end < len(words)]
        met = any(word in _MET for word in after) and not _names_something(candidate)
        return bool(_persons(said, ("2",))) or praised or met
    if candidate.sort != "preference":
        return False
    leads = [at for at, word in enumerate(words) if word in _MET or word in _DEFINITE]
    offers = [mark.start for mark in found if mark.label == "offered"]
    return any(0 < offer - lead <= OFFERED_WITHIN for lead in leads for offer in offers)


def _is_truism(candidate: Candidate, found: tuple[Mark, ...]) -> bool:
    """Whether an opinion, or a sentence made like a saying, names nothing and nobody in particular, or something is
    merely praised."""
    labels = {mark.label for mark in found}
    if candidate.sort == "attribute" and "hype" in labels and not _persons(candidate.text, ("1", "we")):
        return not _is_own(candidate, found)
    if "truth" not in labels and candidate.sort != "opinion":
        return False
    return not _is_own(candidate, found) and not _names_something(candidate)


def _is_own(candidate: Candidate, found: tuple[Mark, ...]) -> bool:
    """Whether a sentence speaks of who says it, besides saying that they think so."""
    said = candidate.sentence or candidate.text
    supposed = [mark for mark in found if mark.label == "supposed"]
    inside = {at for mark in supposed for at in range(mark.start, mark.end)}
    first = [mark.start for mark in found if mark.label == "pole person 1" and mark.start not in inside]
    return bool(first) or _may_drop_person(said)


def _may_drop_person(said: str) -> bool:
    languages = spoken(said)
    return "en" not in languages and bool(set(languages).intersection(PRO_DROP))


def _persons(sentence: str, which: tuple[str, ...]) -> list[Mark]:
    return [mark for mark in marks(sentence) if mark.label in {f"pole person {person}" for person in which}]


def _names_something(candidate: Candidate) -> bool:
    """Whether a name, a figure or a quoted title stands within the sentence."""
    said = candidate.sentence or candidate.text
    return bool((_figure() if "de" in spoken(said) else _named()).search(said))


@cache
def _initials() -> re.Pattern[str]:
    """`i.e.` is nobody."""
    return re.compile(r"\b(?:\w\.){2,}")


@cache
def _figure() -> re.Pattern[str]:
    """What names something also where every noun has a capital."""
    return re.compile(r"\d|[\"“«„]\w")


@cache
def _named() -> re.Pattern[str]:
    return re.compile(r"\d|[\"“«„「『]\w|(?<![.!?…:] )(?<!^)(?<!\w)[A-ZÀ-Þ]\w")
