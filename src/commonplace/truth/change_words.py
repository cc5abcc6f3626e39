"""The words of a language by which statements are compared, and its text cut into words and phrases."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from msgspec import Struct

from commonplace.language.text import TextCache, is_light_word, is_stop_word, stem_to_tokens
from commonplace.language.word_data import LANGUAGES, load_number_words, load_time_words, load_word_table
from commonplace.lazy import lazy_pattern

COMPARED_LANGUAGES = ("en", "de", "fr", "es", "zh", "ja")
UNSPACED_LANGUAGES = ("zh", "ja")
NO_LABELS: frozenset[str] = frozenset()
GONE = frozenset(("gone",))  # of what is taken out of a clause

_THOUSANDS = lazy_pattern(r"[#$€£¥]?\d{1,3}(?:,\d{3})+\D*")
_NUMBER = r"(?P<number>[#$€£¥]?\d+(?:[.,:/-]\d+)*(?:\s?%|(?:st|nd|rd|th)\b|[A-Za-z]{1,4}\b)?)"
_MARKS = r"(?P<mark>[,;:()—–，；：（）、]|\s-\s)"
_SPACED_WORD = r"(?:\w(?:\w|[-.&+](?=\w)|['’](?!(?:s|m|re|ve|ll|d|t)\b)(?=\w))*)"
_ENGLISH_WORD = rf"(?P<word>[^\W\d_]+(?=n['’]t\b)|n['’]t\b|['’](?:s|m|re|ve|ll|d)\b|{_SPACED_WORD})"
_FRENCH_WORD = rf"(?P<word>(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu)['’](?=\w)|{_SPACED_WORD})"
_HAN_NUMBER = "(?P<number>[#$€£¥]?\\d+(?:[.,:/-]\\d+)*%?|[二两三四五六七八九十百千万亿]{2,})"
_HAN, _KATAKANA, _HIRAGANA = "\u3400-\u9fff々", "\u30a1-\u30faー", "\u3041-\u309f"


def labels_of(names: str) -> frozenset[str]:
    """The labels with these names; `_` is a blank."""
    return frozenset(name.replace("_", " ") for name in names.split())


_MARK_LABELS, _NUMBER_LABELS = labels_of("mark"), labels_of("number")
NO_CONTENT = labels_of(
    "mark preposition copula auxiliary definite indefinite and negation any_more first_person change gone to from"
)


class Phrase(Struct, gc=False):
    """A word, a phrase of the language, a number or a punctuation mark, in the characters from `start` to `end`."""

    text: str
    low: str
    start: int
    end: int
    labels: frozenset[str] = NO_LABELS


class ChangeWords:
    """The phrases of one language by their first word, longest first, each with all its labels."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.is_spaced = language not in UNSPACED_LANGUAGES
        labels: dict[str, set[str]] = {}
        table = load_word_table(language, "change_words")
        self.contractions = dict(zip(*[iter(" ".join(table.get("contraction", ())).split())] * 2, strict=True))
        for label, lines in table.items():
            for phrase in "|".join(lines).split("|") if label != "contraction" else ():
                labels.setdefault(phrase, set()).add(label)
        self._add_dates(labels)
        self._pattern = re.compile(self._word_pattern(list(labels)), re.IGNORECASE)
        self._phrases: dict[str, list[tuple[tuple[str, ...], frozenset[str]]]] = {}
        for phrase, names in labels.items():
            words = tuple(word.low for word in self._words(phrase, 0)) if self.is_spaced else (phrase,)
            self._phrases.setdefault(words[0], []).append((words, frozenset(names)))
        for rows in self._phrases.values():
            rows.sort(key=lambda row: -len(row[0]))
        numbers = load_number_words().get(language, "").split()
        self.numbers = {word: str(value) for value, word in enumerate(numbers) if value > 1}
        self._light = TextCache(self._compute_light, 8_192)

    def phrases(self, text: str, start: int = 0) -> list[Phrase]:
        """The words and phrases of a text in order; `start` is added to their places."""
        words = list(self._words(text, start))
        phrases: list[Phrase] = []
        at = 0
        while at < len(words):
            word, size = words[at], 1
            for spelling, labels in self._phrases.get(word.low, ()):
                size = len(spelling)
                if size == 1 or spelling == tuple(other.low for other in words[at : at + size]):
                    end = words[at + size - 1].end
                    word = Phrase(text[word.start - start : end - start], " ".join(spelling), word.start, end, labels)
                    break
            else:
                size = 1
            phrases.append(word)
            at += size
        return phrases

    def is_light(self, word: str) -> bool:
        """Whether a word in lower case has no weight: a function word, a light word, or Japanese inflection."""
        return self._light[word]

    def _compute_light(self, word: str) -> bool:
        is_inflection = not self.is_spaced and all("\u3041" <= char <= "\u309f" for char in word)
        return is_inflection or is_stop_word(word, self.language) or is_light_word(word, self.language)

    def number(self, phrase: Phrase) -> str:
        """The number in digits; empty if the phrase is none."""
        if phrase.low in self.numbers:
            return self.numbers[phrase.low]
        if "number" in phrase.labels:
            return phrase.low.replace(",", "") if _THOUSANDS.fullmatch(phrase.low) else phrase.low
        return ""

    def stem(self, word: str) -> str:
        """The stem of a word in lower case; a word without spaces around it is its own."""
        return stem_to_tokens(word, (self.language,))[0] if self.is_spaced else word

    def _words(self, text: str, start: int) -> Iterator[Phrase]:
        for match in self._pattern.finditer(text):
            word = match[0]
            low = word.lower()
            if "’" in low:
                low = low.replace("’", "'")
            kind = match.lastgroup
            labels = _MARK_LABELS if kind == "mark" else _NUMBER_LABELS if kind == "number" else NO_LABELS
            yield Phrase(word, low, match.start() + start, match.end() + start, labels)

    def _word_pattern(self, listed_phrases: list[str]) -> str:
        if self.language == "fr":
            return f"{_NUMBER}|{_FRENCH_WORD}|{_MARKS}"
        if self.is_spaced:
            return f"{_NUMBER}|{_ENGLISH_WORD}|{_MARKS}"
        listed = "|".join(re.escape(phrase) for phrase in sorted(listed_phrases, key=len, reverse=True))
        han = rf"[{_HAN}]+?(?=(?:{listed}|[^{_HAN}]|$))"
        return rf"{_HAN_NUMBER}|(?P<word>{listed}|[A-Za-z][A-Za-z0-9_.+-]*|[{_KATAKANA}]+|{han}|[{_HIRAGANA}])|{_MARKS}"

    def _add_dates(self, labels: dict[str, set[str]]) -> None:
        words = load_time_words()[LANGUAGES.index(self.language)]
        for slot in ("month", "weekday", "weekdays"):
            for value in words.get(slot, ()):
                for word in value.split("|"):
                    certain = word.lstrip("~").rstrip(".")
                    if not (word.startswith("~") and word.endswith(".")):
                        labels.setdefault(certain, set()).add("month" if slot == "month" else "weekday")
                        if word.startswith("~"):
                            labels[certain].add("ambiguous")


@cache
def change_words_of(language: str) -> ChangeWords:
    """The words of a language; those of English for a language that has none."""
    return ChangeWords(language if language in COMPARED_LANGUAGES else "en")
