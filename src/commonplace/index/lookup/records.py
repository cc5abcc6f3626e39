"""Reading records: by row, id, filter or digest, and what stands beside or rests on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from commonplace.index import beside, digests, events, evidence
from commonplace.index.filters import condition
from commonplace.index.lookup.connected import NEWEST_FIRST, Connected
from commonplace.index.protocol import Filter, Row
from commonplace.index.rows import READ, from_row
from commonplace.index.sql import all_rows, numbers, one_value, texts
from commonplace.model import Interval, Record


class Records(Connected):
    """Records and captures, whole or as rows."""

    def few(self, only: Filter, at_most: int) -> list[int] | None:
        """The rows that the filter lets through, in any order; None if there are more than `at_most`.

        The answer is kept as long as nothing is written and nothing else is asked: most questions have one filter.
        """
        where, values = condition(only)
        kept, key = self._kept_of_now(), (where, *values, at_most)
        if kept.few is None or kept.few[0] != key:
            query = f"select rowid from records where {where} limit ?"  # noqa: S608 - values are bound
            found = all_rows(self._db, query, (*values, at_most + 1))
            kept.few = key, [row for (row,) in found] if len(found) <= at_most else None
        return kept.few[1]

    def count(self, only: Filter, at_most: int) -> list[int]:
        """Rows that the filter lets through, newest first, not more than `at_most`."""
        where, values = condition(only)
        query = f"select rowid from records where {where} order by {NEWEST_FIRST} limit ?"  # noqa: S608
        return self._kept_of_now().answers.rows(query, (*values, at_most))

    def newest(self, rows: Iterable[int], at_most: int) -> list[int]:
        """Of these rows the newest, then by path and line, not more than `at_most`."""
        found = all_rows(
            self._db,
            "select rowid from records where rowid in (select value from json_each(?))"  # noqa: S608
            f" order by {NEWEST_FIRST} limit ?",
            (numbers(rows), at_most),
        )
        return [row for (row,) in found]

    def fetch(self, rows: Iterable[int]) -> dict[int, Row]:
        """Whole records by row number, in the order asked; of a set in that of the numbers."""
        order = sorted(rows) if isinstance(rows, (set, frozenset)) else list(rows)
        if not order:
            return {}
        found = all_rows(
            self._db,
            f"select {READ} from records where rowid in (select value from json_each(?))",  # noqa: S608
            (numbers(order),),
        )
        there = {values[0]: values for values in found}
        return {row: from_row(there[row]) for row in order if row in there}

    def find(self, record_id: str) -> Record | None:
        """The record with this id."""
        found = all_rows(self._db, f"select {READ} from records where id = ?", (record_id,))  # noqa: S608
        return from_row(found[0]).record if found else None

    def row_of(self, record_id: str) -> int:
        """The row of the record with this id; 0 if there is none."""
        return int(one_value(self._db, "select rowid from records where id = ?", (record_id,)) or 0)

    def rows_with_ids(self, ids: Iterable[str]) -> list[int]:
        """The rows of the records with these ids."""
        found = all_rows(
            self._db, "select rowid from records where id in (select value from json_each(?))", (texts(sorted(ids)),)
        )
        return [row for (row,) in found]

    def outlines(self, rows: Iterable[int]) -> list[tuple[int, str, str, str]]:
        """(row, id, path, digest of the text) of rows, in order."""
        return evidence.outlines(self._db, rows)

    def digests_of(self, rows: Iterable[int]) -> dict[int, str]:
        """The digest of the text of each of the rows."""
        return digests.digests_of(self._db, rows)

    def rows_with(self, wanted: Iterable[str]) -> list[tuple[int, str]]:
        """(row, digest) of every record that has one of the texts of these digests."""
        return digests.rows_with(self._db, wanted)

    def all_digests(self) -> set[str]:
        """The digests of all texts, each of which may stand in several records; of what is quarantined none."""
        return digests.all_digests(self._db)

    def read_texts(self, wanted: Iterable[str]) -> Iterator[tuple[str, str]]:
        """(digest, text) of each of the digests that is there, once."""
        return digests.read_texts(self._db, wanted)

    def telling(self, stretch: Interval, only: Filter, at_most: int) -> list[tuple[int, str, str]]:
        """(row, start, end) of the times in a stretch that lines tell of and the filter lets through, latest first."""
        return events.telling(self._db, stretch, only, at_most)

    def before(self, record: Record, only: Filter) -> Record | None:
        """The turn right before another in its dialogue, or the paragraph before another below the same titles."""
        return beside.before(self._db, record, only)

    def disputing(self, records: Sequence[str], only: Filter) -> list[tuple[str, int]]:
        """(id, row) of what says that it replaces any of the records, whether it does, and the filter lets through."""
        return beside.disputing(self._db, records, only)

    def derived(self, sources: Sequence[str]) -> list[int]:
        """The rows of the records that rest on any of these sources."""
        found = all_rows(
            self._db,
            "select distinct record from derivations where source in (select value from json_each(?)) order by record",
            (texts(sources),),
        )
        return [row for (row,) in found]

    def tagged(self) -> list[tuple[str, str]]:
        """(tag, path) of every record that bears a tag, by tag and path."""
        return all_rows(
            self._db, "select tag, path from tags join records on records.rowid = tags.record order by tag, path"
        )

    def bearing(self, tag: str) -> list[int]:
        """The rows of the records that bear a tag."""
        found = all_rows(self._db, "select record from tags where tag = ?", (tag,))
        return [row for (row,) in found]
