"""The words of a language by which statements are compared; find what opens a clause, its changes, what it gives up."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from msgspec import Struct

from commonplace.language.text import TextCache, is_light_word, is_stop_word, stem_to_tokens
from commonplace.language.word_data import LANGUAGES, load_shared_words, load_time_words, load_word_table
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
        numbers = load_shared_words("number_words").get(language, "").split()
        self.numbers = {word: str(value) for value, word in enumerate(numbers) if value > 1}
        self._light = TextCache(self._is_light, 8_192)

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

    def _is_light(self, word: str) -> bool:
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
            word, kind = match[0], match.lastgroup
            labels = _MARK_LABELS if kind == "mark" else _NUMBER_LABELS if kind == "number" else NO_LABELS
            yield Phrase(word, word.lower().replace("’", "'"), match.start() + start, match.end() + start, labels)

    def _word_pattern(self, listed_phrases: list[str]) -> str:
        if self.is_spaced:
            return f"{_NUMBER}|{_FRENCH_WORD if self.language == 'fr' else _ENGLISH_WORD}|{_MARKS}"
        listed = "|".join(re.escape(phrase) for phrase in sorted(listed_phrases, key=len, reverse=True))
        han = rf"[{_HAN}]+?(?=(?:{listed}|[^{_HAN}]|$))"
        return rf"{_HAN_NUMBER}|(?P<word>{listed}|[A-Za-z][A-Za-z0-9_.+-]*|[{_KATAKANA}]+|{han}|[{_HIRAGANA}])|{_MARKS}"

    def _add_dates(self, labels: dict[str, set[str]]) -> None:
        words = load_time_words()[LANGUAGES.index(self.language)]
        for slot in ("month", "weekday", "weekdays"):
            for word in "|".join(words.get(slot, ())).split("|"):
                if certain := word.lstrip("~").rstrip("."):
                    is_ambiguous = word.startswith("~")
                    if not (is_ambiguous and word.endswith(".")):
                        own = {"month" if slot == "month" else "weekday", *(["ambiguous"] if is_ambiguous else [])}
                        labels.setdefault(certain, set()).update(own)


@cache
def change_words_of(language: str) -> ChangeWords:
    """The words of a language; those of English for a language that has none."""
    return ChangeWords(language if language in COMPARED_LANGUAGES else "en")


MAX_GIVEN_UP = 4  # content words of a value given up
_EDGES = labels_of("mark preposition copula gone")
_NEGATIONS = labels_of("negation retraction")
_DETERMINERS = labels_of("definite indefinite preposition any_more soft")
_CHANGE, _OPENINGS = labels_of("change"), labels_of("correction opening mark")


class ChangeFinder:
    """Whether phrases have a cue of change, and the stems of the value given up, which is labelled as gone."""

    def __init__(self, phrases: list[Phrase], words: ChangeWords) -> None:
        self.phrases, self.words = phrases, words
        self.has_cue = False
        self.given_up: list[str] = []
        self._cut_openings()
        self._find_verbs()
        self._find_given_up()

    def _cut_openings(self) -> None:
        while self.phrases:
            first, after = self.phrases[0], self.phrases[1:2]
            is_correction = "correction" in first.labels
            stands_apart = " " in first.low or "soft" in first.labels or not self.words.is_spaced
            stands_apart = stands_apart or any("mark" in phrase.labels for phrase in after)
            if first.labels.isdisjoint(_OPENINGS) or (is_correction and not stands_apart):
                return
            self.has_cue |= is_correction and bool(after)
            del self.phrases[0]

    def _find_verbs(self) -> None:
        """Take out verbs of change with their preposition; where they stand is as behind a copula."""
        for at, phrase in enumerate(self.phrases):
            if "changed" not in phrase.labels:
                continue
            to = self._next_labelled(at + 1, "to", 6)
            if self.words.language in ("en", "fr", "es") and to < 0:
                continue
            self.has_cue = True
            phrase.labels = _CHANGE
            start = self._next_labelled(0, "from", len(self.phrases))
            if start >= 0:
                to = self._next_labelled(start + 2, "to", 5)
                if to > start:
                    self._give_up(start + 1, to, start)
                    phrase.labels, self.phrases[to].labels = GONE, _CHANGE
                    continue
            if to < 0:  # the German verb stands at the end
                to = self._next_labelled(0, "to", at)
                phrase.labels = GONE if to >= 0 else _CHANGE
            if to >= 0:
                self.phrases[to].labels = _CHANGE if to > at or self.words.is_spaced else GONE

    def _find_given_up(self) -> None:
        phrases = self.phrases
        for at, phrase in enumerate(phrases):
            labels = phrase.labels
            if "instead" in labels and at + 1 < len(phrases):
                but = self._next_labelled(at + 1, "but", 8)
                self._give_up(at + 1, but if but > 0 else self._phrase_end(at + 1), at, but)
            elif "instead behind" in labels and at:
                start = at
                while start and not phrases[start - 1].labels & _EDGES:
                    start -= 1
                self._give_up(start, at, start, at)
            elif labels & _NEGATIONS:
                but = self._next_labelled(at + 1, "but", 10)
                if but > 0:  # from the preposition of the new one, if both have it (`not on A but on B`)
                    leads = [one.low for one in phrases[but + 1 : but + 2] if "preposition" in one.labels]
                    start = next((n for n in range(at + 1, but) if phrases[n].low in leads), at + 1)
                    self._give_up(start, but, at, but)
                elif at and "mark" in phrases[at - 1].labels:
                    self._give_up(at + 1, self._phrase_end(at + 1), at)
            else:
                continue
            if self.given_up:
                return

    def _give_up(self, start: int, end: int, first: int, last: int = -1) -> None:
        """Take the phrases from `first` to the end out; those from `start` are the value given up, if it is one."""
        part = self.phrases[start:end]
        content = [phrase for phrase in part if not phrase.labels & NO_CONTENT and not self.words.is_light(phrase.low)]
        head = next((phrase for phrase in part if not phrase.labels & _DETERMINERS), None)
        gerund = self.words.language == "en" and head is not None and head.low.endswith("ing") and len(part) > 1
        if not content or len(content) > MAX_GIVEN_UP or gerund or (head and "additive" in head.labels):
            return
        self.given_up += [self.words.number(phrase) or self.words.stem(phrase.low) for phrase in content]
        self.has_cue = True
        kept = range(first + 1, start) if "retraction" in self.phrases[first].labels else ()  # the verb
        for at in range(first, max(end, last + 1)):
            if at not in kept:
                self.phrases[at].labels = GONE

    def _phrase_end(self, start: int) -> int:
        """The place where the phrase that begins here ends: at a mark, or a preposition that begins another."""
        for at in range(start, len(self.phrases)):
            labels = self.phrases[at].labels
            if "mark" in labels or (at > start and "preposition" in labels and "of" not in labels):
                return at
        return len(self.phrases)

    def _next_labelled(self, start: int, label: str, reach: int) -> int:
        places = range(start, min(len(self.phrases), start + reach))
        return next((at for at in places if label in self.phrases[at].labels), -1)
