"""Look up records without ranking: lines by citation or id, records of an entity, a timeline."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import structs

from commonplace.errors import BadArgument, NotFound
from commonplace.index import Filter, Index
from commonplace.language import text
from commonplace.model import VISIBLE_TRUSTS, Query, Record, View
from commonplace.retrieval.recall.citations import parse_citation, parse_line_reference, resolve_citation
from commonplace.retrieval.recall.entity_names import expand_aliases, rows_on_entity_pages
from commonplace.retrieval.recall.filters import build_record_filter
from commonplace.retrieval.recall.query import parse_query
from commonplace.retrieval.recall.time_lanes import narrow_to_period, window_period

JOURNAL_FOLDER = ".memory/journal/"
ARTIFACT_FOLDER = ".memory/artifacts/"  # where a text lies that is too long for a line of a journal


def show_reference(
    index: Index,
    read: Callable[[str], bytes],
    reference: str,
    *,
    earlier_lines: Callable[[str], Iterable[str]] = lambda _path: (),
) -> View:
    """A record by id, or lines by `PATH`, `PATH#L12` or `PATH#L12-L15`; also of an artifact.

    A citation with an anchor (`PATH#L12~k3f9a…`) gives `ResolvedCitation`: the lines that it means today.
    `earlier_lines` are lines that stood in a file. Raises NotFound, BadArgument.
    """
    with index.snapshot():
        if parse_citation(reference) is None or index.find(reference) or reference in index.stamps():
            return _view_reference(index, read, reference)
        resolved = resolve_citation(index, read, reference, earlier_lines)
        return structs.replace(
            resolved, records=_records_on_lines(index, resolved.path, resolved.line_start, resolved.line_end)
        )


def _view_reference(index: Index, read: Callable[[str], bytes], reference: str) -> View:
    record = index.find(reference)
    if record is not None:
        path, first, last = record.source.path, record.source.line_start, record.source.line_end
    else:
        path, first, last = (reference, 0, 0) if reference in index.stamps() else parse_line_reference(reference)
        first = 1 if path == reference else first  # a last line of 0 is the end of the file
    captured: tuple[Record, ...] = ()
    if path.startswith(JOURNAL_FOLDER):
        of_journal = (row.record for row in index.fetch(index.rows_of_file(path)).values())
        captures = [one for one in of_journal if first <= one.source.line_start <= (last or first)]
        captured = tuple(sorted(captures, key=lambda one: one.source.line_start))
    if captured:  # a person reads what was said, not the line of JSON that keeps it
        start, end = captured[0].source.line_start, captured[-1].source.line_end
        return View(path, start, end, "\n".join(record.text for record in captured), captured)
    if path not in index.stamps() and not path.startswith(ARTIFACT_FOLDER):
        import difflib

        raise NotFound("record or file", reference, tuple(difflib.get_close_matches(path, [*index.stamps()], 2)))
    lines = read(path).decode("utf-8", "replace").removesuffix("\n").split("\n")
    last = min(last or len(lines), len(lines))
    if not 1 <= first <= last:
        raise BadArgument(f"{path!r} has {len(lines)} lines; {reference!r} asks for others")
    return View(path, first, last, "\n".join(lines[first - 1 : last]), _records_on_lines(index, path, first, last))


def _records_on_lines(index: Index, path: str, first_line: int, last_line: int) -> tuple[Record, ...]:
    records = (row.record for row in index.fetch(index.rows_of_file(path)).values())
    inside = [one for one in records if one.source.line_start <= last_line and one.source.line_end >= first_line]
    return tuple(sorted(inside, key=lambda record: (record.source.line_start, record.source.byte_start, record.id)))


EntityRecords = tuple[str, tuple[Record, ...], tuple[Record, ...]]
VISIBLE_RECORDS = Filter(trusts=VISIBLE_TRUSTS, evidence="none")


def find_entity_records(index: Index, name: str, at_most: int) -> EntityRecords | None:
    """The name as written, the records of the entity's page in order, and those that name it, newest first."""
    key = text.name_key(text.sanitize_line(name))
    written_names = index.written_names((key,))
    if not written_names:
        return None
    keys = tuple(expand_aliases(index, written_names))
    page = rows_on_entity_pages(index, keys)
    named = {row_id for row_id, _key, _role in index.mentions(keys)} - set(page)
    shown = index.token_counts([*page, *named], VISIBLE_RECORDS).keys()
    newest = index.newest_of_rows(named & shown, at_most)
    rows_by_id = index.fetch([*(row_id for row_id in page if row_id in shown), *newest])
    return (
        written_names[key],
        tuple(rows_by_id[row_id].record for row_id in page if row_id in rows_by_id),
        tuple(rows_by_id[row_id].record for row_id in newest),
    )


def find_surroundings(index: Index, query: Query, record_id: str, at_most: int) -> tuple[Record, ...]:
    """The records around a record, in order: lines of the same file, or captures of the same session.

    The `at_most` nearest that pass the filters of the query, with the record itself. Raises NotFound.
    """
    middle, here = index.find(record_id), index.row_of_record(record_id)
    if middle is None:
        raise NotFound("record", record_id)
    record_filter = structs.replace(build_record_filter(structs.replace(query, evidence="auto")), since="", until="")
    of_session = middle.is_evidence and middle.session
    row_ids = index.rows_of_session(middle.session) if of_session else index.rows_of_file(middle.source.path)
    seen = index.token_counts(row_ids, record_filter)
    order = [row_id for row_id in row_ids if row_id in seen]
    position = order.index(here) if here in seen else 0
    first = max(0, min(position - (at_most - 1) // 2, len(order) - at_most))
    rows_by_id = index.fetch(order[first : first + at_most])
    return tuple(rows_by_id[row_id].record for row_id in order[first : first + at_most])


def list_timeline(index: Index, query: Query, at_most: int) -> tuple[Record, ...]:
    """Dated records that the query lets through, in order of time; the newest `at_most` of them."""
    record_filter = build_record_filter(query)
    for window in parse_query(index, query).time_windows:
        record_filter = narrow_to_period(record_filter, window_period(window))
    if not record_filter.since and not record_filter.until:
        record_filter = structs.replace(record_filter, since="0001-01-01T00:00")
    rows_by_id = index.fetch(index.newest_filtered_rows(record_filter, at_most))
    records = [indexed_record.record for indexed_record in rows_by_id.values()]
    records.sort(key=lambda record: (record.time or record.valid_from, record.source.path, record.source.line_start))
    return tuple(records)
