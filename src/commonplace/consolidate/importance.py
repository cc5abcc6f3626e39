"""Grade how much a sentence is worth keeping, and read the grades that others gave."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Literal
from unicodedata import normalize

from msgspec import Struct

from commonplace import when
from commonplace.consolidate.noise import ANY_DAY
from commonplace.model import Category
from commonplace.text import is_stop
from commonplace.text.wordlists import LANGUAGES, UNSPACED_FROM, Mark, marks, spoken, units

Label = Literal["must_remember", "nice_to_have", "ignore"]

MUST_FROM, NICE_FROM = 0.80, 0.50
METHOD = "commonplace-v1"
BASE = 0.40

# What each feature adds. A sentence that has none is not worth a line; one strong feature makes it worth one.
WEIGHTS: dict[str, float] = {
    "rule": 0.40,  # holds until it is taken back
    "health": 0.40,  # a mistake does harm
    "decision": 0.35,
    "preference": 0.30,
    "lesson": 0.25,
    "life": 0.20,  # born, married, lives, works
    "identifier": 0.20,  # an address, a version, a path, a long number: cannot be guessed again
    "money": 0.20,
    "relation": 0.15,  # mother, boss
    "name": 0.15,
    "date": 0.15,
    "modal": 0.10,
    "reason": 0.05,
    "question": -0.20,
    "transience": -0.20,
    "progress": -0.25,
    "chit-chat": -0.35,
}

_LABELS: dict[str, float] = {
    "must remember": MUST_FROM, "high": MUST_FROM, "critical": MUST_FROM,
    "nice to have": NICE_FROM, "medium": NICE_FROM, "normal": NICE_FROM,
    "ignore": 0.0, "low": 0.0, "none": 0.0,
}  # fmt: skip
_MARKED = {"transient": "transience", "progress": "progress", "explanation": "reason", "laughter": "chit-chat"}
_OF_CATEGORY: dict[Category, str] = {
    "preference": "preference",
    "decision": "decision",
    "lesson": "lesson",
    "person": "name",
}
_LIFELESS: tuple[Category, ...] = ("tool", "project", "procedure")  # a database that moved lives nowhere
_LONGEST_NUMBER = 40


class Grade(Struct, frozen=True):
    """How much a sentence is worth keeping: 0..1, its label, the features that made it, and who graded."""

    score: float
    label: Label
    reasons: tuple[str, ...]
    method: str


def grade(text: str, *, category: Category, entities: Sequence[str], language: str) -> Grade:
    """Our own grade: BASE and the WEIGHTS of the features that the sentence has, within 0..1.

    Words are whole words of the gate's lists of `language`, or for `auto` of the text's own. A feature counts once
    however often it shows.
    """
    found = set(_features(text, category, entities, language))
    reasons = tuple(name for name in WEIGHTS if name in found)
    return graded(round(BASE + sum(WEIGHTS[name] for name in reasons), 2), reasons, METHOD)


def graded(score: float, reasons: tuple[str, ...], method: str) -> Grade:
    """A grade with its label; the score is brought into 0..1."""
    within = min(1.0, max(0.0, score))
    return Grade(within, label_of(within), reasons, method)


def label_of(score: float) -> Label:
    """`must_remember` from 0.80 on, `nice_to_have` from 0.50 on, else `ignore`."""
    return "must_remember" if score >= MUST_FROM else "nice_to_have" if score >= NICE_FROM else "ignore"


def parse_importance(value: object) -> float | None:
    """An importance that somebody else wrote, as 0..1; None where it says nothing.

    Numbers from 0 to 1; whole ones from 2 to 100 are per cent; the same as text, also with full-width digits, as
    `86%` or `86/100`; labels and their other names; an object with `score` or else `label`. What lies outside is
    brought to the nearest end (as openclaw-mem does).
    """
    if isinstance(value, Mapping):
        score = parse_importance(value.get("score"))
        return score if score is not None else _of_label(value.get("label"))
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _within(value)
    if isinstance(value, str):
        return _of_text(normalize("NFKC", value).strip())
    return None


def _of_text(written: str) -> float | None:
    if len(written) > _LONGEST_NUMBER:
        return None
    number = _number().fullmatch(written)
    if number is None:
        return _of_label(written)
    value = float(number[1].replace(",", "."))
    if number[2]:
        return _clamped(value / 100)
    if number[3]:
        whole = float(number[3].replace(",", "."))
        return _clamped(value / whole) if whole else None
    return _within(value)


def _of_label(written: object) -> float | None:
    if not isinstance(written, str):
        return None
    return _LABELS.get(" ".join(_gaps().split(normalize("NFKC", written).strip().lower())))


def _within(value: float) -> float | None:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if 1 < value <= 100 and value == int(value):
        return value / 100
    return _clamped(value)


def _clamped(value: float) -> float:
    return float(min(1, max(0, value)))


def _features(text: str, category: Category, entities: Sequence[str], language: str) -> Iterator[str]:
    words = units(text)
    found = marks(text, language)
    digits = any(map(str.isdigit, text))
    for mark in found:
        name = _MARKED.get(mark.label, mark.label)
        if name in WEIGHTS and not (name == "money" and not digits) and not (name == "life" and category in _LIFELESS):
            yield name
    if category in _OF_CATEGORY:
        yield _OF_CATEGORY[category]
    times = when.find(text, ANY_DAY)
    if any(entities) or _has_name(text, language, times):
        yield "name"
    if any(mark.label == "recurring" for mark in found) or _has_date(times):
        yield "date"
    if _identifier().search(text):
        yield "identifier"
    if digits and any(sign in text for sign in "€$£¥₹"):
        yield "money"
    if text.rstrip(" \"'”’»)").endswith(("?", "？")):
        yield "question"
    if _mostly_chat(words, found):
        yield "chit-chat"


def _has_date(times: Sequence[when.TimePhrase]) -> bool:
    """Whether a day is named by its number or month; `today` and `soon` date nothing once the day is over."""
    for phrase in times:
        start, end = phrase.interval.start[:10], phrase.interval.end[:10]
        if any(map(str.isdigit, phrase.phrase)) or (start and end and start[:7] != end[:7]):
            return True
    return False


def _has_name(text: str, language: str, times: Sequence[when.TimePhrase]) -> bool:
    """Whether a word inside a sentence has a capital and is no day or month; German writes all nouns so and has no
    such sign."""
    if "de" in (spoken(text) if language == "auto" else (language,)):
        return False
    dated = {word for phrase in times for word in phrase.phrase.split()}
    for before, chunk in pairwise(text.split()):
        word = "" if chunk in dated else chunk.strip(".,;:!?\"'()[]").removesuffix("'s")
        if before.endswith((".", "!", "?", ":")) or not word.isalpha() or not word.istitle() or len(word) < 3:
            continue
        if word < UNSPACED_FROM and not any(is_stop(word.lower(), name) for name in LANGUAGES):
            return True
    return False


def _mostly_chat(words: Sequence[str], found: Sequence[Mark]) -> bool:
    """Whether a sentence begins with an acknowledgement and half of its words and more do nothing else."""
    chat = {at for mark in found if mark.label in ("ack", "filler") for at in range(mark.start, mark.end)}
    return any(mark.label == "ack" and mark.start == 0 for mark in found) and 2 * len(chat) >= len(words)


@cache
def _identifier() -> re.Pattern[str]:
    """Links, mail addresses, UUIDs, versions and IP addresses, paths, constants, numbers that are no years."""
    return re.compile(
        r"https?://\S|[\w.+-]+@[\w-]+\.\w|\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b"
        r"|\b[vV]?\d+\.\d+\.\d+|\bv\d|(?<![\w/])~?/[\w.-]+/[\w.-]|\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b"
        r"|(?<![\w.:/-])(?!(?:19|20)\d\d(?!\d))\d{4,}(?![\w:/-])|\+\d{1,3}[ \d]{6,}"
    )


@cache
def _number() -> re.Pattern[str]:
    return re.compile(
        r"([+-]?(?:\d{1,15}(?:[.,]\d{0,15})?|[.,]\d{1,15})(?:[eE][+-]?\d\d?)?)\s*(?:(%)|/\s*(\d{1,15}(?:[.,]\d{0,15})?))?"
    )


@cache
def _gaps() -> re.Pattern[str]:
    return re.compile(r"[\s_‐-―-]+")
