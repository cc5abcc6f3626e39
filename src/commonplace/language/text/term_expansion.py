"""Turn a query into search terms, each in every form that the index may hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import accumulate, pairwise

from msgspec import Struct, structs

from commonplace.language.text.language_detection import (
    MIN_FUNCTION_WORDS,
    SPACED_LANGUAGES,
    detect_language,
    has_only_light_words,
    is_stop_word,
    score_languages,
    stop_words,
)
from commonplace.language.text.tokenizer import (
    MAX_CACHED_CHARS,
    MAX_TOKEN_CHARS,
    Piece,
    TextCache,
    split_pieces,
    stem_to_token,
)
from commonplace.language.text.unicode import is_han_character, strip_accents
from commonplace.language.text.word_relations import character_variants, irregular_word_forms, particle_forms
from commonplace.language.word_data import load_hyponyms

MAX_QUERY_TERMS = 64
CACHED_QUERY_CHUNKS = 4_000
COMPOUND_PART_WEIGHT = 0.5  # its parts repeat what a compound says


class QueryTerm(Struct, frozen=True):
    """A search term: `word` is folded as in the query, `forms` are the tokens that lines may hold for it, `singles`
    those of two neighbouring characters that may be words of their own. Of a hypernym (`fruit`) the forms are its
    hyponyms."""

    word: str
    forms: tuple[str, ...]
    weight: float = 1.0
    singles: tuple[str, ...] = ()
    is_hypernym: bool = False


def query_terms(text: str, languages: tuple[str, ...]) -> tuple[QueryTerm, ...]:
    """Return the terms of a query in order, at most `MAX_QUERY_TERMS`, without repeats and without its function words,
    unless it consists of nothing else. `languages` are those of the lines to search; that of the query is added."""
    own = detect_language(text)
    languages = (*languages, *_guess_query_languages(text, own))
    stop_languages = _stop_word_languages(text, own, languages)
    all_terms: dict[tuple[str, ...], QueryTerm] = {}
    content_terms: dict[tuple[str, ...], QueryTerm] = {}
    cache = _chunk_term_cache(stop_languages, (*languages, own))
    for chunk in text.split():
        for term, is_function_word in (
            cache[chunk] if len(chunk) <= MAX_CACHED_CHARS else _chunk_terms(chunk, stop_languages, (*languages, own))
        ):
            all_terms.setdefault(term.forms, term)
            if not is_function_word:
                content_terms.setdefault(term.forms, term)
            if len(content_terms) >= MAX_QUERY_TERMS:
                return tuple(content_terms.values())
    return tuple((content_terms or all_terms).values())[:MAX_QUERY_TERMS]


def _guess_query_languages(text: str, detected: str) -> tuple[str, ...]:
    """Return the languages with most function words in a query that is too short for `detect_language` to be sure."""
    if detected != "en":
        return ()
    scores = score_languages(text, SPACED_LANGUAGES)
    most = max(scores.values(), default=0)
    return tuple(name for name, score in scores.items() if score == most) if most > scores.get("en", 0) else ()


def is_language_uncertain(text: str) -> bool:
    """Return whether a text has too few function words to detect its language; its script does not count."""
    return max(score_languages(text, SPACED_LANGUAGES).values(), default=0) < MIN_FUNCTION_WORDS


def _stop_word_languages(text: str, detected: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    """Return the languages whose function words to leave out: that of the query, and those with most function words."""
    candidates = tuple(dict.fromkeys((detected, *languages)))
    scores = score_languages(text, tuple(name for name in candidates if name in SPACED_LANGUAGES))
    most = max(scores.values(), default=0)
    return tuple(dict.fromkeys((detected, *(name for name, score in scores.items() if score == most))))


@lru_cache(4)  # most people ask in one or two languages
def _chunk_term_cache(
    stop_languages: tuple[str, ...], languages: tuple[str, ...]
) -> TextCache[tuple[tuple[QueryTerm, bool], ...]]:
    """A cache of `_chunk_terms` for short chunks: most queries are made of the same words."""
    return TextCache(lambda chunk: tuple(_chunk_terms(chunk, stop_languages, languages)), CACHED_QUERY_CHUNKS)


def _chunk_terms(
    chunk: str, stop_languages: tuple[str, ...], languages: tuple[str, ...]
) -> Iterator[tuple[QueryTerm, bool]]:
    """Yield the terms of a chunk of text without blanks, and whether each is only a function word."""
    is_elision = ("'" in chunk or "\u2019" in chunk) and has_only_light_words(chunk)  # `qu'est-ce`, `t'ai`
    for piece in split_pieces(chunk):
        yield from ((one, stop or is_elision) for one, stop in _piece_terms(piece, stop_languages, languages))


def _piece_terms(
    piece: Piece, stop_languages: tuple[str, ...], languages: tuple[str, ...]
) -> Iterator[tuple[QueryTerm, bool]]:
    """Yield the terms of a piece, and whether each is only a function word."""
    if piece.kind in ("run", "hangul"):
        yield from _script_run_terms(piece, stop_languages)
        return
    bare = strip_accents(piece.text)
    weight = COMPOUND_PART_WEIGHT if piece.kind == "part" else 1.0
    others = (*particle_forms(bare), *(irregular_word_forms(bare) if "en" in languages else ()))
    found = dict.fromkeys(stem_to_token(word, name) for name in languages for word in (piece.text, bare, *others))
    stopped = any(is_stop_word(piece.text, name) or is_stop_word(bare, name) for name in stop_languages)
    if bare:
        yield QueryTerm(bare[:MAX_TOKEN_CHARS], tuple(token for token in found if token), weight), stopped


def _script_run_terms(piece: Piece, stop_languages: tuple[str, ...]) -> Iterator[tuple[QueryTerm, bool]]:
    """Yield bigrams of a run, with the unigram of a unit that is a word of its own; of a Hangul word also the whole."""
    units = piece.units
    flags = _function_unit_flags(piece, stop_languages)
    if piece.kind == "hangul" and len(units) > 2:
        yield _verbatim_term(piece.text), all(flags)
    if len(units) == 1:
        yield _verbatim_term(units[0]), all(flags)
    for at, (unit, after) in enumerate(pairwise(units)):
        # A unit is a word of its own if on either side is a function word or nothing.
        isolated = [
            units[place]
            for place in (at, at + 1)
            if not flags[place] and all(flags[max(place - 1, 0) : place]) and all(flags[place + 1 : place + 2])
        ]
        both = _verbatim_term(unit + after, *isolated)
        singles = tuple(units[place] for place in (at, at + 1) if not flags[place] and is_han_character(units[place]))
        yield structs.replace(both, singles=singles), flags[at] and flags[at + 1]


def unspaced_spellings(*words: str) -> tuple[str, ...]:
    """Return the tokens of words in scripts without spaces, with every variant of their characters."""
    return tuple(dict.fromkeys(form[:MAX_TOKEN_CHARS] for word in words for form in (word, *character_variants(word))))


def _verbatim_term(word: str, *parts: str) -> QueryTerm:
    return QueryTerm(word[:MAX_TOKEN_CHARS], unspaced_spellings(word, *parts))


def _function_unit_flags(piece: Piece, stop_languages: tuple[str, ...]) -> list[bool]:
    """Return for each unit of a run whether it is, or is part of, a function word."""
    phrases, singles = _unspaced_stop_words(stop_languages)
    within = {at for match in phrases.finditer(piece.text) for at in range(*match.span())} if phrases else ()
    starts = accumulate(map(len, piece.units), initial=0)
    return [unit in singles or start in within for unit, start in zip(piece.units, starts, strict=False)]


@cache
def _unspaced_stop_words(stop_languages: tuple[str, ...]) -> tuple[re.Pattern[str] | None, frozenset[str]]:
    """Return a pattern of the longer function words of scripts without spaces, longest first, and all of them."""
    unspaced = (name for name in stop_languages if name not in SPACED_LANGUAGES)
    words: frozenset[str] = frozenset().union(*map(stop_words, unspaced))
    long = sorted((word for word in words if len(word) > 1), key=lambda word: (-len(word), word))
    return (re.compile("|".join(map(re.escape, long))) if long else None), words


def hyponym_tokens(word: str, language: str) -> tuple[str, ...]:
    """Return the tokens of the hyponyms of a folded word; none if it names no kind or its language has no list."""
    named = _hyponyms_by_stem(language).get(stem_to_token(word, language), ())
    return tuple(dict.fromkeys(token for words in named for token in _stem_hyponyms(words, language)))


@cache
def _hyponyms_by_stem(language: str) -> dict[str, tuple[str, ...]]:
    """Return the hyponyms of every kind by the stem of each of its names."""
    found: dict[str, tuple[str, ...]] = {}
    for names, words in load_hyponyms(language):
        for name in _stem_all(names.split(), language):
            found[name] = (*found.get(name, ()), words)
    return found


@cache
def _stem_hyponyms(words: str, language: str) -> tuple[str, ...]:
    others = (other for word in words.split() for other in (irregular_word_forms(word) if language == "en" else ()))
    return _stem_all((*words.split(), *others), language)


def _stem_all(words: Iterable[str], language: str) -> tuple[str, ...]:
    """The tokens of words, with and without their accents."""
    return tuple(dict.fromkeys(stem_to_token(one, language) for word in words for one in (word, strip_accents(word))))
