"""The texts of records and captures by their digests: for what is made of each text once, wherever it stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import apsw

from commonplace.index.sql import all_rows, numbers, texts

READ_AT_ONCE = 500


def digests_of(db: apsw.Connection, rows: Iterable[int]) -> dict[int, str]:
    """The digest of the text of each row."""
    query = """select records.rowid, text_digest from json_each(?) as asked
        cross join records on records.rowid = asked.value"""
    return dict(all_rows(db, query, (numbers(rows),)))


def rows_with(db: apsw.Connection, digests: Iterable[str]) -> list[tuple[int, str]]:
    """(row, digest) of every record that has one of the texts."""
    query = """select records.rowid, text_digest from json_each(?) as asked
        cross join records on records.text_digest = asked.value"""
    return all_rows(db, query, (texts(digests),))


def all_digests(db: apsw.Connection) -> set[str]:
    """The digests of all texts; what is quarantined is given to nobody."""
    every = all_rows(db, "select distinct text_digest from records")
    refused = all_rows(db, "select distinct text_digest from records where trust = 'quarantined'")
    return {digest for (digest,) in every if digest}.difference(digest for (digest,) in refused)


def read_texts(db: apsw.Connection, digests: Iterable[str]) -> Iterator[tuple[str, str]]:
    """(digest, text) of each of the digests that is there, once; without the name of who said it, which tells nothing
    of what was said."""
    wanted = sorted(digests)
    query = """select asked.value, text, speaker from json_each(?) as asked cross join records
        on records.rowid = (select rowid from records where text_digest = asked.value limit 1)"""
    for start in range(0, len(wanted), READ_AT_ONCE):
        for digest, text, speaker in all_rows(db, query, (texts(wanted[start : start + READ_AT_ONCE]),)):
            yield digest, text.removeprefix(f"{speaker}:").lstrip() if speaker else text
