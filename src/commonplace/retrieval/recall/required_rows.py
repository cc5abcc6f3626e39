"""The rows that a query requires beside its filters: those of its entities, tags, paths and phrases."""

from __future__ import annotations

import re
from collections.abc import Iterator

from commonplace.index import AllOf, AnyOf, Index
from commonplace.language import text
from commonplace.language.word_data import LANGUAGES
from commonplace.model import Query
from commonplace.retrieval.recall.entity_names import EntityNames, rows_of_entities

MAX_TOKENS_BETWEEN = 8  # two words of a phrase: those of the parts of a word like `state-of-the-art`
REQUIRED_ARGUMENTS = ("entities", "tags", "paths", "phrases")  # of a query


def find_required_rows(index: Index, query: Query, entity_names: EntityNames) -> set[int] | None:
    """The rows that name one of the entities, have all of the tags, stand in a file of one of the paths and say all of
    the phrases; None if nothing of that is required. `entity_names` are the names of the entities with their aliases.
    """
    parts = [rows_of_entities(index, entity_names)] if query.entities else []
    parts += [_rows_with_tag(index, tag) for tag in query.tags]
    parts += [set(_rows_in_paths(index, query.paths))] if query.paths else []
    parts += [set(_rows_with_phrase(index, phrase)) for phrase in query.phrases]
    return set.intersection(*parts) if parts else None


def matches_path(path: str, beginning: str) -> bool:
    """Whether a path, or a part of it from a folder or name on, begins so: `notes/Trip-to-Bern.md` with `trip`. Case
    counts if any of it is upper case: `memory/` does not begin with `MEMORY`."""
    path = path if any(map(str.isupper, beginning)) else path.casefold()
    return f"/{beginning.lstrip('/')}" in f"/{path}"


def _rows_with_tag(index: Index, tag: str) -> set[int]:
    key = text.name_key(tag)
    return set(index.rows_with_tags(known for known in index.tags() if text.name_key(known) == key))


def _rows_in_paths(index: Index, paths: tuple[str, ...]) -> Iterator[int]:
    for path in index.stamps():
        if any(matches_path(path, beginning) for beginning in paths):
            yield from index.rows_of_file(path)


def _rows_with_phrase(index: Index, phrase: str) -> Iterator[int]:
    """The rows whose text has these words in this order, without regard to case, accents and what stands between.

    Their tokens, in this order with few others between, tell which texts are worth a look.
    """
    key = text.name_key(phrase)
    terms = text.query_terms(key, LANGUAGES)
    rows = index.matching_rows(AllOf(tuple(AnyOf(term.forms) for term in terms))) if terms else []
    words = (f" (?:{'|'.join(map(re.escape, term.forms))}) " for term in terms)
    in_order = re.compile(rf"(?: \S+ ){{0,{MAX_TOKENS_BETWEEN}}}".join(words))
    likely = [row_id for row_id, _path, tokens in index.outlines(rows) if in_order.search(tokens)]
    for row_id, indexed_record in index.fetch(likely).items():
        if f" {key} " in f" {text.name_key(indexed_record.record.text)} ":
            yield row_id
