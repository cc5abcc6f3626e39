"""Turns of dialogues: what was said before and after a line, in the same session or under the same heading."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import filterfalse, groupby
from operator import itemgetter
from typing import Any, Literal

import apsw

from commonplace.index.filters import Condition, condition, looks_beyond
from commonplace.index.protocol import Dialogue, Filter, Turn
from commonplace.index.sql import all_rows, numbers
from commonplace.model import Record

WHOLE = 300  # turns; of a longer dialogue only those near the lines asked about are read
MOST_KEPT = 13_000_000  # bytes; of more all is let go
EACH, PLACE = 400, 40  # bytes: what a turn takes beside its text and tokens, and what its place in a long dialogue
SHAPE = 80  # bytes of a place in a dialogue that is kept as a whole, with what recall makes of it
NAME = 200  # bytes of the name of a row's dialogue
HIDDEN: Literal[False] = False
NEAR = 4  # turns to either side of such a line
_COLUMNS = "records.rowid, tokens, context, length, speaker, actor, text"
_NAME = "iif(actor <> '', 's' || session, 'p' || records.path || char(1) || heading)"
_ORDER = "dialogue, iif(actor <> '', time, ''), records.path, line_start, byte_start"


def dialogue_of(record: Record, heading: str) -> int:
    """The number of the dialogue that a record is a turn of; 0 if it is no turn. `heading` is as stored.

    A turn is what was captured in a session, or said under the same headings of the same file.
    """
    if record.actor:
        return _number(f"s{record.session}") if record.session or record.speaker else 0
    return _number(f"p{record.source.path}\x01{heading}") if record.speaker else 0


@lru_cache(256)
def _number(name: str) -> int:
    """So wide a hash of the name that no two of any number of dialogues meet; never 0."""
    return int.from_bytes(blake2b(name.encode("utf-8", "replace"), digest_size=8).digest(), "big") >> 1 | 1


class Turns:
    """Turns and dialogues of one state of the database, to which who keeps it sees; what was read is kept as far as it
    takes little memory, and the turns as far as one filter is asked for."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._only: Condition = "", ()
        self._turns: dict[int, Turn | Literal[False]] = {}  # by row; False for what the filter hides
        self._names: dict[int, str] = {}  # of the dialogues of rows; empty of a row that is no turn
        self._orders: dict[str, list[int]] = {}  # the rows of long dialogues, by name
        self._wholes: dict[str, Dialogue] = {}  # the others
        self._titles: dict[str, str] = {}
        self._bytes = 0

    def forget(self) -> None:
        """Keep nothing of what was read."""
        self._turns, self._names, self._bytes = {}, {}, 0
        self._orders, self._wholes, self._titles = {}, {}, {}

    def let_go(self, rows: Collection[int]) -> None:
        """Keep nothing of these rows, nor of the dialogues in which they stand."""
        if looks_beyond(self._only[0]):
            return self.forget()
        for row in rows:
            self._turns.pop(row, None)
        for name in self.names(rows).values():
            self._orders.pop(name, None)
            self._wholes.pop(name, None)
        return None

    def read(self, rows: Iterable[int], only: Filter) -> list[Turn]:
        """Those of the rows that the filter lets through, in any order."""
        where, values = self._look_through(only)
        asked = list(rows)
        known = self._turns
        found = [turn for turn in map(known.get, asked) if turn]
        if len(found) < len(asked) and (fresh := [row for row in asked if row not in known]):
            query = f"""select {_COLUMNS} from json_each(?) as asked cross join records
                on records.rowid = asked.value where {where}"""  # noqa: S608 - constant, values are bound
            read = [self._turn(*turn) for turn in all_rows(self._db, query, (numbers(fresh), *values))]
            known.update(dict.fromkeys(fresh, HIDDEN))
            known.update((turn.row, turn) for turn in read)
            self._bytes += len(fresh) * EACH + sum([len(turn.text) + len(turn.tokens) for turn in read])
            found += read
        return found

    def _look_through(self, only: Filter) -> Condition:
        """The filter as a condition; what was read through another one is let go, and all where it is too much."""
        asked = condition(only)
        if self._only != asked or self._bytes > MOST_KEPT:
            self.forget()
            self._only = asked
        return asked

    def _turn(self, row: int, tokens: str, context: str, *rest: Any) -> Turn:
        """A turn that shares its titles with those beside it."""
        return Turn(row, tokens, self._titles.setdefault(context, context), *rest)

    def names(self, rows: Iterable[int]) -> dict[int, str]:
        """The name of the dialogue of each of the rows that is a turn of one."""
        asked = list(rows)
        fresh = list(filterfalse(self._names.__contains__, asked))
        if fresh:
            query = f"""select records.rowid, iif(dialogue, {_NAME}, '') from json_each(?) as asked
                cross join records on records.rowid = asked.value"""  # noqa: S608 - constant
            read: dict[int, str] = dict(all_rows(self._db, query, (numbers(fresh),)))
            self._names |= read
            self._bytes += NAME * len(read)
        return {row: name for row, name in zip(asked, map(self._names.get, asked), strict=True) if name}

    def dialogues(self, names: Sequence[str], around: Collection[int], only: Filter) -> list[Dialogue]:
        """Dialogues as wholes, in the order asked for; of long ones what is near the rows `around`."""
        self._look_through(only)
        known = {name: whole for name in names if (whole := self._wholes.get(name))}
        if len(known) < len(names):
            known |= self._read_dialogues([name for name in names if name not in known], around, only)
        return [known[name] for name in names]

    def _read_dialogues(self, names: Sequence[str], around: Collection[int], only: Filter) -> dict[str, Dialogue]:
        fresh = [name for name in names if name not in self._orders]
        orders = self._orders | (_orders(self._db, fresh) if fresh else {})
        wanted = {name: _wanted(orders.get(name, []), around) for name in names}
        found = {turn.row: turn for turn in self.read([row for rows in wanted.values() for row in rows if row], only)}
        read = {
            name: Dialogue(tuple([found.get(row) for row in rows]), len(orders.get(name, [])))
            for name, rows in wanted.items()
        }
        wholes = {name: dialogue for name, dialogue in read.items() if dialogue.size <= WHOLE}
        longs = {name: orders[name] for name in fresh if name not in wholes}
        self._wholes |= wholes
        self._orders |= longs
        self._bytes += sum(EACH + SHAPE * whole.size for whole in wholes.values())
        self._bytes += sum(EACH + PLACE * len(order) for order in longs.values())
        return read


def _orders(db: apsw.Connection, names: Sequence[str]) -> dict[str, list[int]]:
    """The rows of dialogues in order, by name."""
    query = f"""select dialogue, records.rowid from json_each(?) as asked
        cross join records on dialogue = asked.value and dialogue <> 0 order by {_ORDER}"""  # noqa: S608 - constant
    asked = {_number(name): name for name in names}
    ordered = groupby(all_rows(db, query, (numbers(asked),)), itemgetter(0))
    return {asked[number]: [row for _number, row in members] for number, members in ordered}


def _wanted(order: list[int], around: Collection[int]) -> list[int]:
    """The rows to be read, in order; 0 stands where some are left out."""
    if len(order) <= WHOLE:
        return order
    asked = set(around)
    places = sorted({near for at, row in enumerate(order) if row in asked for near in range(at - NEAR, at + NEAR + 1)})
    wanted: list[int] = []
    before = -1
    for place in places:
        if not 0 <= place < len(order):
            continue
        wanted += [0, order[place]] if place != before + 1 and wanted else [order[place]]
        before = place
    return wanted
