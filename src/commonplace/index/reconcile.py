"""Decide what depends on several files: ids, supersession, trust, totals, and texts from untrusted sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import apsw
from msgspec import json

from commonplace.index import relations
from commonplace.index.derived import LedgerFacts
from commonplace.index.postings import FIRST_CAPTURE_ROW
from commonplace.index.protocol import Index
from commonplace.index.rows import CAPTURES_OF_PREFIX
from commonplace.index.sql import TRUST_RANK, fetch_all, fetch_column, fetch_value, json_integers, json_strings
from commonplace.index.values import IndexEntry
from commonplace.language.text import (
    MIN_COPIED_SHINGLES,
    TextSpan,
    find_copied_spans,
    hash_shingles,
    is_copied,
    locate_shingles,
)
from commonplace.model import CAPTURE_PREFIX, MIN_CITED_CHARS, TRUSTS, Trust
from commonplace.storage.workspace import derive_id_of_normalized

TEXTS_PER_CHUNK = 2_000  # records at once
HASHES_PER_QUERY = 50_000  # shingles in one question
# Rows between two others.
ROW_RANGES = (("shingled", 0, FIRST_CAPTURE_ROW), ("shingled captures", FIRST_CAPTURE_ROW - 1, 1 << 62))


def put_tainted_shingles(db: apsw.Connection, hashes: Collection[int]) -> set[str]:
    """Keep shingles of what cannot be trusted; returns the digests of the texts known so far that share any."""
    for part in _batch_hashes(hashes):
        db.execute("insert or ignore into taints (hash) select value from json_each(?)", (part,))
    if not has_record_shingles(db):
        return set()
    query = """select distinct spoken.digest from json_each(?) as asked cross join shingles on hash = asked.value
        cross join spoken on spoken.id = text where owner = 0"""
    return {digest for part in _batch_hashes(hashes) for digest in fetch_column(db, query, (part,))}


def drop_taints(db: apsw.Connection) -> set[str]:
    """Let go of all that was taken in; returns the digests of the texts that were tainted by it."""
    tainted = set(fetch_column(db, "select digest from tainted"))
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


def has_record_shingles(db: apsw.Connection) -> bool:
    """Whether the shingles of records are stored."""
    return fetch_value(db, "select value from meta where key = 'shingled'") is not None


def enable_record_shingles(db: apsw.Connection) -> None:
    """Store the shingles of records from the next `reconcile` on."""
    db.execute("insert or ignore into meta (key, value) values ('shingled', 0), ('shingled captures', 0)")


def find_tainted_texts(db: apsw.Connection, suspects: Iterable[str]) -> set[str]:
    """Judge the texts that came in, and the `suspects` (digests); returns the digests of those that are tainted now."""
    if not has_record_shingles(db):
        if not fetch_value(db, "select exists (select 1 from taints)"):
            return set()
        enable_record_shingles(db)
    found = _add_new_shingles(db)
    query = """select text_digest, min(text) from records where text_digest in (select value from json_each(?))
        and text_digest not in (select digest from tainted) and actor = '' group by text_digest"""
    suspected = fetch_all(db, query, (json_strings(suspects),))
    found += _select_tainted_digests(db, [(digest, _record_shingles(text)) for digest, text in suspected])
    db.executemany("insert or ignore into tainted (digest) values (?)", zip(found))
    return set(found)


def find_shingles_in_records(db: apsw.Connection, hashes: Collection[int], trusts: Sequence[Trust]) -> dict[int, bool]:
    """See `Index`; what the owner said is there too, for a pack may quote it."""
    among = f"""exists (select 1 from shingles cross join spoken on spoken.id = text where hash = asked.value
        and (owner = 1 or exists (select 1 from records where text_digest = spoken.digest
            and trust in ({", ".join("?" * len(trusts))})))"""  # noqa: S608 - values are bound
    query = f"select value, {among} and alone = 1) from json_each(?) as asked where {among})"  # noqa: S608
    found = [fetch_all(db, query, (*trusts, part, *trusts)) for part in _batch_hashes(hashes)]
    return {shingle: bool(alone) for rows in found for shingle, alone in rows}


def find_tainted_shingles(db: apsw.Connection, hashes: Collection[int]) -> frozenset[int]:
    """Those of the shingles that occur in untrusted captures."""
    query = "select hash from json_each(?) as asked cross join taints on hash = asked.value"
    return frozenset(shingle for part in _batch_hashes(hashes) for shingle in fetch_column(db, query, (part,)))


def _add_new_shingles(db: apsw.Connection) -> list[str]:
    """Store the shingles of new texts; returns the digests of the Markdown texts that are tainted."""
    db.execute("create temp table if not exists shingled (hash, alone, text)")
    found: list[str] = []
    query = "select digest from spoken where digest in (select value from json_each(?))"
    for chunk in _read_new_texts(db):
        heard = set(fetch_column(db, query, (json_strings(row[1] for row in chunk),)))
        come = {digest: (owner, _record_shingles(text)) for _n, digest, owner, text in chunk if digest not in heard}
        found += _select_tainted_digests(db, [(digest, own) for digest, (owner, own) in come.items() if not owner])
        first = fetch_value(db, "select coalesce(max(id), 0) + 1 from spoken")
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


def _read_new_texts(db: apsw.Connection) -> Iterator[list[tuple[int, str, int, str]]]:
    """Batches of rows that were not read yet: first records, then what the owner said; afterwards the end of each is
    stored, which moves back if rows were dropped."""
    query = f"""select rowid, iif(actor = '', text_digest, claim), actor <> '', text from records
        where rowid > ? and rowid < ? and (actor = '' or trust = 'trusted') order by rowid limit {TEXTS_PER_CHUNK}"""  # noqa: S608
    end = """update meta set value = (select coalesce(max(rowid), 0) from records where rowid > ? and rowid < ?)
        where key = ?"""
    for key, before, behind in ROW_RANGES:
        last = max(before, fetch_value(db, "select value from meta where key = ?", (key,)) or 0)
        while chunk := fetch_all(db, query, (last, behind)):
            last = chunk[-1][0]
            yield chunk
        db.execute(end, (before, behind, key))


def _record_shingles(text: str) -> tuple[int, ...]:
    """The shingles of a record: as its digest is, they are the same for all white space."""
    return hash_shingles(" ".join(text.split()))


def _select_tainted_digests(db: apsw.Connection, shingled_texts: list[tuple[str, tuple[int, ...]]]) -> list[str]:
    """The digests of those that share enough of their shingles with what cannot be trusted."""
    bad = find_tainted_shingles(db, {shingle for _digest, own in shingled_texts for shingle in own})
    return [digest for digest, own in shingled_texts if is_copied(own, len(bad.intersection(own)))] if bad else []


def _batch_hashes(hashes: Collection[int]) -> Iterable[str]:
    ordered = sorted(hashes)
    starts = range(0, len(ordered), HASHES_PER_QUERY)
    return (json_integers(ordered[start : start + HASHES_PER_QUERY]) for start in starts)


class TouchedRecords:
    """The records that one transaction dropped and added, to which settling is limited."""

    def __init__(self) -> None:
        self.dropped_digests: dict[str, str] = {}  # the ids of what was dropped, and digests of their texts
        self.added_digests: Counter[str] = Counter()  # the digests of the texts of what was added
        self.keys: set[str] = set()  # claims, ids and text digests whose rows may need settling
        self.suspects: set[str] = set()  # digests of texts that share words with what was captured
        self.signatures: set[int] = set()  # scoped signatures of what was dropped and added
        self.facts: set[str] = set()  # ids of records of which the ledger tells when they were said, or with what
        self.rows: set[int] = set()  # rows that stayed, and of which trust, id, order or sources changed

    def note_dropped(self, db: apsw.Connection, dropped_rows: list[tuple[Any, ...]]) -> None:
        """Note rows of (rowid, id, claim, length) about to go."""
        self.keys.update(claim for _row, _id, claim, _length in dropped_rows)
        rows = json_integers(row[0] for row in dropped_rows)
        self.signatures |= relations.find_touched_signatures(db, rows)
        self.keys.update(fetch_column(db, relations.TARGETS_OF_ROWS, (rows,)))
        said = """select records.id, text_digest from json_each(?) as gone
            cross join records on records.rowid = gone.value"""
        self.dropped_digests |= dict(fetch_all(db, said, (rows,)))

    def note_added(self, entries: Sequence[IndexEntry]) -> None:
        """Note entries that came in."""
        for entry in entries:
            self.keys.add(entry.record.id)
            self.added_digests[entry.text_digest] += 1
            self.signatures.update(relations.scoped_signatures(entry))


def add_to_sums(db: apsw.Connection, changes: dict[str, int]) -> None:
    """Keep sums over all records under their keys: `records` and `length` (tokens), which BM25 needs, the same of what
    tells captures again (`retold`, `retold length`), and how many are captures (`evidence`), no loss when they go."""
    db.executemany(
        "insert into meta (key, value) values (?, ?) on conflict (key) do update set value = value + excluded.value",
        changes.items(),
    )


def put_ledger_facts(db: apsw.Connection, facts: LedgerFacts) -> None:
    """Take in what new ledger lines say; of two origins for one key the less trusted stays."""
    for key, trust in facts.origins:
        known = fetch_value(db, "select trust from origins where key = ?", (key,))
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
            zip(ids),
        )
    db.executemany("insert or ignore into explained (id) values (?)", zip(facts.explained))


def drop_ledger_facts(db: apsw.Connection) -> list[str]:
    """Delete what was read from ledger lines; returns the keys whose origin was known."""
    keys: list[str] = fetch_column(db, "select key from origins")
    for table in ("origins", "moves", "usage", "explained", "hidden", "restored"):
        db.execute(f"delete from {table}")  # noqa: S608 - constant tables
    return keys


def reconcile_records(db: apsw.Connection, touched: TouchedRecords) -> int:
    """Settle ids, trust and supersession; returns how many ids that were there are gone without explanation.

    A text is not gone if the same words came in elsewhere, as with a file that was renamed and then edited. That they
    stood elsewhere before is not an excuse: a line of every daily log is as many records, of as many days.
    """
    touched.keys |= find_tainted_texts(db, touched.suspects)
    db.execute("create temp table if not exists touched (key text primary key) without rowid")
    db.execute("delete from temp.touched")
    db.executemany("insert or ignore into temp.touched (key) values (?)", zip(touched.keys))
    touched.rows.update(_reconcile_ids(db), _reconcile_trust(db), relations.find_redated_rows(db, touched.facts))
    _lengthen_cited_ids(db)
    _reconcile_recorded(db, touched.rows)
    relations.settle_supersession(db, relations.find_unsettled_rows(db, len(touched.keys)))
    # A line of an episode that repeats captures which are evidence themselves is found by those.
    db.execute(
        "update records set retold = exists (select 1 from derivations join records as said on said.id = source"
        " where derivations.record = records.rowid and said.actor <> '')"
        " where claim in (select key from temp.touched) and path like 'memory/episodes/%'"
    )
    db.execute("delete from temp.touched")
    lost = fetch_column(
        db,
        "select gone.value from json_each(?) as gone where gone.key not in (select id from explained)"
        " and not exists (select 1 from records where records.id = gone.key)",
        (json.encode(touched.dropped_digests).decode(),),
    )
    return (Counter(lost) - touched.added_digests).total()


def _reconcile_ids(db: apsw.Connection) -> list[int]:
    """If several records have one id, the first by path and line keeps it; the others get derived ids. Returns the rows
    whose ids may have changed."""
    changed = fetch_column(
        db,
        "update records set id = claim where rowid in (select records.rowid from temp.touched"
        " cross join records on records.claim = touched.key where id <> claim) returning rowid",
    )
    rivals = fetch_all(
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
            db.execute("update records set id = ? where rowid = ?", (derive_id_of_normalized(claim, number, path), row))
            changed.append(row)
    return changed


def _lengthen_cited_ids(db: apsw.Connection) -> None:
    """Let captures whose ids begin alike be cited by as much of them as tells each from the others."""
    same = "select 1 from records where actor <> '' and id >= start and id < start || char(0x10ffff) limit 2"
    starts = fetch_column(
        db,
        f"select start from (select distinct substr(key, 1, ?) as start from temp.touched where key glob ?)"  # noqa: S608
        f" where (select count(*) from ({same})) > 1",
        (MIN_CITED_CHARS, f"{CAPTURE_PREFIX}*"),
    )
    for start in starts:
        ids = fetch_column(db, f"select id from records where {CAPTURES_OF_PREFIX} order by id", (start, start))  # noqa: S608
        for own in ids:
            rivals = [other for other in ids if other != own]
            lengths = range(MIN_CITED_CHARS, len(own))
            length = next((n for n in lengths if not any(other.startswith(own[:n]) for other in rivals)), len(own))
            db.execute("update records set id_chars = ? where id = ?", (length, own))


def _reconcile_trust(db: apsw.Connection) -> list[int]:
    """A record is as trusted as the least of what its line says and what the ledger knows of its id and of its text.

    Where the ledger knows this very text under this very id, it does not matter who else said the same. A text that the
    ledger does not know is not trusted if it was taken from what cannot be; an id alone vouches for no text. Returns
    the rows whose trust may have changed.
    """
    if not fetch_value(db, "select exists (select 1 from origins) or exists (select 1 from tainted)"):
        return []  # nothing was ever lowered, so nothing is to be raised again
    among = "(claim in (select key from temp.touched) or text_digest in (select key from temp.touched))"
    changed = fetch_column(
        db,
        f"update records set trust = said_trust where trust <> said_trust and {among} returning rowid",  # noqa: S608
    )
    changed += fetch_column(
        db,
        "update records set trust = 'untrusted' where text_digest in (select digest from tainted)"  # noqa: S608
        f" and trust in ('unknown', 'trusted') and text_digest not in (select key from origins) and {among}"
        " returning rowid",
    )
    known = fetch_all(
        db,
        "select records.rowid, origins.trust from"
        " (select records.rowid as number from temp.touched cross join records on records.claim = touched.key union"
        " select records.rowid from temp.touched cross join records on records.text_digest = touched.key)"
        " cross join records on records.rowid = number"
        " cross join origins on origins.key = records.claim or (origins.key = records.text_digest"
        " and not exists (select 1 from origins as said where said.key = records.claim || ' ' || records.text_digest))",
    )
    db.executemany(
        f"update records set trust = ?1 where rowid = ?2 and {TRUST_RANK.format('?1')} < {TRUST_RANK.format('trust')}",  # noqa: S608
        ((trust, row) for row, trust in known),
    )
    return changed + [row for row, _trust in known]


def _reconcile_recorded(db: apsw.Connection, row_ids: Collection[int]) -> None:
    """A line was recorded at its own ledger line, one that is struck through at its first, else on its date, else
    where the ledger first saw its id."""
    db.execute(
        "update records set recorded = coalesce("
        " (select min(said.time) from ledger_relations as said where said.id = claim and op = 'origin'"
        " and (other = text_digest or records.text like '~~%')), nullif(time, ''),"
        " (select said.time from ledger_relations as said where said.id = records.id and op = 'seen'), '')"
        " where actor = ''"
        " and (claim in (select key from temp.touched) or rowid in (select value from json_each(?)))",
        (json_integers(row_ids),),
    )


def find_repeated_spans(index: Index, texts_with_trust: Sequence[tuple[str, Trust]]) -> list[tuple[TextSpan, ...]]:
    """Which stretches of each text stand in records already, in characters, in order; one question for all.

    Each text comes with the trust that its capture has. Of an untrusted one every run of four words counts that stands
    in a trusted record, so that it taints nothing that was there before it. Of others a stretch has five words, or is
    the whole of a short record, and records of unknown trust count too: an agent's own notes are an echo in its mouth.
    The first question makes the index keep the shingles of its records. Raises LockBusy then.
    """
    found: list[tuple[TextSpan, ...]] = [()] * len(texts_with_trust)
    low = [at for at, (_text, trust) in enumerate(texts_with_trust) if trust not in ("trusted", "unknown")]
    rest = sorted({*range(len(texts_with_trust))}.difference(low))
    asked: tuple[tuple[list[int], tuple[Trust, ...], int], ...] = (
        (low, ("trusted",), 1),
        (rest, ("trusted", "unknown"), MIN_COPIED_SHINGLES),
    )
    for places, trusts, least in asked:
        made = {at: locate_shingles(texts_with_trust[at][0]) for at in places}
        shingles = {one for each in made.values() for one in each.shingles}
        stands = index.find_shingles_in_records(shingles, trusts) if made else {}
        for at, each in made.items():
            found[at] = find_copied_spans(each, stands, least)
    return found


def are_from_untrusted(index: Index, texts: Sequence[str]) -> list[bool]:
    """Whether each text shares enough shingles with untrusted captures to have been taken from them."""
    made = [hash_shingles(text) for text in texts]
    bad = index.find_tainted_shingles({one for own in made for one in own})
    return [is_copied(own, len(bad.intersection(own))) for own in made]
