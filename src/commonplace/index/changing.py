"""A file that was changed: which of its records are there already, so that only the others are written anew."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apsw
from msgspec import Struct

from commonplace.index.protocol import FileEntries
from commonplace.index.rows import PLACE, SAID, said
from commonplace.index.sql import all_rows
from commonplace.model import Record

BESIDE = len(PLACE) + 3  # values beside those of SAID: the place, row, id and length
CLAIM = SAID.split(", ").index("claim")

Key = tuple[Any, ...]


class Difference(Struct, frozen=True):
    """What a changed file keeps, loses and gains.

    `gone` are (row, id, claim, length); `moved` are (values of PLACE, row) of what stands elsewhere in the file now,
    with their claims; `fresh` are the records that were not there.
    """

    gone: list[tuple[int, str, str, int]]
    moved: list[tuple[Any, ...]]
    claims: set[str]
    fresh: list[Record]


def difference(db: apsw.Connection, file: FileEntries, records: Sequence[Record]) -> Difference | None:
    """The records of a file beside those that the index has of it; None where all of them change with the file."""
    if not _is_same_page(db, file):
        return None
    query = f"select {SAID}, {', '.join(PLACE)}, rowid, id, length from records where path = ?"  # noqa: S608 - constant
    there: dict[Key, list[tuple[Any, ...]]] = {}
    for values in reversed(all_rows(db, query, (file.file.path,))):
        there.setdefault(values[:-BESIDE], []).append(values[-BESIDE:])
    moved: list[tuple[Any, ...]] = []
    claims: set[str] = set()
    fresh: list[Record] = []
    for record in records:
        same = there.get(said(record))
        if not same:
            fresh.append(record)
            continue
        *before, row, _id, _length = same.pop()
        source = record.source
        place = [source.line_start, source.line_end, source.byte_start, source.byte_end]
        if place != before:
            moved.append((*place, row))
            claims.add(record.id)
    lost = [(key[CLAIM], values) for key, rest in there.items() for values in rest]
    gone = [(row, record_id, claim, length) for claim, (*_place, row, record_id, length) in lost]
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
