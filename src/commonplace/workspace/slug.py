"""Names to file names: the one way in which text becomes part of a path."""

from __future__ import annotations

import re
from functools import cache
from unicodedata import category, normalize

from commonplace.files import digest

MOST_CHARS = 80
HASH_CHARS = 8

# Letters that Unicode does not decompose and that people write without their stroke.
_BARE = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h", "ŋ": "n", "ŧ": "t"}
)


def slug(name: str) -> str:
    """A file name for any text: `[a-z0-9][a-z0-9._-]{0,79}`, no reserved name of any system, the same every time.

    Case, accents and punctuation are folded, so names may meet: `distinct` tells those apart. Letters of other
    scripts, and what a long name loses, are stood for by a hash.
    """
    folded = _folded(name)
    short = _tidy(folded)
    lost = not folded.isascii() and any(char > "\x7f" and category(char)[0] in "LNS" for char in folded)
    if short and not lost and len(short) <= MOST_CHARS:
        return _unreserved(short)
    return _hashed(short, normalize("NFKC", normalize("NFKD", name).casefold()))


def distinct(name: str) -> str:
    """Another file name for the text, with a hash of its exact spelling, where `slug` is taken by another name."""
    return _hashed(slug(name), name)


def _folded(name: str) -> str:
    """Lower case, compatibility forms and accents undone."""
    if name.isascii():
        return name.lower()
    decomposed = normalize("NFKD", normalize("NFKD", name).casefold().translate(_BARE))
    return "".join(char for char in decomposed if category(char) != "Mn")


def _tidy(folded: str) -> str:
    """What a file name may hold, with a hyphen for each run of the rest; dots never in a row or at an end."""
    return _dots().sub(".", _others().sub("-", folded)).strip("._-")


def _hashed(short: str, name: str) -> str:
    mark = digest(name.encode("utf-8", "surrogatepass"))[:HASH_CHARS]
    kept = short[: MOST_CHARS - HASH_CHARS - 1].rstrip("._-")
    return _unreserved(f"{kept or 'n'}-{mark}")


def _unreserved(short: str) -> str:
    """Windows takes these for devices, whatever extension follows."""
    return f"n-{short}"[:MOST_CHARS].rstrip("._-") if _device().fullmatch(short.partition(".")[0]) else short


@cache
def _others() -> re.Pattern[str]:
    return re.compile(r"[^a-z0-9._]+")


@cache
def _dots() -> re.Pattern[str]:
    return re.compile(r"\.{2,}")


@cache
def _device() -> re.Pattern[str]:
    return re.compile(r"con|prn|aux|nul|conin|conout|clock|com\d|lpt\d")
