"""What was read of one state of the database and may be asked for again; all of it is let go when anything changes."""

from __future__ import annotations

import apsw

from commonplace.index.answers import Answers
from commonplace.index.evidence import FIRST_ROW, next_rows
from commonplace.index.holders import Holders, Lengths
from commonplace.index.turns import Turns

LARGE = 300_000  # rows; beyond, what a token takes as bits is made and read more slowly than the full text is asked


class Kept:
    """Answers to questions that come again. Each kind of them is bounded: in bytes, in number, or to the last one."""

    def __init__(self, db: apsw.Connection) -> None:
        self.turns = Turns(db)
        self.holders, self.lengths, self.answers = Holders(db), Lengths(db), Answers(db)
        self._db = db
        self.said: tuple[int, int] | None = None
        self.frequencies: dict[str, int] = {}
        self.few: tuple[tuple[object, ...], list[int] | None] | None = None
        self.sessions: tuple[tuple[object, ...], tuple[str, ...]] | None = None
        self.is_small = True  # so that holders and lengths are worth keeping
        self._state: object = None

    def of(self, state: object) -> Kept:
        """What was read of this state."""
        if state != self._state:
            self.forget()
            rows = next_rows(self._db)
            self.is_small = max(rows[False], rows[True] - FIRST_ROW) <= LARGE
            self._state = state
        return self

    def forget(self) -> None:
        """Keep nothing."""
        self.said = self.few = self.sessions = self._state = None
        self.frequencies.clear()
        for one in (self.turns, self.holders, self.lengths, self.answers):
            one.forget()
