"""Tell whether a sentence can be understood by itself: what `it`, `they` or `that one` point to stands in it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import cache, lru_cache

from msgspec import Struct, structs

from commonplace import when
from commonplace.consolidate.wordlists import UNSPACED_FROM, spoken, word_list
from commonplace.text import is_stop

ENOUGH = 2  # words that say something, a noun for two: with fewer before it a pronoun points at nothing
ANY_DAY = "2000-01-01"  # where a text speaks of a time does not hang on the day it is read
LEAD = 8  # characters: in scripts without spaces what comes before a pronoun must be longer to be what it points to
_QUOTES = '"“«„「『《'
_BREAKS = ".!?;。！？"


class _Word(Struct, frozen=True):
    """A word of a text: as it stands, in lower case, and whether it opens a sentence or follows a sign."""

    text: str
    low: str
    opens: bool
    parted: bool


class _Lists(Struct, frozen=True):
    """The words of some languages: those that point, that point only in some places, and that say nothing."""

    pointers: frozenset[str]
    some: frozenset[str]
    empty: frozenset[str]
    introducers: frozenset[str]
    prepositions: frozenset[str]
    conjunctions: frozenset[str]


def is_unclear(text: str, names: Collection[str] = ()) -> bool:
    """Whether a sentence points to something that it does not name, or tells too little to be understood.

    `names` are those of who speaks: that they are named says nothing about what is spoken of.
    """
    said = _bare(text, names)
    if max(said, default="") >= UNSPACED_FROM:
        return _points_first(said)
    words, lists = _words(said, names), _lists(spoken(said))
    vague = sum(word.low in _VAGUE for word in words)
    return _dangles(words, lists) or len(telling(text, names)) <= vague


def telling(text: str, names: Iterable[str] = ()) -> list[str]:
    """The words of a sentence that say something: no function words, times, fillers, nor the names of who speaks."""
    said = _bare(text, names)
    if max(said, default="") >= UNSPACED_FROM:
        return list(said)
    languages = spoken(said)
    lists = _lists(languages)
    return [word.low for word in _words(said, names) if _says(word.low, lists, languages)]


def _dangles(words: list[_Word], lists: _Lists) -> bool:
    """Whether a pointing word comes before anything that it could point to."""
    languages = ("en", "fr", "de", "es")
    told: list[int] = []  # places of words that say something
    for at, word in enumerate(words):
        if _points(words, at, lists):
            before = _without_clause(words, told, at, lists)
            nouns = sum(words[one - 1].low in lists.introducers for one in before if one)
            if len(before) + nouns < ENOUGH + (word.low in _WITH_NOUN):
                return True
        if _is_anchor(words, at):
            return False
        if _says(word.low, lists, languages):
            told.append(at)
    return False


def _points(words: list[_Word], at: int, lists: _Lists) -> bool:
    word = words[at]
    if word.low in lists.pointers:
        return not (_is_idle(words, at) or _introduces(words, at))
    if word.low not in lists.some or (word.low == "there" and at + 1 < len(words) and words[at + 1].low in _EXIST):
        return False
    led = at > 0 and words[at - 1].low in lists.prepositions and not word.parted
    if word.opens or led or at + 1 == len(words) or words[at + 1].parted:
        return True
    following = words[at + 1].low
    return (following in lists.prepositions and following != "of") or following in _AFTER


def _is_idle(words: list[_Word], at: int) -> bool:
    """Whether an `it` stands for what comes after it: `it is important to …`, `it's been a year since …`."""
    if words[at].low not in _IDLE:
        return False
    impersonal = at + 1 < len(words) and words[at + 1].low in _IMPERSONAL
    return impersonal or any(word.low in _IDLE_FOR and not word.opens for word in words[at + 2 : at + 6])


def _introduces(words: list[_Word], at: int) -> bool:
    """Whether a pointing word is told what it is at once: `it's Ana's turn`, `this is Ana`."""
    to_be = at + 1 < len(words) and words[at + 1].low in _TO_BE
    named = at + 1 + to_be
    return named < len(words) and (to_be or words[at].low.endswith("'s")) and _is_anchor(words, named)


def _without_clause(words: list[_Word], told: list[int], at: int, lists: _Lists) -> list[int]:
    """What stands before a pointing word, without what it belongs to: its verb (`plays it`), the words before its
    preposition (`a course in it`), the noun on which its own clause hangs (`the calm and order it brings`)."""
    before, word = list(told), words[at]
    following = words[at + 1] if at + 1 < len(words) else None
    if at and words[at - 1].low in lists.prepositions and not word.parted:
        while before and before[-1] >= at - 2:
            at = before.pop() + 1
    elif not (word.parted or word.opens) and before and before[-1] == at - 1:
        at = before.pop()
        hangs = word.low in _SUBJECTS and following is not None and following.low.endswith(("s", "ed"))
        while hangs and before and before[-1] == at - 2 and words[at - 1].low in lists.conjunctions:
            at = before.pop()
    return before


def _is_anchor(words: list[_Word], at: int) -> bool:
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
    if len(low) < 3 or any(low in words for words in structs.astuple(lists)):
        return False
    return not any(is_stop(low, language) for language in languages)


def _points_first(said: str) -> bool:
    """Whether a text without spaces begins with a pronoun."""
    lead = said[:LEAD]
    pointers = [word for name in ("zh", "ja") for word in _phrases(name, "pointer")]
    return any(lead.startswith(word) for word in pointers)


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

    return _Lists(*map(of, ("pointer", "pointer at times", "empty", "introducer", "preposition", "conjunction")))


def _phrases(language: str, label: str) -> list[str]:
    return [word.strip() for word in word_list(language).get(label, "").split(",") if word.strip()]


_SUBJECTS = ("it", "they", "he", "she", "they've", "they'd", "he'd", "she'd", "it'd")  # only English drops `that`
_VAGUE = ("somewhere", "something", "someone", "somebody", "somehow")  # these take back what another word tells
_AFTER = ("and", "but", "or", "up", "out", "off", "too", "yet", "already", "now", "myself")  # what follows `one` alone
_WITH_NOUN = ("this", "these", "those")  # what stands before `this song` is a verb
_IDLE = ("it", "it's", "it'd", "it'll", "es", "il", "c'est")
_EXIST = ("is", "are", "was", "were", "has", "have", "will", "would")
_TO_BE = ("is", "was", "est", "ist", "war", "es", "era")
_IMPERSONAL = ("faut", "y", "s'agit", "gibt", "geht", "regnet", "rains", "snows")
_IDLE_FOR = ("to", "how", "when", "since", "if", "dass", "zu", "que", "de", "wenn")


@cache
def _word() -> re.Pattern[str]:
    return re.compile(rf"[{_QUOTES}]?(?P<word>[^\W_]+(?:['’\-][^\W_]+)*)")


@cache
def _dates() -> re.Pattern[str]:
    return re.compile(r" ?\(\d{4}-\d\d[^)]*\)")
