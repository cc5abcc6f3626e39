"""Count the tokens of a language model: estimated without its vocabulary, or exactly with its `tokenizer.json`."""

from __future__ import annotations

import os
import re
from bisect import bisect
from collections.abc import Iterator
from functools import cache, lru_cache
from io import FileIO
from itertools import pairwise
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any, Protocol

from commonplace.language.tokens.weights import (
    FRAGMENT_BITS,
    ROUNDING_CORRECTION,
    RUSSIAN_LETTERS,
    SINGLE_TOKEN_HAN,
    SINGLE_TOKEN_HANGUL,
    UNICODE_BLOCKS,
    WEIGHTS,
)
from commonplace.lazy import lazy_pattern

if TYPE_CHECKING:
    from commonplace.language.text import TextCache
__all__ = ["TokenEstimator", "Tokenizer", "count_tokens", "load_tokenizer"]

CACHED_PIECE_COSTS = 8_192
FRAGMENT_LETTERS = 5
MAX_COUNTED_CAPITALS = 4  # words in capitals cost more, but not ever more
MAX_COUNTED_REPEATS = 8  # rules such as ------ are kept whole at many lengths

_LATIN_LOWER = "a-z\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff"
_LATIN = "A-Z" + _LATIN_LOWER
_PUNCTUATION = "!-/:-@\\[-`{-~"
_TOKEN_PIECE_PATTERN = lazy_pattern(
    f"'(?:[sdmtSDMT]|ll|ve|re|LL|VE|RE)(?![{_LATIN}])"
    f"|[ \t{_PUNCTUATION}]?(?:[A-Z]*[{_LATIN_LOWER}]+|[A-Z]+)"
    "|[0-9]{1,3}"
    f"| ?[{_PUNCTUATION}]+[\r\n]*"
    f"|[ \t]?[^\x00-\x7f{_LATIN}]+"
    "|[ \t\r\n\v\f]+"
    "|.",
    re.DOTALL,
)
_CONTRACTIONS = frozenset(("s", "d", "m", "t", "ll", "ve", "re"))
_PUNCTUATION_CHARS = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


class Tokenizer(Protocol):
    """A counter of tokens: the estimator, or the tokenizer of a model that the user has."""

    def count(self, text: str) -> int:
        """The number of tokens of `text`; 0 for the empty text."""
        ...


class TokenEstimator:
    """The default `Tokenizer`: it knows scripts, words, numbers, punctuation and blanks, but no vocabulary."""

    def count(self, text: str) -> int:
        """The estimated number of tokens; 0 for the empty text, else at least 1."""
        if not text:
            return 0
        body = sum(map(_piece_cost_cache().__getitem__, _TOKEN_PIECE_PATTERN.findall(text)))
        return max(ceil(body + WEIGHTS["root"] * sqrt(len(text)) - ROUNDING_CORRECTION), 1)


_DEFAULT_ESTIMATOR = TokenEstimator()


def count_tokens(text: str) -> int:
    """Return the estimated number of tokens of `text`."""
    return _DEFAULT_ESTIMATOR.count(text)


def extract_piece_features(piece: str) -> Iterator[tuple[str, float]]:
    """Yield the features of a piece: names of weights, and amounts. Calibration fits the weights to these."""
    yield "piece", 1
    first = piece[0]
    letters = piece if _is_latin_letter(first) else piece[1:]
    if _is_latin_letter(letters[:1]):
        if first in _PUNCTUATION_CHARS and not (first == "'" and letters.lower() in _CONTRACTIONS):
            yield "word.quoted", 1
        yield from _latin_word_features(letters)
    elif piece.isspace():
        yield "newline", "\n" in piece
        yield "blank.more", len(piece) - 1
    elif not piece.isascii():
        yield from ((_character_class(char), 1) for char in piece if char > " ")
    elif first.isdigit():
        yield "digits", 1
    else:
        yield from _punctuation_features(piece)


