"""Questions of two things: `Which did I read first, Emma or Dune?` asks for what is of the one and of the other.

The whole of it is answered best by lines of the one that is said with rarer words, and these take all places. So a line
may match one side alone, each with the words that both share: `Which did I read first, Dune?`
"""

from __future__ import annotations

import re
from functools import cache

from msgspec import Struct

from commonplace import text
from commonplace.text import Term

MOST_SAID = 2  # sentences; who says more tells something
# `or`, `between` and its `and`. `A or B` are two things only behind a comma: else nobody knows where A begins.
_WORDS = {
    "en": ("or", "between", "and"),
    "de": ("oder", "zwischen", "und"),
    "fr": ("ou", "entre", "et"),
    "es": ("o|u", "entre", "y|e"),
    "pt": ("ou", "entre", "e"),
    "it": ("o|oppure", "tra|fra", "e|ed"),
    "nl": ("of", "tussen", "en"),
    "ru": ("или", "между", "и"),
    "sv": ("eller", "mellan", "och"),
}


class Side(Struct, frozen=True):
    """One of two things that a question is about: as it is said there, and its words with those that both share."""

    text: str
    terms: tuple[Term, ...]


def sides(written: str, terms: tuple[Term, ...], languages: tuple[str, ...]) -> tuple[Side, ...]:
    """The two sides of a question, if each has a word of its own to be searched; none of any other."""
    found = _cut(written, text.language(written))
    if not found or len(text.sentences(written)) > MOST_SAID:
        return ()
    said = [{term.word for term in text.query_terms(side, languages)} for side in found]
    own = [{term.word for term in terms} & (one - other) for one, other in (said, said[::-1])]
    if not all(own):
        return ()
    shared = (tuple(term for term in terms if term.word not in other) for other in reversed(own))
    return tuple(map(Side, found, shared))


def _cut(written: str, language: str) -> tuple[str, ...]:
    """Both sides as they are written: `…, A or B?`, or `… between A and B?`."""
    if language not in _WORDS:
        return ()
    between, either = _patterns(language)
    if match := between.search(written):
        return _halves(match[1], language)
    found = [match for match in either.finditer(written) if match[1].strip() and match[2].strip()]
    return _bare(*found[0].groups()) if len(found) == 1 else ()


def _halves(written: str, language: str) -> tuple[str, ...]:
    """What stands before and behind the `and` that is nearest to the middle."""
    ands = [match.span() for match in _and(language).finditer(written)]
    middle = len(written) / 2
    cuts = sorted(ands, key=lambda span: abs(span[0] - middle))
    return _bare(written[: cuts[0][0]], written[cuts[0][1] :]) if cuts else ()


def _bare(*parts: str) -> tuple[str, ...]:
    return tuple(part.strip(" ,.?!") for part in parts)


@cache
def _patterns(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    either, between, _both = _WORDS[language]
    return (
        re.compile(rf"(?i)\b(?:{between})\b(.+)"),
        re.compile(rf"(?i),([^,]+),?\s(?:{either})\s([^,?]+)"),
    )


@cache
def _and(language: str) -> re.Pattern[str]:
    return re.compile(rf"(?i)\s(?:{_WORDS[language][2]})\s")
