"""The files in the index, what is wrong in them, and the whole content in a canonical form."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import apsw
from msgspec import json

from commonplace.index import reconcile, sql
from commonplace.index.nouns import FileRow, Stamp
from commonplace.index.snapshot_cache import SnapshotReader
from commonplace.model import Problem

if TYPE_CHECKING:
    from commonplace.storage.workspace import Sweep

    SyncState = tuple[Sweep, Mapping[str, int] | None]

DUMP_QUERIES = {
    "file": "select path, origin, role, title, digest, records from files order by path",
    "record": """select id, claim, path, line_start, line_end, byte_start, byte_end, digest, form, kind, category,
        trust, scope, time, starts, ends, recorded, valid_from, valid_to, confidence, importance, superseded_by,
        speaker, heading, entities, tags, links, triggers, supersedes, sources, annotated, actor, speech_act, session,
        length, text, tokens, context, standing, id_chars
        from records order by path, line_start, byte_start, id""",
    "mention": """select records.path, records.line_start, key, role, name from mentions
        join records on records.rowid = record order by 1, 2, 3, 4, records.byte_start, records.id""",
    "page": "select path, key, name, entity from pages order by path, key",
    "tag": """select records.path, records.line_start, tag from tags join records on records.rowid = record
        order by 1, 2, 3, records.id""",
    "link": """select records.path, records.line_start, target from links join records on records.rowid = record
        order by 1, 2, 3, records.id""",
    "derivation": """select source, records.path, records.line_start from derivations
        join records on records.rowid = record order by 1, 2, 3, records.id""",
    "event": """select records.path, records.line_start, begins, closes from events
        join records on records.rowid = record order by 1, 2, 3, 4, records.id""",
    "signature": """select signature, path, line_start from signatures join records on records.rowid = record
        order by 1, 2, byte_start, id""",
    "replacement": """select signature, before.path, before.line_start, later.path, later.line_start, since,
        order_key, old_value, new_value, reason from replacements join records as before on before.rowid = older
        join records as later on later.rowid = newer
        order by 1, 2, before.byte_start, before.id, 4, later.byte_start, later.id""",
    "twin": """select chain, position, path, line_start from twins left join records on records.rowid = record
        order by 1, 2, 3, byte_start, id""",
    "ledger": "select id, op, other, time from ledger_relations order by id, op, other",
    "word": "select term, doc, cnt from vocabulary order by term",
    "origin": "select key, trust from origins order by key",
    "move": "select path, origin, line from moves order by path",
    "captured": "select key from captured order by key",
    "taint": """select count(*), sum(hash % 65521), sum((hash >> 16) % 65521), sum((hash >> 32) % 65521) from taints
        having count(*) > 0""",
    "explained": "select id from explained order by id",
    "usage": "select id, included, used from usage order by id",
    "size": """select key, value from meta where key in ('records', 'length', 'evidence', 'retold', 'retold length')
        and value <> 0 order by key""",
}

# Two questions, for asked as one both would be read in order of paths, which is all records.
PROBLEM_QUERIES = (
    "select path, line, code, message, hint from problems",
    """select path, line_start, 'duplicate-id', 'the id ' || claim || ' is taken by an earlier line',
        'give this line an id of its own, or none' from records where annotated and id <> claim""",
)


def dump_index(db: apsw.Connection) -> list[str]:
    """One JSON line an item; what hangs on the history of the index (row numbers, stamps) is left out."""
    rows = ((name, *row) for name, query in DUMP_QUERIES.items() for row in sql.fetch_all(db, query))
    lines = [json.encode(row).decode() for row in rows]
    return lines + [json.encode(("problem", *row)).decode() for row in read_problem_rows(db)]


def read_problem_rows(db: apsw.Connection) -> list[tuple[str, int, str, str, str]]:
    """(path, line, code, message, hint) of everything that is wrong in the files, by path and line."""
    return sorted(row for query in PROBLEM_QUERIES for row in sql.fetch_all(db, query))


FILE_COLUMNS = "path, origin, digest, size, mtime, ctime, inode, role, title, records"


class FileReader(SnapshotReader):
    """Files, and what is known beside their records."""

    def __init__(self, connection: sql.InterruptibleConnection) -> None:
        super().__init__(connection)
        self._files: tuple[int, dict[str, FileRow]] | None = None
        self._stamps: tuple[int, dict[str, Stamp]] | None = None
        # The last look at the files, and the state it led to.
        self._synced_at: tuple[SyncState, tuple[int, int]] | None = None

    def get_meta(self, key: str) -> str:
        """The value stored under `key`; empty if there is none."""
        return sql.fetch_value(self._db, "select value from meta where key = ?", (key,)) or ""

    def files(self) -> dict[str, FileRow]:
        """Every file by path. Not to be changed."""
        version = sql.fetch_value(self._db, "pragma data_version")
        if self._files is None or self._files[0] != version:
            found = sql.fetch_all(self._db, f"select {FILE_COLUMNS} from files order by path")  # noqa: S608
            read = {p: FileRow(p, o, d, (s, m, c, i), r, t, n) for p, o, d, s, m, c, i, r, t, n in found}
            self._files = (version, read)
        return self._files[1]

    def stamps(self) -> dict[str, Stamp]:
        """The stamp of every file, as it was when the file was last read. Not to be changed."""
        version = sql.fetch_value(self._db, "pragma data_version")
        if self._stamps is None or self._stamps[0] != version:
            found = sql.fetch_all(self._db, "select path, size, mtime, ctime, inode from files")
            self._stamps = (version, {path: (size, m, c, inode) for path, size, m, c, inode in found})
        return self._stamps[1]

    def mark_synced(self, sweep: Sweep, journal_sizes: Mapping[str, int] | None = None) -> None:
        """Record that the files of this sweep, and journals of these sizes, are fully indexed."""
        self._synced_at = (sweep, journal_sizes), self.state()

    def synced_state(self) -> SyncState | None:
        """The last look of which that was noted, and those sizes, if nothing was written since."""
        return self._synced_at[0] if self._synced_at is not None and self._synced_at[1] == self.state() else None

    def find_stale_origins(self) -> frozenset[str]:
        """The files whose first path in the index is not the one that the ledger has now."""
        # The ledger forgets none that it knew.
        query = "select path from moves cross join files using (path) where files.origin <> moves.origin"
        return frozenset(sql.fetch_column(self._db, query))

    def origin_of(self, path: str) -> str:
        """The first path of the file at `path`, according to the ledger; `path` itself if it has none."""
        return sql.fetch_value(self._db, "select origin from moves where path = ?", (path,)) or path

    def rows_of_file(self, path: str) -> list[int]:
        """The rows of a file, in order."""
        query = "select rowid from records where path = ? order by line_start, byte_start, rowid"
        return sql.fetch_column(self._db, query, (path,))

    def find_captured_keys(self, capture_keys: Sequence[str]) -> frozenset[str]:
        """Those of the keys under which something was captured already."""
        asked = json.encode(list(capture_keys)).decode()
        query = "select key from captured where key in (select value from json_each(?))"
        return frozenset(sql.fetch_column(self._db, query, (asked,)))

    def find_tainted_shingles(self, hashes: Collection[int]) -> frozenset[int]:
        """Those of the shingles that occur in untrusted captures."""
        return reconcile.find_tainted_shingles(self._db, hashes)

    def has_tainted_shingles(self) -> bool:
        """Whether any text of untrusted captures was taken in."""
        return bool(sql.fetch_value(self._db, "select exists (select 1 from taints)"))

    def counts(self) -> dict[str, int]:
        """The numbers of files, records, entities, problems and so on."""
        queries = {
            "files": "select count(*) from files",
            "records": "select count(*) from records where actor = ''",
            "captures": "select count(*) from records where actor <> ''",
            "entities": "select count(distinct key) from mentions",
            "tags": "select count(distinct tag) from tags",
            "scopes": "select count(distinct scope) from records where scope <> ''",
        }
        numbers = {name: sql.fetch_value(self._db, query) for name, query in queries.items()}
        return numbers | {"problems": len(self.problems())}

    def problems(self) -> tuple[Problem, ...]:
        """All problems in the files, by path and line."""
        found = read_problem_rows(self._db)
        return tuple(Problem(code, message, path, line, hint) for path, line, code, message, hint in found)

    def conflicted_paths(self) -> frozenset[str]:
        """Paths of files in which two versions are mixed, or that are one of two: never to be packed."""
        query = "select path from problems where code in ('merge-markers', 'conflict-copy')"
        return frozenset(sql.fetch_column(self._db, query))

    def dump(self) -> list[str]:
        """The content in a canonical form, one line an item: equal indexes dump equally."""
        return dump_index(self._db)
