"""Count what something costs, where a clock would tell another story on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable

from commonplace.index import Index


def calls(task: Callable[[], object]) -> int:
    """How many functions are called, those of C included."""
    count = 0

    def note(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        task()
    finally:
        sys.setprofile(before)
    return count


def sql_steps(index: Index, task: Callable[[], object]) -> int:
    """How many instructions SQLite runs."""
    count = 0

    def note() -> bool:
        nonlocal count
        count += 1
        return False

    connection = index._db
    connection.set_progress_handler(note, 1)
    try:
        task()
    finally:
        connection.set_progress_handler(None)
    return count


def runs_sql(index: Index, task: Callable[[], object]) -> bool:
    """Whether a task runs SQL, apart from reading the state of the index."""
    with index.snapshot():
        index.state()
        return sql_steps(index, task) > 0
