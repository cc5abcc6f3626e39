"""A file that was changed: which of its records are there already, so that only the others are written anew."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apsw
from msgspec import Struct

from commonplace.index.protocol import Entry, FileEntries
from commonplace.index.rows import LEFT_OUT, PLACE, STORED, to_row
from commonplace.index.sql import all_rows

Key = tuple[Any, ...]


class Difference(Struct, frozen=True):
    """What a changed file keeps, loses and gains.

    `gone` are (row, id, claim, length); `moved` are (values of PLACE, row) of what stands elsewhere in the file now,
    with their claims; `fresh` are the entries that were not there.
    """

    gone: list[tuple[int, str, str, int]]
    moved: list[tuple[Any, ...]]
    claims: set[str]
    fresh: list[Entry]


def difference(db: apsw.Connection, file: FileEntries) -> Difference | None:
    """The records of a file beside those that the index has of it; None where all of them change with the file."""
    if not _is_same_page(db, file):
        return None
    columns = ", ".join((*STORED, *PLACE))
    found = all_rows(db, f"select rowid, id, {columns} from records where path = ?", (file.file.path,))  # noqa: S608
    there: dict[Key, list[tuple[Any, ...]]] = {}
    for values in reversed(found):
        there.setdefault(values[2 : 2 + len(STORED)], []).append(values)
    moved: list[tuple[Any, ...]] = []
    claims: set[str] = set()
    fresh: list[Entry] = []
    for entry in file.entries:
        own = to_row(0, entry)
        same = there.get(tuple(value for at, value in enumerate(own) if at not in LEFT_OUT))
        if not same:
            fresh.append(entry)
            continue
        values = same.pop()
        source = entry.record.source
        place = (source.line_start, source.line_end, source.byte_start, source.byte_end)
        if place != values[-len(PLACE) :]:
            moved.append((*place, values[0]))
            claims.add(entry.record.id)
    lost = [values for rest in there.values() for values in rest]
    gone = [(values[0], values[1], _value(values, "claim"), _value(values, "length")) for values in lost]
    return Difference(gone, moved, claims, fresh)


def move(db: apsw.Connection, moved: Sequence[tuple[Any, ...]]) -> None:
    """Note where records stand now."""
    assigned = ", ".join(f"{name} = ?" for name in PLACE)
    db.executemany(f"update records set {assigned} where rowid = ?", moved)  # noqa: S608 - constant columns


def _is_same_page(db: apsw.Connection, file: FileEntries) -> bool:
    """Whether what all records take from their file is as it was: where it comes from, its role, title and names."""
    row = file.file
    before = all_rows(db, "select origin, role, title from files where path = ?", (row.path,))
    names = all_rows(db, "select key, name, entity from pages where path = ?", (row.path,))
    own = {(key, name, int(file.entity)) for key, name in dict(reversed(file.names)).items()}
    return before == [(row.origin, row.role, row.title)] and set(names) == own


def _value(values: tuple[Any, ...], column: str) -> Any:
    return values[2 + STORED.index(column)]
