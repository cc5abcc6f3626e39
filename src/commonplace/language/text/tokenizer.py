"""Split text into the tokens of the index: stemmed words without accents, or bigrams where scripts have no spaces."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain, pairwise
from sys import intern
from typing import Generic, Literal, TypeVar
from unicodedata import normalize

from msgspec import Struct

from commonplace.language.text.unicode import (
    FIRST_UNSPACED_CHAR,
    GRAPHEME_PATTERN,
    SCRIPT_RUN_PATTERN,
    WORD_VOWEL_SIGNS,
    strip_accents,
    strip_marks,
)
from commonplace.lazy import lazy_pattern

MAX_CACHED_CHARS = 24  # longer texts are seldom repeated
MAX_CAMEL_CASE_PARTS = 6  # a mixed-case word with more parts is a key or a digest, not a name
_TYPOGRAPHIC_CHARS = str.maketrans("’‘ʼ′´`‐‑−–—…“”", "''''''---     ")
MAX_TOKEN_CHARS = 64  # characters of a token; the rest of a longer one is cut
MAX_CHUNK_CHARS = 20_000  # of text without blanks that are split at once, so that its pieces take little memory
CACHED_CHUNKS = 16_384  # 131,072 would take some 30 MB
CACHED_FORMS = 4_096  # the words of queries, each looked up several times

STEMMED_LANGUAGES = ("ru", "de", "fr", "es", "pt", "it", "nl", "sv", "en")
_STEMMED_SCRIPTS = (
    ("\u0370", "\u03ff", "greek"),
    ("\u0600", "\u06ff", "arabic"),
    ("\u0900", "\u097f", "hindi"),
    ("\u0b80", "\u0bff", "tamil"),
)
_LEADING_PUNCTUATION = ",;:!?\"'()[]{}<>*-_~`"  # no stop: `.NET`
_TRAILING_PUNCTUATION = "." + _LEADING_PUNCTUATION
_WORD_CHAR = rf"[\w{WORD_VOWEL_SIGNS}]"
# Letters and digits with single separators between them; also `.NET`, `C++`, `C#`.
_COMPOUND_PATTERN = lazy_pattern(
    rf"(?:(?<![\w.])\.(?=[^\W\d_]))?{_WORD_CHAR}+(?:(?::///?|::|[.\-@/:'+#]){_WORD_CHAR}+)*"
    r"(?:(?<=[^\W\d_])\+\+|(?<=\b[^\W\d_])#)?"
)
_ADDRESS_SEPARATOR_PATTERN = lazy_pattern("[/@:#+]+")
_TIMESTAMP_PATTERN = lazy_pattern(r"(\d{4}-\d\d-\d\d)[Tt_](\d\d:?\d\d.*)", re.DOTALL)
_VERSION_PATTERN = lazy_pattern(r"[vV]?\d+(?:\.\d+)+")
_ELISION_PATTERN = lazy_pattern(
    "(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu|(?:d|n|s|c)?[aeou]ll|un|quest|quell|dell|nell|sull)'(?=\\w{2})",
    re.IGNORECASE,
)
_CAMEL_CASE_PATTERN = lazy_pattern("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PLURAL_ACRONYM_PATTERN = lazy_pattern("[A-Z]+s")
_NUMBERED_WORD_PATTERN = lazy_pattern(r"([^\W\d_]{3,})\d{1,4}")
_THOUSANDS_SEPARATOR_PATTERN = lazy_pattern(r"(?<=\d),(?=\d{3}(?!\d))")
_GENDER_SIGN_PATTERN = lazy_pattern("\u200d[\u2640\u2642]")

PieceKind = Literal["word", "whole", "part", "run", "hangul", "emoji"]
CachedValue = TypeVar("CachedValue")


class TextCache(dict[str, CachedValue], Generic[CachedValue]):
    """A cache of `compute` for short texts, of two generations, each of at most half of `capacity`: frequent texts
    stay, and a long-running process does not grow without bound."""

    def __init__(self, compute: Callable[[str], CachedValue], capacity: int) -> None:
        super().__init__()
        self._compute, self._half_capacity = compute, capacity // 2
        self._previous: dict[str, CachedValue] = {}

    def __missing__(self, text: str) -> CachedValue:
        before = self._previous  # another thread may replace it
        made = before[text] if text in before else self._compute(text)
        if len(text) <= MAX_CACHED_CHARS:
            if len(self) >= self._half_capacity:
                self._previous = dict(self)
                self.clear()
            self[text] = made
        return made


class Piece(Struct, frozen=True):
    """A casefolded word with its accents, or a run of `units` (characters or clusters) in a script without spaces.
    `whole` is a compound as written; `part` is one of its parts, or a hyphenated word without its hyphens."""

    kind: PieceKind
    text: str
    units: tuple[str, ...] = ()


def split_pieces(chunk: str) -> list[Piece]:
    """Split one chunk (text without blanks; blanks do no harm) into pieces, in order."""
    if "," in chunk:
        chunk = _THOUSANDS_SEPARATOR_PATTERN.sub("", chunk)
    if chunk.isascii():
        return list(_split_spaced_words(chunk))
    composed = _GENDER_SIGN_PATTERN.sub("", normalize("NFKC", chunk.translate(_TYPOGRAPHIC_CHARS)))
    chunk = strip_marks(composed.translate(_TYPOGRAPHIC_CHARS))
    pieces: list[Piece] = []
    start = 0
    for run in SCRIPT_RUN_PATTERN.finditer(chunk) if max(chunk, default="") >= FIRST_UNSPACED_CHAR else ():
        pieces += _split_spaced_words(chunk[start : run.start()])
        script, text, start = run.lastgroup or "", run[0], run.end()
        if script == "emoji":
            pieces.append(Piece("emoji", "emo" + "".join(f"{ord(char):x}" for char in text)))
        else:
            units = GRAPHEME_PATTERN.findall(text) if script == "clustered" else text
            pieces.append(Piece("hangul" if script == "hangul" else "run", text, tuple(units)))
    return [*pieces, *_split_spaced_words(chunk[start:])]


def _split_spaced_words(text: str) -> Iterator[Piece]:
    for match in _COMPOUND_PATTERN.finditer(text):
        yield from _expand_compound(match[0])


def _expand_compound(text: str) -> Iterator[Piece]:
    """Yield a compound and its parts, widest separators first: address, dots, hyphens, underscores, capitals."""
    stamp = _TIMESTAMP_PATTERN.match(text)
    if stamp:
        yield from _expand_compound(stamp[1])
        yield from _expand_compound(stamp[2])
    elif text.endswith(("++", "#")):
        yield Piece("whole", _lower_without_apostrophe(text))
        if len(text.rstrip("+#")) > 1:
            yield from _expand_compound(text.rstrip("+#"))
    elif _ADDRESS_SEPARATOR_PATTERN.search(text):
        yield Piece("whole", _lower_without_apostrophe(text))
        if not text.replace(":", "").isdigit():  # a time of day has no parts
            yield from _expand_parts(_ADDRESS_SEPARATOR_PATTERN.split(text))
    elif "." in text:
        yield from _split_dotted(text)
    elif "-" in text:
        yield from _split_hyphenated(text)
    elif "_" in text:
        yield from _split_underscored(text)
    elif "'" in text:
        yield from _split_apostrophe(text)
    else:
        yield from _single_word_pieces(text)


def _split_dotted(text: str) -> Iterator[Piece]:
    parts = [part for part in text.split(".") if part]
    if len(parts) > 1 and all(len(part) == 1 and part.isalpha() for part in parts):  # U.S.A
        yield Piece("word", _lower_without_apostrophe("".join(parts)))
        return
    yield Piece("whole", _lower_without_apostrophe(text))
    if _VERSION_PATTERN.fullmatch(text):
        if not text[0].isdigit():
            yield Piece("part", text[1:])
    else:
        yield from _expand_parts(parts)


def _split_hyphenated(text: str) -> Iterator[Piece]:
    bare = text.replace("-", "")
    if bare.isdigit():
        yield Piece("whole", text)
        yield from (Piece("part", part) for part in text.split("-"))
    else:
        yield from (Piece("word" if p.kind == "part" else p.kind, p.text) for p in _expand_parts(text.split("-")))
        yield Piece("part", _lower_without_apostrophe(bare))


def _split_underscored(text: str) -> Iterator[Piece]:
    text = text.strip("_")
    parts = [part for part in text.split("_") if part]
    if len(parts) > 1:
        yield Piece("whole", _lower_without_apostrophe(text))
        yield from _expand_parts(parts)
    elif parts:
        yield from _expand_compound(text)


def _split_apostrophe(text: str) -> Iterator[Piece]:
    """`don't` is `dont`, `Peter's` is `peter`, `l'homme` is `homme` and `lhomme`."""
    elided = _ELISION_PATTERN.match(text)
    if elided:
        yield from _expand_compound(text[elided.end() :])
        yield Piece("part", _lower_without_apostrophe(text))
    else:
        yield from _single_word_pieces(re.sub("'[sS]$", "", text).replace("'", ""))


def _single_word_pieces(word: str) -> Iterator[Piece]:
    lowered = _lower_without_apostrophe(word)
    if not lowered:
        return
    yield Piece("word", lowered)
    if word.isascii() and not (word.islower() or word.isupper() or word[1:].islower()):
        parts = _CAMEL_CASE_PATTERN.split(word)
        if 1 < len(parts) <= MAX_CAMEL_CASE_PARTS and not _PLURAL_ACRONYM_PATTERN.fullmatch(word):
            yield from (Piece("part", part.lower()) for part in parts)
    numbered = _NUMBERED_WORD_PATTERN.fullmatch(lowered)
    if numbered:
        yield Piece("part", numbered[1])


def _expand_parts(parts: list[str]) -> Iterator[Piece]:
    for text in parts:
        for piece in _expand_compound(text) if text else ():
            yield piece if piece.kind != "word" else Piece("part", piece.text)


def _lower_without_apostrophe(text: str) -> str:
    if text.isascii():
        return text.lower().replace("'", "")
    return strip_marks(normalize("NFKC", text.casefold())).replace("'", "").replace("ʼ", "")


def tokenize(text: str, language: str = "en") -> list[str]:
    """Return the tokens of a line in order, equal for equal text and language; without a stemmer for it (zh, ja, ko,
    th, any other) Latin words are stemmed as English."""
    return list(chain.from_iterable(map(_chunk_token_cache(language).__getitem__, text.split())))


def jaccard_similarity(a: Sequence[str], b: Sequence[str]) -> float:
    """Return the Jaccard similarity of two token sets, 0..1; 0 if both are empty."""
    left, right = set(a), set(b)
    both = len(left & right)
    return both / (len(left) + len(right) - both) if both else 0.0


@lru_cache(CACHED_FORMS)
def stem_to_token(word: str, language: str) -> str:
    """Return the token of a casefolded word: its stem, then without accents, for endings may have accents."""
    stemmed = load_stemmer(language)(word) if word.isalpha() else word
    return strip_accents(stemmed)[:MAX_TOKEN_CHARS]


def stem_to_tokens(word: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    """Return the tokens that a folded word is stored as in lines of these languages."""
    return tuple(dict.fromkeys(stem_to_token(word, language) for language in languages))


@cache
def load_stemmer(language: str) -> Callable[[str], str]:
    """Return the stem function of a language; that of English for a language without one."""
    return _load_snowball_stemmer(language if language in STEMMED_LANGUAGES else "en")


def stem_by_script(word: str) -> frozenset[str]:
    """Return the stem of a word whose script reveals its language, though lines in it are stored unstemmed."""
    name = next((name for first, last, name in _STEMMED_SCRIPTS if first <= word[:1] <= last), "")
    return frozenset((strip_accents(_load_snowball_stemmer(name)(word)),)) if name else frozenset()


@cache
def _load_snowball_stemmer(name: str) -> Callable[[str], str]:
    from Stemmer import Stemmer

    stem: Callable[[str], str] = Stemmer(name, 0).stemWord
    return stem


def _character_bigrams(piece: Piece) -> list[str]:
    """Return each unit and each pair of neighbours, in order; before them a whole Hangul word."""
    units = piece.units
    grams = [piece.text[:MAX_TOKEN_CHARS]] if piece.kind == "hangul" and len(units) > 2 else []
    for unit, after in pairwise(units):
        grams += (intern(unit[:MAX_TOKEN_CHARS]), intern((unit + after)[:MAX_TOKEN_CHARS]))
    return [*grams, *(unit[:MAX_TOKEN_CHARS] for unit in units[-1:])]


@cache
def _chunk_token_cache(language: str) -> TextCache[tuple[str, ...]]:
    return TextCache(lambda chunk: _tokenize_chunk(chunk, language), CACHED_CHUNKS)


def _tokenize_chunk(chunk: str, language: str) -> tuple[str, ...]:
    if chunk.isascii():
        word = chunk.lstrip(_LEADING_PUNCTUATION).rstrip(_TRAILING_PUNCTUATION)
        if word.isalpha() and (word.islower() or word.isupper() or word[1:].islower()):
            return (load_stemmer(language)(word.lower())[:MAX_TOKEN_CHARS],)
    if len(chunk) > MAX_CHUNK_CHARS:
        parts = (chunk[at : at + MAX_CHUNK_CHARS] for at in range(0, len(chunk), MAX_CHUNK_CHARS))
        return tuple(chain.from_iterable(_tokenize_chunk(part, language) for part in parts))
    pieces = split_pieces(chunk)
    runs = ("run", "hangul")
    tokens = (_character_bigrams(it) if it.kind in runs else [stem_to_token(it.text, language)] for it in pieces)
    return tuple(filter(None, chain.from_iterable(tokens)))
