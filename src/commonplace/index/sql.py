"""Run a query and get its rows, untyped as the database gives them; callers say what they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apsw


def all_rows(db: apsw.Connection, query: str, values: Sequence[Any] = ()) -> list[Any]:
    """All rows as tuples."""
    return db.execute(query, values).fetchall()


def one_value(db: apsw.Connection, query: str, values: Sequence[Any] = ()) -> Any:
    """The first column of the first row, None without a row."""
    return db.execute(query, values).get
