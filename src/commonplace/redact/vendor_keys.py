"""Detect keys in the formats that vendors publish, and merge overlapping matches."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from commonplace.redact import secret_values
from commonplace.redact.findings import SecretMatch
from commonplace.redact.patterns import compile_re2
from commonplace.redact.tables import key_formats

if TYPE_CHECKING:
    from collections.abc import Iterator
_MIN_HINT_CHARS = 4
_WORD_BYTES = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")


def find_vendor_keys(data: bytes) -> Iterator[SecretMatch]:
    """Keys in a format that a vendor publishes."""
    rows = key_formats()
    for number in sorted({number for _, number in find_keywords(data)}):
        row = rows[number]
        for match in compile_re2(row.pattern).finditer(data):
            start, end = match.span(1 if match.re.groups else 0)
            secret = data[start:end]
            if _is_at_word_edges(data, start, end) and not _is_filler(secret, row.keywords):
                yield SecretMatch(row.kind, start, end, secret, 0)


def find_keywords(data: bytes) -> list[tuple[str, int]]:
    """The keywords in a text, with the numbers of their formats; none if no pattern can match."""
    if not compile_re2(_any_hint_pattern()).search(data):
        return []
    text = data.decode("latin-1")
    return [(keyword, number) for keyword, number in _numbered_keywords() if keyword in text]


def merge_matches(secret_matches: list[SecretMatch]) -> list[SecretMatch]:
    """The findings with overlapping ones merged; a merged one has the kind of the surest, then longest."""
    merged: list[SecretMatch] = []
    for secret_match in sorted(secret_matches, key=lambda hit: (hit.start, -hit.end)):
        if merged and secret_match.start < (left := merged[-1]).end:
            best = min(left, secret_match, key=lambda hit: (hit.rank, hit.start - hit.end))
            end = max(left.end, secret_match.end)
            merged[-1] = SecretMatch(best.kind, left.start, end, best.secret, best.rank)
        elif secret_match.end > secret_match.start:
            merged.append(secret_match)
    return merged


@cache
def _any_hint_pattern() -> str:
    """One pattern for all: a format's keywords, or its pattern where they are too short to mean anything."""
    hints: list[str] = []
    for row in key_formats():
        weak = min(map(len, row.keywords)) < _MIN_HINT_CHARS
        escaped = ("".join(c if c.isalnum() or c == "_" else "\\" + c for c in keyword) for keyword in row.keywords)
        hints += [_loosen_repeats(row.pattern)] if weak else escaped
    return "|".join(hints)


@cache
def _numbered_keywords() -> tuple[tuple[str, int], ...]:
    return tuple((keyword, number) for number, row in enumerate(key_formats()) for keyword in row.keywords)


def _loosen_repeats(pattern: str) -> str:
    """A pattern that matches wherever this one does and compiles faster: long repeats become short open ones."""

    def loosen(count: re.Match[str]) -> str:
        least = int(count[1])
        return f"{{{min(least, 12)},}}" if least > 12 or count[2] else count[0]

    return re.sub(r"\{([0-9]+)(,[0-9]*)?\}", loosen, pattern)


def _is_at_word_edges(data: bytes, start: int, end: int) -> bool:
    """Whether a match ends where the word ends and, unless its prefix is unmistakable, starts where one starts."""
    if end < len(data) and data[end] in _WORD_BYTES and data[end - 1] in _WORD_BYTES:
        return False
    # A key can start inside a word: `ghp_…`, `glpat-…`; `AKIA…`, `sk-…` may be the end of another word.
    is_distinct = b"_" in data[start + 1 : start + 5] or b"-" in data[start + 4 : start + 8]
    if start == 0 or data[start - 1] not in _WORD_BYTES or is_distinct:
        return True
    return data[max(0, start - 2) : start] in (rb"\n", rb"\t", rb"\r") or data[max(0, start - 3) : start - 2] == b"%"


def _is_filler(secret: bytes, keywords: tuple[str, ...]) -> bool:
    """Whether a key was blanked out, or is a name that only happens to have the shape of one."""
    if secret_values.has_filler(secret):
        return True
    weak = max(map(len, keywords)) < 4
    if weak and secret_values.is_made_of_words(secret, min_average_letters=4):
        return True
    letters = secret.translate(None, b"-_.")
    is_one_case = letters.isalpha() and (letters.islower() or letters.isupper())
    return is_one_case and (weak or keywords[0].endswith("-"))
