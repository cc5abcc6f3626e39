"""The tables of all languages as one dictionary from words to what they can mean."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Set
from functools import cache

from msgspec import Struct

from commonplace.when.languages import TABLES

ALL = -1  # the languages of a numeral: every bit
ENGLISH = 1  # the bit of the first table
# What must be there for a time without a digit; the words of other kinds only lead to it or follow it.
_TELLING = frozenset(
    (
        "month",
        "weekday",
        "weekdays",
        "seasons",
        "season",
        "offset",
        "night",
        "hours",
        "daypart",
        "weekend",
        "weekdaypart",
        "unit",
        "half",
        "yearshift",
        "back",
        "lately",
        "gone",
        "holiday",
        "decade",
        "decades",
        "decadeword",
    )
)


class Lexeme(Struct, frozen=True):
    """One meaning of a word.

    `languages` has a bit for each table that knows it; `weak` is 1 if it is a time only in company, 2 if it is a
    common verb as well, 3 if that verb is a noun too; `dotted` says that an abbreviating dot may follow.
    """

    kind: str
    value: str = ""
    languages: int = ALL
    weak: int = 0
    dotted: bool = False


class Entry(Struct, frozen=True):
    """All meanings of a word, and their kinds."""

    lexemes: tuple[Lexeme, ...] = ()
    kinds: frozenset[str] = frozenset()


class Lexicon(Struct, frozen=True):
    """All languages: `words` by folded form, `phrases` of several words by their first, longest first.

    `marks` and `friends` are the words by which a language shows, and those that only look like a time in it; `longest`
    is the length of the longest word that begins with a sign.
    """

    words: dict[str, Entry]
    phrases: dict[str, list[tuple[tuple[str, ...], Entry]]]
    marks: dict[str, int]
    friends: dict[str, int]
    longest: dict[str, int]


class Telling(Struct, frozen=True):
    """The words, and the first signs of words in scripts without spaces, that a time without a digit has."""

    words: frozenset[str]
    signs: frozenset[str]


def entry_of(lexemes: Iterable[Lexeme]) -> Entry:
    """The entry with these meanings."""
    kept = tuple(lexemes)
    return Entry(kept, frozenset([lexeme.kind for lexeme in kept]))


def fold(word: str) -> str:
    """Case and accents off: what the tables and the text are compared by."""
    if word.isascii():
        return word.lower()
    return unicodedata.normalize("NFC", _accents().sub("", unicodedata.normalize("NFKD", word.casefold())))


@cache
def _accents() -> re.Pattern[str]:
    return re.compile("[\u0300-\u036f]+")


_POINTING = frozenset(
    (
        *("month", "weekday", "ago", "holiday", "gone", "unit weekend"),
        *("shift -1", "shift 1", "lap -1", "lap 1", "night -1"),
        *("offset -3", "offset -2", "offset -1", "offset 1", "offset 2", "offset 3"),
    )
)

# Words that seldom lead to a day, or with another of the words beside them.
_SELDOM = frozenset(
    ("back", "coming", "following", "her", "night", "plus", "previous", "sun", "upcoming", "week", "year", "years")
)


@cache
def telling() -> Telling:
    """What to look for first; made apart from the whole dictionary, since most texts hold no time."""
    return told_by(TABLES, _TELLING)


@cache
def pointing() -> Telling:
    """Words that lead from the day of a text to another: `yesterday`, `last`, `ago`, months, weekdays; not `today`."""
    every = told_by(TABLES, _POINTING)
    return Telling(every.words - _SELDOM, every.signs)


def told_by(tables: Iterable[dict[str, str]], kinds: Set[str]) -> Telling:
    """The words of some kinds in some tables."""
    words: set[str] = set()
    for table in tables:
        for key, written in _lines(table):
            if key in kinds or key.partition(" ")[0] in kinds:
                for word in _folded(written).replace(", ", "|").split("|"):
                    plain = word.lstrip("~").rstrip(".")
                    words.add(max(plain.split(), key=len) if " " in plain else plain)
    together = {word for word in words if "\u3040" <= word[0] <= "\u9fff"}
    return Telling(frozenset(words - together), frozenset([word[0] for word in together]))


@cache
def lexicon() -> Lexicon:
    """The dictionary of times; built at the first use, which takes a few milliseconds."""
    return bound(TABLES)


def bound(tables: Iterable[dict[str, str]]) -> Lexicon:
    """The tables of all languages as one dictionary."""
    entries: dict[str, Entry] = {}
    book = Lexicon({}, {}, {}, {}, {})
    for number, table in enumerate(tables):
        for key, written in _lines(table):
            if key in ("marks", "friend"):
                _add_signs(book.marks if key == "marks" else book.friends, _folded(written), 1 << number)
            else:
                _add(entries, key, _folded(written), 1 << number)
    for word, entry in entries.items():
        if " " in word:
            parts = tuple(word.split())
            book.phrases.setdefault(parts[0], []).append((parts, entry))
        else:
            book.words[word] = entry
            book.longest[word[0]] = max(len(word), book.longest.get(word[0], 0))
    for known in book.phrases.values():
        known.sort(key=lambda phrase: -len(phrase[0]))
    return book


def _lines(table: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The lines of a table, and the words that it makes of a weekday and a part of the day: `Montagabend`."""
    yield from ((key, written) for key, written in table.items() if key != "compound")
    for key, written in table.items() if "compound" in table else ():
        if key.startswith("daypart "):
            for number, slot in enumerate(table["weekday"].split(", "), 1):
                days = [day + table["compound"] for day in slot.split("|") if " " not in day]
                words = "|".join(day + part for day in days for part in written.split("|"))
                yield f"weekdaypart {number} {key.removeprefix('daypart ')}", words


def _folded(written: str) -> str:
    return fold(written).replace("-", " ").replace("'", " ")


def _add_signs(kept: dict[str, int], written: str, bit: int) -> None:
    for word in written.split("|"):
        kept[word] = kept.get(word, 0) | bit


def _add(entries: dict[str, Entry], key: str, written: str, bit: int) -> None:
    kind, _, value = key.partition(" ")
    for number, slot in enumerate((written,) if value else written.split(", "), 1):
        plain = entry_of([Lexeme(kind, value or str(number), bit)])
        for word in slot.split("|"):
            entry = plain
            if word[0] == "~":
                bare = word.lstrip("~")
                entry = entry_of([Lexeme(kind, value or str(number), bit, len(word) - len(bare), bare[-1] == ".")])
                word = bare.rstrip(".")
            known = entries.get(word)
            entries[word] = entry if known is None else _merged(known, entry.lexemes[0])


def _merged(known: Entry, lexeme: Lexeme) -> Entry:
    """Two languages share a word: one meaning for both, or two meanings."""
    meanings = {(x.kind, x.value): x for x in known.lexemes}
    same = meanings.get((lexeme.kind, lexeme.value))
    if same is not None:
        languages, weak = same.languages | lexeme.languages, max(same.weak, lexeme.weak)
        lexeme = Lexeme(lexeme.kind, lexeme.value, languages, weak, same.dotted or lexeme.dotted)
    return entry_of({**meanings, (lexeme.kind, lexeme.value): lexeme}.values())
