"""The writing half of the index in SQLite: transactions, snapshots, and files replaced record by record."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import apsw
from msgspec import Struct, structs

from commonplace.errors import CommonplaceError
from commonplace.index import postings, reconcile, relations, sql
from commonplace.index.derived import LedgerFacts, Relations
from commonplace.index.name_reader import NameReader
from commonplace.index.postings import EPISODE_FOLDER, is_retelling, marker_tokens
from commonplace.index.reader import FILE_COLUMNS, FileReader, RecordReader
from commonplace.index.rows import (
    CONTENT_COLUMNS,
    INSERT_RECORD,
    LOCATION_COLUMNS,
    content_values,
    drop_references,
    put_references,
    to_record_row,
)
from commonplace.index.snapshot_cache import TransactionWrites
from commonplace.index.values import FileEntries, FileRow, IndexEntry, Stamp
from commonplace.model import Problem, Record, Trust

TRAILING_COLUMNS = len(LOCATION_COLUMNS) + 3  # values beside those of SAID: the place, row, id and length
CLAIM_POSITION = CONTENT_COLUMNS.split(", ").index("claim")

ContentKey = tuple[Any, ...]


class FileDifference(Struct, frozen=True):
    """The difference between a changed file and its records in the index.

    `dropped_rows` are (row, id, claim, length); `moved` are (values of PLACE, row) of what is elsewhere in the file
    now, with their claims; `reordered` rows are no longer in the order in which they were; `added` are the records that
    were not there.
    """

    dropped_rows: list[tuple[int, str, str, int]]
    moved: list[tuple[Any, ...]]
    claims: set[str]
    reordered: set[int]
    added: list[Record]


def diff_file_records(db: apsw.Connection, file: FileEntries, records: Sequence[Record]) -> FileDifference | None:
    """The records of a file beside those that the index has of it; None if all of them change with the file."""
    file_row = file.file_row
    # What all records take from their file: where it comes from, its role, title and names.
    before = sql.fetch_all(db, "select origin, role, title from files where path = ?", (file_row.path,))
    names = sql.fetch_all(db, "select key, name, entity from pages where path = ?", (file_row.path,))
    own = {(key, name, int(file.is_entity)) for key, name in dict(reversed(file.names)).items()}
    if before != [(file_row.origin, file_row.role, file_row.title)] or set(names) != own:
        return None
    query = f"select {CONTENT_COLUMNS}, {', '.join(LOCATION_COLUMNS)}, rowid, id, length from records where path = ?"  # noqa: S608 - constant
    there: dict[ContentKey, list[tuple[Any, ...]]] = {}
    for values in reversed(sql.fetch_all(db, query, (file_row.path,))):
        there.setdefault(values[:-TRAILING_COLUMNS], []).append(values[-TRAILING_COLUMNS:])
    moved: list[tuple[Any, ...]] = []
    claims: set[str] = set()
    kept: list[tuple[int, int]] = []  # (first byte before, row), in the order of now
    fresh: list[Record] = []
    hidden_ids = {*sql.fetch_column(db, "select id from hidden")}
    for record in records:
        same = there.get(content_values(record))
        if not same or record.id in hidden_ids:  # the place of what is forgotten in part is kept with its row
            fresh.append(record)
            continue
        *last_place, row, _id, _length = same.pop()
        kept.append((last_place[2], row))
        source = record.source
        place = [source.line_start, source.line_end, source.byte_start, source.byte_end]
        if place != last_place:
            moved.append((*place, row))
            claims.add(record.id)
    lost = [(key[CLAIM_POSITION], values) for key, rest in there.items() for values in rest]
    gone = [(row, record_id, claim, length) for claim, (*_place, row, record_id, length) in lost]
    reordered = {row for _start, row in kept} if kept != sorted(kept) else set()
    return FileDifference(gone, moved, claims, reordered, fresh)


# What `is_retelling` says, of rows that are stored.
COUNT_RETELLINGS = """select count(*), coalesce(sum(length), 0) from json_each(?) as gone
    cross join records on records.rowid = gone.value where sources <> '' and records.path glob ?"""


class SqliteIndex(FileReader, RecordReader, NameReader, relations.RelationReader):
    """Implements `Index`, which says what each method does, on one connection; not to be shared between threads."""

    def __init__(
        self,
        connection: sql.InterruptibleConnection,
        path: str,
        inode: int,
        memory_only_error: CommonplaceError | None = None,
    ) -> None:
        super().__init__(connection)
        self.path, self.inode, self.memory_only_error = path, inode, memory_only_error
        self._touched, self._writes = reconcile.TouchedRecords(), TransactionWrites()
        self._changed_files: dict[str, FileRow | None] = {}  # files put in this transaction; None for what went
        self._next_rows = {False: 0, True: 0}  # of records; of captures

    @contextmanager
    def transaction(self) -> Iterator[None]:
        self._touched, self._writes, self._changed_files = reconcile.TouchedRecords(), TransactionWrites(), {}
        self._db.is_shielded = True
        is_done = False
        try:
            self._db.execute("begin immediate")
            state = self._read_state()
            self._db.set_update_hook(self._writes.note_row)
            self._next_rows = postings.next_row_ids(self._db)
            yield
            self._db.execute("commit")
            self._keep_caches(state)
            is_done = True
        except sql.SQLITE_ERRORS as error:
            raise sql.translate_sqlite_error(self._db, error) from error
        finally:
            self._db.set_update_hook(None)
            self._db.is_shielded = False
            if not is_done:
                self._files = self._stamps = None
                self._cache.clear()
            self._db.roll_back()

    def _keep_caches(self, previous_state: tuple[int, int]) -> None:
        """Keep what was read of the state before as far as the transaction cannot have touched it."""
        changed = {path: row for path, row in self._changed_files.items() if row is not None}
        is_known = len(changed) == len(self._changed_files)
        files, stamps = self._files, self._stamps
        self._files = self._stamps = None
        if is_known and files is not None and changed.keys() <= files[1].keys():
            self._files = files[0], files[1] | changed  # there may be very many others
        if is_known and stamps is not None and changed.keys() <= stamps[1].keys():
            self._stamps = stamps[0], stamps[1] | {path: file_row.stamp for path, file_row in changed.items()}
        self._cache.apply_writes(previous_state, self._read_state(), self._writes)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        if self._db.in_transaction:
            yield
            return
        try:
            try:
                self._db.execute("begin")
            except sql.SQLITE_ERRORS as error:
                raise sql.translate_sqlite_error(self._db, error) from error
            self._snapshot_state = self._read_state()
            yield
        finally:
            self._snapshot_state = None
            self._db.roll_back()  # an error of SQLite may have ended it

    def stop(self) -> None:
        self._db.stop()

    def resume(self) -> None:
        self._db.resume()

    def close(self) -> None:
        self._db.close()

    def size_in_bytes(self) -> int:
        return int(self._db.pragma("page_count")) * int(self._db.pragma("page_size"))

    # writing

    def drop_file(self, path: str) -> None:
        db = self._db
        self._changed_files[path] = None
        self._drop_rows(sql.fetch_all(db, "select rowid, id, claim, length from records where path = ?", (path,)))
        db.execute("delete from hidden_places where path = ?", (path,))
        db.execute("delete from pages where path = ?", (path,))
        db.execute("delete from files where path = ?", (path,))
        self.replace_problems(f"file:{path}", ())

    def replace_file(
        self, file_entries: FileEntries, records: Sequence[Record], make_entry: Callable[[Record], IndexEntry]
    ) -> None:
        changed = diff_file_records(self._db, file_entries, records)
        if changed is None:
            self.drop_file(file_entries.file_row.path)
            self.put_file(structs.replace(file_entries, entries=tuple(map(make_entry, records))))
            return
        self._touched.keys |= changed.claims
        self._touched.rows |= changed.reordered
        self._db.execute("delete from hidden_places where path = ?", (file_entries.file_row.path,))
        self._drop_rows(changed.dropped_rows)
        assigned = ", ".join(f"{name} = ?" for name in LOCATION_COLUMNS)
        self._db.executemany(f"update records set {assigned} where rowid = ?", changed.moved)  # noqa: S608 - constants
        self._put_entries(tuple(map(make_entry, changed.added)), are_captures=False)
        self._put_file(file_entries, len(records))
        self.replace_problems(f"file:{file_entries.file_row.path}", file_entries.problems)

    def _drop_rows(self, dropped_rows: list[tuple[int, str, str, int]]) -> None:
        """Remove records, given as (row, id, claim, length), and what they point at."""
        if not dropped_rows:
            return
        self._touched.note_dropped(self._db, dropped_rows)
        rows = [(row[0],) for row in dropped_rows]
        asked = sql.json_integers(row for (row,) in rows), f"{EPISODE_FOLDER}*"
        ((count, length),) = sql.fetch_all(self._db, COUNT_RETELLINGS, asked)
        sizes = {"records": -len(dropped_rows), "length": -sum(row[3] for row in dropped_rows)}
        reconcile.add_to_sums(self._db, sizes | ({"retold": -count, "retold length": -length} if count else {}))
        drop_references(self._db, rows)
        self._db.executemany("delete from records where rowid = ?", rows)

    def _put_file(self, file: FileEntries, record_count: int) -> None:
        r = file.file_row
        self._db.execute(
            f"insert or replace into files ({FILE_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
            (r.path, r.origin, r.digest, *r.stamp, r.role, r.title, record_count),
        )
        self._changed_files[r.path] = structs.replace(r, record_count=record_count)

    def put_file(self, file_entries: FileEntries) -> None:
        db, file_row = self._db, file_entries.file_row
        self._put_file(file_entries, len(file_entries.entries))
        self._put_entries(file_entries.entries, are_captures=False)
        db.executemany(
            "insert or ignore into pages (key, path, name, entity) values (?, ?, ?, ?)",
            ((key, file_row.path, name, file_entries.is_entity) for key, name in file_entries.names),
        )
        if file_entries.problems:
            self.replace_problems(f"file:{file_row.path}", file_entries.problems)

    def _put_entries(self, entries: Sequence[IndexEntry], *, are_captures: bool) -> None:
        entries = self._without_hidden(entries)
        if not entries:
            return
        first = self._next_rows[are_captures]
        self._next_rows[are_captures] += len(entries)
        numbered = list(enumerate(entries, first))
        self._db.executemany(INSERT_RECORD, (to_record_row(number, entry) for number, entry in numbered))
        texts = [(number, entry.tokens, entry.context, marker_tokens(entry)) for number, entry in numbered]
        for _number, *columns in texts:
            self._writes.note_tokens(" ".join(columns))
        self._db.executemany("insert into lines (rowid, text, context, marks) values (?, ?, ?, ?)", texts)
        put_references(self._db, numbered)
        self._touched.note_added(entries)
        sizes = {"records": len(numbered), "length": sum(entry.token_count for entry in entries)}
        again = [entry.token_count for entry in entries if is_retelling(entry)]
        reconcile.add_to_sums(self._db, sizes | ({"retold": len(again), "retold length": sum(again)} if again else {}))

    def _without_hidden(self, entries: Sequence[IndexEntry]) -> Sequence[IndexEntry]:
        """The entries of which something is not forgotten; the places of all that is are kept."""
        hidden_ids = self.hidden_ids() if entries else ()
        if not hidden_ids:
            return entries
        hidden = (entry.record for entry in entries if entry.record.id in hidden_ids)
        self._db.executemany(
            "insert or replace into hidden_places (path, first_line, last_line, id) values (?, ?, ?, ?)",
            ((one.source.path, one.source.line_start, one.source.line_end, one.id) for one in hidden),
        )
        return [entry for entry in entries if entry.record.text or entry.record.id not in hidden_ids]

    def put_captures(self, entries: Sequence[IndexEntry], capture_keys: Sequence[str]) -> None:
        shown = self._without_hidden(entries)
        self._put_entries(shown, are_captures=True)
        reconcile.add_to_sums(self._db, {"evidence": len(shown)})
        hidden = {entry.record.id for entry in entries} - {entry.record.id for entry in shown}
        self._put_captured_keys((*capture_keys, *hidden))

    def _put_captured_keys(self, keys: Iterable[str]) -> None:
        """Keep keys under which something was captured, and ids of captures that have no row."""
        self._db.executemany("insert or ignore into captured (key) values (?)", ((key,) for key in keys))

    def put_tainted_shingles(self, hashes: Collection[int]) -> None:
        self._touched.suspects |= reconcile.put_tainted_shingles(self._db, hashes)

    def drop_captures(self) -> None:
        self._db.execute("delete from problems where source like 'captures:%'")
        self._touched.keys |= reconcile.drop_taints(self._db)
        gone = sql.fetch_all(self._db, "select rowid, id, claim, length from records where actor <> ''")
        rows = sql.json_integers(row[0] for row in gone)
        self._touched.signatures |= relations.find_touched_signatures(self._db, rows)
        drop_references(self._db, [(row[0],) for row in gone])
        self._db.execute("delete from records where actor <> ''")
        self._db.execute("delete from hidden_places where path like '.memory/%'")
        self._db.execute("delete from captured")
        self._touched.keys.update(claim for _row, _id, claim, _length in gone)
        self._touched.keys.update(sql.fetch_column(self._db, "select claim from records where retold = 1"))
        length = sum(row[3] for row in gone)
        reconcile.add_to_sums(self._db, {"records": -len(gone), "length": -length, "evidence": -len(gone)})

    def replace_problems(self, source: str, problems: Sequence[Problem]) -> None:
        self._db.execute("delete from problems where source = ?", (source,))
        self._db.executemany(
            "insert into problems (source, path, line, code, message, hint) values (?, ?, ?, ?, ?, ?)",
            ((source, p.path, p.line, p.code, p.message, p.hint) for p in problems),
        )

    def update_stamp(self, path: str, stamp: Stamp) -> None:
        self._db.execute("update files set size = ?, mtime = ?, ctime = ?, inode = ? where path = ?", (*stamp, path))
        row = self._changed_files.get(path) or (self._files[1].get(path) if self._files else None)
        self._changed_files[path] = structs.replace(row, stamp=stamp) if row else None

    def put_ledger_facts(self, facts: LedgerFacts) -> None:
        reconcile.put_ledger_facts(self._db, facts)
        self._hide_records(facts)
        self._touched.keys.update(key for key, _trust in facts.origins)
        self._touched.facts.update(relations.put_ledger_relations(self._db, facts.relations))
        self._touched.keys.update(key for one in facts.relations if one[1] == "both" for key in (one[0], one[2]))

    def _hide_records(self, facts: LedgerFacts) -> None:
        """Drop what ledger lines forget; where one was undone, or forgets a part, all is to be read again."""
        self._db.executemany("insert or ignore into restored (line) values (?)", zip(facts.restored))
        self._db.executemany("insert or ignore into hidden (id, line, sentences) values (?, ?, ?)", facts.hidden)
        undone = "delete from hidden where line in (select line from restored) returning line"
        if sql.fetch_column(self._db, undone) or any(sentences for _id, _line, sentences in facts.hidden):
            self._read_all_again()
        self._db.execute("delete from hidden_places where id not in (select id from hidden)")
        which = "from records where claim in (select id from hidden where sentences = '')"
        self._db.execute(f"insert or replace into hidden_places select path, line_start, line_end, claim {which}")
        columns = f"select rowid, id, claim, length {which} and actor {{}} ''"
        for sign in ("=", "<>"):
            gone = sql.fetch_all(self._db, columns.format(sign))
            self._drop_rows(gone)
            if sign == "<>" and gone:
                reconcile.add_to_sums(self._db, {"evidence": -len(gone)})
                self._put_captured_keys(claim for _row, _id, claim, _length in gone)

    def _read_all_again(self) -> None:
        self.set_meta("captures", "")
        self.set_meta("reading", "")

    def drop_ledger_facts(self) -> None:
        self._db.execute("delete from problems where source like 'ledger%'")
        if self.hidden_ids():
            self._read_all_again()
        self._touched.keys.update(reconcile.drop_ledger_facts(self._db))
        self._touched.facts.update(relations.drop_ledger_relations(self._db))

    def reconcile(self) -> int:
        if not sql.fetch_value(self._db, "select 1 from sqlite_schema where type = 'index' and name = 'records_id'"):
            for _purpose, statement in (*sql.INDEXES, *sql.FINAL_STATEMENTS):
                self._db.execute(statement)
        return reconcile.reconcile_records(self._db, self._touched)

    def touched_groups(self, at_most: int) -> dict[int, tuple[int, ...]]:
        self._touched.signatures |= relations.find_touched_signatures(self._db, sql.json_integers(self._touched.rows))
        return relations.find_groups(self._db, self._touched.signatures, at_most)

    def put_relations(self, relations_by_signature: Mapping[int, Relations]) -> None:
        relations.replace_relations(self._db, self._touched.signatures, relations_by_signature)

    def set_meta(self, key: str, value: str) -> None:
        self._db.execute("insert or replace into meta (key, value) values (?, ?)", (key, value))

    def find_shingles_in_records(self, hashes: Collection[int], trusts: Sequence[Trust]) -> dict[int, bool]:
        if not reconcile.has_record_shingles(self._db):
            with self.transaction():
                reconcile.enable_record_shingles(self._db)
                self.reconcile()
        return reconcile.find_shingles_in_records(self._db, hashes, trusts)
