"""Looking without a question: what is known of an entity, and records in order of time."""

from __future__ import annotations

from msgspec import structs

from commonplace import text
from commonplace.index import Index
from commonplace.model import Query, Record
from commonplace.recall.understand import understand, visible

EntityRecords = tuple[str, tuple[Record, ...], tuple[Record, ...]]


def entity_records(index: Index, name: str, at_most: int) -> EntityRecords | None:
    """The name as written, the records of the entity's page in order, and those that name it, newest first."""
    key = text.name_key(name)
    known = index.known_names((key,))
    if not known:
        return None
    page = [row for _key, path in index.pages((key,)) for row in index.rows_of(path)]
    named = {row for row, _key, _role in index.mentions((key,))} - set(page)
    newest = index.newest(named, at_most)
    rows = index.fetch([*page, *newest])
    return known[key], tuple(rows[row].record for row in page), tuple(rows[row].record for row in newest)


def timeline(index: Index, query: Query, at_most: int) -> tuple[Record, ...]:
    """Dated records that the query lets through, in order of time; the newest `at_most` of them."""
    only = visible(query)
    for window in understand(index, query).windows:
        only = structs.replace(only, since=window.start, until=window.end)
    if not only.since and not only.until:
        only = structs.replace(only, since="0001-01-01T00:00")
    rows = index.fetch(index.count(only, at_most))
    records = [row.record for row in rows.values()]
    records.sort(key=lambda record: (record.time, record.source.path, record.source.line_start))
    return tuple(records)
