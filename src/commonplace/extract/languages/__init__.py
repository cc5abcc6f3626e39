"""The rules and words of each language, read from `data/languages/claim_rules`."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

from msgspec import Struct, convert, json

from commonplace.language.word_data import read_language_data
from commonplace.model import Category

ClaimType = Literal[
    "remember", "preference", "decision", "correction", "relation", "error_fix", "dead_end", "attribute"
]  # fmt: skip
LANGUAGES = ("en", "de", "fr", "es", "zh", "ja")
RuleRow = tuple[ClaimType, Category | Literal[""], str, str, str]
"""A rule: sort, category, about, attribute and pattern; `about` is `I` for what is said of the speaker; an empty
category is told by the content."""


class Grammar(Struct, frozen=True):
    """One language: `words` are the lists that patterns name as `<name>`; its rules are tried in order."""

    words: dict[str, str]
    rules: tuple[RuleRow, ...]
    spaced: bool = True
    relations: tuple[str, ...] = ()  # with the names as written: groups rel and name
    standing: tuple[str, ...] = ()  # rules for later, beside those that `rules` read


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
