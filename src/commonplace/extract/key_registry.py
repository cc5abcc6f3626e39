"""The registry of keys: what attributes are called, whether a thing has one value of each or many, and of what kind."""

from __future__ import annotations

import os
from functools import cache, lru_cache
from io import FileIO
from itertools import chain
from typing import Literal, NamedTuple

from msgspec import Struct, json, structs

from commonplace.language.text import fold_name
from commonplace.lazy import lazy_pattern

ValueKind = Literal["number", "date", "name", "word"]
Cardinality = Literal["one", "many", "unknown"]
VALUE_MARK = "…"  # where the value stands in an alias that is a phrase: `lives in …`
UNSPACED = "\u3040-\u30ff\u3400-\u9fff"
_PATH = os.path.join(os.path.dirname(os.path.dirname(__file__)), "data", "predicates.json")
_FAVORITE = "favorite_"  # `favorite_color` is declared as `favorite_*`
# A word with the apostrophe of an elided article, a character of a script without spaces, a possessive ending, a sign
WORD_PATTERN = lazy_pattern(
    rf"[^\W_{UNSPACED}]+(?:[-.@/:_+][^\W_{UNSPACED}]+)*(?:(?<=\b[cdjlmnstCDJLMNST])['’](?=\w))?"
    rf"|[{UNSPACED}]|['’](?:s\b)?|[^\w\s]"
)
Words = tuple[str, ...]


class KeyDefinition(Struct, frozen=True):
    """What is declared of a key: how many values it has at a time, their kind, and its aliases by language; with
    `compounds` it holds for what ends in its name too (`staging_port`), and only people have it if `of_person`."""

    values: Cardinality = "unknown"
    kind: ValueKind = "word"
    compounds: bool = False
    of_person: bool = False
    aliases: dict[str, tuple[str, ...]] = {}


class KeyTables(Struct, frozen=True):
    """The packaged data: definitions by key, and the words around subjects, keys and values, in all languages:
    `passed_over` change neither key nor value (`now`); `copulas` stand between a key and its value, `genitives` between
    a key and its subject, `leading` before a value, and `articles` before all of them."""

    keys: dict[str, KeyDefinition]
    passed_over: tuple[str, ...]
    copulas: frozenset[str]
    genitives: frozenset[str]
    leading: frozenset[str]
    articles: frozenset[str]
    first_person: frozenset[str]
    second_person: frozenset[str]


class KeyPhrase(NamedTuple):
    """An alias as words: a noun, or the words before a value and behind it, and whether the value ends the text."""

    key: str
    before: Words
    after: Words = ()
    ends: bool = False
    is_first_person: bool = False
    is_noun: bool = False


class KeyRegistry(Struct, frozen=True, eq=False):
    """Definitions by key, the key of each alias without a place for a value and of each phrase that leads to one,
    aliases by their first word, nouns last and the longest first, and words to pass over by their last."""

    tables: KeyTables
    nouns: dict[str, str]
    leading_phrases: dict[str, str]
    phrases_by_word: dict[str, list[KeyPhrase]]
    passed_over: dict[str, list[Words]]

    def find(self, word: str) -> str:
        """The key that a word or phrase is an alias of; empty if none is."""
        folded = fold_name(word).strip(" :.").replace("favourite", "favorite")
        bare = folded.removeprefix("is ").removeprefix("the ")
        return self.nouns.get(folded) or self.leading_phrases.get(folded) or self.nouns.get(bare, "")

    def definition(self, key: str) -> KeyDefinition | None:
        """What is declared of a key, or of the last word of a compound; None if it is unknown."""
        if declared := self.tables.keys.get(key):
            return declared
        if key.startswith(_FAVORITE):
            return self.tables.keys.get(f"{_FAVORITE}*")
        head = self.tables.keys.get(self.nouns.get(key.rpartition("_")[2], ""))
        return head if head and head.compounds else None

    def cardinality(self, key: str) -> Cardinality:
        """How many values a thing has of a key at a time; a key that nobody declared is unknown."""
        declared = self.definition(key)
        return declared.values if declared else "unknown"

    def with_keys(self, keys: dict[str, KeyDefinition]) -> KeyRegistry:
        """A registry in which these definitions replace those of their keys, and their aliases those of other keys."""
        rest = {key: declared for key, declared in self.tables.keys.items() if key not in keys}
        return build_registry(structs.replace(self.tables, keys=keys | rest))


@lru_cache(4_096)
def fold_word(word: str) -> str:
    """A word as it is compared."""
    return fold_name(word) or word


def split_words(text: str) -> Words:
    """The folded words of a text; of a script without spaces its characters."""
    if text.isascii() and text.replace(" ", "").isalpha():
        return tuple(text.lower().split())
    return tuple(fold_word(word) for word in WORD_PATTERN.findall(text))


def build_registry(tables: KeyTables) -> KeyRegistry:
    """The registry of these definitions; an alias of several keys is one of the first."""
    nouns: dict[str, str] = {}
    leading: dict[str, str] = {}
    phrases: list[KeyPhrase] = []
    for key, declared in tables.keys.items():
        for alias in chain((key.replace("_", " "),), *declared.aliases.values()):
            before, mark, after = alias.partition(VALUE_MARK)
            if not mark:
                if nouns.setdefault(fold_name(alias), key) == key:
                    phrases.append(KeyPhrase(key, split_words(alias), is_noun=True))
                continue
            words = split_words(before)
            is_first_person = words[:1] == ("yo",)  # Spanish leaves it out
            words = words[is_first_person:]
            phrases.append(
                KeyPhrase(key, words, split_words(after.removesuffix(".")), after.endswith("."), is_first_person)
            )
            if not after:
                leading.setdefault(" ".join(words), key)
    skipped: dict[str, list[Words]] = {}
    for words in map(split_words, tables.passed_over):
        skipped.setdefault(words[-1], []).append(words)
    by_word: dict[str, list[KeyPhrase]] = {}
    for phrase in sorted(phrases, key=lambda phrase: (phrase.is_noun, -len(phrase.before + phrase.after))):
        by_word.setdefault((phrase.before or phrase.after)[0], []).append(phrase)
    return KeyRegistry(tables, nouns, leading, by_word, skipped)


@cache
def packaged_registry() -> KeyRegistry:
    """The registry of the packaged data."""
    with FileIO(_PATH) as file:
        return build_registry(json.decode(file.readall(), type=KeyTables))
