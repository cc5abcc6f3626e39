"""What a sentence shows of whether it is worth a line: a few numbers, labels of its phrases, and its words."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from math import log1p, sqrt

from msgspec import Struct

from commonplace.language import when
from commonplace.language.text import (
    FIRST_EAST_ASIAN_CHAR,
    detect_language,
    ends_in_question_mark,
    match_labels,
    split_units,
    stop_words,
)
from commonplace.language.word_data import load_shared_words
from commonplace.lazy import lazy_pattern

ANY_DAY = "2000-01-01"  # whether a time is named does not depend on the day
STEM_CHARS = 5  # characters that the forms of a longer word share
WORD_WEIGHT = 0.6  # of all words of a sentence together, in the root of their squares
MAX_CONTENT_WORDS, MANY_SENTENCES = 20, 12
_NAME = lazy_pattern(r"(?<![.!?…:] )(?<!^)(?<!\w)[A-ZÀ-Þ][a-zß-ÿ]+")
_EXACT_VALUE = lazy_pattern(
    r"(?:/[\w.-]+)+|\w[\w-]*\.[a-zA-Z]{2,8}\b|\d{1,3}(?:\.\d{1,3}){3}|:\d{2,5}\b|v?\d+\.\d+|\w+_\w+|[€$£¥] ?\d|"
    r"\d+ ?(?:eur|euros?|k[gm]|m[gl]|[kmgt]b|ms)\b"
)
_EXACT_SIGN = lazy_pattern(r"[/_\d]|\.\w")  # every exact value has one
Features = list[tuple[str, float]]


class SentencePosition(Struct, frozen=True):
    """Where a sentence is said: its number among the sentences of its message, how many these are and how many
    characters they have, and whether the message is to an agent."""

    number: int
    sentences: int
    message_chars: int
    to_agent: bool


def sentence_features(sentence: str, position: SentencePosition) -> Features:
    """The numbers and labels of a sentence by name, then its words (`w:` before each), all with their weights."""
    language, units = detect_language(sentence), split_units(sentence)
    numbers = [(name, value) for name, value in _numbers(sentence, position, language, units) if value]
    by_listener = [(f"agent {name}", value) for name, value in numbers] if position.to_agent else []
    labels = [(f"label {label}", 1.0) for label in sorted(match_labels(sentence))]
    words = dict.fromkeys(_words(units))
    weight = WORD_WEIGHT / sqrt(max(len(words), 1))
    return [*numbers, *by_listener, *labels, *((f"w:{word}", weight) for word in words)]


def _numbers(sentence: str, position: SentencePosition, language: str, units: list[str]) -> Iterator[tuple[str, float]]:
    content = len(units) - sum(map(stop_words(language).__contains__, units))
    amount = min(content, MAX_CONTENT_WORDS) / 10
    of_speaker, of_listener = (_has_person(table, sentence, units) for table in ("first", "second"))
    yield "chars", log1p(len(sentence)) / 5
    yield "content words", amount
    yield "content words of the speaker", amount * of_speaker
    yield "few content words", float(content < 3)
    yield "stop words", 1 - content / max(len(units), 1)
    yield "long", float(len(units) > 35)
    yield "speaker", float(of_speaker)
    yield "listener", float(of_listener)
    yield "listener alone", float(of_listener and not of_speaker)
    yield "nobody", float(not of_speaker and not of_listener)
    yield "names", min(len(_NAME.findall(sentence)), 3) / 2 if language != "de" else 0.0
    yield "digits", float(any(map(str.isdigit, sentence)))
    yield (
        "exact value",
        float(_EXACT_SIGN.search(sentence) is not None and _EXACT_VALUE.search(sentence.lower()) is not None),
    )
    yield "time", float(bool(when.find_time_phrases(sentence, ANY_DAY)))
    yield "question", float(ends_in_question_mark(sentence))
    yield "exclamation", float(sentence.endswith(("!", "！")))
    yield "message chars", log1p(position.message_chars) / 7
    yield "sentences", min(position.sentences, 15) / 10
    yield "many sentences", float(position.sentences >= MANY_SENTENCES)
    yield "first", float(position.number == 0)
    yield "last", float(position.number == position.sentences - 1)


def _words(units: list[str]) -> Iterator[str]:
    """The words, pairs of words, stems of long words, and how the sentence begins; a number is `#`."""
    words = ["#" if unit[0].isdigit() else unit for unit in units]
    yield from words
    yield from (f"{one} {other}" for one, other in pairwise(words))
    yield from (f"{word[:STEM_CHARS]}*" for word in words if len(word) > STEM_CHARS)
    if words:
        yield from (f"^{words[0]}", f"^{' '.join(words[:2])}")


def is_about_speaker(sentence: str) -> bool:
    """Whether a sentence has a word for who speaks."""
    return _has_person("first", sentence, split_units(sentence))


def _has_person(table: str, sentence: str, units: list[str]) -> bool:
    spaced, unspaced = _person_words(table)
    return not spaced.isdisjoint(units) or (not sentence.isascii() and any(word in sentence for word in unspaced))


@cache
def _person_words(table: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """The words of all languages for the speaker (`first`) or listener (`second`), and those not written in units."""
    words = " ".join(load_shared_words(f"{table}_person_words").values()).split()
    unspaced = tuple(word for word in words if word >= FIRST_EAST_ASIAN_CHAR)
    return frozenset(words).difference(unspaced), unspaced
