"""Captures in the index: rows like those of records that bear their actor, and the keys of their sources."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import apsw
from msgspec import json

from commonplace.index.references import drop_references
from commonplace.index.sql import all_rows


def remember_keys(db: apsw.Connection, keys: Iterable[str]) -> None:
    """Note under which keys something was captured."""
    db.executemany("insert or ignore into captured (key) values (?)", ((key,) for key in keys))


def known_keys(db: apsw.Connection, keys: Sequence[str]) -> frozenset[str]:
    """Those of the keys that are noted."""
    asked = json.encode(list(keys)).decode()
    found = all_rows(db, "select key from captured where key in (select value from json_each(?))", (asked,))
    return frozenset(key for (key,) in found)


def drop_all(db: apsw.Connection) -> list[tuple[int, str, str, int]]:
    """Remove every capture and every key; returns (row, id, claim, length) of what is gone."""
    gone = all_rows(db, "select rowid, id, claim, length from records where actor <> ''")
    drop_references(db, [(row[0],) for row in gone])
    db.execute("delete from records where actor <> ''")
    db.execute("delete from captured")
    return gone
