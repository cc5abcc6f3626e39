"""What was written down when: counts by day, and the rows of a period."""

from __future__ import annotations

import apsw

from commonplace.index.postings import FIRST_CAPTURE_ROW
from commonplace.index.sql import QUEUED, fetch_all, fetch_column, fetch_value, filter_condition
from commonplace.index.values import Filter
from commonplace.model import Interval

DATED = "recorded <> '' and form <> 'heading'"  # as in the index `records_recorded`, which answers without the table
MAX_GRADED_ROWS = 2_000  # of a period, the newest: the most important are looked for among them


def count_recorded_days(db: apsw.Connection, period: Interval, record_filter: Filter) -> list[tuple[str, int, int]]:
    """(day, captures, lines) of each day of the period on which something was written down that the filter lets
    through, in order; an empty start or end is open."""
    where, values = _period_condition(period, record_filter)
    query = f"""select substr(recorded, 1, 10), sum(rowid >= {FIRST_CAPTURE_ROW}), sum(rowid < {FIRST_CAPTURE_ROW})
        from records where {where} group by 1 order by 1"""  # noqa: S608
    waiting = f"select substr(recorded, 1, 10), count(*) from records where {where} and {QUEUED} group by 1"  # noqa: S608
    waiting_lines = dict(fetch_all(db, waiting, values))  # read apart, so that the rest needs no look at the table
    days = [(day, captures, lines - waiting_lines.get(day, 0)) for day, captures, lines in fetch_all(db, query, values)]
    return [one for one in days if any(one[1:])]


def find_last_recorded_day(db: apsw.Connection) -> str:
    """The newest day on which anything was written down; empty if none is known."""
    return (fetch_value(db, f"select max(recorded) from records where {DATED}") or "")[:10]  # noqa: S608


def find_recorded_rows(
    db: apsw.Connection, period: Interval, record_filter: Filter, *, part: range, by_importance: bool = False
) -> list[int]:
    """A part of the rows of a period that the filter lets through, the newest first; with `by_importance` of the newest
    `MAX_GRADED_ROWS`, the most important first."""
    where, values = _period_condition(period, record_filter)
    query = f"select rowid as row, * from records where {where} and not {QUEUED}"  # noqa: S608
    order = "recorded desc, row desc"
    if by_importance:
        query = f"select * from ({query} order by {order} limit {MAX_GRADED_ROWS})"  # noqa: S608
        order = f"coalesce(importance, 0) desc, {order}"
    query = f"select row from ({query}) order by {order} limit ? offset ?"  # noqa: S608
    return fetch_column(db, query, (*values, len(part), part.start))


def _period_condition(period: Interval, record_filter: Filter) -> tuple[str, tuple[object, ...]]:
    """SQL after `where` and the values to bind; records and captures are told apart by their rows."""
    sides = {"none": f"rowid < {FIRST_CAPTURE_ROW}", "only": f"rowid >= {FIRST_CAPTURE_ROW}"}
    of_side = sides.get(record_filter.evidence, "1")
    where, values = filter_condition(Filter(scopes=record_filter.scopes, trusts=record_filter.trusts, history=True))
    bounds = "recorded >= ? and recorded < ?"
    return f"{DATED} and {bounds} and {of_side} and {where}", (period.start, period.end or "9999", *values)
