"""Which entities and pages a query names: whole words, the longest match first, an alias as good as the name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from commonplace import text
from commonplace.index import Index

LONGEST_NAME = 6  # words
LOOKED_AT = 2_000  # characters of a query; what names something says so early
ALIKE = 0.7  # how alike a name must be to be suggested, as difflib measures it

Names = dict[str, str]  # every folded name to look for, with the one of the query that it stands for


def spoken_names(index: Index, written: str) -> Names:
    """The names that a text says, and others of those who bear them."""
    words = text.name_key(_possessive().sub(" ", written[:LOOKED_AT])).split(" ")
    spans = list(_spans(words))
    known = index.known(tuple(dict.fromkeys(name for _start, name in spans)))
    said: list[str] = []
    end = 0
    for start, name in sorted(spans, key=lambda span: (span[0], -len(span[1]))):
        if start >= end and name in known:
            said.append(name)
            end = start + name.count(" ") + 1
    return with_aliases(index, said, known)


def with_aliases(index: Index, said: Iterable[str], known: Iterable[str] = ()) -> Names:
    """Names, the titles of the pages that bear them, and shorter names among `known` that the same pages bear."""
    names = {name: name for name in said}
    if not names:
        return names
    pages: dict[str, str] = {}
    for name, path in index.pages(tuple(names)):
        pages.setdefault(path, name)
    for title, path in _titles(index, pages):
        names.setdefault(title, pages[path])
    shorter = tuple(name for name in known if name not in names) if pages else ()
    for name, path in index.pages(shorter) if shorter else ():
        if path in pages:
            names.setdefault(name, pages[path])
    return names


def rows_bearing(index: Index, names: Iterable[str]) -> set[int]:
    """The records that bear one of the names: on their pages, spoken by them, or naming them."""
    keys = tuple(names)
    return {*rows_on_pages(index, keys), *(row for row, _key, _role in index.mentions(keys))}


def rows_on_pages(index: Index, names: Iterable[str]) -> list[int]:
    """The records of the pages that bear the names, in the order in which they stand."""
    paths = dict.fromkeys(path for _key, path in index.pages(tuple(names)))
    return [row for path in paths for row in index.rows_of(path)]


def unknown_name(index: Index, name: str) -> str:
    """A note that nothing bears a name, with those that look most like it."""
    import difflib

    known = {key: written for key, written, _records in index.entities()}
    near = [known[key] for key in difflib.get_close_matches(text.name_key(name), known, 2, ALIKE)]
    return f"nothing names {name}" + (f"; did you mean {' or '.join(near)}?" if near else "")


def _spans(words: list[str]) -> Iterator[tuple[int, str]]:
    """Every run of up to six words with its place; a function word alone names nothing."""
    for length in range(min(LONGEST_NAME, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            if length > 1 or not text.is_stop(words[start], "en"):
                yield start, " ".join(words[start : start + length])


def _titles(index: Index, paths: Iterable[str]) -> list[tuple[str, str]]:
    """(folded title, path) of those that are pages of entities, whose every record names the entity first."""
    first = {row: path for path in paths for row in index.rows_of(path)[:1]}
    named = {row: one.record.entities for row, one in index.fetch(first).items()} if first else {}
    titles = {row: text.name_key(entities[0]) for row, entities in named.items() if entities}
    own = {(row, key) for row, key, role in index.mentions(tuple(titles.values())) if role == "page"} if titles else ()
    return [(title, first[row]) for row, title in titles.items() if (row, title) in own]


@cache
def _possessive() -> re.Pattern[str]:
    """The ending of `Ada's`, before any sign that follows it."""
    return re.compile("['’]s(?!\\w)", re.IGNORECASE)
