"""The words of each language, read from the files in `commonplace/data/languages`, whose README has their format.

Each function decodes one table, so that a process pays for no other; without a file or a table of its language, the
result is empty. Types are checked at decoding, names of tables by a test: a Struct a file would cost each start 0.4 ms.
"""

from __future__ import annotations

import os
from functools import cache
from io import FileIO
from typing import TypeVar

from msgspec import Raw, json

LANGUAGES = ("en", "de", "fr", "es", "pt", "it", "nl", "ru", "sv", "zh", "ja")  # those that have a file
SHARED = "shared"
_FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "data", "languages")
Table = TypeVar("Table")


@cache
def load_shared_words(name: str) -> dict[str, str]:
    """The words of each language in `first_person_words` (for its speaker), `second_person_words` (for its listener) or
    `number_words` (from 0 on, without accents)."""
    return _decode_table(SHARED, name, dict[str, str])


def load_word_list(language: str, name: str) -> list[str]:
    """The words of a list, on several lines: the `abbreviations` that all share, `light_words` that say little,
    `time_verbs`, `question_words`, or `character_variants`, pairs of a traditional and a simplified character."""
    return _decode_table(language, name, list[str])


@cache
def load_word_table(language: str, name: str) -> dict[str, list[str]]:
    """The words or phrases of a table of a language, by label: `word_forms`, `question_cues`, `labelled_phrases`,
    `deictic_words`, `question_templates` or `change_words`, as the README of the folder describes them; in what all
    share, by language: `function_words`, `standing_words` or `large_number_words`, each before its figure; and by what
    they are for, `tool_words`."""
    return _decode_table(language, name, dict[str, list[str]])


def load_hyponyms(language: str) -> list[tuple[str, str]]:
    """The names of each kind, and the words for what is of that kind."""
    return _decode_table(language, "hyponyms", list[tuple[str, str]])


@cache
def load_all_words(language: str) -> frozenset[str]:
    """Every word in the tables of a language, its English keys, which all languages have, included."""
    tables = " ".join(bytes(table).decode() for table in _language_tables(language).values())
    return frozenset(tables.replace('"', " ").replace("|", " ").split())


@cache
def load_time_words() -> tuple[dict[str, list[str]], ...]:
    """The words of time expressions by kind, a table for each of `LANGUAGES`, in that order."""
    return tuple(_decode_slots(language, "time_words") for language in LANGUAGES)


@cache
def load_session_words() -> tuple[dict[str, list[str]], ...]:
    """The words for sessions by kind, in the same form."""
    return tuple(_decode_slots(language, "session_words") for language in LANGUAGES)


def _decode_slots(language: str, name: str) -> dict[str, list[str]]:
    table = _decode_table(language, name, dict[str, str | list[str]])
    return {key: [words] if isinstance(words, str) else words for key, words in table.items()}


def _decode_table(language: str, name: str, table_type: type[Table]) -> Table:
    data = _language_tables(language).get(name)
    return json.decode(data, type=table_type) if data else table_type()


@cache
def _language_tables(language: str) -> dict[str, Raw]:
    if language not in LANGUAGES and language != SHARED:
        return {}
    return json.decode(read_language_data(language), type=dict[str, Raw])


def read_language_data(name: str) -> bytes:
    """The bytes of a file in the folder. Raises FileNotFoundError."""
    with FileIO(os.path.join(_FOLDER, f"{name}.json")) as file:
        return file.readall()