def _latin_word_features(letters: str) -> Iterator[tuple[str, float]]:
    breaks, unknown = _count_word_breaks(letters.lower())
    yield "break", breaks
    yield "break.more", unknown - breaks
    if not letters.islower():
        yield "capitals", min(sum(map(str.isupper, letters[1:])), MAX_COUNTED_CAPITALS)
    if not letters.isascii():
        for char in letters:
            if char > "\x7f":
                yield ("accent" if char < "\u0100" else "accent.east" if char < "\u1e00" else "accent.viet"), 1


def _count_word_breaks(word: str) -> tuple[int, int]:
    """Return the number of breaks in a word, and of its fragments that no whole word contains.

    Unknown fragments that overlap are one break, even if one between them is known by chance.
    """
    bits, breaks, unknown, last, code = _load_fragment_bits(), 0, 0, -FRAGMENT_LETTERS, 0
    for at, char in enumerate(word):
        code = (code * 27 + (ord(char) - 97 if "a" <= char <= "z" else 26)) % 14_348_907  # 27 ** FRAGMENT
        spot = code % FRAGMENT_BITS
        if at >= FRAGMENT_LETTERS - 1 and not bits[spot >> 3] >> (spot & 7) & 1:
            unknown += 1
            breaks += at - last >= FRAGMENT_LETTERS
            last = at
    return breaks, unknown


def _punctuation_features(piece: str) -> Iterator[tuple[str, float]]:
    marks = piece.strip(" \r\n")
    same = sum(a == b for a, b in pairwise(marks))
    yield "marks.more", max(len(marks) - 1 - same, 0)
    yield "marks.same", min(same, MAX_COUNTED_REPEATS)
    yield "marks.long", max(same - MAX_COUNTED_REPEATS, 0)
    yield "newline", piece[-1] in "\r\n"


@lru_cache(8192)
def _character_class(char: str) -> str:
    """Return the class of a character beyond Latin: its block, finer where vocabularies have single characters."""
    name = UNICODE_BLOCKS[bisect(UNICODE_BLOCKS, (ord(char), "\uffff")) - 1][1]
    if name == "han":
        return "han.whole" if char in SINGLE_TOKEN_HAN else "han"
    if name == "hangul":
        return "hangul.whole" if char in SINGLE_TOKEN_HANGUL else "hangul"
    if name == "cyrillic":
        return "russian" if char in RUSSIAN_LETTERS else "cyrillic"
    return name


def _is_latin_letter(char: str) -> bool:
    return char.isalpha() and (char < "\u0250" or "\u1e00" <= char < "\u1f00")


@cache
def _piece_cost_cache() -> TextCache[float]:
    from commonplace.language.text import TextCache  # the texts that are counted were read there before

    def piece_cost(piece: str) -> float:
        return sum(WEIGHTS[name] * amount for name, amount in extract_piece_features(piece))

    return TextCache(piece_cost, CACHED_PIECE_COSTS)


@cache
def _load_fragment_bits() -> bytes:
    """Return one bit for each hash of a five-letter fragment of whole words."""
    import zlib

    with FileIO(os.path.join(os.path.dirname(__file__), "fragments.bin")) as file:
        return zlib.decompress(file.readall())


class ModelTokenizer:
    """A `Tokenizer` that counts exactly as one model does, without the markers that open or close a text."""

    def __init__(self, encoder: Any) -> None:
        self._encoder = encoder

    def count(self, text: str) -> int:
        """The number of tokens of `text`."""
        return len(self._encoder.encode(text.encode("utf-8", "replace").decode(), add_special_tokens=False).ids)


@lru_cache(4)
def load_tokenizer(path: str) -> tuple[TokenEstimator | ModelTokenizer, str]:
    """Return the tokenizer of the file at `path`, or the estimator and the reason why; an empty path asks for the
    estimator.

    Nothing is downloaded: the file must exist and the package `tokenizers` must be installed.
    """
    if not path:
        return TokenEstimator(), ""
    if not os.path.isfile(path):
        return TokenEstimator(), f"pack.tokenizer: there is no file {path!r}; tokens are estimated"
    try:
        import tokenizers
    except ImportError:
        reason = "pack.tokenizer needs the package tokenizers (pip install tokenizers); tokens are estimated"
        return TokenEstimator(), reason
    return ModelTokenizer(tokenizers.Tokenizer.from_file(path)), ""
