"""Signatures of lines, what was derived among the lines of one, and which records that supersedes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import groupby
from operator import itemgetter

import apsw

from commonplace.index import sql
from commonplace.index.derived import LedgerRelation, Relations, Replacement, RowRelations
from commonplace.index.protocol import Index
from commonplace.index.values import Filter, IndexEntry
from commonplace.model import OtherValue, Record

MAX_SETTLED_SINGLY = 500  # keys; of more it is faster to look at all that is superseded
MAX_EARLIER_VALUES = 20  # of one record, the last ones


def scoped_signature(signature: int, scope: str) -> int:
    """The signature as the index stores it: lines of two scopes never share one. It is its own inverse."""
    return signature ^ _hash_scope(scope) if scope else signature


@lru_cache(256)
def _hash_scope(scope: str) -> int:
    return int.from_bytes(blake2b(scope.encode("utf-8", "replace"), digest_size=8).digest(), "big") >> 1


def scoped_signatures(entry: IndexEntry) -> list[int]:
    """The signatures of an entry as the index stores them."""
    return [scoped_signature(signature, entry.record.scope) for signature in entry.signatures]


TARGETS_OF_ROWS = """select target from json_each(?) as asked
    cross join supersessions on supersessions.record = asked.value"""


def find_touched_signatures(db: apsw.Connection, rows_as_json: str) -> set[int]:
    """The stored signatures of rows, which are given as a JSON list."""
    query = """select distinct signature from json_each(?) as asked
        cross join signatures on signatures.record = asked.value"""
    return set(sql.fetch_column(db, query, (rows_as_json,)))


def find_redated_rows(db: apsw.Connection, record_ids: Collection[str]) -> list[int]:
    """The rows of these ids, and those that rest on, or are supported by, what `temp.touched` names."""
    query = """select records.rowid from json_each(?) as asked cross join records on records.id = asked.value
        union select derivations.record from temp.touched cross join derivations on derivations.source = touched.key
        union select records.rowid from temp.touched
            cross join ledger_relations on other = touched.key and op = 'supported'
            cross join records on records.id = ledger_relations.id"""
    return sql.fetch_column(db, query, (sql.json_strings(record_ids),))


def put_ledger_relations(db: apsw.Connection, ledger_relations: Collection[LedgerRelation]) -> set[str]:
    """Keep what ledger lines say of records, each with the first time; returns the ids."""
    db.executemany(
        "insert into ledger_relations (id, op, other, time) values (?, ?, ?, ?)"
        " on conflict (id, op, other) do update set time = excluded.time where excluded.time < time",
        ledger_relations,
    )
    return {record_id for one in ledger_relations for record_id in (one[0], one[2])}


def drop_ledger_relations(db: apsw.Connection) -> list[str]:
    """Delete what `put_ledger_relations` kept; returns the ids of the records."""
    ids = sql.fetch_column(
        db, "select id from ledger_relations union select other from ledger_relations where op = 'both'"
    )
    db.execute("delete from ledger_relations")
    return ids


def find_groups(db: apsw.Connection, signatures: Collection[int], at_most: int) -> dict[int, tuple[int, ...]]:
    """The rows of those signatures that two to `at_most` lines share: lines before captures, by path and place."""
    query = """select signature, records.rowid from (
            select signature from json_each(?) as asked cross join signatures on signature = asked.value
            group by signature having count(*) between 2 and ?
        ) join signatures using (signature) cross join records on records.rowid = record
        order by signature, actor <> '', path, byte_start, id"""
    found = sql.fetch_all(db, query, (sql.json_integers(signatures), at_most)) if signatures else []
    return {signature: tuple(row for _signature, row in rows) for signature, rows in groupby(found, itemgetter(0))}


def replace_relations(db: apsw.Connection, signatures: Collection[int], relations: Mapping[int, Relations]) -> None:
    """Keep these relations as all that there are of the signatures, and settle what is superseded by them."""
    if not signatures:
        return
    asked = (sql.json_integers(signatures),)
    older = set(sql.fetch_column(db, OLDER_ROWS, asked))
    db.execute("delete from replacements where signature in (select value from json_each(?))", asked)
    db.execute("delete from twins where chain in (select value from json_each(?))", asked)
    replacements = [
        (signature, one.older, one.newer, one.since, one.order_key, one.old_value, one.new_value, one.reason)
        for signature, derived in relations.items()
        for one in derived.replacements
    ]
    db.executemany(
        "insert or ignore into replacements (signature, older, newer, since, order_key, old_value, new_value, reason)"
        " values (?, ?, ?, ?, ?, ?, ?, ?)",
        replacements,
    )
    db.executemany(
        "insert into twins (chain, position, record) values (?, ?, ?)",
        (
            (signature, position, row)
            for signature, derived in relations.items()
            for position, rows in enumerate(derived.twins)
            for row in rows
        ),
    )
    settle_supersession(db, older.union(row[1] for row in replacements))


OLDER_ROWS = "select older from json_each(?) as asked cross join replacements on signature = asked.value"


def find_unsettled_rows(db: apsw.Connection, touched_count: int) -> list[int]:
    """The rows that `temp.touched` names, and what they supersede; of many, every row that is or may be superseded."""
    if not sql.fetch_value(db, "select exists (select 1 from supersessions) or exists (select 1 from replacements)"):
        touched_count = MAX_SETTLED_SINGLY + 1  # nothing is superseded, or no longer
    if touched_count > MAX_SETTLED_SINGLY:
        return sql.fetch_column(
            db,
            "select rowid from records indexed by records_superseded where superseded_by <> ''"
            " union select older from replacements"
            " union select records.rowid from supersessions cross join records on records.id = target",
        )
    query = """with changed (number) as (
            select records.rowid from temp.touched cross join records on records.claim = touched.key
            union select records.rowid from temp.touched cross join records on records.id = touched.key
            union select records.rowid from temp.touched cross join records on records.text_digest = touched.key
        ) select number from changed
        union select records.rowid from changed cross join supersessions on supersessions.record = number
            cross join records on records.id = target
        union select older from changed cross join replacements on newer = number"""
    return sql.fetch_column(db, query)


def settle_supersession(db: apsw.Connection, row_ids: Collection[int]) -> None:
    """A record is superseded by the last record (by time, path, line) that says so and may; else by the first that was
    said after it and gives a new value."""
    if not row_ids:
        return
    written = f"""select asked.value, later.id from json_each(?) as asked
        cross join records on records.rowid = asked.value cross join supersessions on target = records.id
        cross join records as later on later.rowid = supersessions.record
        where {sql.MAY_SUPERSEDE} order by later.time, later.path, later.byte_start, later.id"""  # noqa: S608 - constant columns
    derived = """select older, later.id from json_each(?) as asked cross join replacements on older = asked.value
        cross join records as later on later.rowid = newer
        order by order_key desc, later.actor <> '' desc, later.path desc, later.byte_start desc, later.id"""
    asked = (sql.json_integers(row_ids),)
    settled = dict(sql.fetch_all(db, derived, asked)) | dict(sql.fetch_all(db, written, asked))
    query = "update records set superseded_by = ?1 where rowid = ?2 and superseded_by <> ?1"
    db.executemany(query, ((settled.get(row_id, ""), row_id) for row_id in row_ids))


CURRENT_ROWS = """with recursive later (row, by) as (
        select rowid, superseded_by from records indexed by records_superseded where superseded_by <> ''
        union select row, superseded_by from later cross join records on records.id = by and superseded_by <> ''
    ) select row, records.rowid from later cross join records on records.id = by and superseded_by = ''"""


EARLIER_VALUES = f"""with recursive earlier (row, by) as (
        select before.rowid, records.rowid from records join records as before on before.superseded_by = records.id
            where records.rowid = ? and before.superseded_by <> ''
        union select before.rowid, earlier.row from earlier join records on records.rowid = earlier.row
            join records as before on before.superseded_by = records.id and before.superseded_by <> ''
    ), lines (row, by, source) as (
        select row, by, source from earlier left join derivations on derivations.record = row
    ), given (row, value, since) as (
        select lines.row, old_value, since from lines join replacements on older = lines.row and newer = lines.by
        union all select lines.row, old_value, '' from lines join records on records.id = source
            join replacements on older = records.rowid
    ) select coalesce(value, trim(before.text, '~')),
        substr(coalesce(nullif(since, ''), later.valid_from, ''), 1, 10), before.id
    from earlier join records as before on before.rowid = earlier.row join records as later on later.rowid = by
    left join given on given.row = earlier.row
    where before.path not like 'memory/episodes/%' and before.id not in (
        select source from lines join records on records.rowid = row
        where source is not null and records.path not like 'memory/episodes/%')
    group by before.rowid
    order by iif(before.time = '', before.starts, before.time) desc, before.path, before.byte_start desc
    limit {MAX_EARLIER_VALUES}"""  # noqa: S608 - a constant


# `said`: sources that count as support of records
SUPPORTS = """(select id, other from ledger_relations as made where op = 'supported' and not exists (
        select 1 from ledger_relations as over
        where over.id = made.id and over.op = 'unsupported' and over.other = made.other)) as said"""


class RelationReader(Index):
    """What the ledger says of records, and what is derived among them; what its methods return is said at `Index`."""

    _db: sql.InterruptibleConnection

    def rows_with_signatures(self, signatures: Collection[int], scope: str) -> list[int]:
        query = """select distinct record from json_each(?) as asked cross join signatures on signature = asked.value
            order by record"""
        stored = sql.json_integers(scoped_signature(signature, scope) for signature in signatures)
        return sql.fetch_column(self._db, query, (stored,))

    def supersession_claims(self, record_ids: Sequence[str], record_filter: Filter) -> list[tuple[str, int]]:
        where, values = sql.filter_condition(record_filter)
        query = f"""select target, records.rowid from json_each(?) as asked
            cross join supersessions on target = asked.value cross join records on records.rowid = supersessions.record
            where records.id <> target and {where}
            order by target, records.time desc, records.path, line_start"""  # noqa: S608 - values are bound
        return sql.fetch_all(self._db, query, (sql.json_strings(record_ids), *values))

    def late_supersessions(self, record_ids: Collection[str], known_day: str) -> frozenset[tuple[str, str]]:
        query = """select said.id, said.other from json_each(?) as asked cross join ledger_relations as said
            on said.id = asked.value and op = 'superseded' where substr(said.time, 1, 10) > ?"""
        return frozenset(sql.fetch_all(self._db, query, (sql.json_strings(record_ids), known_day)))

    def owed_corrections(self, session_key: str, since: str) -> list[str]:
        query = """select other from ledger_relations as owed where id = ? and op = 'corrected' and time > ?
            and not exists (select 1 from ledger_relations as done
                where done.id = owed.id and done.op = 'delivered' and done.other = owed.other)
            order by time, other"""
        return sql.fetch_column(self._db, query, (session_key, since))

    def relations_of(self, row_ids: Collection[int]) -> dict[int, RowRelations]:
        asked = sql.json_integers(row_ids)
        query = """select distinct older, newer, since, order_key, old_value, new_value, reason
            from json_each(?) as asked
            cross join replacements on {} = asked.value order by order_key, signature"""
        found = {
            column: {
                (row[0], row[1]): Replacement(*row)
                for row in reversed(sql.fetch_all(self._db, query.format(column), (asked,)))
            }
            for column in ("older", "newer")
        }
        members = """select chain, position, record from twins
            where chain in (select chain from json_each(?) as asked cross join twins on record = asked.value)
            order by chain, position, record"""
        chains = [
            tuple(tuple(row for *_place, row in rows) for _position, rows in groupby(group, itemgetter(1)))
            for _chain, group in groupby(sql.fetch_all(self._db, members, (asked,)), itemgetter(0))
        ]
        if not (chains or any(found.values())):
            return {}
        relations = {
            row_id: RowRelations(
                tuple(one for one in reversed(found["older"].values()) if one.older == row_id),
                tuple(one for one in reversed(found["newer"].values()) if one.newer == row_id),
                tuple(dict.fromkeys(chain for chain in chains if any(row_id in rows for rows in chain))),
            )
            for row_id in row_ids
        }
        return {row_id: held for row_id, held in relations.items() if held.replaced_by or held.replaces or held.chains}

    def earlier_values(self, row_id: int) -> tuple[OtherValue, ...]:
        return tuple(OtherValue(*columns) for columns in sql.fetch_all(self._db, EARLIER_VALUES, (row_id,)))

    def replaced_captures(self, row_ids: Collection[int], day: str) -> dict[int, tuple[int, str]]:
        query = """with recursive retold (capture, line, by, ends) as (
                select asked.value, lines.rowid, lines.superseded_by, substr(lines.valid_to, 1, 10)
                from json_each(?) as asked cross join records as captures on captures.rowid = asked.value
                cross join derivations on derivations.source = captures.id
                cross join records as lines on lines.rowid = derivations.record
                where lines.path not like 'memory/episodes/%' and lines.path <> 'memory/pending.md'
            ), over (capture, by, ends) as (
                select capture, max(by), max(ends) from retold
                group by capture having min(by <> '' or (ends <> '' and ends <= ?))
            ), later (capture, row, by) as (
                select capture, records.rowid, records.superseded_by from over
                    cross join records on records.id = over.by
                union select capture, records.rowid, records.superseded_by from later
                    cross join records on records.id = later.by
            ) select over.capture, coalesce((select row from later where later.capture = over.capture and by = ''), 0),
            ends from over"""
        return {row: (by, ends) for row, by, ends in sql.fetch_all(self._db, query, (sql.json_integers(row_ids), day))}

    def newest_sources(self, row_ids: Collection[int]) -> dict[int, Record]:
        query = f"""select number, said.rowid from (
                select asked.value as number, source from json_each(?1) as asked
                    cross join derivations on derivations.record = asked.value
                union select asked.value, said.other from json_each(?1) as asked
                    cross join records on records.rowid = asked.value cross join {SUPPORTS} on said.id = records.id
                    cross join records as again on again.id = said.other
                    where {sql.TRUST_RANK.format("again.trust")} >= {sql.TRUST_RANK.format("records.trust")}
            ) cross join records on records.rowid = number and records.actor = ''
            cross join records as said on said.id = source and said.actor <> ''
            order by said.time, said.path, said.line_start"""  # noqa: S608 - constant columns
        newest = dict(sql.fetch_all(self._db, query, (sql.json_integers(row_ids),)))
        captures = self.fetch(set(newest.values()))
        return {row_id: captures[source].record for row_id, source in newest.items()}

    def pairs_held(self, row_ids: Collection[int], known_day: str = "") -> frozenset[frozenset[int]]:
        query = """select records.rowid, paired.rowid from json_each(?1) as asked
            cross join records on records.rowid = asked.value
            cross join ledger_relations as said on said.id = records.id and op = 'both'
            cross join records as paired on paired.id = other where ?2 = '' or substr(said.time, 1, 10) <= ?2"""
        return frozenset(map(frozenset, sql.fetch_all(self._db, query, (sql.json_integers(row_ids), known_day))))

    def rejected_words(self, digests: Collection[str]) -> frozenset[str]:
        query = """select said.id from json_each(?) as asked cross join ledger_relations as said
            on said.id = asked.value and op = 'rejected' where other not in (select id from records)"""
        return frozenset(sql.fetch_column(self._db, query, (sql.json_strings(digests),)))

    def struck_times(self, record_ids: Collection[str]) -> dict[str, str]:
        query = """select records.id, said.time from json_each(?) as asked
            cross join records on records.id = asked.value
            cross join ledger_relations as said on said.id = claim and op = 'origin' and other = text_digest
            where records.text like '~~%'"""
        return dict(sql.fetch_all(self._db, query, (sql.json_strings(record_ids),)))

    def supporting_sources(
        self, record_ids: Collection[str], known_day: str = ""
    ) -> dict[str, tuple[tuple[str, str], ...]]:
        query = """select said.id, said.other, said.time from json_each(?1) as asked
            cross join ledger_relations as said on said.id = asked.value and said.op = 'supported'
            left join ledger_relations as over on over.id = said.id and over.op = 'unsupported'
                and over.other = said.other and (?2 = '' or substr(over.time, 1, 10) <= ?2)
            where over.id is null and (?2 = '' or substr(said.time, 1, 10) <= ?2)
            order by said.id, said.time, said.other"""
        found = groupby(sql.fetch_all(self._db, query, (sql.json_strings(record_ids), known_day)), itemgetter(0))
        return {record_id: tuple((source, time) for _id, source, time in rows) for record_id, rows in found}
