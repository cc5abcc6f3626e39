"""What depends on more than one file: who keeps an id, who is superseded, what the ledger says of trust, the sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import apsw
from msgspec import json

from commonplace.index import taint
from commonplace.index.marks import retelling
from commonplace.index.protocol import Entry, LedgerFacts
from commonplace.index.sql import RANK, all_rows, numbers, one_value
from commonplace.model import TRUSTS
from commonplace.workspace.ids import id_of_folded


class Touched:
    """What one transaction dropped and added, so that settling looks only there."""

    def __init__(self) -> None:
        self.before: dict[str, str] = {}  # the ids of what was dropped, and digests of their texts
        self.came: Counter[str] = Counter()  # the digests of the texts of what was added
        self.keys: set[str] = set()  # claims, ids and text digests whose rows may need settling
        self.suspects: set[str] = set()  # digests of texts that share words with what was captured

    def dropped(self, db: apsw.Connection, rows: list[tuple[Any, ...]]) -> None:
        """Note rows of (rowid, id, claim, length) about to go."""
        self.keys.update(claim for _row, _id, claim, _length in rows)
        said = (
            "select records.id, text_digest from json_each(?) as gone cross join records on records.rowid = gone.value"
        )
        self.before |= dict(all_rows(db, said, (numbers(row[0] for row in rows),)))

    def added(self, entries: Sequence[Entry]) -> None:
        """Note entries that came in."""
        for entry in entries:
            self.keys.add(entry.record.id)
            self.came[entry.text_digest] += 1


def add_to_size(db: apsw.Connection, records: int, length: int) -> None:
    """Keep the sums that BM25 needs."""
    for key, change in (("records", records), ("length", length)):
        _add(db, key, change)


def add_to_retold(db: apsw.Connection, records: int, length: int) -> None:
    """Keep the sums of what tells captures again."""
    for key, change in (("retold", records), ("retold length", length)) if records else ():
        _add(db, key, change)


def add_to_evidence(db: apsw.Connection, captures: int) -> None:
    """Keep the number of captures, which are no loss when they go."""
    _add(db, "evidence", captures)


def _add(db: apsw.Connection, key: str, change: int) -> None:
    db.execute(
        "insert into meta (key, value) values (?, ?) on conflict (key) do update set value = value + excluded.value",
        (key, change),
    )


def size(db: apsw.Connection) -> tuple[int, int]:
    """How many records there are and how many tokens their texts hold."""
    found = dict(all_rows(db, "select key, value from meta where key in ('records', 'length')"))
    return found.get("records", 0), found.get("length", 0)


def evidence(db: apsw.Connection) -> int:
    """How many of them are captures."""
    return int(one_value(db, "select value from meta where key = 'evidence'") or 0)


def said(db: apsw.Connection) -> tuple[int, int]:
    """Records and tokens less those that tell captures again; all of them where there are no captures."""
    records, length = size(db)
    again = dict(all_rows(db, "select key, value from meta where key in ('retold', 'retold length')"))
    if not evidence(db):
        return records, length
    return records - again.get("retold", 0), length - again.get("retold length", 0)


def frequency(db: apsw.Connection, token: str) -> int:
    """In how many of what `said` counts a token stands; 1 at least if it stands anywhere."""
    query = "select doc from vocabulary where term = ?"
    every: int = one_value(db, query, (token,)) or 0
    again = one_value(db, query, (retelling(token),)) if every > 1 and evidence(db) else 0
    return max(every - (again or 0), min(every, 1))


def learn(db: apsw.Connection, facts: LedgerFacts) -> None:
    """Take in what new ledger lines say; of two origins for one key the less trusted stays."""
    for key, trust in facts.origins:
        known = one_value(db, "select trust from origins where key = ?", (key,))
        if known is None or TRUSTS.index(trust) < TRUSTS.index(known):
            db.execute("insert or replace into origins (key, trust) values (?, ?)", (key, trust))
    db.executemany(
        "insert into moves (path, origin, line) values (?, ?, ?) on conflict (path) do update"
        " set origin = excluded.origin, line = excluded.line where excluded.line > line",
        facts.moves,
    )
    for column, ids in (("included", facts.included), ("used", facts.used)):
        db.executemany(
            f"insert into usage (id, {column}) values (?, 1)"  # noqa: S608 - constant columns
            f" on conflict (id) do update set {column} = {column} + 1",
            ((record_id,) for record_id in ids),
        )
    db.executemany("insert or ignore into explained (id) values (?)", ((record_id,) for record_id in facts.explained))


def unlearn(db: apsw.Connection) -> list[str]:
    """Drop what ledger lines said; returns the keys of which an origin was known."""
    keys = [key for (key,) in all_rows(db, "select key from origins")]
    for table in ("origins", "moves", "usage", "explained"):
        db.execute(f"delete from {table}")  # noqa: S608 - constant tables
    return keys


def settle(db: apsw.Connection, touched: Touched) -> int:
    """Settle ids, trust and supersession; returns how many ids that were there are gone without explanation.

    A text is not gone if the same words came in elsewhere, as with a file that was renamed and then edited. That they
    stood elsewhere before is no excuse: a line of every daily log is as many records, of as many days.
    """
    touched.keys |= taint.settle(db, touched.suspects)
    db.execute("create temp table if not exists touched (key text primary key) without rowid")
    db.execute("delete from temp.touched")
    db.executemany("insert or ignore into temp.touched (key) values (?)", ((key,) for key in touched.keys))
    _settle_ids(db)
    _settle_trust(db)
    _settle_supersession(db)
    _settle_retold(db)
    db.execute("delete from temp.touched")
    lost = all_rows(
        db,
        "select gone.value from json_each(?) as gone where gone.key not in (select id from explained)"
        " and not exists (select 1 from records where records.id = gone.key)",
        (json.encode(touched.before).decode(),),
    )
    return (Counter(digest for (digest,) in lost) - touched.came).total()


def _settle_ids(db: apsw.Connection) -> None:
    """Of several records that claim one id the first by path and line keeps it; the others get derived ones."""
    db.execute(
        "update records set id = claim where rowid in (select records.rowid from temp.touched"
        " cross join records on records.claim = touched.key where id <> claim)"
    )
    rivals = all_rows(
        db,
        "select claim, path, rowid from records where claim in (select claim from records"
        " where claim in (select key from temp.touched) group by claim having count(*) > 1)"
        " order by claim, path, line_start, byte_start, rowid",
    )
    before, number = "", 0
    for claim, path, row in rivals:
        number = number + 1 if claim == before else 0
        before = claim
        if number:
            db.execute("update records set id = ? where rowid = ?", (id_of_folded(claim, number, path), row))


def _settle_trust(db: apsw.Connection) -> None:
    """A record is as trusted as the least of what its line says and what the ledger knows of its id and of its text.

    Where the ledger knows this very text under this very id, it does not matter who else said the same. A text that the
    ledger does not know is not trusted if it was taken from what cannot be; an id alone vouches for no text.
    """
    if not one_value(db, "select exists (select 1 from origins) or exists (select 1 from tainted)"):
        return  # nothing was ever lowered, so nothing is to be raised again
    among = "(claim in (select key from temp.touched) or text_digest in (select key from temp.touched))"
    db.execute(f"update records set trust = said_trust where trust <> said_trust and {among}")  # noqa: S608
    db.execute(
        "update records set trust = 'untrusted' where text_digest in (select digest from tainted)"  # noqa: S608
        f" and trust in ('unknown', 'trusted') and text_digest not in (select key from origins) and {among}"
    )
    known = all_rows(
        db,
        "select records.rowid, origins.trust from"
        " (select records.rowid as number from temp.touched cross join records on records.claim = touched.key union"
        " select records.rowid from temp.touched cross join records on records.text_digest = touched.key)"
        " cross join records on records.rowid = number"
        " cross join origins on origins.key = records.claim or (origins.key = records.text_digest"
        " and not exists (select 1 from origins as said where said.key = records.claim || ' ' || records.text_digest))",
    )
    db.executemany(
        f"update records set trust = ?1 where rowid = ?2 and {RANK.format('?1')} < {RANK.format('trust')}",  # noqa: S608
        ((trust, row) for row, trust in known),
    )


def _settle_retold(db: apsw.Connection) -> None:
    """A line of an episode that repeats captures which are evidence themselves is found by those."""
    db.execute(
        "update records set retold = exists (select 1 from derivations join records as said on said.id = source"
        " where derivations.record = records.rowid and said.actor <> '')"
        " where claim in (select key from temp.touched) and path like 'memory/episodes/%'"
    )


def _settle_supersession(db: apsw.Connection) -> None:
    """A record is superseded by the last record (by time, path, line) that says so, is not itself, and is no less
    trusted: what cannot be relied on never puts away what can."""
    valid = f"later.id <> target and {RANK.format('later.trust')} >= {RANK.format('records.trust')}"
    db.execute(
        "update records set superseded_by = '' where superseded_by <> ''"  # noqa: S608 - constant columns
        " and not exists (select 1 from supersessions join records as later on later.rowid = supersessions.record"
        f" where target = records.id and {valid})"
    )
    found = all_rows(
        db,
        "select target, later.id from supersessions join records as later"  # noqa: S608 - constant columns
        " on later.rowid = supersessions.record"
        f" join records on records.id = target where {valid}"
        " order by later.time, later.path, later.byte_start, later.id",
    )
    last = dict(found)
    db.executemany(
        "update records set superseded_by = ?1 where id = ?2 and superseded_by <> ?1",
        ((by, target) for target, by in last.items()),
    )
