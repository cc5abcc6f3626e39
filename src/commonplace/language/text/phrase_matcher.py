"""Match the labelled phrases of the word lists in a text."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from unicodedata import normalize

from msgspec import Struct

from commonplace.language.text.language_detection import detect_language, stop_words
from commonplace.language.word_data import load_word_table
from commonplace.lazy import lazy_pattern

MAX_PHRASE_WORDS, MIN_BEGINNING_CHARS = 6, 3
FIRST_EAST_ASIAN_CHAR = "\u2e80"  # the first of the scripts whose lists have no word boundaries
WORD_LIST_LANGUAGES = ("en", "fr", "de", "es", "zh", "ja")
SPACED_WORD_LISTS = ("en", "fr", "de", "es")
UNSPACED_WORD_LISTS = ("zh", "ja")
_UNIT_WORD_PATTERN = lazy_pattern(r"[^\W_]+")
# One character of a script without spaces, or a stretch of any other.
_UNSPACED_UNIT_PATTERN = lazy_pattern(f"[{FIRST_EAST_ASIAN_CHAR}-\U0010ffff]|[^{FIRST_EAST_ASIAN_CHAR}-\U0010ffff]+")


class PhraseMatch(Struct, frozen=True):
    """A labelled phrase in a text, and its position among the units of the text."""

    label: str
    start: int
    end: int


class LabelledPhrases(Struct, frozen=True):
    """Labels by phrase, prefixes of words with their labels by their first characters, labels by phrase of a script
    without spaces; and the number of words of the longest phrase by its first."""

    phrases: dict[tuple[str, ...], tuple[str, ...]]
    beginnings: dict[str, tuple[tuple[str, str], ...]]
    unspaced: dict[str, tuple[str, ...]]
    longest: dict[str, int]


def split_units(text: str) -> list[str]:
    """Split a text into its words, casefolded and with their accents (`don't` is `don`, `t`); into characters where
    scripts have no spaces."""
    return list(_split_units(text))


@lru_cache(maxsize=64)  # whoever reads a sentence asks one after another
def _split_units(text: str) -> tuple[str, ...]:
    found: list[str] = []
    for word in _UNIT_WORD_PATTERN.findall(normalize("NFKC", text).casefold()):
        if word.isascii() or max(word) < FIRST_EAST_ASIAN_CHAR:
            found.append(word)
        else:
            found += _UNSPACED_UNIT_PATTERN.findall(word)
    return tuple(found)


@lru_cache(maxsize=1024)  # the steps of the gate match the same text one after another
def match_phrases(text: str, language: str = "auto") -> tuple[PhraseMatch, ...]:
    """Return every phrase of a language's lists in a text; `auto` takes the language of the text, since `car` means
    *because* in French, `all` takes each. A language without lists is read as English."""
    if language == "auto":
        lists = likely_languages(text)
    elif language == "all":
        lists = WORD_LIST_LANGUAGES
    else:
        lists = (language if language in WORD_LIST_LANGUAGES else "en",)
    return tuple(_scan_phrases(split_units(text), load_labelled_phrases(lists)))


@lru_cache(maxsize=1024)  # and what a sentence refers to depends on it
def likely_languages(text: str) -> tuple[str, ...]:
    """Return the languages of which a text has most function words: several on a tie, all if it has none."""
    if not text.isascii() and max(text) >= FIRST_EAST_ASIAN_CHAR:
        detected = detect_language(text)
        if detected in UNSPACED_WORD_LISTS:
            return (detected,)
    words = split_units(text)
    score = {name: sum(map(stop_words(name).__contains__, words)) for name in SPACED_WORD_LISTS}
    most = max(score.values())
    return tuple(name for name in SPACED_WORD_LISTS if score[name] == most) if most else WORD_LIST_LANGUAGES


def match_labels(text: str, language: str = "auto") -> frozenset[str]:
    """Return the labels of the phrases in a text."""
    return frozenset(mark.label for mark in match_phrases(text, language))


@lru_cache(256)
def languages_of(text: str) -> tuple[str, ...]:
    """Return the languages that a text may be in: the one that is detected, or the likely ones of those with lists."""
    detected = detect_language(text)
    return (detected,) if detected != "en" else likely_languages(text)


@cache
def load_labelled_phrases(languages: tuple[str, ...]) -> LabelledPhrases:
    """Merge the word lists of some languages."""
    made = LabelledPhrases({}, {}, {}, {})
    for name in languages:
        for label, phrases in load_word_table(name, "labelled_phrases").items():
            for phrase in phrases:
                parts = tuple(split_units(phrase))
                if phrase.endswith("*"):
                    beginning = parts[0][:MIN_BEGINNING_CHARS]
                    made.beginnings[beginning] = (*made.beginnings.get(beginning, ()), (parts[0], label))
                elif parts[0] >= FIRST_EAST_ASIAN_CHAR:
                    made.unspaced["".join(parts)] = (*made.unspaced.get("".join(parts), ()), label)
                elif label not in made.phrases.get(parts, ()):
                    made.phrases[parts] = (*made.phrases.get(parts, ()), label)
                    made.longest[parts[0]] = max(made.longest.get(parts[0], 0), min(len(parts), MAX_PHRASE_WORDS))
    return made


def _scan_phrases(text_units: list[str], phrases: LabelledPhrases) -> Iterator[PhraseMatch]:
    longest_unspaced = max(map(len, phrases.unspaced), default=0)
    for start, word in enumerate(text_units):
        if word >= FIRST_EAST_ASIAN_CHAR:
            phrase = ""
            for end in range(start, min(start + longest_unspaced, len(text_units))):
                phrase += text_units[end]
                yield from (PhraseMatch(label, start, end + 1) for label in phrases.unspaced.get(phrase, ()))
            continue
        for end in range(start + 1, min(start + phrases.longest.get(word, 0), len(text_units)) + 1):
            for label in phrases.phrases.get(tuple(text_units[start:end]), ()):
                yield PhraseMatch(label, start, end)
        for beginning, label in phrases.beginnings.get(word[:MIN_BEGINNING_CHARS], ()):
            if word.startswith(beginning):
                yield PhraseMatch(label, start, start + 1)
