"""The tables of all languages as one dictionary from words to what they can mean."""

from __future__ import annotations

import unicodedata
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from commonplace.when.languages import TABLES

ALL = -1  # the languages of a numeral: every bit
# What must be there for a time without a digit; the words of other kinds only lead to it or follow it.
_TELLING = frozenset(
    ("month", "weekday", "weekdays", "season", "offset", "night", "daypart", "weekend", "unit", "half", "yearshift")
)
_APART = str.maketrans("-'", "  ")
_ACCENTS = dict.fromkeys(range(0x300, 0x370))


class Lexeme(Struct, frozen=True):
    """One meaning of a word.

    `languages` has a bit for each table that knows it; `weak` is 1 if it is a time only in company, 2 if it is a
    common verb as well; `dotted` says that an abbreviating dot may follow.
    """

    kind: str
    value: str = ""
    languages: int = ALL
    weak: int = 0
    dotted: bool = False


Meanings = dict[str, list[Lexeme]]


class Lexicon(Struct, frozen=True):
    """All languages: `words` by folded form, `phrases` of several words by their first, longest first."""

    words: dict[str, tuple[Lexeme, ...]]
    phrases: dict[str, tuple[tuple[tuple[str, ...], tuple[Lexeme, ...]], ...]]
    telling: frozenset[str]
    telling_signs: frozenset[str]  # first characters, in scripts without spaces
    marks: dict[str, int]
    friends: dict[str, int]


def fold(word: str) -> str:
    """Case and accents off: what the tables and the text are compared by."""
    if word.isascii():
        return word.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKD", word.casefold()).translate(_ACCENTS))


@cache
def lexicon() -> Lexicon:
    """The dictionary; built at the first use, which takes a few milliseconds."""
    meanings: Meanings = {}
    marks: dict[str, int] = {}
    friends: dict[str, int] = {}
    for number, table in enumerate(TABLES):
        bit = 1 << number
        for key, written in table.items():
            slots = fold(written).translate(_APART)
            if key in ("marks", "friend"):
                kept = marks if key == "marks" else friends
                kept.update({word: kept.get(word, 0) | bit for word in slots.split("|")})
            else:
                _enter(meanings, key, slots, bit)
    return _arranged(meanings, marks, friends)


def _enter(meanings: Meanings, key: str, written: str, bit: int) -> None:
    kind, _, value = key.partition(" ")
    for number, slot in enumerate((written,) if value else written.split(", "), 1):
        lexeme = Lexeme(kind, value or str(number), bit)
        for word in slot.split("|"):
            if word[0] != "~":
                _add(meanings, word, lexeme)
            else:
                plain = word.lstrip("~").rstrip(".")
                weak = len(word) - len(word.lstrip("~"))
                _add(meanings, plain, replace(lexeme, weak=weak, dotted=word[-1] == "."))


def _add(meanings: Meanings, word: str, lexeme: Lexeme) -> None:
    readings = meanings.setdefault(word, [])
    for place, known in enumerate(readings):
        if known.kind == lexeme.kind and known.value == lexeme.value:
            readings[place] = Lexeme(
                known.kind,
                known.value,
                known.languages | lexeme.languages,
                max(known.weak, lexeme.weak),
                known.dotted or lexeme.dotted,
            )
            return
    readings.append(lexeme)


def _arranged(meanings: Meanings, marks: dict[str, int], friends: dict[str, int]) -> Lexicon:
    words: dict[str, tuple[Lexeme, ...]] = {}
    phrases: dict[str, list[tuple[tuple[str, ...], tuple[Lexeme, ...]]]] = {}
    telling: set[str] = set()
    for written, readings in meanings.items():
        parts = tuple(written.split())
        if len(parts) == 1:
            words[written] = tuple(readings)
        else:
            phrases.setdefault(parts[0], []).append((parts, tuple(readings)))
        if any(lexeme.kind in _TELLING for lexeme in readings):
            telling.add(max(parts, key=len))
    together = {word for word in telling if "\u3040" <= word[0] <= "\u9fff"}
    return Lexicon(
        words=words,
        phrases={first: tuple(sorted(known, key=lambda entry: -len(entry[0]))) for first, known in phrases.items()},
        telling=frozenset(telling - together),
        telling_signs=frozenset(word[0] for word in together),
        marks=marks,
        friends=friends,
    )
