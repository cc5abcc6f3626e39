"""Turn a question into the terms to look for, each in every form that the index may hold it in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import accumulate, pairwise

from msgspec import Struct, structs

from commonplace.text.folding import strip_accents
from commonplace.text.languages import FEWEST_HITS, language, word_scores
from commonplace.text.memo import CHARS, Memo
from commonplace.text.scripts import is_han
from commonplace.text.stops import SPACED, is_stop, stop_words
from commonplace.text.tokenize import LONGEST, form
from commonplace.text.variants import characters, irregular, prefixed
from commonplace.text.words import Piece, pieces

MOST_TERMS = 64
MOST_KEPT = 4_000  # chunks of questions whose terms are kept
_OPENERS = str.maketrans(dict.fromkeys("¿¡«»„“”", " "))
PART_WEIGHT = 0.5  # a compound and its parts say one thing: the parts count less


class Term(Struct, frozen=True):
    """One thing to look for: `word` as folded from the question, `forms` the tokens that lines may hold it as.

    `singles`: of two neighbouring characters those that may be words by themselves. Where `of` is set, the word names a
    sort and the forms are what is of it.
    """

    word: str
    forms: tuple[str, ...]
    weight: float = 1.0
    singles: tuple[str, ...] = ()
    of: bool = False


def query_terms(text: str, languages: tuple[str, ...]) -> tuple[Term, ...]:
    """The terms of a question in order, at most 64, without repeats.

    `languages` are those of the lines to be searched; the question's own is added. Function words of the question's
    language are left out, unless it consists of nothing else.
    """
    own = language(text)
    languages = (*languages, *_hinted(text, own))
    spoken = _spoken(text, own, languages)
    every: dict[tuple[str, ...], Term] = {}
    telling: dict[tuple[str, ...], Term] = {}
    known = _known_terms(spoken, (*languages, own))
    for chunk in text.split():
        for term, stopped in known[chunk] if len(chunk) <= CHARS else _terms_of(chunk, spoken, (*languages, own)):
            every.setdefault(term.forms, term)
            if not stopped:
                telling.setdefault(term.forms, term)
            if len(telling) >= MOST_TERMS:
                return tuple(telling.values())
    return tuple((telling or every).values())[:MOST_TERMS]


def _hinted(text: str, own: str) -> tuple[str, ...]:
    """Languages that the function words of a short question speak for, though one word is too few to be sure."""
    if own != "en":
        return ()
    scores = word_scores(text.translate(_OPENERS), SPACED)
    most = max(scores.values(), default=0)
    return tuple(name for name, score in scores.items() if score == most) if most > scores.get("en", 0) else ()


def is_undecided(text: str) -> bool:
    """Whether too few function words stand in a text to tell its language; a script tells no language either."""
    return max(word_scores(text.translate(_OPENERS), SPACED).values(), default=0) < FEWEST_HITS


def _spoken(text: str, own: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    """The languages whose function words to leave out: those of the question's words, and of its script."""
    candidates = tuple(dict.fromkeys((own, *languages)))
    scores = word_scores(text.translate(_OPENERS), tuple(name for name in candidates if name in SPACED))
    most = max(scores.values(), default=0)
    return tuple(dict.fromkeys((own, *(name for name, score in scores.items() if score == most))))


@lru_cache(4)  # most people ask in one language or two
def _known_terms(spoken: tuple[str, ...], languages: tuple[str, ...]) -> Memo[tuple[tuple[Term, bool], ...]]:
    """What `_terms_of` says of short chunks: most questions are made of the same words."""
    return Memo(lambda chunk: tuple(_terms_of(chunk, spoken, languages)), MOST_KEPT)


def _terms_of(chunk: str, spoken: tuple[str, ...], languages: tuple[str, ...]) -> Iterator[tuple[Term, bool]]:
    """The terms of a chunk of text without blanks, and whether each is but a function word."""
    return (term for piece in pieces(chunk) for term in _terms(piece, spoken, languages))


def _terms(piece: Piece, spoken: tuple[str, ...], languages: tuple[str, ...]) -> Iterator[tuple[Term, bool]]:
    """The terms of a piece, and whether each is but a function word."""
    if piece.kind in ("run", "hangul"):
        yield from _run_terms(piece, spoken)
        return
    bare = strip_accents(piece.text)
    weight = PART_WEIGHT if piece.kind == "part" else 1.0
    others = (*prefixed(bare), *(irregular(bare) if "en" in languages else ()))
    found = dict.fromkeys(form(word, name) for name in languages for word in (piece.text, bare, *others))
    stopped = any(is_stop(piece.text, name) or is_stop(bare, name) for name in spoken)
    if bare:
        yield Term(bare[:LONGEST], tuple(token for token in found if token), weight), stopped


def _run_terms(piece: Piece, spoken: tuple[str, ...]) -> Iterator[tuple[Term, bool]]:
    """Pairs of neighbours, or in their place a character that is a word of its own; a Hangul word also whole."""
    units = piece.units
    idle = _idle(piece, spoken)
    if piece.kind == "hangul" and len(units) > 2:
        yield _verbatim(piece.text), all(idle)
    if len(units) == 1:
        yield _verbatim(units[0]), all(idle)
    for at, (unit, after) in enumerate(pairwise(units)):
        lone = [units[place] for place in (at, at + 1) if _is_lone(idle, place)]
        both = _verbatim(unit + after, *lone)
        singles = tuple(units[place] for place in (at, at + 1) if not idle[place] and is_han(units[place]))
        yield structs.replace(both, singles=singles), idle[at] and idle[at + 1]


def _is_lone(idle: list[bool], at: int) -> bool:
    """Whether a unit is a word of its own, for what stands on either side is a function word or nothing."""
    return not idle[at] and all(idle[max(at - 1, 0) : at]) and all(idle[at + 1 : at + 2])


def spellings(*words: str) -> tuple[str, ...]:
    """The tokens for words in scripts without spaces, in every way to write their characters."""
    return tuple(dict.fromkeys(form[:LONGEST] for said in words for form in (said, *characters(said))))


def _verbatim(word: str, *parts: str) -> Term:
    return Term(word[:LONGEST], spellings(word, *parts))


def _idle(piece: Piece, spoken: tuple[str, ...]) -> list[bool]:
    """For each unit of a run, whether it is a function word or lies within one."""
    phrases, singles = _phrases(spoken)
    within = {at for match in phrases.finditer(piece.text) for at in range(*match.span())} if phrases else ()
    starts = accumulate(map(len, piece.units), initial=0)
    return [unit in singles or start in within for unit, start in zip(piece.units, starts, strict=False)]


@cache
def _phrases(spoken: tuple[str, ...]) -> tuple[re.Pattern[str] | None, frozenset[str]]:
    """Function words of scripts without spaces: those of several characters, longest first, and the others."""
    words: frozenset[str] = frozenset().union(*(stop_words(name) for name in spoken if name not in SPACED))
    long = sorted((word for word in words if len(word) > 1), key=lambda word: (-len(word), word))
    return (re.compile("|".join(map(re.escape, long))) if long else None), words
