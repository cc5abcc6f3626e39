"""Sessions in order of time: those that were captured, and the dialogues that stand in Markdown."""

from __future__ import annotations

from collections.abc import Collection

import apsw

from commonplace.index.filters import condition
from commonplace.index.protocol import Filter
from commonplace.index.rows import packed
from commonplace.index.sql import all_rows, texts
from commonplace.model import Record

# As a dialogue is named: the session that a line was captured in, or its file and the headings above it.
_NAME = "iif(actor <> '', 's' || session, 'p' || records.path || char(1) || heading)"
_IS_SAID = "iif(actor <> '', session <> '', speaker <> '')"
NEWEST_FIRST = "time desc, path, line_start, byte_start"


def session_of(record: Record) -> str:
    """The name of the session that a record was said in; empty if it was said in none."""
    if record.actor:
        return f"s{record.session}" if record.session else ""
    return f"p{record.source.path}\x01{packed(record.heading)}" if record.speaker else ""


def in_order(db: apsw.Connection, only: Filter) -> tuple[str, ...]:
    """The names of the sessions in which something was said that the filter lets through, the first one first.

    A session is as old as its oldest line; of two the first by path and line comes first.
    """
    where, values = condition(only)
    first = "min(time || char(1) || records.path || char(1) || printf('%09d', line_start))"
    said = f"time <> '' and {_IS_SAID} and {where}"
    query = f"select {_NAME} from records where {said} group by 1 order by {first}"  # noqa: S608 - values are bound
    return tuple(name for (name,) in all_rows(db, query, values))


def said_in(db: apsw.Connection, names: Collection[str], only: Filter, at_most: int) -> list[int]:
    """The rows of sessions that the filter lets through, newest first, not more than `at_most`."""
    where, values = condition(only)
    captured = texts(name[1:] for name in names if name[:1] == "s")
    paths = texts(dict.fromkeys(name[1:].partition("\x01")[0] for name in names if name[:1] == "p"))
    query = f"""select rowid from records where rowid in (
            select rowid from records where session <> '' and session in (select value from json_each(?))
            union all select rowid from records where path in (select value from json_each(?))
        ) and {_IS_SAID} and {_NAME} in (select value from json_each(?)) and {where}
        order by {NEWEST_FIRST} limit ?"""  # noqa: S608 - values are bound
    found = all_rows(db, query, (captured, paths, texts(names), *values, at_most))
    return [row for (row,) in found]
