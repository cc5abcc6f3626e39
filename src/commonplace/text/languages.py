"""Tell the language of a text by its script and its function words."""

from __future__ import annotations

import re
from functools import cache

from commonplace.text.scripts import CYRILLIC, KANA, runs
from commonplace.text.stops import SPACED, function_words

FEWEST_HITS = 2  # function words, not English ones too, that a text must show to count as other than English
SCRIPTS_TOLD_FROM = "\u0400"  # the first Cyrillic letter; scripts below it are told by words
CHARS_A_WORD = 3  # a character of a script without spaces says as much as so many Latin letters
_EDGES = str.maketrans(dict.fromkeys(".,;:!?\"'’()[]*", " "))
_TELLING = {"ß": "de", "ñ": "es", "¿": "es", "¡": "es", "ã": "pt", "õ": "pt", "å": "sv", "œ": "fr"}


def language(text: str) -> str:
    """One of en de fr es pt it nl ru sv zh ja ko th; en for text that is short or undecided."""
    if not text.isascii() and max(text) >= SCRIPTS_TOLD_FROM:
        script = _by_script(text)
        if script:
            return script
    words = _function_words_in(text)
    if words <= function_words("en"):
        return "en"
    scores = _scores(words, text, SPACED)
    best = max(scores, key=scores.__getitem__)  # the first of equals: SPACED begins with English
    telling = (words & function_words(best)) - function_words("en")
    return best if len(telling) >= FEWEST_HITS else "en"


def word_scores(text: str, languages: tuple[str, ...]) -> dict[str, int]:
    """How many of the text's distinct words are function words of each language; languages without any are left out."""
    return _scores(_function_words_in(text), text, languages)


def _function_words_in(text: str) -> set[str]:
    words = set(text.lower().translate(_EDGES).split())
    return words & _all_function_words()


def _scores(words: set[str], text: str, languages: tuple[str, ...]) -> dict[str, int]:
    scores = {name: hits for name in languages if (hits := len(words & function_words(name)))}
    if scores and not text.isascii():
        for letter, name in _TELLING.items():
            if letter in text and name in scores:
                scores[name] += 1
    return scores


def _by_script(text: str) -> str:
    """The language whose script makes up most of the text; empty if that is Latin or any other."""
    count = dict.fromkeys(("han", "hangul", "thai"), 0)
    for run in runs().finditer(text):
        script = "thai" if "\u0e00" <= run[0] < "\u0e80" else run.lastgroup or ""
        if script in count:
            count[script] += len(run[0])
    kana = len(_kana().findall(text))
    cyrillic = len(_cyrillic().findall(text))
    shares = {
        "ja" if kana * 9 > count["han"] else "zh": count["han"] * CHARS_A_WORD,
        "ko": count["hangul"] * CHARS_A_WORD,
        "th": count["thai"] * CHARS_A_WORD,
        "ru": cyrillic,
        "": sum(map(str.isalpha, text)) - sum(count.values()) - cyrillic,
    }
    return max(shares, key=shares.__getitem__)


@cache
def _kana() -> re.Pattern[str]:
    return re.compile(f"[{KANA}]")


@cache
def _cyrillic() -> re.Pattern[str]:
    return re.compile(f"[{CYRILLIC}]")


@cache
def _all_function_words() -> frozenset[str]:
    return frozenset().union(*map(function_words, SPACED))
