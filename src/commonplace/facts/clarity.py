"""Tell whether a sentence can be understood by itself: what `it`, `they` or `that one` point to stands in it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import cache, lru_cache

from msgspec import Struct

from commonplace import when
from commonplace.text import is_stop
from commonplace.text.wordlists import SPACED, UNSPACED, UNSPACED_FROM, pointing_list, spoken

ENOUGH = 2  # words that say something, a noun for two: with fewer before it a pronoun points at nothing
ANY_DAY = "2000-01-01"  # where a text speaks of a time does not hang on the day it is read
_QUOTES = '"“«„「『《'
_BREAKS = ".!?;。！？"


class _Word(Struct, frozen=True):
    """A word of a text: as it stands, in lower case, and whether it opens a sentence or follows a sign."""

    text: str
    low: str
    opens: bool
    parted: bool


Words = tuple[_Word, ...]


class _Lists(Struct, frozen=True):
    """The words of some languages that bear on what a sentence points to, by the labels of the word lists."""

    pointer: frozenset[str]
    pointer_at_times: frozenset[str]
    pointer_behind_preposition: frozenset[str]
    introducer: frozenset[str]
    preposition: frozenset[str]
    conjunction: frozenset[str]
    empty: frozenset[str]
    with_noun: frozenset[str]
    subject: frozenset[str]
    alone: frozenset[str]
    existing: frozenset[str]
    idle: frozenset[str]
    being: frozenset[str]
    impersonal: frozenset[str]
    awaited: frozenset[str]
    vague: frozenset[str]

    def says_nothing(self, low: str) -> bool:
        """Whether a word points, joins or fills, and tells nothing by itself."""
        joins = low in self.introducer or low in self.preposition or low in self.conjunction
        return joins or low in self.pointer or low in self.pointer_at_times or low in self.empty


class _Said(Struct, frozen=True):
    """A text without who speaks, times and dates: as it stands, or in words, with the lists of its languages."""

    bare: str
    words: tuple[_Word, ...]
    languages: tuple[str, ...]
    lists: _Lists

    @property
    def is_spaced(self) -> bool:
        """Whether its script parts words."""
        return max(self.bare, default="") < UNSPACED_FROM


def is_unclear(text: str, names: Collection[str] = ()) -> bool:
    """Whether a sentence points to something that it does not name, or tells too little to be understood.

    `names` are those of who speaks: that they are named says nothing about what is spoken of.
    """
    said = _said(text, tuple(names))
    if not said.is_spaced:
        return _points_first(said.bare)
    vague = sum(word.low in said.lists.vague for word in said.words)
    return _dangles(said.words, said.lists) or len(telling(text, names)) <= vague


def telling(text: str, names: Iterable[str] = ()) -> list[str]:
    """The words of a sentence that say something: no function words, times, fillers, nor the names of who speaks."""
    said = _said(text, tuple(names))
    if not said.is_spaced:
        return list(said.bare)
    return [word.low for word in said.words if _says(word.low, said.lists, said.languages)]


@lru_cache(maxsize=256)  # the steps from a claim to its line ask the same of a text one after another
def _said(text: str, names: tuple[str, ...]) -> _Said:
    bare = _bare(text, names)
    languages = spoken(bare)
    return _Said(bare, tuple(_words(bare, names)), languages, _lists(languages))


def _dangles(words: Words, lists: _Lists) -> bool:
    """Whether a pointing word comes before anything that it could point to."""
    told: list[int] = []  # places of words that say something
    for at, word in enumerate(words):
        if _points(words, at, lists):
            before = _without_clause(words, told, at, lists)
            nouns = sum(words[one - 1].low in lists.introducer for one in before if one)
            if len(before) + nouns < ENOUGH + (word.low in lists.with_noun):
                return True
        if _is_anchor(words, at):
            return False
        if _says(word.low, lists, SPACED):
            told.append(at)
    return False


def _points(words: Words, at: int, lists: _Lists) -> bool:
    word = words[at]
    if word.low in lists.pointer:
        return not (_is_idle(words, at, lists) or _introduces(words, at, lists))
    following = words[at + 1].low if at + 1 < len(words) else ""
    led = at > 0 and words[at - 1].low in lists.preposition and not word.parted
    if word.low in lists.pointer_behind_preposition:
        return led
    if word.low not in lists.pointer_at_times or (word.low == "there" and following in lists.existing):
        return False
    if word.opens or led or not following or words[at + 1].parted:
        return True
    return (following in lists.preposition and following != "of") or following in lists.alone


def _is_idle(words: Words, at: int, lists: _Lists) -> bool:
    """Whether an `it` stands for what comes after it: `it is important to …`, `it's been a year since …`."""
    if words[at].low not in lists.idle:
        return False
    impersonal = at + 1 < len(words) and words[at + 1].low in lists.impersonal
    return impersonal or any(word.low in lists.awaited and not word.opens for word in words[at + 2 : at + 6])


def _introduces(words: Words, at: int, lists: _Lists) -> bool:
    """Whether a pointing word is told what it is at once: `it's Ana's turn`, `this is Ana`."""
    to_be = at + 1 < len(words) and words[at + 1].low in lists.being
    named = at + 1 + to_be
    return named < len(words) and (to_be or words[at].low.endswith("'s")) and _is_anchor(words, named)


def _without_clause(words: Words, told: list[int], at: int, lists: _Lists) -> list[int]:
    """What stands before a pointing word, without what it belongs to: its verb (`plays it`), the words before its
    preposition (`a course in it`), the noun on which its own clause hangs (`the calm and order it brings`)."""
    before, word = list(told), words[at]
    following = words[at + 1] if at + 1 < len(words) else None
    if at and words[at - 1].low in lists.preposition and not word.parted:
        while before and before[-1] >= at - 2:
            at = before.pop() + 1
    elif not word.parted and before and before[-1] == at - 1:
        at = before.pop()
        hangs = word.low in lists.subject and following is not None and following.low.endswith(("s", "ed"))
        while hangs and before and before[-1] == at - 2 and words[at - 1].low in lists.conjunction:
            at = before.pop()
    return before


def _is_anchor(words: Words, at: int) -> bool:
    """Whether a word names something: a capital within a sentence, a figure, the beginning of a quoted title."""
    word = words[at]
    first = word.text[:1]
    if any(char.isdigit() for char in word.text):
        return True
    if first in _QUOTES:
        return len(word.low) > 3
    if not first.isupper() or word.low.split("'")[0] == "i":
        return False
    return not word.opens or (at + 1 < len(words) and not words[at + 1].opens and _is_anchor(words, at + 1))


def _says(low: str, lists: _Lists, languages: Iterable[str]) -> bool:
    return len(low) >= 3 and not lists.says_nothing(low) and not any(is_stop(low, language) for language in languages)


def _points_first(said: str) -> bool:
    """Whether a text without spaces begins with a pronoun."""
    return said.startswith(tuple(_lists(UNSPACED).pointer))


def _bare(text: str, names: Iterable[str]) -> str:
    """The text without who speaks before it, without times, and without the dates in brackets behind them."""
    for name in names:
        text = text.removeprefix(f"{name}: ")
    text = _dates().sub("", text)
    for phrase in reversed(when.find(text, ANY_DAY)):
        text = f"{text[: phrase.start]}{' ' * (phrase.end - phrase.start)}{text[phrase.end :]}"
    return text.strip()


def _words(said: str, names: Iterable[str]) -> list[_Word]:
    own = {part.casefold() for name in names for part in name.split()}
    found: list[_Word] = []
    opens, parted, end = True, False, 0
    for match in _word().finditer(said):
        between = said[end : match.start()]
        opens = opens or any(sign in _BREAKS for sign in between)
        parted = bool(between.strip())
        low = match["word"].casefold().replace("’", "'")
        if low.removesuffix("'s") not in own:
            found.append(_Word(match[0], low, opens, parted))
            opens = False
        end = match.end()
    return found


@lru_cache(maxsize=64)
def _lists(languages: tuple[str, ...]) -> _Lists:
    def of(label: str) -> frozenset[str]:
        return frozenset(word for name in languages for word in _phrases(name, label))

    return _Lists(*(of(field.replace("_", " ")) for field in _Lists.__struct_fields__))


def _phrases(language: str, label: str) -> list[str]:
    return [word.strip() for word in pointing_list(language).get(label, "").split(",") if word.strip()]


@cache
def _word() -> re.Pattern[str]:
    return re.compile(rf"[{_QUOTES}]?(?P<word>[^\W_]+(?:['’\-][^\W_]+)*)")


@cache
def _dates() -> re.Pattern[str]:
    return re.compile(r" ?\(\d{4}-\d\d[^)]*\)")
