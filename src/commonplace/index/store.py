"""The writing half of the index in SQLite: transactions, snapshots, and files replaced record by record."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import apsw
from msgspec import Struct, structs

from commonplace.errors import CommonplaceError
from commonplace.index import postings, reconcile
from commonplace.index.postings import EPISODE_FOLDER, is_retelling, marker_tokens
from commonplace.index.protocol import FileEntries, FileRow, IndexEntry, LedgerFacts, Stamp
from commonplace.index.reader import FILE_COLUMNS, IndexReader
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
from commonplace.index.sql import (
    FINAL_STATEMENTS,
    INDEXES,
    SQLITE_ERRORS,
    InterruptibleConnection,
    fetch_all,
    fetch_value,
    json_integers,
    translate_sqlite_error,
)
from commonplace.model import Problem, Record, Trust

TRAILING_COLUMNS = len(LOCATION_COLUMNS) + 3  # values beside those of SAID: the place, row, id and length
CLAIM_POSITION = CONTENT_COLUMNS.split(", ").index("claim")

ContentKey = tuple[Any, ...]


class FileDifference(Struct, frozen=True):
    """What a changed file keeps, loses and gains.

    `dropped_rows` are (row, id, claim, length); `moved` are (values of PLACE, row) of what stands elsewhere in the file
    now, with their claims; `added` are the records that were not there.
    """

    dropped_rows: list[tuple[int, str, str, int]]
    moved: list[tuple[Any, ...]]
    claims: set[str]
    added: list[Record]


def diff_file_records(db: apsw.Connection, file: FileEntries, records: Sequence[Record]) -> FileDifference | None:
    """The records of a file beside those that the index has of it; None where all of them change with the file."""
    if not _is_page_unchanged(db, file):
        return None
    query = f"select {CONTENT_COLUMNS}, {', '.join(LOCATION_COLUMNS)}, rowid, id, length from records where path = ?"  # noqa: S608 - constant
    there: dict[ContentKey, list[tuple[Any, ...]]] = {}
    for values in reversed(fetch_all(db, query, (file.file_row.path,))):
        there.setdefault(values[:-TRAILING_COLUMNS], []).append(values[-TRAILING_COLUMNS:])
    moved: list[tuple[Any, ...]] = []
    claims: set[str] = set()
    fresh: list[Record] = []
    for record in records:
        same = there.get(content_values(record))
        if not same:
            fresh.append(record)
            continue
        *before, row, _id, _length = same.pop()
        source = record.source
        place = [source.line_start, source.line_end, source.byte_start, source.byte_end]
        if place != before:
            moved.append((*place, row))
            claims.add(record.id)
    lost = [(key[CLAIM_POSITION], values) for key, rest in there.items() for values in rest]
    gone = [(row, record_id, claim, length) for claim, (*_place, row, record_id, length) in lost]
    return FileDifference(gone, moved, claims, fresh)


def update_locations(db: apsw.Connection, moved_rows: Sequence[tuple[Any, ...]]) -> None:
    """Note where records stand now."""
    assigned = ", ".join(f"{name} = ?" for name in LOCATION_COLUMNS)
    db.executemany(f"update records set {assigned} where rowid = ?", moved_rows)  # noqa: S608 - constant columns


def _is_page_unchanged(db: apsw.Connection, file: FileEntries) -> bool:
    """Whether what all records take from their file is as it was: where it comes from, its role, title and names."""
    file_row = file.file_row
    before = fetch_all(db, "select origin, role, title from files where path = ?", (file_row.path,))
    names = fetch_all(db, "select key, name, entity from pages where path = ?", (file_row.path,))
    own = {(key, name, int(file.is_entity)) for key, name in dict(reversed(file.names)).items()}
    return before == [(file_row.origin, file_row.role, file_row.title)] and set(names) == own


# What `marks.retells` says, of rows that are stored.
COUNT_RETELLINGS = """select count(*), coalesce(sum(length), 0) from json_each(?) as gone
    cross join records on records.rowid = gone.value where sources <> '' and records.path glob ?"""
RETOLD_CLAIMS = "select claim from records where retold = 1"


class SqliteIndex(IndexReader):
    """Implements `Index` on one connection; not to be shared between threads."""

    def __init__(
        self,
        connection: InterruptibleConnection,
        path: str,
        inode: int,
        memory_only_error: CommonplaceError | None = None,
    ) -> None:
        super().__init__(connection)
        self.path, self.inode, self.memory_only_error = path, inode, memory_only_error
        self._touched = reconcile.TouchedRecords()
        self._changed_files: dict[str, FileRow | None] = {}  # files put in this transaction; None for what went
        self._writes = TransactionWrites()
        self._next_rows = {False: 0, True: 0}  # of records; of captures

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A write transaction; rolled back if the block raises. Raises LockBusy, WorkspaceUnusable."""
        self._touched = reconcile.TouchedRecords()
        self._changed_files = {}
        self._writes = TransactionWrites()
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
        except SQLITE_ERRORS as error:
            raise translate_sqlite_error(self._db, error) from error
        finally:
            self._db.set_update_hook(None)
            self._db.is_shielded = False
            if not is_done:
                self._files = self._stamps = None
                self._cache.clear()
            self._db.roll_back()

    def _keep_caches(self, previous_state: tuple[int, int]) -> None:
        """Keep what was read of the state before as far as the transaction cannot have touched it."""
        known = self._files, self._stamps
        self._files = self._stamps = None
        if None not in self._changed_files.values():
            self._keep_file_caches(*known)
        if self._cache.is_at_state(
            previous_state
        ):  # else another process wrote since, or something was asked in the midst
            self._cache.apply_writes(self._read_state(), self._writes)
        else:
            self._cache.clear()

    def _keep_file_caches(
        self, cached_files: tuple[int, dict[str, FileRow]] | None, cached_stamps: tuple[int, dict[str, Stamp]] | None
    ) -> None:
        """Go on with what was known of the files, where all that changed were known: there may be very many others."""
        changed = {path: row for path, row in self._changed_files.items() if row is not None}
        if cached_files is not None and changed.keys() <= cached_files[1].keys():
            self._files = cached_files[0], cached_files[1] | changed
        if cached_stamps is not None and changed.keys() <= cached_stamps[1].keys():
            self._stamps = (
                cached_stamps[0],
                cached_stamps[1] | {path: file_row.stamp for path, file_row in changed.items()},
            )

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Reading in one state: what other processes write meanwhile is seen after it. May be nested."""
        if self._db.in_transaction:
            yield
            return
        try:
            self._begin_read()
            self._snapshot_state = self._read_state()
            yield
        finally:
            self._snapshot_state = None
            self._db.roll_back()  # an error of SQLite may have ended it

    def _begin_read(self) -> None:
        try:
            self._db.execute("begin")
        except SQLITE_ERRORS as error:
            raise translate_sqlite_error(self._db, error) from error

    def stop(self) -> None:
        """Break off what reads in another thread; it raises Interrupted."""
        self._db.stop()

    def resume(self) -> None:
        """Answer again."""
        self._db.resume()

    def close(self) -> None:
        """Let go of the database."""
        self._db.close()

    def size_in_bytes(self) -> int:
        """See `Index`."""
        return int(self._db.pragma("page_count")) * int(self._db.pragma("page_size"))

    # writing

    def drop_file(self, path: str) -> None:
        """Remove a file and all that came from it."""
        db = self._db
        self._changed_files[path] = None
        self._drop_rows(fetch_all(db, "select rowid, id, claim, length from records where path = ?", (path,)))
        for statement in (
            "delete from pages where path = ?",
            "delete from files where path = ?",
        ):
            db.execute(statement, (path,))
        self.replace_problems(f"file:{path}", ())

    def replace_file(
        self, file_entries: FileEntries, records: Sequence[Record], make_entry: Callable[[Record], IndexEntry]
    ) -> None:
        """Put a changed file, given without its entries, in place of what is there.

        Records that say what they said stay as they are; only of the others entries are made.
        """
        changed = diff_file_records(self._db, file_entries, records)
        if changed is None:
            self.drop_file(file_entries.file_row.path)
            self.put_file(structs.replace(file_entries, entries=tuple(map(make_entry, records))))
            return
        self._touched.keys |= changed.claims
        self._drop_rows(changed.dropped_rows)
        update_locations(self._db, changed.moved)
        self._put_entries(tuple(map(make_entry, changed.added)), are_captures=False)
        self._put_file(file_entries, len(records))
        self.replace_problems(f"file:{file_entries.file_row.path}", file_entries.problems)

    def _drop_rows(self, dropped_rows: list[tuple[int, str, str, int]]) -> None:
        """Remove records, given as (row, id, claim, length), and what they point at."""
        self._touched.note_dropped(self._db, dropped_rows)
        reconcile.add_to_corpus_size(self._db, -len(dropped_rows), -sum(row[3] for row in dropped_rows))
        again = fetch_all(
            self._db, COUNT_RETELLINGS, (json_integers(row[0] for row in dropped_rows), f"{EPISODE_FOLDER}*")
        )
        reconcile.add_to_retelling_size(self._db, *(-change for change in again[0]))
        rows = [(row[0],) for row in dropped_rows]
        drop_references(self._db, rows)
        self._db.executemany("delete from records where rowid = ?", rows)

    def _put_file(self, file: FileEntries, record_count: int) -> None:
        file_row = file.file_row
        self._db.execute(
            f"insert or replace into files ({FILE_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
            (
                file_row.path,
                file_row.origin,
                file_row.digest,
                *file_row.stamp,
                file_row.role,
                file_row.title,
                record_count,
            ),
        )
        self._changed_files[file_row.path] = structs.replace(file_row, record_count=record_count)

    def put_file(self, file_entries: FileEntries) -> None:
        """Add a file that is not there."""
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
        first = self._next_rows[are_captures]
        self._next_rows[are_captures] += len(entries)
        numbered = list(enumerate(entries, first))
        self._db.executemany(INSERT_RECORD, (to_record_row(number, entry) for number, entry in numbered))
        self._db.executemany(
            "insert into lines (rowid, text, context, marks) values (?, ?, ?, ?)",
            (self._full_text_values(number, entry) for number, entry in numbered),
        )
        put_references(self._db, numbered)
        self._touched.note_added(entries)
        reconcile.add_to_corpus_size(self._db, len(numbered), sum(entry.token_count for entry in entries))
        again = [entry.token_count for entry in entries if is_retelling(entry)]
        reconcile.add_to_retelling_size(self._db, len(again), sum(again))

    def _full_text_values(self, row_id: int, entry: IndexEntry) -> tuple[int, str, str, str]:
        """What the full text keeps of an entry."""
        marked = marker_tokens(entry)
        self._writes.note_tokens(f"{entry.tokens} {entry.context} {marked}")
        return row_id, entry.tokens, entry.context, marked

    def put_captures(self, entries: Sequence[IndexEntry], capture_keys: Sequence[str]) -> None:
        """Add captures as evidence, and the keys under which their sources know them."""
        self._put_entries(entries, are_captures=True)
        reconcile.add_to_capture_count(self._db, len(entries))
        postings.put_capture_keys(self._db, capture_keys)

    def put_tainted_shingles(self, hashes: Collection[int]) -> None:
        """Take in the shingles of what cannot be trusted; `settle` finds the records that were taken from it."""
        self._touched.suspects |= reconcile.put_tainted_shingles(self._db, hashes)

    def drop_captures(self) -> None:
        """Drop every capture, every key, every taint and what was wrong with them, to read the journals anew."""
        self._db.execute("delete from problems where source like 'captures:%'")
        self._touched.keys |= reconcile.drop_taints(self._db)
        gone = postings.drop_captures(self._db)
        self._touched.keys.update(claim for _row, _id, claim, _length in gone)
        self._touched.keys.update(row[0] for row in fetch_all(self._db, RETOLD_CLAIMS))
        reconcile.add_to_corpus_size(self._db, -len(gone), -sum(row[3] for row in gone))
        reconcile.add_to_capture_count(self._db, -len(gone))

    def replace_problems(self, source: str, problems: Sequence[Problem]) -> None:
        """Keep what is wrong with `source` in place of what was noted before."""
        self._db.execute("delete from problems where source = ?", (source,))
        self._db.executemany(
            "insert into problems (source, path, line, code, message, hint) values (?, ?, ?, ?, ?, ?)",
            ((source, p.path, p.line, p.code, p.message, p.hint) for p in problems),
        )

    def update_stamp(self, path: str, stamp: Stamp) -> None:
        """Note that a file was touched but says the same."""
        self._db.execute("update files set size = ?, mtime = ?, ctime = ?, inode = ? where path = ?", (*stamp, path))
        row = self._changed_files.get(path) or (self._files[1].get(path) if self._files else None)
        self._changed_files[path] = structs.replace(row, stamp=stamp) if row else None

    def put_ledger_facts(self, facts: LedgerFacts) -> None:
        """Take in what new ledger lines say."""
        reconcile.put_ledger_facts(self._db, facts)
        self._touched.keys.update(key for key, _trust in facts.origins)

    def drop_ledger_facts(self) -> None:
        """Drop all that ledger lines said, and what was wrong with them, to read them anew."""
        self._db.execute("delete from problems where source like 'ledger%'")
        self._touched.keys.update(reconcile.drop_ledger_facts(self._db))

    def reconcile(self) -> int:
        """Settle ids, supersession and trust after drops and puts; returns how many ids are gone, unexplained."""
        if not fetch_value(self._db, "select 1 from sqlite_schema where type = 'index' and name = 'records_id'"):
            for _purpose, statement in (*INDEXES, *FINAL_STATEMENTS):
                self._db.execute(statement)
        return reconcile.reconcile_records(self._db, self._touched)

    def set_meta(self, key: str, value: str) -> None:
        """Keep a small fact about the index itself."""
        self._db.execute("insert or replace into meta (key, value) values (?, ?)", (key, value))

    def find_shingles_in_records(self, hashes: Collection[int], trusts: Sequence[Trust]) -> dict[int, bool]:
        """Those of the shingles that stand in records of these trusts; true for those that are all of such a record.

        The first question makes the index keep the shingles of its records. Raises LockBusy then.
        """
        if not reconcile.has_record_shingles(self._db):
            with self.transaction():
                reconcile.enable_record_shingles(self._db)
                self.reconcile()
        return reconcile.find_shingles_in_records(self._db, hashes, trusts)
