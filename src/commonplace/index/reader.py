"""What reads the index: files, filters and whole records."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from msgspec import json

from commonplace.index import activity, dump, postings, reconcile, relations, sql, vector_keys
from commonplace.index.derived import HiddenPlace
from commonplace.index.protocol import Index
from commonplace.index.rows import CAPTURES_OF_PREFIX, PRECEDING_LINE, PRECEDING_TURN, READ_COLUMNS, from_record_row
from commonplace.index.snapshot_cache import SnapshotCache
from commonplace.index.values import MAX_EVENT_DAYS, FileRow, Filter, IndexedRecord, Stamp
from commonplace.model import Interval, Problem, Record

NEWEST_FIRST = "iif(time = '', starts, time) desc, path, line_start, byte_start"


class SnapshotReader(Index):
    """A connection, and what was read of its present state; what its methods return is said at `Index`."""

    def __init__(self, connection: sql.InterruptibleConnection) -> None:
        self._db = connection
        self._cache = SnapshotCache(connection)
        self._snapshot_state: tuple[int, int] | None = None  # the state that a snapshot shows

    def state(self) -> tuple[int, int]:
        return self._snapshot_state or self._read_state()

    def _read_state(self) -> tuple[int, int]:
        return sql.fetch_value(self._db, "pragma data_version"), self._db.total_changes()

    def _current_cache(self) -> SnapshotCache:
        """The cache of the current state."""
        return self._cache.at_state(self.state())


if TYPE_CHECKING:
    from commonplace.storage.workspace import Sweep

    SyncState = tuple[Sweep, Mapping[str, int] | None]

FILE_COLUMNS = "path, origin, digest, size, mtime, ctime, inode, role, title, records"


class FileReader(SnapshotReader):
    """Files, and what is known beside their records."""

    def __init__(self, connection: sql.InterruptibleConnection) -> None:
        super().__init__(connection)
        self._files: tuple[int, dict[str, FileRow]] | None = None
        self._stamps: tuple[int, dict[str, Stamp]] | None = None
        # The last look at the files, and the state it led to.
        self._synced_at: tuple[SyncState, tuple[int, int]] | None = None

    def get_meta(self, key: str) -> str:
        return sql.fetch_value(self._db, "select value from meta where key = ?", (key,)) or ""

    def hidden_ids(self) -> frozenset[str]:
        return frozenset(sql.fetch_column(self._db, "select id from hidden"))

    def hidden_sentences(self) -> dict[str, list[list[int]]]:
        found: dict[str, list[list[int]]] = {}
        for record_id, sentences in sql.fetch_all(self._db, "select id, sentences from hidden"):
            found.setdefault(record_id, []).append(json.decode(sentences or "[0]"))
        return {record_id: sorted(parts, reverse=True) for record_id, parts in found.items()}

    def edited_supersessions(self) -> dict[str, tuple[str, ...]]:
        query = "select id, other from ledger_relations where op = 'edited' order by 1, 2"
        pairs = groupby(sql.fetch_all(self._db, query), itemgetter(0))
        return {record_id: tuple(other for _id, other in own) for record_id, own in pairs}

    def hidden_places(self) -> tuple[HiddenPlace, ...]:
        rows = sql.fetch_all(self._db, "select path, first_line, last_line, id from hidden_places order by 1, 2, 4")
        return tuple(HiddenPlace(*row) for row in rows)

    def files(self) -> dict[str, FileRow]:
        version = sql.fetch_value(self._db, "pragma data_version")
        if self._files is None or self._files[0] != version:
            found = sql.fetch_all(self._db, f"select {FILE_COLUMNS} from files order by path")  # noqa: S608
            read = {p: FileRow(p, o, d, (s, m, c, i), r, t, n) for p, o, d, s, m, c, i, r, t, n in found}
            self._files = (version, read)
        return self._files[1]

    def file_digests(self, paths: Sequence[str]) -> tuple[str, dict[str, str]]:
        ordered = "select group_concat(path || ' ' || digest, char(10)) from (select * from files order by path)"
        some = "select path, digest from files where path in (select value from json_each(?))"
        listed = sql.fetch_value(self._db, ordered) or ""
        return listed, dict(sql.fetch_all(self._db, some, (sql.json_strings(paths),)))

    def stamps(self) -> dict[str, Stamp]:
        version = sql.fetch_value(self._db, "pragma data_version")
        if self._stamps is None or self._stamps[0] != version:
            found = sql.fetch_all(self._db, "select path, size, mtime, ctime, inode from files")
            self._stamps = (version, {path: (size, m, c, inode) for path, size, m, c, inode in found})
        return self._stamps[1]

    def mark_synced(self, sweep: Sweep, journal_sizes: Mapping[str, int] | None = None) -> None:
        self._synced_at = (sweep, journal_sizes), self.state()

    def synced_state(self) -> SyncState | None:
        return self._synced_at[0] if self._synced_at is not None and self._synced_at[1] == self.state() else None

    def find_stale_origins(self) -> frozenset[str]:
        # The ledger forgets none that it knew.
        query = "select path from moves cross join files using (path) where files.origin <> moves.origin"
        return frozenset(sql.fetch_column(self._db, query))

    def origin_of(self, path: str) -> str:
        return sql.fetch_value(self._db, "select origin from moves where path = ?", (path,)) or path

    def rows_of_file(self, path: str, first_line: int = 1, last_line: int = 1 << 40) -> list[int]:
        return postings.find_rows_of_file(self._db, path, (first_line, last_line))

    def find_captured_keys(self, capture_keys: Sequence[str]) -> frozenset[str]:
        asked = json.encode(list(capture_keys)).decode()
        query = "select key from captured where key in (select value from json_each(?))"
        return frozenset(sql.fetch_column(self._db, query, (asked,)))

    def find_tainted_shingles(self, hashes: Collection[int]) -> frozenset[int]:
        return reconcile.find_tainted_shingles(self._db, hashes)

    def has_tainted_shingles(self) -> bool:
        return bool(sql.fetch_value(self._db, "select exists (select 1 from taints)"))

    def counts(self) -> dict[str, int]:
        queries = {
            "records": "select count(*) from records where actor = ''",
            "captures": "select count(*) from records where actor <> ''",
            "entities": "select count(distinct key) from mentions",
            "tags": "select count(distinct tag) from tags",
            "scopes": "select count(distinct scope) from records where scope <> ''",
        }
        cache = self._current_cache()
        if cache.counts is None:
            cache.counts = {name: sql.fetch_value(self._db, query) for name, query in queries.items()}
        file_count = sql.fetch_value(self._db, "select count(*) from files")
        return {"files": file_count, **cache.counts, "problems": len(self.problems())}

    def problems(self) -> tuple[Problem, ...]:
        rows = self._problem_rows()
        return tuple(Problem(code, message, path, line, hint) for path, line, code, message, hint in rows)

    def _problem_rows(self) -> list[tuple[str, int, str, str, str]]:
        return sorted(row for query in dump.PROBLEM_QUERIES for row in sql.fetch_all(self._db, query))

    def conflicted_paths(self) -> frozenset[str]:
        return frozenset(sql.fetch_column(self._db, dump.CONFLICTED_PATHS))

    def dump(self) -> list[str]:
        queries = dump.DUMP_QUERIES.items()
        lines = [json.encode((name, *row)).decode() for name, one in queries for row in sql.fetch_all(self._db, one)]
        return lines + [json.encode(("problem", *row)).decode() for row in self._problem_rows()]


class RecordReader(SnapshotReader):
    """Records and captures, whole or as rows."""

    def filtered_rows(self, record_filter: Filter, at_most: int) -> list[int] | None:
        # Kept as long as nothing is written and nothing else is asked: most questions have one filter.
        where, values = sql.filter_condition(record_filter)
        kept, key = self._current_cache(), (where, *values, at_most)
        if kept.filtered_rows is None or kept.filtered_rows[0] != key:
            query = f"select rowid from records where {where} limit ?"  # noqa: S608 - values are bound
            found = sql.fetch_column(self._db, query, (*values, at_most + 1))
            kept.filtered_rows = key, found if len(found) <= at_most else None
        return kept.filtered_rows[1]

    def newest_filtered_rows(self, record_filter: Filter, at_most: int, *, by_importance: bool = False) -> list[int]:
        where, values = sql.filter_condition(record_filter)
        order = f"actor <> '', coalesce(importance, 0.4) desc, {NEWEST_FIRST}" if by_importance else NEWEST_FIRST
        query = f"select rowid from records where {where} order by {order} limit ?"  # noqa: S608
        return list(self._current_cache().fetch_rows(query, *values, at_most))

    def newest_of_rows(self, row_ids: Iterable[int], at_most: int) -> list[int]:
        query = f"""select rowid from records where rowid in (select value from json_each(?))
            order by {NEWEST_FIRST} limit ?"""  # noqa: S608 - constant
        return sql.fetch_column(self._db, query, (sql.json_integers(row_ids), at_most))

    def fetch(self, row_ids: Iterable[int]) -> dict[int, IndexedRecord]:
        order = sorted(row_ids) if isinstance(row_ids, (set, frozenset)) else list(row_ids)
        if not order:
            return {}
        query = f"select {READ_COLUMNS} from records where rowid in (select value from json_each(?))"  # noqa: S608
        there = {values[0]: values for values in sql.fetch_all(self._db, query, (sql.json_integers(order),))}
        return {row: from_record_row(there[row]) for row in order if row in there}

    def current_rows(self) -> dict[int, int]:
        kept = self._current_cache()
        if kept.current_rows is None:
            kept.current_rows = dict(sql.fetch_all(self._db, relations.CURRENT_ROWS))
        return kept.current_rows

    def find(self, record_id: str) -> Record | None:
        found = sql.fetch_all(self._db, f"select {READ_COLUMNS} from records where id = ?", (record_id,))  # noqa: S608
        return from_record_row(found[0]).record if found else None

    def find_captures(self, id_prefix: str) -> tuple[Record, ...]:
        query = f"select {READ_COLUMNS} from records where {CAPTURES_OF_PREFIX} order by id"  # noqa: S608 - constants
        return tuple([from_record_row(row).record for row in sql.fetch_all(self._db, query, (id_prefix, id_prefix))])

    def unrecorded_ids(self) -> list[str]:
        query = (
            "select id from records indexed by records_unseen where recorded = '' and form <> 'heading'"
            " order by path, line_start, id"
        )
        return sql.fetch_column(self._db, query)

    def recorded_days(self, period: Interval, record_filter: Filter) -> list[tuple[str, int, int]]:
        return activity.count_recorded_days(self._db, period, record_filter)

    def recorded_rows(
        self, period: Interval, record_filter: Filter, *, part: range, by_importance: bool = False
    ) -> list[int]:
        return activity.find_recorded_rows(self._db, period, record_filter, part=part, by_importance=by_importance)

    def last_recorded_day(self) -> str:
        return activity.find_last_recorded_day(self._db)

    def row_of_record(self, record_id: str) -> int:
        return int(sql.fetch_value(self._db, "select rowid from records where id = ?", (record_id,)) or 0)

    def rows_with_ids(self, ids: Iterable[str]) -> list[int]:
        query = "select rowid from records where id in (select value from json_each(?))"
        return sql.fetch_column(self._db, query, (sql.json_strings(sorted(ids)),))

    def outlines(self, row_ids: Iterable[int]) -> list[tuple[int, str, str]]:
        query = """select records.rowid, records.path, tokens from json_each(?) as asked
            cross join records on records.rowid = asked.value order by 1"""
        return sql.fetch_all(self._db, query, (sql.json_integers(row_ids),))

    def text_digests(self, row_ids: Iterable[int]) -> dict[int, str]:
        query = """select records.rowid, text_digest from json_each(?) as asked
            cross join records on records.rowid = asked.value"""
        return dict(sql.fetch_all(self._db, query, (sql.json_integers(row_ids),)))

    def rows_with_digests(self, text_digests: Iterable[str]) -> list[tuple[int, str]]:
        query = """select records.rowid, text_digest from json_each(?) as asked
            cross join records on records.text_digest = asked.value"""
        return sql.fetch_all(self._db, query, (sql.json_strings(text_digests),))

    def all_vector_keys(self, *, with_context: bool) -> dict[str, int]:
        return vector_keys.count_vector_keys(self._db, with_context=with_context)

    def vector_keys(self, row_ids: Iterable[int]) -> dict[int, str]:
        return vector_keys.find_vector_keys(self._db, row_ids)

    def read_texts(self, keys: Iterable[str]) -> Iterator[tuple[str, str, str]]:
        return vector_keys.read_embedded_texts(self._db, keys)

    def events_in(self, interval: Interval, record_filter: Filter, at_most: int) -> list[tuple[int, str, str]]:
        where, values = sql.filter_condition(record_filter)
        query = f"""select record, begins, closes from events
            cross join records on records.rowid = events.record
            where begins < ? and closes > ? and begins > date(substr(?, 1, 10), '-{MAX_EVENT_DAYS} days')
            and {where} order by begins desc, records.path, line_start, byte_start, closes limit ?"""  # noqa: S608
        first, last = interval.start or "0001-01-01T00:00", interval.end or "9999"
        return sql.fetch_all(self._db, query, (last, first, first, *values, at_most))

    def preceding_record(self, record: Record, record_filter: Filter) -> Record | None:
        query = "select dialogue, iif(actor <> '', time, '') from records where id = ?"
        where, values = sql.filter_condition(record_filter)
        visible = f"select {READ_COLUMNS} from records where rowid = ? and {where}"  # noqa: S608 - values are bound
        source = record.source
        for dialogue, time in sql.fetch_all(self._db, query, (record.id,)):
            place = (dialogue, time, source.path, source.line_start, source.byte_start)
            found = sql.fetch_column(self._db, PRECEDING_TURN if dialogue else PRECEDING_LINE, place)
            shown = (one for row in found for one in sql.fetch_all(self._db, visible, (row, *values)))
            others = [from_record_row(one).record for one in shown]
            alike = (one for one in others if dialogue or (one.form, one.heading) == (record.form, record.heading))
            return next(alike, None)
        return None

    def rows_derived_from(self, source_ids: Sequence[str]) -> list[int]:
        query = """select distinct record from derivations where source in (select value from json_each(?))
            order by record"""
        return sql.fetch_column(self._db, query, (sql.json_strings(source_ids),))

    def tagged_rows(self) -> list[tuple[str, str, int]]:
        query = "select tag, path, record from tags join records on records.rowid = tags.record order by tag, path"
        return sql.fetch_all(self._db, query)

    def tags(self) -> tuple[str, ...]:
        return self._current_cache().fetch_rows("select distinct tag from tags order by tag")

    def rows_with_tags(self, tags: Iterable[str]) -> list[int]:
        return postings.find_tagged_rows(self._db, tags)

    def token_counts(self, row_ids: Iterable[int], record_filter: Filter) -> dict[int, int]:
        where, values = sql.filter_condition(record_filter)
        query = f"""select records.rowid, length from json_each(?) as asked
            cross join records on records.rowid = asked.value where {where}"""  # noqa: S608 - values are bound
        return dict(sql.fetch_all(self._db, query, (sql.json_integers(row_ids), *values)))
