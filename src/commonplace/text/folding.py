"""Make spellings equal: case, width, accents, blanks; and make any text harmless on one line."""

from __future__ import annotations

import re
from functools import cache
from unicodedata import normalize

# Letters that carry a stroke or are ligatures: Unicode does not decompose them, people type them without.
_BARE = str.maketrans(
    {
        "ı": "i", "ł": "l", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "þ": "th", "æ": "ae", "œ": "oe",
        "ß": "ss", "ŋ": "n", "ς": "σ",
    }
)  # fmt: skip
_NAME_BLANKS = str.maketrans({"-": " ", "_": " ", "‐": " ", "‑": " ", "–": " ", "’": "'", "ʼ": "'"})

# Marks that a reader may leave out: accents on Latin, Greek and Cyrillic, Hebrew points, Arabic vowels; and characters
# that show nothing (joiners, variation selectors, soft hyphen, tags). Vowel signs of Indic scripts are letters: kept.
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
    "\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e0fff"
)
_ESCAPES = "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\\\|\x9c)"
_CONTROLS = (
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u061c\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def fold(text: str) -> str:
    """A name as it is compared: NFKC, casefolded, accents stripped, hyphens and underscores as single blanks."""
    if text.isascii():
        return " ".join(text.lower().translate(_NAME_BLANKS).split())
    folded = strip_accents(drop_marks(casefolded(text)))
    return " ".join(casefolded(folded).translate(_NAME_BLANKS).split())


def one_line(text: str) -> str:
    """Text for a terminal or a prompt: blanks of any kind become one space; escape sequences, other control characters
    and direction overrides are removed; a lone surrogate becomes U+FFFD, so that the result can always be encoded."""
    if not text.isprintable():
        text = _surrogate().sub("\ufffd", _control().sub("", _escape().sub("", text)))
    return " ".join(text.split())


def casefolded(text: str) -> str:
    """NFKC around casefold, so that compatibility forms of capitals are folded too."""
    return normalize("NFKC", normalize("NFKC", text).casefold())


def drop_marks(text: str) -> str:
    """Without the marks that NFKC could not compose and without invisible characters."""
    return _mark().sub("", text)


def strip_accents(word: str) -> str:
    """A folded word without its accents; also what a stem becomes before it is stored."""
    if word.isascii():
        return word
    return normalize("NFC", drop_marks(normalize("NFD", word).translate(_BARE)))


@cache
def _mark() -> re.Pattern[str]:
    return re.compile(f"[{_MARKS}]+")


@cache
def _escape() -> re.Pattern[str]:
    return re.compile(_ESCAPES)


@cache
def _control() -> re.Pattern[str]:
    return re.compile(_CONTROLS)


@cache
def _surrogate() -> re.Pattern[str]:
    return re.compile("[\ud800-\udfff]")
