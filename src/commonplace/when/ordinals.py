"""Sessions named by their order: `session 12`, `our first chat`, `sessions 3 through 5`, `2 sessions ago`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from msgspec import Struct

from commonplace.when.grammar import Words
from commonplace.when.languages import TABLES
from commonplace.when.languages.talks import TALKS
from commonplace.when.lexicon import ALL, Lexicon, Telling, bound, told_by
from commonplace.when.nouns import Ordinals, Values
from commonplace.when.rules import Node, grown
from commonplace.when.tokens import may_tell

Places = tuple[tuple[int, int], ...]
_SESSIONS = frozenset(("session", "sessions"))
_CONCERNING, _OUR, _OF, _VAGUE = (frozenset((kind,)) for kind in ("concerning", "our", "of", "vague"))
_BETWEEN = frozenset(("our", "the"))  # what may stand between a session and what governs it
VAGUE, OURS = 1, 2  # how weak a word for a session is that says too little with `previous`, that must be ours


class Reading(Struct, frozen=True):
    """What the tokens up to `end` mean, and in which languages; nothing if there are no places."""

    end: int
    places: Places = ()
    languages: int = ALL


def may_name_session(text: str) -> bool:
    """Whether a word for a session is there at all."""
    return may_tell(text, _telling())


def named(text: str) -> Iterator[Ordinals]:
    """The sessions that a text names by their order."""
    words = Words(text, _book())
    place = 0
    while place < len(words.tokens):
        readings = list(_readings(words, place)) if words.lexemes(place) else []
        if not readings:
            place += 1
            continue
        reading = max(readings, key=lambda reading: reading.end)
        start, end = words.tokens[place].start, words.tokens[reading.end - 1].end
        for first, last in _governed(words, place, reading):
            yield Ordinals(first, last, start, end, text[start:end])
        place = reading.end


@cache
def _telling() -> Telling:
    return told_by(TALKS, _SESSIONS)


@cache
def _book() -> Lexicon:
    """The words for times, for they count and order, and those for sessions."""
    return bound(_joined(table, talks) for table, talks in zip(TABLES, TALKS, strict=True))


def _joined(table: dict[str, str], talks: dict[str, str]) -> dict[str, str]:
    both = {key: f"{table[key]}|{words}" if key in table else words for key, words in talks.items()}
    return {**table, **both}


@cache
def _tree() -> Node:
    return grown(MEANINGS)


def _readings(words: Words, place: int) -> Iterator[Reading]:
    for end, pattern, values, (languages, weak) in words.matches(place, _tree()):
        if _stands(words, (place, end), pattern, weak):
            yield Reading(end, MEANINGS[pattern](values), languages)


def _stands(words: Words, ends: tuple[int, int], pattern: str, weak: int) -> bool:
    """Not `our previous chat`, `the last chat about trains`, `the first session of June`, `session 12b`."""
    place, last = ends
    if weak >= OURS and not any(words.is_kind(place - back, _OUR) for back in (1, 2)):
        return False
    by_order = "shift" in pattern or "ord" in pattern or "past" in pattern
    if by_order and (words.is_kind(last, _CONCERNING) or _is_of(words, last)):
        return False
    if weak >= VAGUE and any(words.is_kind(at, _VAGUE) for at in range(place, last)):
        return False
    ends_in_figure = words.tokens[last - 1].word == "#" and last < len(words.tokens)
    return not (ends_in_figure and words.tokens[last].word and words.tokens[last].start == words.tokens[last - 1].end)


def _is_of(words: Words, place: int) -> bool:
    """Whether a word apart leads to what the session is of; `session's` and `会话的` do not."""
    between = words.text[words.tokens[place - 1].end : words.tokens[place].start] if place < len(words.tokens) else ""
    return between == " " and words.is_kind(place, _OF)


def _governed(words: Words, place: int, reading: Reading) -> Iterator[tuple[int, int]]:
    """`Since session 5`, `before our last chat`: from there to the last, from the first to there."""
    before = place - 1
    while words.is_kind(before, _BETWEEN):
        before -= 1
    governing = words.lexemes(before) if before >= 0 else ()
    relations = {x.value for x in governing if x.kind == "rel" and x.languages & reading.languages}
    for first, last in reading.places:
        spans = {
            "since": (first, -1),
            "until": (1, last),
            "before": (1, first - 1 if first != 1 else 0),
            "after": (last + 1 if last != -1 else 0, -1),
        }
        relation = next((name for name in spans if name in relations), "")
        begin, end = spans.get(relation, (first, last))
        if begin and end:
            yield begin, end


def _one(name: str) -> Callable[[Values], Places]:
    def places(v: Values) -> Places:
        place = int(v[name])
        return ((place, place),) if place else ()

    return places


def _row(v: Values) -> Places:
    """`Sessions 3 through 5`."""
    first, last = int(v["first"]), int(v["last"])
    return ((first, last),) if 0 < first < last else ()


def _two(v: Values) -> Places:
    """`Sessions 3 and 5`."""
    return tuple((place, place) for place in (int(v["first"]), int(v["last"])) if place > 0)


def _ago(v: Values) -> Places:
    """`2 sessions ago`: 1 would be the last."""
    count = int(v["num"])
    return ((-count, -count),) if count else ()


def _shift(v: Values) -> Places:
    """`The last`, `the one before last`; neither this nor the next."""
    place = int(v.get("shift") or v.get("lap") or -1)
    return ((place, place),) if place < 0 else ()


def _some(v: Values) -> Places:
    """`The last three`, `the first three`."""
    count, from_start = int(v.get("num") or v.get("few", "1-1").partition("-")[2]), int(v.get("ord", -1)) == 1
    known = count and int(v.get("shift", -1)) == -1 and v.get("ord", "1") in ("1", "-1")
    return (((1, count) if from_start else (-count, -1)),) if known else ()


MEANINGS: dict[str, Callable[[Values], Places]] = {
    "session number? dot? num": _one("num"),
    "session hash hashed": _one("hashed"),
    "sessions first:num to last:num": _row,
    "sessions first:num join last:num": _row,
    "session first:num to session last:num": _row,
    "between sessions first:num and last:num": _row,
    "between session first:num and session last:num": _row,
    "sessions first:num and last:num": _two,
    "first:ord to the? last:ord session": _row,
    "first:ord to the? last:ord sessions": _row,
    "first:ord join last:ord sessions": _row,
    "first:ord and the? last:ord session": _two,
    "first:ord and the? last:ord sessions": _two,
    "ord counter? of? session": _one("ord"),
    "day dot session": _one("day"),
    "rank num counter? of? session": _one("num"),
    "num counter of? session": _one("num"),
    "num session ago": _ago,
    "num sessions ago": _ago,
    "num counter session ago": _ago,
    "num counter lap session": _ago,
    "agopre num session": _ago,
    "agopre num sessions ago?": _ago,
    "shift counter? of? session": _shift,
    "session shift": _shift,
    "past session": _shift,
    "session past": _shift,
    "lap counter? of? session": _shift,
    "shift num sessions": _some,
    "num shift sessions": _some,
    "past num sessions": _some,
    "num past sessions": _some,
    "ord num sessions": _some,
    "num ord sessions": _some,
    "shift few sessions": _some,
    "past few sessions": _some,
}
