"""The times that lines tell of: which lines tell of a stretch of time, and how much of what they mean lies in it."""

from __future__ import annotations

import apsw

from commonplace.index.filters import condition
from commonplace.index.protocol import Filter
from commonplace.index.sql import all_rows
from commonplace.model import Interval

WIDEST = 370  # days; no event is wider, so that earlier ones need not be looked at


def telling(db: apsw.Connection, stretch: Interval, only: Filter, at_most: int) -> list[tuple[int, str, str]]:
    """(row, start, end) of the times in a stretch that lines tell of and the filter lets through.

    The latest `at_most`.
    """
    where, values = condition(only)
    query = f"""select record, begins, closes from events
        cross join records on records.rowid = events.record
        where begins < ? and closes > ? and begins > date(substr(?, 1, 10), '-{WIDEST} days')
        and {where} order by begins desc, records.path, line_start, byte_start, closes limit ?"""  # noqa: S608 - values are bound
    first, last = stretch.start or "0001-01-01T00:00", stretch.end or "9999"
    return all_rows(db, query, (last, first, first, *values, at_most))
