"""One connection and the state that is read on it; what every part of `Lookup` stands on."""

from __future__ import annotations

from commonplace.index.kept import Kept
from commonplace.index.sql import Connection, one_value

NEWEST_FIRST = "iif(time = '', starts, time) desc, path, line_start, byte_start"


class Connected:
    """A connection, and what was read of its present state."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection
        self._kept = Kept(connection)
        self._standing: tuple[int, int] | None = None  # the state that a snapshot shows

    def state(self) -> tuple[int, int]:
        """What differs after every change of the index, whoever made it."""
        return self._standing or self._state_now()

    def _state_now(self) -> tuple[int, int]:
        return one_value(self._db, "pragma data_version"), self._db.total_changes()

    def _kept_of_now(self) -> Kept:
        """What was read of the state that is read now."""
        return self._kept.of(self.state())
