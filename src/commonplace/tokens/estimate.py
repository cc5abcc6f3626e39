"""Estimate token counts from the shape of words: what a byte-pair vocabulary keeps whole, and what it breaks.

Text is cut as such vocabularies cut it before they look anything up (words with the character before them, digits in
threes, runs of punctuation, blanks), and every piece costs a weighted sum of what is seen in it. Whether a Latin word
is whole is told by its five-letter fragments: one that no whole word of the calibrated vocabularies contains marks a
break. All weights are positive and bounded at seams, so a longer text never counts less, and two texts joined count at
most one more than both apart.
"""

from __future__ import annotations

import os
import re
from bisect import bisect
from collections.abc import Iterator
from functools import cache, lru_cache
from io import FileIO
from itertools import pairwise
from math import ceil, sqrt
from typing import TYPE_CHECKING

from commonplace.tokens.weights import BLOCKS, FRAGMENT_BITS, HAN_WHOLE, HANGUL_WHOLE, ROUNDED, RUSSIAN, WEIGHTS

if TYPE_CHECKING:
    from commonplace.text.memo import Memo

MEMO_PIECES = 8_192
FRAGMENT = 5
MOST_CAPITALS = 4  # words in capitals cost more, but not ever more
MOST_SAME = 8  # rules such as ------ are kept whole at many lengths

_LATIN_LOWER = "a-z\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff"
_LATIN = "A-Z" + _LATIN_LOWER
_PUNCTUATION = "!-/:-@\\[-`{-~"
_PIECES = (
    f"'(?:[sdmtSDMT]|ll|ve|re|LL|VE|RE)(?![{_LATIN}])"
    f"|[ \t{_PUNCTUATION}]?(?:[A-Z]*[{_LATIN_LOWER}]+|[A-Z]+)"
    "|[0-9]{1,3}"
    f"| ?[{_PUNCTUATION}]+[\r\n]*"
    f"|[ \t]?[^\x00-\x7f{_LATIN}]+"
    "|[ \t\r\n\v\f]+"
    "|."
)
_CONTRACTIONS = frozenset(("s", "d", "m", "t", "ll", "ve", "re"))
_PUNCTUATION_CHARS = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


class Estimator:
    """The default `Tokenizer`: knows scripts, words, numbers, punctuation and blanks, but no vocabulary."""

    def count(self, text: str) -> int:
        """The estimated number of tokens; 0 for the empty text, else at least 1."""
        if not text:
            return 0
        body = sum(map(_costs().__getitem__, _pieces().findall(text)))
        return max(ceil(body + WEIGHTS["root"] * sqrt(len(text)) - ROUNDED), 1)


def features(piece: str) -> Iterator[tuple[str, float]]:
    """What is seen in one piece, as names of weights and amounts. Calibration fits the weights to these."""
    yield "piece", 1
    first = piece[0]
    letters = piece if _is_latin(first) else piece[1:]
    if _is_latin(letters[:1]):
        if first in _PUNCTUATION_CHARS and not (first == "'" and letters.lower() in _CONTRACTIONS):
            yield "word.quoted", 1
        yield from _word(letters)
    elif piece.isspace():
        yield "newline", "\n" in piece
        yield "blank.more", len(piece) - 1
    elif not piece.isascii():
        yield from ((_block(char), 1) for char in piece if char > " ")
    elif first.isdigit():
        yield "digits", 1
    else:
        yield from _punctuation(piece)


def _word(letters: str) -> Iterator[tuple[str, float]]:
    breaks, unknown = _breaks(letters.lower())
    yield "break", breaks
    yield "break.more", unknown - breaks
    if not letters.islower():
        yield "capitals", min(sum(map(str.isupper, letters[1:])), MOST_CAPITALS)
    if not letters.isascii():
        for char in letters:
            if char > "\x7f":
                yield ("accent" if char < "\u0100" else "accent.east" if char < "\u1e00" else "accent.viet"), 1


def _breaks(word: str) -> tuple[int, int]:
    """Places where a word is broken, and how many of its fragments no whole word contains.

    Unknown fragments that lie over one seam are one break, also where one between them is known by chance.
    """
    bits, breaks, unknown, last, code = _fragments(), 0, 0, -FRAGMENT, 0
    for at, char in enumerate(word):
        code = (code * 27 + (ord(char) - 97 if "a" <= char <= "z" else 26)) % 14_348_907  # 27 ** FRAGMENT
        spot = code % FRAGMENT_BITS
        if at >= FRAGMENT - 1 and not bits[spot >> 3] >> (spot & 7) & 1:
            unknown += 1
            breaks += at - last >= FRAGMENT
            last = at
    return breaks, unknown


def _punctuation(piece: str) -> Iterator[tuple[str, float]]:
    marks = piece.strip(" \r\n")
    same = sum(a == b for a, b in pairwise(marks))
    yield "marks.more", max(len(marks) - 1 - same, 0)
    yield "marks.same", min(same, MOST_SAME)
    yield "marks.long", max(same - MOST_SAME, 0)
    yield "newline", piece[-1] in "\r\n"


@lru_cache(8192)
def _block(char: str) -> str:
    """The class of a character outside ASCII and Latin: its block, finer where vocabularies know some characters."""
    name = BLOCKS[bisect(BLOCKS, (ord(char), "\uffff")) - 1][1]
    if name == "han":
        return "han.whole" if char in HAN_WHOLE else "han"
    if name == "hangul":
        return "hangul.whole" if char in HANGUL_WHOLE else "hangul"
    if name == "cyrillic":
        return "russian" if char in RUSSIAN else "cyrillic"
    return name


def _is_latin(char: str) -> bool:
    return char.isalpha() and (char < "\u0250" or "\u1e00" <= char < "\u1f00")


def _cost(piece: str) -> float:
    return sum(WEIGHTS[name] * amount for name, amount in features(piece))


@cache
def _costs() -> Memo[float]:
    from commonplace.text.memo import Memo  # the texts that are counted were read there before

    return Memo(_cost, MEMO_PIECES)


@cache
def _pieces() -> re.Pattern[str]:
    return re.compile(_PIECES, re.DOTALL)


@cache
def _fragments() -> bytes:
    """A bit for each hash of a five-letter fragment of whole words."""
    import zlib

    with FileIO(os.path.join(os.path.dirname(__file__), "fragments.bin")) as file:
        return zlib.decompress(file.readall())
