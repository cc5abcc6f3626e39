"""The rules and words of each language, read from `data/languages/claim_rules`, and which of them may fit a text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any, Literal

from msgspec import Struct, convert, json

from commonplace.language.word_data import read_language_data
from commonplace.lazy import lazy_pattern
from commonplace.model import Category

_LOOKAROUND = lazy_pattern(r"\(\?<?[=!]")
_PATTERN_PIECE = lazy_pattern(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?<?[=!]|\{[\d,]+\}|.", re.DOTALL)
ClaimType = Literal["remember", "preference", "decision", "relation", "error_fix", "dead_end", "attribute"]
LANGUAGES = ("en", "de", "fr", "es", "zh", "ja")
# A rule: sort, category (or empty), about (`I` for what is said of the speaker), attribute and pattern
RuleRow = tuple[ClaimType, Category | Literal[""], str, str, str]


class Grammar(Struct, frozen=True):
    """One language: `words` are the lists that patterns name as `<name>`; its rules are tried in order."""

    words: dict[str, str]
    rules: tuple[RuleRow, ...]
    spaced: bool = True
    relations: tuple[str, ...] = ()  # with the names as written: groups rel and name
    standing: tuple[str, ...] = ()  # rules for later, beside those that `rules` read
    noise: tuple[str, ...] = ()  # what states nothing; searched for


@cache
def load_grammar(language: str) -> Grammar:
    """The tables of a language, each pattern of which its file has on several lines; no file of another is read."""
    return convert(_join_lines(json.decode(read_language_data(f"claim_rules/{language}"))), Grammar)


def _join_lines(tables: Any) -> Any:
    """The tables with each list that has nothing but texts as one text."""
    if isinstance(tables, dict):
        return {name: _join_lines(table) for name, table in tables.items()}
    if not isinstance(tables, list) or not tables:
        return tables
    return "".join(tables) if all(isinstance(one, str) for one in tables) else [*map(_join_lines, tables)]


def expand_word_lists(pattern: str, language: str) -> str:
    """A pattern with the lists it names written out: `<adv>`, and those that they name; group names stay."""
    words = load_grammar(language).words
    return re.sub(r"(?<!\?P)<([a-z]+)>", lambda match: expand_word_lists(words[match[1]], language), pattern)


class PatternFilter:
    """Regular expressions by the words that a text must have to fit them; of a hundred RE2 leaves five to try."""

    def __init__(self, patterns: Iterable[str]) -> None:
        import re2

        self._filter, options = re2.Filter(), re2.Options()
        options.never_capture = True
        for pattern in patterns:
            self._filter.Add(loosen_pattern(pattern), options)
        self._filter.Compile()

    def match(self, text: str) -> list[int]:
        """The numbers of the patterns that may fit a text, in order; no other fits."""
        return self._filter.Match(text.encode("utf-8", "replace"), potential=True) or []


def loosen_pattern(pattern: str) -> str:
    """A pattern for RE2 that fits whatever the given one fits, and is smaller: what stands ahead or behind is not
    looked for, what is repeated may be so any number of times, and a class of many characters is any character."""
    kept, depth = [], 0
    for piece in _PATTERN_PIECE.findall(pattern):
        if depth or _LOOKAROUND.fullmatch(piece):
            depth += piece.startswith("(") - (piece == ")")
        elif len(piece) > 1 and piece.startswith("{"):
            kept.append("*")
        else:
            kept.append("." if piece.startswith("[") and not piece[1:-1].isalpha() else piece)
    return "".join(kept)
