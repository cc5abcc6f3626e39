"""The gate's words and phrases by language, and where they stand in a text.

A list is a table from label to phrases, separated by commas. A phrase stands for whole words, `word*` for every word
that begins so; in scripts without spaces a phrase may stand anywhere. Labels:

- `ack`, `filler`: messages that only acknowledge; what may stand beside them
- `todo`, `transient`, `explanation`: chores, passing states, and what makes a chore worth keeping
- `rule`, `modal`, `preference`, `decision`, `relation`, `life`, `health`, `money`, `lesson`, `recurring`, `progress`,
  `laughter`: features of importance
- `strict …`: words that change what a sentence says by being there (negations)
- `pole GROUP SIDE`: words of one group that stand for each other's opposite or alternative
- `reaction`, `praise`, `offered`, `supposed`: what answers another, and how opinions begin; `herald`: what announces;
  `steer`: what is said about the conversation itself; `truth`: how sayings are made; `hype`: mere praise
- `order`: words that make the order of the others matter; `light`: words that add nothing

A second table tells single words by which a sentence points to what is not in it:

- `pointer`, `pointer at times`: words that mean something only with what they point to; `empty`: words that tell
  nothing; `introducer`: what stands before a noun; `preposition`, `conjunction`: what may stand between them
- `pointer behind preposition`: one only there (`by then`); `with noun`: pointers before a noun; `subject`: those
  before which a language leaves out `that`; `alone`: what follows a pointer at times that has no noun; `existing`: what
  follows a `there` that points nowhere
- `idle`: pointers that may stand for what comes after them: behind them `impersonal`, or, later, `awaited`; `being`:
  what tells at once who a pointer is; `vague`: words that take back what another word tells
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from unicodedata import normalize

from msgspec import Struct

from commonplace.text import is_stop
from commonplace.text import language as script_language

LONGEST_PHRASE = 6  # words
UNSPACED_FROM = "\u2e80"  # the first of the scripts whose lists have no word boundaries
LANGUAGES = ("en", "fr", "de", "es", "zh", "ja")
SPACED = ("en", "fr", "de", "es")
UNSPACED = ("zh", "ja")

_MODULES = {"en": "english", "fr": "french", "de": "german", "es": "spanish", "zh": "chinese", "ja": "japanese"}


class Mark(Struct, frozen=True):
    """A phrase found in a text: its label, and its place among the text's units."""

    label: str
    start: int
    end: int


class Lexicon(Struct, frozen=True):
    """The labels of every phrase, of every beginning of a word, and of every phrase of scripts without spaces."""

    phrases: dict[tuple[str, ...], tuple[str, ...]]
    beginnings: dict[str, tuple[str, ...]]
    unspaced: dict[str, tuple[str, ...]]


def units(text: str) -> list[str]:
    """The words of a text in order, casefolded with their accents; characters where scripts have no spaces.

    An apostrophe parts words: `don't` is `don`, `t`, and `l'eau` is `l`, `eau`.
    """
    found: list[str] = []
    for word in _word().findall(normalize("NFKC", text).casefold()):
        if word.isascii() or max(word) < UNSPACED_FROM:
            found.append(word)
        else:
            found += _unspaced().findall(word)
    return found


def marks(text: str, language: str = "auto") -> tuple[Mark, ...]:
    """Every phrase of the lists of a language in a text; of the text's own for `auto`, of each for `all`.

    Lists are never mixed without need: `car` gives a reason in French and is washed in English. A language without
    lists is read as English.
    """
    return _marks(text, language)


def spoken(text: str) -> tuple[str, ...]:
    """The languages whose function words a text has most of, several where they are even, all where it has none."""
    if max(text, default="") >= UNSPACED_FROM:
        told = script_language(text)
        if told in LANGUAGES and told not in SPACED:
            return (told,)
    words = units(text)
    score = {name: sum(is_stop(word, name) for word in words) for name in SPACED}
    most = max(score.values())
    return tuple(name for name in SPACED if score[name] == most) if most else LANGUAGES


def labels(text: str, language: str = "auto") -> frozenset[str]:
    """The labels of the phrases in a text."""
    return frozenset(mark.label for mark in marks(text, language))


@cache
def lexicon(languages: tuple[str, ...]) -> Lexicon:
    """The lists of some of LANGUAGES as one."""
    made = Lexicon({}, {}, {})
    for name in languages:
        for label, phrases in word_list(name).items():
            for phrase in phrases.split(","):
                _add(made, phrase.strip(), label)
    return made


def word_list(language: str) -> dict[str, str]:
    """The table of one of LANGUAGES."""
    return _table(language, "WORDS")


def pointing_list(language: str) -> dict[str, str]:
    """The words of one of LANGUAGES that point, and those that tell whether they do."""
    return _table(language, "POINTING")


def question_list(language: str) -> dict[str, str]:
    """The questions of one of LANGUAGES: what is asked for, to forms with `{entity}` and `{attribute}`."""
    return _table(language, "QUESTIONS")


def _table(language: str, name: str) -> dict[str, str]:
    from importlib import import_module

    table: dict[str, str] = getattr(import_module(f"commonplace.text.wordlists.{_MODULES[language]}"), name)
    return table


@lru_cache(maxsize=1024)  # the steps of the gate ask the same of a text one after another
def _marks(text: str, language: str) -> tuple[Mark, ...]:
    return tuple(_found(units(text), lexicon(_lists(text, language))))


def _lists(text: str, language: str) -> tuple[str, ...]:
    if language == "auto":
        return spoken(text)
    if language == "all":
        return LANGUAGES
    return (language if language in LANGUAGES else "en",)


def _add(made: Lexicon, phrase: str, label: str) -> None:
    parts = tuple(units(phrase))
    if phrase.endswith("*"):
        made.beginnings[parts[0]] = (*made.beginnings.get(parts[0], ()), label)
    elif parts[0] >= UNSPACED_FROM:
        made.unspaced["".join(parts)] = (*made.unspaced.get("".join(parts), ()), label)
    elif label not in made.phrases.get(parts, ()):
        made.phrases[parts] = (*made.phrases.get(parts, ()), label)


def _found(words: list[str], known: Lexicon) -> Iterator[Mark]:
    for start, word in enumerate(words):
        if word >= UNSPACED_FROM:
            yield from _unspaced_at(words, start, known)
            continue
        for end in range(start + 1, min(start + LONGEST_PHRASE, len(words)) + 1):
            for label in known.phrases.get(tuple(words[start:end]), ()):
                yield Mark(label, start, end)
        for size in range(3, len(word) + 1):
            for label in known.beginnings.get(word[:size], ()):
                yield Mark(label, start, start + 1)


def _unspaced_at(words: list[str], start: int, known: Lexicon) -> Iterator[Mark]:
    phrase = ""
    for end in range(start, min(start + _longest_unspaced(), len(words))):
        phrase += words[end]
        for label in known.unspaced.get(phrase, ()):
            yield Mark(label, start, end + 1)


@cache
def _longest_unspaced() -> int:
    return max(map(len, lexicon(LANGUAGES).unspaced))


@cache
def _word() -> re.Pattern[str]:
    return re.compile(r"[^\W_]+")


@cache
def _unspaced() -> re.Pattern[str]:
    """One character of a script without spaces, or a stretch of any other."""
    return re.compile(f"[{UNSPACED_FROM}-\U0010ffff]|[^{UNSPACED_FROM}-\U0010ffff]+")
