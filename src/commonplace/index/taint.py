"""Which texts were taken from what cannot be trusted: shingles of the one and of the other, and which share them.

The shingles of untrusted captures are kept from the first one on; those of records only where somebody needs them: once
there is an untrusted capture, or once it was asked what stands in trusted records. A text is looked at once, wherever
and however often it stands; that of a record that is gone stays, and does no harm, until the index is made anew.
`shingled` in `meta` is the last row of a record that was looked at, `shingled captures` that of a capture: a
transaction that adds rows ends with `settle`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

import apsw

from commonplace.index.evidence import FIRST_ROW
from commonplace.index.sql import all_rows, numbers, one_value, texts
from commonplace.model import Trust
from commonplace.text.shingles import is_taken, shingles

CHUNK = 2_000  # records at once
MANY = 50_000  # shingles in one question
RANGES = (("shingled", 0, FIRST_ROW), ("shingled captures", FIRST_ROW - 1, 1 << 62))  # rows between two others


def add(db: apsw.Connection, hashes: Collection[int]) -> set[str]:
    """Keep shingles of what cannot be trusted; returns the digests of the texts known so far that share any."""
    for part in _parts(hashes):
        db.execute("insert or ignore into taints (hash) select value from json_each(?)", (part,))
    if not is_kept(db):
        return set()
    query = """select distinct spoken.digest from json_each(?) as asked cross join shingles on hash = asked.value
        cross join spoken on spoken.id = text where owner = 0"""
    return {digest for part in _parts(hashes) for (digest,) in all_rows(db, query, (part,))}


def forget(db: apsw.Connection) -> set[str]:
    """Let go of all that was taken in; returns the digests of the texts that were tainted by it."""
    tainted = {digest for (digest,) in all_rows(db, "select digest from tainted")}
    db.execute("update records set trust = said_trust where text_digest in (select digest from tainted)")
    for statement in (
        "delete from taints",
        "delete from tainted",
        "delete from shingles",
        "delete from spoken",
        "update meta set value = 0 where key in ('shingled', 'shingled captures')",
    ):
        db.execute(statement)
    return tainted


def is_kept(db: apsw.Connection) -> bool:
    """Whether the shingles of records are kept."""
    return _shingled(db) is not None


def keep(db: apsw.Connection) -> None:
    """See to it that the shingles of records are kept from the next `settle` on."""
    db.execute("insert or ignore into meta (key, value) values ('shingled', 0), ('shingled captures', 0)")


def settle(db: apsw.Connection, suspects: Iterable[str]) -> set[str]:
    """Judge the texts that came in, and the `suspects` (digests); returns the digests of those that are tainted now."""
    if not is_kept(db):
        if not one_value(db, "select exists (select 1 from taints)"):
            return set()
        keep(db)
    found = _taken_in(db)
    query = """select text_digest, min(text) from records where text_digest in (select value from json_each(?))
        and text_digest not in (select digest from tainted) and actor = '' group by text_digest"""
    found += _judged(db, [(digest, _own(text)) for digest, text in all_rows(db, query, (texts(suspects),))])
    db.executemany("insert or ignore into tainted (digest) values (?)", ((digest,) for digest in found))
    return set(found)


def standing(db: apsw.Connection, hashes: Collection[int], trusts: Sequence[Trust]) -> dict[int, bool]:
    """Those of the shingles that stand in records of these trusts; true for those that are all of such a record.

    What the owner said stands there too, for a pack may quote it.
    """
    among = f"""exists (select 1 from shingles cross join spoken on spoken.id = text where hash = asked.value
        and (owner = 1 or exists (select 1 from records where text_digest = spoken.digest
            and trust in ({", ".join("?" * len(trusts))})))"""  # noqa: S608 - values are bound
    query = f"select value, {among} and alone = 1) from json_each(?) as asked where {among})"  # noqa: S608
    found = [all_rows(db, query, (*trusts, part, *trusts)) for part in _parts(hashes)]
    return {shingle: bool(alone) for rows in found for shingle, alone in rows}


def shared(db: apsw.Connection, hashes: Collection[int]) -> frozenset[int]:
    """Those of the shingles that stand in what cannot be trusted."""
    query = "select hash from json_each(?) as asked cross join taints on hash = asked.value"
    return frozenset(shingle for part in _parts(hashes) for (shingle,) in all_rows(db, query, (part,)))


def _taken_in(db: apsw.Connection) -> list[str]:
    """Keep the shingles of the texts that came in; returns the digests of those of Markdown that are tainted."""
    db.execute("create temp table if not exists shingled (hash, alone, text)")
    found: list[str] = []
    for chunk in _come_in(db):
        come = {digest: (owner, _own(text)) for digest, owner, text in _unheard(db, chunk)}
        found += _judged(db, [(digest, own) for digest, (owner, own) in come.items() if not owner])
        first = one_value(db, "select coalesce(max(id), 0) + 1 from spoken")
        db.executemany(
            "insert into spoken (id, digest, owner) values (?, ?, ?)",
            ((number, digest, owner) for number, (digest, (owner, _)) in enumerate(come.items(), first)),
        )
        db.executemany(
            "insert into temp.shingled (hash, alone, text) values (?, ?, ?)",
            ((one, len(own) == 1, n) for n, (_, own) in enumerate(come.values(), first) for one in own),
        )
    db.execute(  # in order, which is faster by half where there are many
        "insert into shingles (hash, alone, text) select hash, alone, text from temp.shingled order by 1, 2, 3"
    )
    db.execute("delete from temp.shingled")
    return found


def _come_in(db: apsw.Connection) -> Iterator[list[tuple[int, str, int, str]]]:
    """Rows that were not looked at yet, some at once: records, then what the owner said; after them it is noted where
    either ends now, which is further back where rows were dropped."""
    query = f"""select rowid, iif(actor = '', text_digest, claim), actor <> '', text from records
        where rowid > ? and rowid < ? and (actor = '' or trust = 'trusted') order by rowid limit {CHUNK}"""  # noqa: S608
    end = """update meta set value = (select coalesce(max(rowid), 0) from records where rowid > ? and rowid < ?)
        where key = ?"""
    for key, before, behind in RANGES:
        last = max(before, one_value(db, "select value from meta where key = ?", (key,)) or 0)
        while chunk := all_rows(db, query, (last, behind)):
            last = chunk[-1][0]
            yield chunk
        db.execute(end, (before, behind, key))


def _unheard(db: apsw.Connection, rows: list[tuple[int, str, int, str]]) -> list[tuple[str, int, str]]:
    query = "select digest from spoken where digest in (select value from json_each(?))"
    heard = {digest for (digest,) in all_rows(db, query, (texts(row[1] for row in rows),))}
    return [(digest, owner, text) for _row, digest, owner, text in rows if digest not in heard]


def _own(text: str) -> tuple[int, ...]:
    """The shingles of a record: as its digest is, they are the same for all white space."""
    return shingles(" ".join(text.split()))


def _judged(db: apsw.Connection, made: list[tuple[str, tuple[int, ...]]]) -> list[str]:
    """The digests of those that share enough of their shingles with what cannot be trusted."""
    bad = shared(db, {shingle for _digest, own in made for shingle in own})
    return [digest for digest, own in made if is_taken(own, len(bad.intersection(own)))] if bad else []


def _shingled(db: apsw.Connection) -> int | None:
    found: int | None = one_value(db, "select value from meta where key = 'shingled'")
    return found


def _parts(hashes: Collection[int]) -> Iterable[str]:
    ordered = sorted(hashes)
    return (numbers(ordered[start : start + MANY]) for start in range(0, len(ordered), MANY))
