"""What stands beside a record: the line right before it, and the lines that say they replace it."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from commonplace.index.filters import condition
from commonplace.index.protocol import Filter
from commonplace.index.rows import READ, from_row
from commonplace.index.sql import all_rows, texts
from commonplace.model import Record

_STORED = "select dialogue, iif(actor <> '', time, '') from records where id = ?"
_TURN = """select rowid from records where dialogue = ?1 and dialogue <> 0 and iif(actor <> '', time, '') <= ?2
    and (iif(actor <> '', time, ''), path, line_start, byte_start) < (?2, ?3, ?4, ?5)
    order by iif(actor <> '', time, '') desc, path desc, line_start desc, byte_start desc limit 1"""
_LINE = """select rowid from records where path = ?3 and (line_start, byte_start) < (?4, ?5) and ?1 = 0 and ?2 = ''
    order by line_start desc, byte_start desc limit 1"""


def before(db: apsw.Connection, record: Record, only: Filter) -> Record | None:
    """The turn right before another in its dialogue, or the paragraph before another below the same titles."""
    source = record.source
    for dialogue, time in all_rows(db, _STORED, (record.id,)):
        place = (dialogue, time, source.path, source.line_start, source.byte_start)
        found = all_rows(db, _TURN if dialogue else _LINE, place)
        where, values = condition(only)
        query = f"select {READ} from records where rowid = ? and {where}"  # noqa: S608 - values are bound
        others = [from_row(one).record for (row,) in found for one in all_rows(db, query, (row, *values))]
        alike = (one for one in others if dialogue or (one.form, one.heading) == (record.form, record.heading))
        return next(alike, None)
    return None


def disputing(db: apsw.Connection, records: Sequence[str], only: Filter) -> list[tuple[str, int]]:
    """(id, row) of what says that it replaces any of the records, whether it does, and the filter lets through."""
    where, values = condition(only)
    query = f"""select target, records.rowid from json_each(?) as asked
        cross join supersessions on target = asked.value cross join records on records.rowid = supersessions.record
        where records.id <> target and {where}
        order by target, records.time desc, records.path, line_start"""  # noqa: S608 - values are bound
    return all_rows(db, query, (texts(records), *values))
