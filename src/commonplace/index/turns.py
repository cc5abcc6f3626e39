"""Turns of dialogues: what was said before and after a line, in the same session or under the same heading."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import apsw

from commonplace.index.protocol import Dialogue, Turn
from commonplace.index.sql import all_rows, numbers

WHOLE = 300  # turns; of a longer dialogue only those near the lines asked about are read
NEAR = 4  # turns to either side of such a line
_COLUMNS = "records.rowid, tokens, context, length, speaker, actor, text"
# Which dialogue a line is a turn of: the session it was captured in, or its file and the headings above it.
_DIALOGUE = "iif(actor <> '', 's' || session, 'p' || records.path || char(1) || heading)"
_IS_TURN = "(speaker <> '' or session <> '')"


def dialogues(db: apsw.Connection, rows: Iterable[int]) -> dict[int, str]:
    """The dialogue of each of the rows that is a turn of one."""
    query = f"""select records.rowid, {_DIALOGUE} from json_each(?) as asked
        cross join records on records.rowid = asked.value where {_IS_TURN}"""  # noqa: S608 - constant
    return dict(all_rows(db, query, (numbers(rows),)))


def turns(db: apsw.Connection, rows: Iterable[int]) -> list[Turn]:
    """The rows as turns, in any order."""
    query = f"""select {_COLUMNS} from json_each(?) as asked
        cross join records on records.rowid = asked.value"""  # noqa: S608 - constant
    return [Turn(*values) for values in all_rows(db, query, (numbers(rows),))]


def dialogue(db: apsw.Connection, name: str, around: Collection[int]) -> Dialogue:
    """A dialogue as a whole; of a long one what is near the rows `around`."""
    order = _order(db, name)
    if len(order) <= WHOLE:
        found = {turn.row: turn for turn in turns(db, order)}
        return Dialogue(tuple(found[row] for row in order), len(order))
    asked = set(around)
    places = sorted({near for at, row in enumerate(order) if row in asked for near in range(at - NEAR, at + NEAR + 1)})
    wanted = [place for place in places if 0 <= place < len(order)]
    found = {turn.row: turn for turn in turns(db, [order[place] for place in wanted])}
    parted: list[Turn | None] = []
    for before, place in zip([-1, *wanted], wanted, strict=False):
        if place != before + 1 and parted:
            parted.append(None)
        parted.append(found[order[place]])
    return Dialogue(tuple(parted), len(order))


def _order(db: apsw.Connection, name: str) -> list[int]:
    if name[0] == "s":
        query = "select rowid from records where session = ? and actor <> '' order by time, path, line_start"
        return [row for (row,) in all_rows(db, query, (name[1:],))]
    path, _sign, heading = name[1:].partition("\x01")
    query = """select rowid from records where path = ? and heading = ? and speaker <> '' and actor = ''
        order by line_start, byte_start"""
    return [row for (row,) in all_rows(db, query, (path, heading))]
