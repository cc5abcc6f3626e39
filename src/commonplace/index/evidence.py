"""Captures in the index: rows like those of records, but apart from them, and the keys of their sources."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import apsw
from msgspec import json

from commonplace.index.references import drop_references
from commonplace.index.sql import all_rows, numbers, one_value

FIRST_ROW = 1 << 31  # of captures: who looks for records only stops there, however many captures hold a word


def next_rows(db: apsw.Connection) -> dict[bool, int]:
    """Where the next record is put, and (under True) the next capture."""
    record = one_value(db, "select max(rowid) from records where rowid < ?", (FIRST_ROW,)) or 0
    capture = one_value(db, "select max(rowid) from records where rowid >= ?", (FIRST_ROW,)) or FIRST_ROW - 1
    return {False: record + 1, True: capture + 1}


def records_holding(db: apsw.Connection, tokens: Sequence[str]) -> list[int]:
    """The rows below those of captures that hold all of the tokens."""
    asked = " ".join('"' + token.replace('"', '""') + '"' for token in tokens)
    query = "select rowid from lines where lines match ? and rowid < ?"
    return [row for (row,) in all_rows(db, query, (asked, FIRST_ROW))] if tokens else []


def outlines(db: apsw.Connection, rows: Iterable[int]) -> list[tuple[int, str, str, str]]:
    """(row, id, path, digest of the text) of rows."""
    query = """select records.rowid, records.id, records.path, text_digest from json_each(?) as asked
        cross join records on records.rowid = asked.value order by 1"""
    return all_rows(db, query, (numbers(rows),))


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
