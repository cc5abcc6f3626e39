"""What the index stores for one line: folded, stemmed words in order, and characters where scripts have no spaces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from itertools import chain, pairwise

from commonplace.text.folding import strip_accents
from commonplace.text.memo import Memo
from commonplace.text.words import Piece, pieces

LONGEST = 64  # characters of a token; the rest of a longer one is cut
MEMO_CHUNKS = 4_096  # of 131,072 the tokens of a text come a fifth sooner, and take some 30 MB
MEMO_FORMS = 4_096  # the words of questions, each of which is looked at in several ways

_STEMMERS = {
    "de": "german",
    "en": "english",
    "es": "spanish",
    "fr": "french",
    "it": "italian",
    "nl": "dutch",
    "pt": "portuguese",
    "ru": "russian",
    "sv": "swedish",
}
_SCRIPTS = (
    ("\u0370", "\u03ff", "greek"),
    ("\u0600", "\u06ff", "arabic"),
    ("\u0900", "\u097f", "hindi"),
    ("\u0b80", "\u0bff", "tamil"),
)
_BEFORE = ",;:!?\"'()[]{}<>*-_~`"  # no stop: `.NET`
_AFTER = "." + _BEFORE


def tokens(text: str, language: str = "en") -> list[str]:
    """The tokens of a line in order; equal for equal text and language.

    A language without a stemmer here (zh, ja, ko, th, any other) has its Latin words stemmed as English.
    """
    return list(chain.from_iterable(map(_chunks(language).__getitem__, text.split())))


def similarity(a: Sequence[str], b: Sequence[str]) -> float:
    """Jaccard similarity of two token sets, 0..1; 0 when both are empty, for nothing says that they are alike."""
    left, right = set(a), set(b)
    both = len(left & right)
    return both / (len(left) + len(right) - both) if both else 0.0


def forms(piece: Piece, language: str) -> list[str]:
    """The tokens that one piece is stored as."""
    if piece.kind in ("run", "hangul"):
        return _grams(piece)
    return [form(piece.text, language)]


@lru_cache(MEMO_FORMS)
def form(word: str, language: str) -> str:
    """The token of one casefolded word: its stem without accents. The stem first, for endings may carry accents."""
    stemmed = stemmer(language)(word) if word.isalpha() else word
    return strip_accents(stemmed)[:LONGEST]


def forms_of(word: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    """The tokens that lines in these languages store a folded word as."""
    return tuple(dict.fromkeys(form(word, language) for language in languages))


@cache
def stemmer(language: str) -> Callable[[str], str]:
    """The stem function of a language; English for those that have none."""
    from Stemmer import Stemmer

    stem: Callable[[str], str] = Stemmer(_STEMMERS.get(language, "english"), 0).stemWord
    return stem


def script_stems(word: str) -> frozenset[str]:
    """The stem of a word by its script, where that tells the language though lines are stored unstemmed."""
    name = next((name for first, last, name in _SCRIPTS if first <= word[:1] <= last), "")
    return frozenset((strip_accents(_script_stemmer(name)(word)),)) if name else frozenset()


@cache
def _script_stemmer(name: str) -> Callable[[str], str]:
    from Stemmer import Stemmer

    stem: Callable[[str], str] = Stemmer(name, 0).stemWord
    return stem


def _grams(piece: Piece) -> list[str]:
    """Each unit, and each pair where it begins; before them the whole of a Hangul word."""
    units = piece.units
    grams = [piece.text[:LONGEST]] if piece.kind == "hangul" and len(units) > 2 else []
    for unit, after in pairwise(units):
        grams += (unit[:LONGEST], (unit + after)[:LONGEST])
    return [*grams, *(unit[:LONGEST] for unit in units[-1:])]


@cache
def _chunks(language: str) -> Memo[tuple[str, ...]]:
    known = language if language in _STEMMERS else "en"
    return Memo(lambda chunk: _chunk_tokens(chunk, known), MEMO_CHUNKS)


def _chunk_tokens(chunk: str, language: str) -> tuple[str, ...]:
    if chunk.isascii():
        word = chunk.lstrip(_BEFORE).rstrip(_AFTER)
        if word.isalpha() and (word.islower() or word.isupper() or word[1:].islower()):
            return (stemmer(language)(word.lower())[:LONGEST],)
    return tuple(token for piece in pieces(chunk) for token in forms(piece, language) if token)
