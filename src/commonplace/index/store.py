"""The index in SQLite: full text by FTS5 over our own tokens, everything else in plain tables."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager

from msgspec import structs

from commonplace.errors import CommonplaceError
from commonplace.index import evidence, settling, taint
from commonplace.index.changing import difference, move
from commonplace.index.lookup import Lookup
from commonplace.index.lookup.files import FILE_COLUMNS
from commonplace.index.marks import EPISODES, marks, retells
from commonplace.index.protocol import Entry, FileEntries, FileRow, LedgerFacts, Stamp
from commonplace.index.references import drop_references, put_references
from commonplace.index.rows import INSERT, to_row
from commonplace.index.schema import FINISH, INDEXES
from commonplace.index.sql import FAILURES, Connection, all_rows, failure, numbers, one_value
from commonplace.index.written import Written
from commonplace.model import Problem, Record, Trust

# What `marks.retells` says, of rows that are stored.
RETELLING = """select count(*), coalesce(sum(length), 0) from json_each(?) as gone
    cross join records on records.rowid = gone.value where sources <> '' and records.path glob ?"""
RETOLD = "select claim from records where retold = 1"


class SqliteIndex(Lookup):
    """Implements `Index` on one connection; not to be shared between threads."""

    def __init__(self, connection: Connection, path: str, inode: int, unkept: CommonplaceError | None = None) -> None:
        super().__init__(connection)
        self.path, self.inode, self.unkept = path, inode, unkept
        self._touched = settling.Touched()
        self._changed: dict[str, FileRow | None] = {}  # files put in this transaction; None for what went
        self._written = Written()
        self._next_rows = {False: 0, True: 0}  # of records; of captures

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A write transaction; rolled back if the block raises. Raises LockBusy, WorkspaceUnusable."""
        self._touched = settling.Touched()
        self._changed = {}
        self._written = Written()
        self._db.is_shielded = True
        is_done = False
        try:
            self._db.execute("begin immediate")
            state = self._state_now()
            self._db.set_update_hook(self._written.note)
            self._next_rows = evidence.next_rows(self._db)
            yield
            self._db.execute("commit")
            self._go_on(state)
            is_done = True
        except FAILURES as error:
            raise failure(self._db, error) from error
        finally:
            self._db.set_update_hook(None)
            self._db.is_shielded = False
            if not is_done:
                self._files = self._stamps = None
                self._kept.forget()
            self._db.roll_back()

    def _go_on(self, before: tuple[int, int]) -> None:
        """Keep what was read of the state before as far as the transaction cannot have touched it."""
        known = self._files, self._stamps
        self._files = self._stamps = None
        if None not in self._changed.values():
            self._keep(*known)
        if self._kept.is_of(before):  # else another process wrote since, or something was asked in the midst
            self._kept.follow(self._state_now(), self._written)
        else:
            self._kept.forget()

    def _keep(self, rows: tuple[int, dict[str, FileRow]] | None, stamps: tuple[int, dict[str, Stamp]] | None) -> None:
        """Go on with what was known of the files, where all that changed were known: there may be very many others."""
        changed = {path: row for path, row in self._changed.items() if row is not None}
        if rows is not None and changed.keys() <= rows[1].keys():
            self._files = rows[0], rows[1] | changed
        if stamps is not None and changed.keys() <= stamps[1].keys():
            self._stamps = stamps[0], stamps[1] | {path: row.stamp for path, row in changed.items()}

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Reading in one state: what other processes write meanwhile is seen after it. May be nested."""
        if self._db.in_transaction:
            yield
            return
        try:
            self._begin()
            self._standing = self._state_now()
            yield
        finally:
            self._standing = None
            self._db.roll_back()  # an error of SQLite may have ended it

    def _begin(self) -> None:
        try:
            self._db.execute("begin")
        except FAILURES as error:
            raise failure(self._db, error) from error

    def stop(self) -> None:
        """Break off what reads in another thread; it raises Interrupted."""
        self._db.stop()

    def go_on(self) -> None:
        """Answer again."""
        self._db.go_on()

    def close(self) -> None:
        """Let go of the database."""
        self._db.close()

    def size_in_bytes(self) -> int:
        """See `Index`."""
        return int(self._db.pragma("page_count")) * int(self._db.pragma("page_size"))

    # writing

    def drop(self, path: str) -> None:
        """Remove a file and all that came from it."""
        db = self._db
        self._changed[path] = None
        self._drop_rows(all_rows(db, "select rowid, id, claim, length from records where path = ?", (path,)))
        for statement in (
            "delete from pages where path = ?",
            "delete from files where path = ?",
        ):
            db.execute(statement, (path,))
        self.note(f"file:{path}", ())

    def replace(self, file: FileEntries, records: Sequence[Record], prepare: Callable[[Record], Entry]) -> None:
        """Put a changed file, given without its entries, in place of what is there.

        Records that say what they said stay as they are; only of the others entries are made.
        """
        changed = difference(self._db, file, records)
        if changed is None:
            self.drop(file.file.path)
            self.put(structs.replace(file, entries=tuple(map(prepare, records))))
            return
        self._touched.keys |= changed.claims
        self._drop_rows(changed.gone)
        move(self._db, changed.moved)
        self._put_entries(tuple(map(prepare, changed.fresh)), captures=False)
        self._put_file(file, len(records))
        self.note(f"file:{file.file.path}", file.problems)

    def _drop_rows(self, gone: list[tuple[int, str, str, int]]) -> None:
        """Remove records, given as (row, id, claim, length), and what they point at."""
        self._touched.dropped(self._db, gone)
        settling.add_to_size(self._db, -len(gone), -sum(row[3] for row in gone))
        again = all_rows(self._db, RETELLING, (numbers(row[0] for row in gone), f"{EPISODES}*"))
        settling.add_to_retold(self._db, *(-change for change in again[0]))
        rows = [(row[0],) for row in gone]
        drop_references(self._db, rows)
        self._db.executemany("delete from records where rowid = ?", rows)

    def _put_file(self, file: FileEntries, records: int) -> None:
        row = file.file
        self._db.execute(
            f"insert or replace into files ({FILE_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
            (row.path, row.origin, row.digest, *row.stamp, row.role, row.title, records),
        )
        self._changed[row.path] = structs.replace(row, records=records)

    def put(self, file: FileEntries) -> None:
        """Add a file that is not there."""
        db, row = self._db, file.file
        self._put_file(file, len(file.entries))
        self._put_entries(file.entries, captures=False)
        db.executemany(
            "insert or ignore into pages (key, path, name, entity) values (?, ?, ?, ?)",
            ((key, row.path, name, file.entity) for key, name in file.names),
        )
        if file.problems:
            self.note(f"file:{row.path}", file.problems)

    def _put_entries(self, entries: Sequence[Entry], *, captures: bool) -> None:
        first = self._next_rows[captures]
        self._next_rows[captures] += len(entries)
        numbered = list(enumerate(entries, first))
        self._db.executemany(INSERT, (to_row(number, entry) for number, entry in numbered))
        self._db.executemany(
            "insert into lines (rowid, text, context, marks) values (?, ?, ?, ?)",
            (self._held(number, entry) for number, entry in numbered),
        )
        put_references(self._db, numbered)
        self._touched.added(entries)
        settling.add_to_size(self._db, len(numbered), sum(entry.length for entry in entries))
        again = [entry.length for entry in entries if retells(entry)]
        settling.add_to_retold(self._db, len(again), sum(again))

    def _held(self, number: int, entry: Entry) -> tuple[int, str, str, str]:
        """What the full text keeps of an entry."""
        marked = marks(entry)
        self._written.hold(f"{entry.tokens} {entry.context} {marked}")
        return number, entry.tokens, entry.context, marked

    def witness(self, entries: Sequence[Entry], keys: Sequence[str]) -> None:
        """Add captures as evidence, and the keys under which their sources know them."""
        self._put_entries(entries, captures=True)
        settling.add_to_evidence(self._db, len(entries))
        evidence.remember_keys(self._db, keys)

    def taint(self, hashes: Collection[int]) -> None:
        """Take in the shingles of what cannot be trusted; `settle` finds the records that were taken from it."""
        self._touched.suspects |= taint.add(self._db, hashes)

    def forget_evidence(self) -> None:
        """Drop every capture, every key, every taint and what was wrong with them, to read the journals anew."""
        self._db.execute("delete from problems where source like 'captures:%'")
        self._touched.keys |= taint.forget(self._db)
        gone = evidence.drop_all(self._db)
        self._touched.keys.update(claim for _row, _id, claim, _length in gone)
        self._touched.keys.update(row[0] for row in all_rows(self._db, RETOLD))
        settling.add_to_size(self._db, -len(gone), -sum(row[3] for row in gone))
        settling.add_to_evidence(self._db, -len(gone))

    def note(self, source: str, problems: Sequence[Problem]) -> None:
        """Keep what is wrong with `source` in place of what was noted before."""
        self._db.execute("delete from problems where source = ?", (source,))
        self._db.executemany(
            "insert into problems (source, path, line, code, message, hint) values (?, ?, ?, ?, ?, ?)",
            ((source, p.path, p.line, p.code, p.message, p.hint) for p in problems),
        )

    def stamp(self, path: str, stamp: Stamp) -> None:
        """Note that a file was touched but says the same."""
        self._db.execute("update files set size = ?, mtime = ?, ctime = ?, inode = ? where path = ?", (*stamp, path))
        row = self._changed.get(path) or (self._files[1].get(path) if self._files else None)
        self._changed[path] = structs.replace(row, stamp=stamp) if row else None

    def learn(self, facts: LedgerFacts) -> None:
        """Take in what new ledger lines say."""
        settling.learn(self._db, facts)
        self._touched.keys.update(key for key, _trust in facts.origins)

    def forget_ledger(self) -> None:
        """Drop all that ledger lines said, and what was wrong with them, to read them anew."""
        self._db.execute("delete from problems where source like 'ledger%'")
        self._touched.keys.update(settling.unlearn(self._db))

    def settle(self) -> int:
        """Settle ids, supersession and trust after drops and puts; returns how many ids are gone, unexplained."""
        if not one_value(self._db, "select 1 from sqlite_schema where type = 'index' and name = 'records_id'"):
            for _purpose, statement in (*INDEXES, *FINISH):
                self._db.execute(statement)
        return settling.settle(self._db, self._touched)

    def remember(self, key: str, value: str) -> None:
        """Keep a small fact about the index itself."""
        self._db.execute("insert or replace into meta (key, value) values (?, ?)", (key, value))

    def standing(self, hashes: Collection[int], trusts: Sequence[Trust]) -> dict[int, bool]:
        """Those of the shingles that stand in records of these trusts; true for those that are all of such a record.

        The first question makes the index keep the shingles of its records. Raises LockBusy then.
        """
        if not taint.is_kept(self._db):
            with self.transaction():
                taint.keep(self._db)
                self.settle()
        return taint.standing(self._db, hashes, trusts)
