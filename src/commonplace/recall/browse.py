"""Looking without a question: what is known of an entity, and records in order of time."""

from __future__ import annotations

from msgspec import structs

from commonplace import text
from commonplace.errors import NotFound
from commonplace.index import Filter, Index
from commonplace.model import SHOWN, Query, Record
from commonplace.recall import names
from commonplace.recall.lanes import inside, reach
from commonplace.recall.understand import understand, visible

EntityRecords = tuple[str, tuple[Record, ...], tuple[Record, ...]]
RECORDS = Filter(trusts=SHOWN, evidence="none")


def entity_records(index: Index, name: str, at_most: int) -> EntityRecords | None:
    """The name as written, the records of the entity's page in order, and those that name it, newest first."""
    key = text.name_key(text.one_line(name))
    known = index.known_names((key,))
    if not known:
        return None
    keys = tuple(names.with_aliases(index, known))
    page = names.rows_on_pages(index, keys)
    named = {row for row, _key, _role in index.mentions(keys)} - set(page)
    shown = index.lengths([*page, *named], RECORDS).keys()
    newest = index.newest(named & shown, at_most)
    rows = index.fetch([*(row for row in page if row in shown), *newest])
    return known[key], tuple(rows[row].record for row in page if row in rows), tuple(rows[row].record for row in newest)


def surroundings(index: Index, query: Query, record_id: str, at_most: int) -> tuple[Record, ...]:
    """What was said or stands around a record, in order: lines of the same file, or captures of the same session.

    The `at_most` nearest that the query lets through, the record itself among them. Raises NotFound.
    """
    middle, here = index.find(record_id), index.row_of(record_id)
    if middle is None:
        raise NotFound("record", record_id)
    only = structs.replace(visible(structs.replace(query, evidence="auto")), since="", until="")
    rows = index.session(middle.session) if middle.is_evidence and middle.session else index.rows_of(middle.source.path)
    seen = index.lengths(rows, only)
    order = [row for row in rows if row in seen]
    place = order.index(here) if here in seen else 0
    first = max(0, min(place - (at_most - 1) // 2, len(order) - at_most))
    found = index.fetch(order[first : first + at_most])
    return tuple(found[row].record for row in order[first : first + at_most])


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
