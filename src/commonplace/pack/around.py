"""What stands around a line in the index: the one before it, what speaks against it, the newest of a task."""

from __future__ import annotations

import re
from functools import cache

from msgspec import structs

from commonplace.index import Filter, Index
from commonplace.model import Hit, Query, Record
from commonplace.pack.policy import QUEUE
from commonplace.recall import visible

BUFFER = "memory/working-buffer.md"
NEWEST = 8  # lines of the buffer, and as many captures of the session, that a tail chooses from
MOST_LOOKED_AT = 200  # of the last lines of a file or session, for those that the query may see


class Around:
    """Looks up what a pack shows beside its hits, as far as the query may see it."""

    def __init__(self, index: Index, query: Query, hits: tuple[Hit, ...] = ()) -> None:
        self._index, self._hits = index, hits
        seen = visible(structs.replace(query, kinds=(), categories=(), since="", until="", evidence="auto"))
        self._only: Filter = seen
        self._lines: dict[str, Record | None] = {}
        self._disputes: dict[str, list[Record]] | None = None

    def before(self, record: Record) -> Record | None:
        """The line right before another, in its dialogue or below the same titles."""
        if record.id not in self._lines:
            self._lines[record.id] = self._index.before(record, self._only)
        return self._lines[record.id]

    def against(self, record: Record) -> tuple[Record, ...]:
        """What replaces a record that is shown all the same, what says so and may not, what waits for review and
        contradicts it; a line that a record replaces does not speak against it."""
        if self._disputes is None:
            self._disputes = self._found()
        return tuple(self._disputes.get(record.id, ()))

    def newest(self, session: str, *, buffer: bool) -> tuple[Record, ...]:
        """The newest lines of the working buffer, then the newest captures of a session; the newest first."""
        noted = self._last(self._index.rows_of(BUFFER), NEWEST) if buffer else []
        said = self._last(self._index.session(session), NEWEST) if session else []
        return (*reversed(noted), *reversed(said))

    def _last(self, rows: list[int], at_most: int) -> list[Record]:
        """The last of the rows that the query may see; no titles."""
        seen = self._index.lengths(rows[-MOST_LOOKED_AT:], self._only)
        found = self._index.fetch([row for row in rows if row in seen])
        return [row.record for row in found.values() if row.record.form != "heading"][-at_most:]

    def _found(self) -> dict[str, list[Record]]:
        """By the id of a hit the lines that speak against it: those that say so, then those that wait for review."""
        pairs = self._index.disputing([hit.record.id for hit in self._hits], self._only)
        rows = self._index.fetch({row for _id, row in pairs})
        found: dict[str, list[Record]] = {}
        for record_id, row in pairs:
            found.setdefault(record_id, []).append(rows[row].record)
        for record in self._last(self._index.rows_of(QUEUE), MOST_LOOKED_AT):
            against = _against().search(record.text)
            for record_id in against[1].split(", ") if against else ():
                found.setdefault(record_id, []).append(record)
        return found


@cache
def _against() -> re.Pattern[str]:
    """How a line of the queue names what it contradicts (`consolidate.pending`)."""
    return re.compile(r"\[against ([a-z0-9, -]+)\]$")
