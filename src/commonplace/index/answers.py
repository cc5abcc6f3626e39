"""Rows as a statement gave them, in its order, kept between questions: people ask again for the same name and week."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any

import apsw

from commonplace.index.sql import all_rows

MOST_KEPT = 500_000  # bytes; of more what was not asked for lately is let go
EACH = 1_000  # bytes that a statement takes beside its rows and the values that are bound


class Answers:
    """The rows that statements give, of one state of the database; who keeps it sees to that."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._known: dict[tuple[Any, ...], array[int]] = {}  # what was asked for last comes last
        self._bytes = 0

    def forget(self) -> None:
        """Keep nothing of what was read."""
        self._known, self._bytes = {}, 0

    def rows(self, query: str, values: tuple[Any, ...]) -> list[int]:
        """The rows that a statement of one column gives, in order."""
        asked = query, *values
        if asked in self._known:
            found = self._known[asked] = self._known.pop(asked)
            return found.tolist()
        found = self._known[asked] = array("q", [row for (row,) in all_rows(self._db, query, values)])
        self._bytes += _size(values, found)
        while self._bytes > MOST_KEPT and len(self._known) > 1:
            oldest = next(iter(self._known))
            self._bytes -= _size(oldest[1:], self._known.pop(oldest))
        return found.tolist()


def _size(values: Iterable[Any], rows: array[int]) -> int:
    return EACH + sum([len(value) for value in values if isinstance(value, str)]) + rows.itemsize * len(rows)
