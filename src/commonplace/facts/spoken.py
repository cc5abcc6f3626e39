"""Tell by the rules of which language a text is read; short messages need more than their function words."""

from __future__ import annotations

from functools import cache

from commonplace.facts.languages import LANGUAGES, signs, telling_words
from commonplace.text import is_stop
from commonplace.text import language as language_of

LONG_ENOUGH = 120  # characters of a text whose language can be told by its function words alone
CLEAR = 3  # hits by which a language must lead to be told by function words alone
_SPACED = ("en", "de", "fr", "es")  # an earlier one wins a tie
_EDGES = '.,;:!?¡¿()"«»„“”'
_LETTERS = {"de": "äöüß", "fr": "çèêàùœéî", "es": "ñ¿¡íóúá"}


def spoken(text: str) -> str:
    """The language whose rules fit. A short text is of the language that most of its words and letters tell."""
    name = language_of(text)
    if name in ("zh", "ja") or (name in LANGUAGES and len(text) > LONG_ENOUGH):
        return name
    low = text.lower()
    if any("\u3040" <= char <= "\u30ff" for char in low):
        return "ja"  # between names and figures of another script
    words = [word.strip(_EDGES) for word in low.replace("’", "'").replace("'", "' ").split()]
    hits = {name: sum(is_stop(word, name) + 2 * (word in telling_words(name)) for word in words) for name in _SPACED}
    if not low.isascii():
        for name, letters in _LETTERS.items():
            hits[name] += 2 * any(letter in low for letter in letters)
    first, second = sorted(hits.values(), reverse=True)[:2]
    if first - second < CLEAR:
        for name in _SPACED:
            hits[name] += sum(word in _vocabulary(name) for word in words)
    return max(_SPACED, key=hits.__getitem__)


@cache
def _vocabulary(language: str) -> frozenset[str]:
    """The words of a language's signs that stand alone; those that other languages share tell nothing."""
    own = _alone(language)
    return own.difference(*(_alone(name) for name in _SPACED if name != language))


@cache
def _alone(language: str) -> frozenset[str]:
    return frozenset(word for words in signs(language).values() for word in words.split() if word.isalpha())
