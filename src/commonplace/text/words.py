"""Split spaced text into words: names of code, addresses, paths, numbers and hyphenated words whole and in parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal
from unicodedata import normalize

from msgspec import Struct

from commonplace.text.folding import drop_marks
from commonplace.text.scripts import RUNS_FROM, WORD_SIGNS, cluster, runs

Kind = Literal["word", "whole", "part", "run", "hangul", "emoji"]

MOST_HUMPS = 6  # a mixed-case word with more parts is a key or a digest, not a name
_PLAIN = str.maketrans("’‘ʼ′´`‐‑−–—…“”", "''''''---     ")


class Piece(Struct, frozen=True):
    """A casefolded word with its accents, or a run of `units` (characters or clusters) in a script without spaces.

    `whole` is a compound as written; `part` one of its parts, or the joined form of a hyphenated word.
    """

    kind: Kind
    text: str
    units: tuple[str, ...] = ()


def pieces(chunk: str) -> list[Piece]:
    """The pieces of one chunk (text without blanks; blanks do no harm), in order."""
    if "," in chunk:
        chunk = _thousands().sub("", chunk)
    if chunk.isascii():
        return [piece for match in _compound().finditer(chunk) for piece in _expand(match[0])]
    chunk = drop_marks(_gender().sub("", normalize("NFKC", chunk.translate(_PLAIN))).translate(_PLAIN))
    return list(_by_script(chunk) if max(chunk, default="") >= RUNS_FROM else _words(chunk))


def _by_script(chunk: str) -> Iterator[Piece]:
    start = 0
    for match in runs().finditer(chunk):
        yield from _words(chunk[start : match.start()])
        yield from _run(match[0], match.lastgroup or "")
        start = match.end()
    yield from _words(chunk[start:])


def _words(text: str) -> Iterator[Piece]:
    for match in _compound().finditer(text):
        yield from _expand(match[0])


def _run(text: str, script: str) -> Iterator[Piece]:
    if script == "emoji":
        yield Piece("emoji", "emo" + "".join(f"{ord(char):x}" for char in text))
    elif script == "hangul":
        yield Piece("hangul", text, tuple(text))
    elif script == "clustered":
        yield Piece("run", text, tuple(cluster().findall(text)))
    else:
        yield Piece("run", text, tuple(text))


def _expand(text: str) -> Iterator[Piece]:
    """A compound from its widest separators inwards: address, dotted name, hyphens, underscores, capitals."""
    stamp = _timestamp().match(text)
    if stamp:
        yield from _expand(stamp[1])
        yield from _expand(stamp[2])
    elif text.endswith(("++", "#")):
        yield Piece("whole", _lower(text))
        if len(text.rstrip("+#")) > 1:
            yield from _expand(text.rstrip("+#"))
    elif _address().search(text):
        yield from _address_pieces(text)
    elif "." in text:
        yield from _dotted(text)
    elif "-" in text:
        yield from _hyphenated(text)
    elif "_" in text:
        yield from _underscored(text)
    elif "'" in text:
        yield from _apostrophe(text)
    else:
        yield from _leaf(text, "word")


def _address_pieces(text: str) -> Iterator[Piece]:
    yield Piece("whole", _lower(text))
    if text.replace(":", "").isdigit():  # a time of day
        return
    yield from _parts(_address().split(text))


def _dotted(text: str) -> Iterator[Piece]:
    parts = [part for part in text.split(".") if part]
    if len(parts) > 1 and all(len(part) == 1 and part.isalpha() for part in parts):  # U.S.A
        yield Piece("word", _lower("".join(parts)))
        return
    yield Piece("whole", _lower(text))
    if _version().fullmatch(text):
        if not text[0].isdigit():
            yield Piece("part", text[1:])
    else:
        yield from _parts(parts)


def _hyphenated(text: str) -> Iterator[Piece]:
    bare = text.replace("-", "")
    if bare.isdigit():
        yield Piece("whole", text)
        yield from (Piece("part", part) for part in text.split("-"))
    else:
        yield from (Piece("word" if p.kind == "part" else p.kind, p.text) for p in _parts(text.split("-")))
        yield Piece("part", _lower(bare))


def _underscored(text: str) -> Iterator[Piece]:
    text = text.strip("_")
    parts = [part for part in text.split("_") if part]
    if len(parts) > 1:
        yield Piece("whole", _lower(text))
        yield from _parts(parts)
    elif parts:
        yield from _expand(text)


def _apostrophe(text: str) -> Iterator[Piece]:
    """`don't` is `dont`, `Peter's` is `peter`, `l'homme` is `homme` and `lhomme`."""
    elided = _elision().match(text)
    if elided:
        yield from _expand(text[elided.end() :])
        yield Piece("part", _lower(text))
    else:
        yield from _leaf(re.sub("'[sS]$", "", text).replace("'", ""), "word")


def _leaf(word: str, kind: Kind) -> Iterator[Piece]:
    lowered = _lower(word)
    if not lowered:
        return
    yield Piece(kind, lowered)
    if word.isascii() and not (word.islower() or word.isupper() or word[1:].islower()):
        yield from _humps(word)
    numbered = _numbered().fullmatch(lowered)
    if numbered:
        yield Piece("part", numbered[1])


def _humps(word: str) -> Iterator[Piece]:
    parts = _hump().split(word)
    if 1 < len(parts) <= MOST_HUMPS and not _plural_acronym().fullmatch(word):
        yield from (Piece("part", part.lower()) for part in parts)


def _parts(texts: list[str]) -> Iterator[Piece]:
    for text in texts:
        for piece in _expand(text) if text else ():
            yield piece if piece.kind != "word" else Piece("part", piece.text)


def _lower(text: str) -> str:
    if text.isascii():
        return text.lower().replace("'", "")
    return drop_marks(normalize("NFKC", text.casefold())).replace("'", "").replace("ʼ", "")


@cache
def _compound() -> re.Pattern[str]:
    """Letters and digits with single separators between them; also `.NET`, `C++`, `C#`."""
    char = rf"[\w{WORD_SIGNS}]"
    return re.compile(
        rf"(?:(?<![\w.])\.(?=[^\W\d_]))?{char}+(?:(?::///?|::|[.\-@/:'+#]){char}+)*(?:(?<=[^\W\d_])\+\+|(?<=\b[^\W\d_])#)?"
    )


@cache
def _address() -> re.Pattern[str]:
    return re.compile("[/@:#+]+")


@cache
def _timestamp() -> re.Pattern[str]:
    return re.compile(r"(\d{4}-\d\d-\d\d)[Tt_](\d\d:?\d\d.*)", re.DOTALL)


@cache
def _version() -> re.Pattern[str]:
    return re.compile(r"[vV]?\d+(?:\.\d+)+")


@cache
def _elision() -> re.Pattern[str]:
    return re.compile(
        "(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu|(?:d|n|s|c)?[aeou]ll|un|quest|quell|dell|nell|sull)'(?=\\w{2})",
        re.IGNORECASE,
    )


@cache
def _hump() -> re.Pattern[str]:
    return re.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@cache
def _plural_acronym() -> re.Pattern[str]:
    return re.compile("[A-Z]+s")


@cache
def _numbered() -> re.Pattern[str]:
    return re.compile(r"([^\W\d_]{3,})\d{1,4}")


@cache
def _thousands() -> re.Pattern[str]:
    return re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


@cache
def _gender() -> re.Pattern[str]:
    return re.compile("\u200d[\u2640\u2642]")
