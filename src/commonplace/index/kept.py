"""What was read of one state of the database and may be asked for again.

When another process writes all of it is let go, when we write ourselves what that may have touched.
"""

from __future__ import annotations

import apsw

from commonplace.index.answers import Answers
from commonplace.index.evidence import FIRST_ROW, next_rows
from commonplace.index.filters import looks_beyond
from commonplace.index.holders import Holders, Lengths
from commonplace.index.sql import all_rows, numbers
from commonplace.index.turns import Turns
from commonplace.index.written import Written

LARGE = 300_000  # rows; beyond, what a token takes as bits is made and read more slowly than the full text is asked


class Kept:
    """Answers to questions that come again. Each kind of them is bounded: in bytes, in number, or to the last one."""

    def __init__(self, db: apsw.Connection) -> None:
        self.turns = Turns(db)
        self.holders, self.lengths, self.answers = Holders(db), Lengths(db), Answers(db)
        self._db = db
        self.said: tuple[int, int] | None = None
        self.frequencies: dict[str, int] = {}
        self.near: dict[tuple[str, ...], tuple[str, ...]] = {}
        self.few: tuple[tuple[object, ...], list[int] | None] | None = None
        self.sessions: tuple[tuple[object, ...], tuple[str, ...]] | None = None
        self.is_small = True  # so that holders and lengths are worth keeping
        self._state: object = None

    def of(self, state: object) -> Kept:
        """What was read of this state."""
        if state != self._state:
            self.forget()
            self._go_on(state)
        return self

    def is_of(self, state: object) -> bool:
        """Whether what is kept was read of this state."""
        return state == self._state

    def follow(self, state: object, written: Written) -> None:
        """Go on with what stands in the state into which a transaction brought the one that this was read of."""
        if not written.is_any:
            self._state = state
            return
        if not written.is_more:
            self.forget()
            return
        self.said = self.sessions = None
        self.frequencies.clear()
        self.near.clear()
        self.answers.forget()
        self.holders.let_go(written.may_hold)  # lengths stay: a row that stays has the text that it had
        self.turns.let_go(written.added | written.changed)
        self.few = self._few_now(written)
        self._go_on(state)

    def _few_now(self, written: Written) -> tuple[tuple[object, ...], list[int] | None] | None:
        if self.few is None or looks_beyond(str(self.few[0][0])):
            return None
        asked, rows = self.few
        if rows is None:
            return None if written.changed else self.few  # still more than were wanted
        where, *values, at_most = asked
        come = written.added | written.changed
        query = f"select rowid from records where rowid in (select value from json_each(?)) and {where}"  # noqa: S608
        found = [row for (row,) in all_rows(self._db, query, (numbers(come), *values))]
        rows = [row for row in rows if row not in come] + found
        return asked, rows if len(rows) <= int(str(at_most)) else None

    def _go_on(self, state: object) -> None:
        rows = next_rows(self._db)
        self.is_small = max(rows[False], rows[True] - FIRST_ROW) <= LARGE
        self._state = state

    def forget(self) -> None:
        """Keep nothing."""
        self.said = self.few = self.sessions = self._state = None
        self.frequencies.clear()
        self.near.clear()
        for one in (self.turns, self.holders, self.lengths, self.answers):
            one.forget()
