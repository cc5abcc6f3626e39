"""Count the tokens of a language model: estimated without its vocabulary, or exactly with its `tokenizer.json`."""

from __future__ import annotations

import os
import re
from bisect import bisect
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from io import FileIO
from itertools import pairwise
from math import ceil, sqrt
from typing import TYPE_CHECKING

from commonplace.lazy import lazy_pattern

if TYPE_CHECKING:
    from commonplace.language.text import TextCache
__all__ = ["count_tokens", "load_tokenizer"]

# The weights of the estimate, fitted to two vocabularies (o200k_base, cl100k_base): the larger count of both.
ROUNDING_CORRECTION = 0.5  # taken off once a text: rounding up adds as much
FRAGMENT_BITS = 524_287  # a prime; fragments.bin has one bit for each remainder

WEIGHTS: dict[str, float] = {
    "root": 0.056,  # by the square root of its characters: what short texts vary by
    "piece": 1.061,  # every word, number, run of marks or blanks
    "break": 1.648,  # where a word is broken; three further fragments add half as much
    "break.more": 0.278,  # each further unknown fragment there
    "capitals": 0.177,  # each capital after the first letter, at most four
    "word.quoted": 0.407,  # a mark before the word
    "accent": 0.599,
    "accent.east": 0.752,
    "accent.viet": 1.403,
    "digits": 0.14,
    "marks.more": 0.258,
    "marks.same": 0.335,  # repeats of a mark, at most eight
    "marks.long": 0.031,
    "newline": 0.052,
    "blank.more": 0.021,
    # From here on by the character, named as in BLOCKS; `x.whole` is one that the vocabularies know.
    "arabic": 0.683,
    "astral": 4,
    "bengali": 1.29,
    "cyrillic": 3,
    "dash": 0.4,
    "devanagari": 1.044,
    "emoji": 2.7,
    "greek": 0.919,
    "han": 2.593,
    "han.whole": 0.871,
    "hangul": 1.786,
    "hangul.whole": 0.703,
    "hebrew": 1.035,
    "ideographic": 0.824,
    "kana": 0.951,
    "khmer": 1.624,
    "rare": 2,
    "rarest": 3,
    "russian": 0.37,
    "selector": 1.7,
    "sign": 1,
    "tamil": 1.463,
    "thai": 0.992,
    "wide": 0.7,
}

# The first code point of each block and the weight its characters take.
UNICODE_BLOCKS = (
    (0x0, "sign"), (0x250, "rare"), (0x370, "greek"), (0x400, "cyrillic"), (0x530, "rare"), (0x590, "hebrew"),
    (0x600, "arabic"), (0x700, "rare"), (0x900, "devanagari"), (0x980, "bengali"), (0xA00, "rare"),
    (0xB00, "rarest"), (0xB80, "tamil"), (0xC00, "rare"), (0xE00, "thai"), (0xE80, "rare"), (0x1100, "rarest"),
    (0x1780, "khmer"), (0x1800, "rarest"), (0x2000, "rare"), (0x2010, "dash"), (0x2027, "rare"), (0x2190, "rarest"),
    (0x2500, "rare"), (0x2800, "rarest"), (0x3000, "ideographic"), (0x3040, "kana"), (0x3100, "rarest"),
    (0x4E00, "han"), (0xA000, "rarest"), (0xAC00, "hangul"), (0xD7B0, "rarest"), (0xFE00, "selector"),
    (0xFE10, "rarest"), (0xFF00, "wide"), (0xFF21, "rare"), (0x10000, "astral"), (0x1D400, "rarest"),
    (0x1F000, "emoji"), (0x1FB00, "astral"),
)  # fmt: skip

RUSSIAN_LETTERS = frozenset("абвгдежзийклмнопрстуфхцчшщъыьэюяАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ")

# Characters that are one token in both vocabularies.
SINGLE_TOKEN_HAN = frozenset(
    "一万三上下不与专业东两个中串为主么义之也书了事二于五些交产享京人亿今介从他付代以们件价任份企优会传但"
    "位体何余作你使例供価保信修倍值停像元先入全公共关其具内円册再写出击分列则初利别到制前力功加务动動包化"
    "北区十午华单南即历原去县参及友反发取变口只可台右号司合同名后向否含听启告员周命和品哈商問器四回因国图"
    "土在地场址型城基報場填增声处备复外多大天失头女好如始子字存学安宋完定实审客家容密对导将小少尔就局展山"
    "岁州工左已市布常平年并广序库应店度建开异式引张当录形影径待後得微心必志态思性总息您情意感成我或户所手"
    "打找技投报拉持指按换据排接推提播支收改放政效数整文料断新方族无日时明易星是時景更最月有服期木未本机权"
    "束条来板构析果查标样核格案检模次款止正此步歳段每比民気水求江汽没治法注活流海消清游源火点無然片版物特"
    "率环现球理生用由电男画界番登的监目直相省看県真知码确示社票私种科秒称移程稍税稿空立站章端笑符第等签简"
    "算管箱米类系素索约级线组经结给络统编网置美老考者而联能自至色节英藏行表装西要見见规视角解言計記話読计"
    "认议记论设证评试话询该详语误说请读调象责败账货购费资起超路身车转软载辑输达过运近还这进连述退送选通速"
    "造連道邮部都配释里重量金钟钮链销错键长開間関门闭问间队阳陆限院除雅集雷需非面音页项预频题额首验高黑"
)
SINGLE_TOKEN_HANGUL = frozenset(
    "가간값개거게결경고공과구그글기나내는능니다당대도동되된드든들디라래러력로록료류른를름리만메면명목문미"
    "버번보복부분비사산상색생서성세션소수스습시식신아야어에여열오와요용우운원위으은을음의이인일임입자작장"
    "재적전정제져조주지진째체출치크태터턴트튼하한할함해호화환회"
)

CACHED_PIECE_COSTS = 16_384
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


def count_tokens(text: str) -> int:
    """Return the estimated number of tokens of `text`, by scripts, words, numbers, punctuation and blanks: 0 for the
    empty text, else at least 1."""
    if not text:
        return 0
    body = sum(map(_piece_cost_cache().__getitem__, _TOKEN_PIECE_PATTERN.findall(text)))
    return max(ceil(body + WEIGHTS["root"] * sqrt(len(text)) - ROUNDING_CORRECTION), 1)


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
    """Return the number of breaks in a word, and of its fragments that no whole word contains; such that overlap are
    one break."""
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


@lru_cache(4)
def load_tokenizer(path: str) -> tuple[Callable[[str], int], str]:
    """Return what counts the tokens of a text by the `tokenizer.json` at `path`, without the markers that open or close
    a text; or the estimate and the reason why. An empty path asks for the estimate; nothing is downloaded."""
    if not path:
        return count_tokens, ""
    if not os.path.isfile(path):
        return count_tokens, f"pack.tokenizer: there is no file {path!r}; tokens are estimated"
    try:
        from tokenizers import Tokenizer
    except ImportError:
        reason = "pack.tokenizer needs the package tokenizers (pip install tokenizers); tokens are estimated"
        return count_tokens, reason
    encode = Tokenizer.from_file(path).encode
    return lambda text: len(encode(text.encode("utf-8", "replace").decode(), add_special_tokens=False).ids), ""
