"""Run a query and get its rows, untyped as the database gives them; and say in our words how a database fails."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

import apsw
from msgspec import json

from commonplace.errors import UNWRITABLE, CommonplaceError, Interrupted, LockBusy, WorkspaceUnusable

BROKEN_OFF = "the index was told to stop"
BUSY_MS = 3_000
RANK = "case {} when 'quarantined' then 0 when 'untrusted' then 1 when 'unknown' then 2 else 3 end"  # of a trust
REFUSED = (apsw.FullError, apsw.ReadOnlyError, apsw.PermissionsError)  # for want of room, or of leave to write
DAMAGED = (apsw.CorruptError, apsw.NotADBError)
FAILURES = (
    *DAMAGED,
    apsw.InterruptError,
    apsw.BusyError,
    apsw.IOError,
    apsw.FullError,
    apsw.ReadOnlyError,
    apsw.CantOpenError,
    UnicodeDecodeError,
)


class Connection(apsw.Connection):
    """A connection that another thread can tell to stop; what is being written is left to its end."""

    is_stopped = False
    is_shielded = False

    def stop(self) -> None:
        """Break off the statement that runs, and refuse to ask another until `go_on`; safe to call from any thread."""
        self.is_stopped = True
        if not self.is_shielded:
            with suppress(apsw.ConnectionClosedError):
                self.interrupt()

    def go_on(self) -> None:
        """Ask again."""
        self.is_stopped = False

    def roll_back(self) -> None:
        """End the transaction that is open, if there is one, also when told to stop meanwhile."""
        while self.in_transaction:
            with suppress(apsw.InterruptError):
                self.execute("rollback")


def all_rows(db: apsw.Connection, query: str, values: Sequence[Any] = ()) -> list[Any]:
    """All rows as tuples. Raises LockBusy, WorkspaceUnusable, Interrupted."""
    _look_whether_stopped(db)
    try:
        return db.execute(query, values).fetchall()
    except UnicodeEncodeError:  # UTF-8 cannot hold what is asked for, so no row does
        return []
    except FAILURES as error:
        raise failure(db, error) from error


def one_value(db: apsw.Connection, query: str, values: Sequence[Any] = ()) -> Any:
    """The first column of the first row, None without a row. Raises LockBusy, WorkspaceUnusable, Interrupted."""
    _look_whether_stopped(db)
    try:
        return db.execute(query, values).get
    except UnicodeEncodeError:
        return None
    except FAILURES as error:
        raise failure(db, error) from error


def _look_whether_stopped(db: apsw.Connection) -> None:
    if getattr(db, "is_stopped", False) and not getattr(db, "is_shielded", False):
        raise Interrupted(BROKEN_OFF)


def texts(keys: Iterable[str]) -> str:
    """Keys as a JSON list to be bound, without those that UTF-8 cannot hold, for nothing in the database bears them."""
    every = list(keys)
    try:
        return json.encode(every).decode()
    except UnicodeEncodeError:
        return json.encode([key for key in every if key.encode("utf-8", "ignore").decode() == key]).decode()


def numbers(rows: Iterable[int]) -> str:
    """Numbers as a JSON list to be bound."""
    return json.encode(list(rows)).decode()


def unusable(path: str, error: Exception) -> WorkspaceUnusable:
    """A database that cannot be read or written, and why."""
    why = (error.strerror or str(error)).lower() if isinstance(error, OSError) else str(error)
    is_unwritable = isinstance(error, REFUSED) or (isinstance(error, OSError) and error.errno in UNWRITABLE)
    return WorkspaceUnusable(path, why, is_unwritable=is_unwritable)


def failure(db: apsw.Connection, error: Exception) -> CommonplaceError:
    """What a failure of the database means; a damaged one is thrown away, so that who opens it next builds it anew."""
    path = db.filename
    if isinstance(error, apsw.InterruptError):
        return Interrupted(BROKEN_OFF)
    if isinstance(error, apsw.BusyError):
        return LockBusy(path, BUSY_MS / 1_000)
    if not isinstance(error, (*DAMAGED, UnicodeDecodeError)):
        return unusable(path, error)
    with suppress(FileNotFoundError):
        os.remove(path)
    return WorkspaceUnusable(path, "the index was damaged and is thrown away: ask again, it is built from the files")
