"""Looking without a question: what is known of an entity, and records in order of time."""

from __future__ import annotations

from msgspec import structs

from commonplace import text
from commonplace.index import Filter, Index
from commonplace.model import Query, Record
from commonplace.recall import names
from commonplace.recall.lanes import inside, reach
from commonplace.recall.understand import understand, visible

EntityRecords = tuple[str, tuple[Record, ...], tuple[Record, ...]]
SHOWN = Filter(trusts=("trusted", "unknown", "untrusted"))


def entity_records(index: Index, name: str, at_most: int) -> EntityRecords | None:
    """The name as written, the records of the entity's page in order, and those that name it, newest first."""
    key = text.name_key(text.one_line(name))
    known = index.known_names((key,))
    if not known:
        return None
    keys = tuple(names.with_aliases(index, known))
    page = names.rows_on_pages(index, keys)
    named = {row for row, _key, _role in index.mentions(keys)} - set(page)
    shown = index.lengths([*page, *named], SHOWN).keys()
    newest = index.newest(named & shown, at_most)
    rows = index.fetch([*(row for row in page if row in shown), *newest])
    return known[key], tuple(rows[row].record for row in page if row in rows), tuple(rows[row].record for row in newest)


def timeline(index: Index, query: Query, at_most: int) -> tuple[Record, ...]:
    """Dated records that the query lets through, in order of time; the newest `at_most` of them."""
    only = visible(query)
    for window in understand(index, query).windows:
        only = inside(only, reach(window))
    if not only.since and not only.until:
        only = structs.replace(only, since="0001-01-01T00:00")
    rows = index.fetch(index.count(only, at_most))
    records = [row.record for row in rows.values()]
    records.sort(key=lambda record: (record.time or record.valid_from, record.source.path, record.source.line_start))
    return tuple(records)
