"""What a record points at: entities, tags, links, the records that it replaces, the sources on which it rests."""

from __future__ import annotations

import apsw

from commonplace.index.protocol import Entry

TABLES = ("mentions", "tags", "links", "supersessions", "derivations", "events")


def put_references(db: apsw.Connection, numbered: list[tuple[int, Entry]]) -> None:
    """Add the references of records by their row numbers."""
    db.executemany(
        "insert or ignore into mentions (key, record, role, name) values (?, ?, ?, ?)",
        [(key, n, role, name) for n, entry in numbered for key, role, name in entry.mentions],
    )
    db.executemany(
        "insert or ignore into tags (tag, record) values (?, ?)",
        [(tag, n) for n, entry in numbered for tag in entry.record.tags],
    )
    db.executemany(
        "insert or ignore into links (target, record) values (?, ?)",
        [(target, n) for n, entry in numbered for target in entry.record.links],
    )
    db.executemany(
        "insert or ignore into supersessions (target, record) values (?, ?)",
        [(target, n) for n, entry in numbered for target in entry.record.supersedes],
    )
    db.executemany(
        "insert or ignore into derivations (source, record) values (?, ?)",
        [(source, n) for n, entry in numbered for source in entry.record.sources],
    )
    db.executemany(
        "insert or ignore into events (begins, closes, record) values (?, ?, ?)",
        [(*stretch, n) for n, entry in numbered for stretch in entry.events],
    )


def drop_references(db: apsw.Connection, rows: list[tuple[int]]) -> None:
    """Remove the tokens and references of records that go."""
    db.executemany("delete from lines where rowid = ?", rows)
    for table in TABLES:
        db.executemany(f"delete from {table} where record = ?", rows)  # noqa: S608 - constant names
