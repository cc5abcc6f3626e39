"""The names of entities in a query: find them in its text, add their aliases, look up the records of their bearers."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import json

from commonplace.errors import closest_names
from commonplace.index import Index
from commonplace.language import text
from commonplace.language.when import calendar_words
from commonplace.lazy import lazy_pattern

MAX_NAME_WORDS = 6  # words
NAME_SEARCH_CHARS = 2_000  # characters of a query; what names something says so early
MIN_TWO_NAMES_LETTERS = 7  # of two that are taken for one: more pairs of shorter names are one letter apart

EntityNames = dict[str, str]  # every folded name to look for, with the one of the query that it stands for
# The ending of `Ada's`, before any sign that follows it
_WORD = lazy_pattern(r"\b[^\W\d_]{3,}\b")
_POSSESSIVE = lazy_pattern("['’]s(?!\\w)", re.IGNORECASE)


def find_entity_names(index: Index, query_text: str) -> EntityNames:
    """The names of entities in a text, and the aliases of these entities."""
    words = text.name_key(_POSSESSIVE.sub(" ", query_text[:NAME_SEARCH_CHARS])).split(" ")
    lengths = range(min(MAX_NAME_WORDS, len(words)), 0, -1)
    runs = [(start, words[start : start + length]) for length in lengths for start in range(len(words) - length + 1)]
    # A function word alone names nothing.
    spans = [(start, " ".join(run)) for start, run in runs if len(run) > 1 or not text.is_stop_word(run[0], "en")]
    unique_names = tuple(dict.fromkeys(name for _start, name in spans))
    declared = find_declared_aliases(index, unique_names).values()
    existing = tuple(dict.fromkeys((*index.existing_name_keys(unique_names), *declared)))
    found_names: list[str] = []
    end = 0
    for start, name in sorted(spans, key=lambda span: (span[0], -len(span[1]))):
        if start >= end and name in existing:
            found_names.append(name)
            end = start + name.count(" ") + 1
    return expand_aliases(index, found_names, existing)


def correct_names(index: Index, query_text: str) -> tuple[str, tuple[str, ...]]:
    """The text with each capitalised word that nothing has, no name and no line, as the name with the same initial that
    is one letter off, of several the one of most records; and a note for each."""
    notes: list[str] = []
    for word in dict.fromkeys(_WORD.findall(query_text[:NAME_SEARCH_CHARS])):
        key = text.name_key(word)
        is_other_word = word[0].islower() or key in text.all_function_words() or key in calendar_words(weak=True)
        if is_other_word or any(map(index.document_frequency, text.stem_in_all_languages(key))):
            continue
        named = {part: one for name, written, _ in index.entities(key[0]) for part, one in _name_parts(name, written)}
        similar = [part for part in named if text.is_one_edit(key, part) and len(key + part) >= MIN_TWO_NAMES_LETTERS]
        if similar and key not in named and not find_declared_aliases(index, (key,)):
            query_text = re.sub(rf"\b{word}\b", named[similar[0]], query_text)
            notes.append(f"nothing has {word}; read as {named[similar[0]]}")
    return query_text, tuple(notes)


def _name_parts(key: str, written: str) -> Iterable[tuple[str, str]]:
    """The words of a folded name, each as it is written."""
    words = written.split()
    return zip(key.split(" "), words, strict=True) if key.count(" ") == len(words) - 1 else ((key, written),)


def find_declared_aliases(index: Index, folded_names: Iterable[str]) -> EntityNames:
    """The other names that `memory/aliases.yaml` declares for any of these, each with the one that it stands for."""
    declared = index.get_meta("aliases")
    if len(declared) <= len("{}"):
        return {}
    from commonplace.truth import build_name_table

    table = build_name_table("", json.decode(declared, type=dict[str, list[str]]).items())
    others = ((alias, name) for name in folded_names for alias in sorted(table.names_of(name)) if alias != name)
    return dict(reversed([*others]))


def expand_aliases(index: Index, folded_names: Iterable[str], shorter_names: Iterable[str] = ()) -> EntityNames:
    """Names, their aliases, the titles of the pages with these names, and those of `shorter_names` that the same pages
    have."""
    names = {name: name for name in folded_names}
    if not names:
        return names
    names = find_declared_aliases(index, names) | names
    pages: dict[str, str] = {}
    for name, path in index.pages_by_name(tuple(names)):
        pages.setdefault(path, name)
    for title, path in _entity_page_titles(index, pages):
        names.setdefault(title, pages[path])
    shorter = tuple(name for name in shorter_names if name not in names) if pages else ()
    for name, path in index.pages_by_name(shorter) if shorter else ():
        if path in pages:
            names.setdefault(name, pages[path])
    return names


def rows_of_entities(index: Index, names: Iterable[str]) -> set[int]:
    """The records that have one of the names: on their pages, spoken by them, or naming them."""
    keys = tuple(names)
    return {*rows_on_entity_pages(index, keys), *(row_id for row_id, _key, _role in index.mentions(keys))}


def rows_on_entity_pages(index: Index, names: Iterable[str]) -> list[int]:
    """The records of the pages with these names, in the order of their files."""
    paths = dict.fromkeys(path for _key, path in index.pages_by_name(tuple(names)))
    return [row_id for path in paths for row_id in index.rows_of_file(path)]


def resolve_required_entities(index: Index, entities: tuple[str, ...]) -> tuple[EntityNames, tuple[str, ...]]:
    """The names of the entities that records must have, with aliases, and a note for each name that is unknown."""
    required = {text.name_key(text.sanitize_line(name)): text.sanitize_line(name) for name in entities}
    existing = index.existing_name_keys(tuple(required)) if required else ()
    notes = tuple(_unknown_name_note(index, name) for key, name in required.items() if key not in existing)
    return expand_aliases(index, existing), notes


def _unknown_name_note(index: Index, name: str) -> str:
    """A note that no record has a name, with the most similar names."""
    names_by_key = {key: written for key, written, _records in index.entities()}
    similar = [names_by_key[key] for key in closest_names(text.name_key(name), names_by_key, 2)]
    return f"no record names {name}" + (f"; did you mean {' or '.join(similar)}?" if similar else "")


def _entity_page_titles(index: Index, paths: Iterable[str]) -> list[tuple[str, str]]:
    """(folded title, path) of those that are pages of entities, whose every record names the entity first."""
    first = {row_id: path for path in paths for row_id in index.rows_of_file(path)[:1]}
    named = {row_id: one.record.entities for row_id, one in index.fetch(first).items()} if first else {}
    titles = {row_id: text.name_key(entities[0]) for row_id, entities in named.items() if entities}
    mentions = index.mentions(tuple(titles.values())) if titles else []
    own = {(row_id, key) for row_id, key, role in mentions if role == "page"}
    return [(title, first[row_id]) for row_id, title in titles.items() if (row_id, title) in own]
