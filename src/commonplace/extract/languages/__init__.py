"""The rules and words of each language, read from `data/languages/claim_rules`."""

from __future__ import annotations

from functools import cache
from typing import Literal

from msgspec import Struct, json

from commonplace.extract.claims import ClaimType
from commonplace.language.word_data import read_language_data
from commonplace.model import Category

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


class GrammarFile(Struct, frozen=True):
    """A grammar as its file has it, each pattern on several lines."""

    words: dict[str, list[str]]
    rules: list[tuple[ClaimType, Category | Literal[""], str, str, list[str]]]
    relations: list[list[str]] = []
    standing: list[list[str]] = []
    spaced: bool = True


@cache
def load_grammar(language: str) -> Grammar:
    """The tables of a language; no file of another is read."""
    file = json.decode(read_language_data(f"claim_rules/{language}"), type=GrammarFile)
    return Grammar(
        {name: "".join(lines) for name, lines in file.words.items()},
        tuple((*row[:4], "".join(row[4])) for row in file.rules),
        file.spaced,
        tuple(map("".join, file.relations)),
        tuple(map("".join, file.standing)),
    )
