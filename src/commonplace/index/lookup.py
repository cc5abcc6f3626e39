"""Reading the index in SQLite: filters, postings, names and whole records, each question one statement."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

import apsw

from commonplace.index import canonical, digests, evidence, names, settling, taint, turns
from commonplace.index.filters import condition
from commonplace.index.protocol import Dialogue, FileRow, Filter, Row, Stamp, Turn
from commonplace.index.rows import COLUMNS, from_row
from commonplace.index.sql import all_rows, numbers, one_value, texts
from commonplace.model import Problem, Record

MANY = 3_000  # rows; for more the lengths of all that a filter lets through are read once and kept
NEWEST_FIRST = "iif(time = '', starts, time) desc, path, line_start, byte_start"
FILE_COLUMNS = "path, origin, digest, size, mtime, ctime, inode, role, title, records"


class Lookup:
    """The reading half of `Index`, on one connection."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._db = connection
        self._files: tuple[int, dict[str, FileRow]] | None = None
        self._stamps: tuple[int, dict[str, Stamp]] | None = None
        self._visible: tuple[tuple[int, str, list[object]], dict[int, int]] | None = None

    def state(self) -> tuple[int, int]:
        """What differs after every change of the index, whoever made it."""
        return self._db.pragma("data_version"), self._db.total_changes()

    def recalled(self, key: str) -> str:
        """The small fact under `key`, empty if there is none."""
        return one_value(self._db, "select value from meta where key = ?", (key,)) or ""

    def files(self) -> dict[str, FileRow]:
        """Every file by path. Not to be changed."""
        version = one_value(self._db, "pragma data_version")
        if self._files is None or self._files[0] != version:
            found = all_rows(self._db, f"select {FILE_COLUMNS} from files order by path")  # noqa: S608
            read = {p: FileRow(p, o, d, (s, m, c, i), r, t, n) for p, o, d, s, m, c, i, r, t, n in found}
            self._files = (version, read)
        return self._files[1]

    def stamps(self) -> dict[str, Stamp]:
        """The stamp of every file, as it was when the file was last read. Not to be changed."""
        version = one_value(self._db, "pragma data_version")
        if self._stamps is None or self._stamps[0] != version:
            found = all_rows(self._db, "select path, size, mtime, ctime, inode from files")
            self._stamps = (version, {path: (size, m, c, inode) for path, size, m, c, inode in found})
        return self._stamps[1]

    def misplaced(self) -> frozenset[str]:
        """Files that were read under another first place than the ledger knows by now."""
        found = all_rows(
            self._db,
            "select files.path from files left join moves on moves.path = files.path"
            " where files.origin <> coalesce(moves.origin, files.path)",
        )
        return frozenset(path for (path,) in found)

    def captured(self, keys: Sequence[str]) -> frozenset[str]:
        """Those of the keys under which something was captured already."""
        return evidence.known_keys(self._db, keys)

    def shared(self, hashes: Collection[int]) -> frozenset[int]:
        """Those of the shingles that stand in captures that cannot be trusted."""
        return taint.shared(self._db, hashes)

    def origin(self, path: str) -> str:
        """Where the file at `path` stood at first sight, as the ledger knows it; `path` itself otherwise."""
        return one_value(self._db, "select origin from moves where path = ?", (path,)) or path

    def counts(self) -> dict[str, int]:
        """How many files, records, entities, problems … there are."""
        queries = {
            "files": "select count(*) from files",
            "records": "select count(*) from records where actor = ''",
            "captures": "select count(*) from records where actor <> ''",
            "entities": "select count(distinct key) from mentions",
            "tags": "select count(distinct tag) from tags",
            "scopes": "select count(distinct scope) from records where scope <> ''",
        }
        return {name: one_value(self._db, query) for name, query in queries.items()} | {
            "problems": len(self.problems())
        }

    def size(self) -> tuple[int, int]:
        """How many records and captures there are and how many tokens their texts hold."""
        return settling.size(self._db)

    def evidence(self) -> int:
        """How many of them are captures."""
        return int(one_value(self._db, "select value from meta where key = 'evidence'") or 0)

    def frequency(self, token: str) -> int:
        """In how many records a token stands."""
        return one_value(self._db, "select doc from vocabulary where term = ?", (token,)) or 0

    def near_tokens(self, beginning: str, spellings: Sequence[str]) -> tuple[str, ...]:
        """The tokens that begin so, and those of the spellings that stand anywhere; sorted, each once."""
        begun = all_rows(
            self._db,
            "select term from vocabulary where term >= ? and term < ?",
            (beginning, beginning + "\U0010ffff"),
        )
        known = all_rows(
            self._db,
            "select term from json_each(?) as asked cross join vocabulary on term = asked.value",
            (texts(spellings),),
        )
        return tuple(sorted({term for (term,) in (*begun, *known)}))

    def occurrences(self, token: str, title_weight: float) -> dict[int, float]:
        """How often a token stands in each record that holds it; in the titles above it counts `title_weight`."""
        query = "select doc, sum(iif(col = 'text', 1.0, ?)) from postings where term = ? group by doc"
        return dict(all_rows(self._db, query, (title_weight, token)))

    def holding(self, tokens: Sequence[str]) -> list[int]:
        """The rows of the records that hold all of the tokens, in text or titles; captures are not even looked at."""
        return evidence.records_holding(self._db, tokens)

    def outlines(self, rows: Iterable[int]) -> list[tuple[int, str, str, str]]:
        """(row, id, path, digest of the text) of rows, in order."""
        return evidence.outlines(self._db, rows)

    def visible(self, only: Filter, asked: int) -> dict[int, int] | None:
        """Token counts of all that the filter lets through, where they are at hand or for very many rows asked for."""
        where, values = condition(only)
        key = (self._db.pragma("data_version"), where, values)
        if self._visible and self._visible[0] == key:
            return self._visible[1]
        if asked <= MANY:
            return None
        query = f"select rowid, length from records where {where}"  # noqa: S608 - values are bound
        self._visible = key, dict(all_rows(self._db, query, values))
        return self._visible[1]

    def lengths(self, rows: Iterable[int], only: Filter) -> dict[int, int]:
        """Token counts of those of the rows that the filter lets through."""
        asked = list(rows)
        visible = self.visible(only, len(asked))
        if visible is not None:
            return {row: visible[row] for row in asked if row in visible}
        where, values = condition(only)
        found = all_rows(
            self._db,
            f"""select records.rowid, length from json_each(?) as asked
                cross join records on records.rowid = asked.value where {where}""",  # noqa: S608 - values are bound
            (numbers(asked), *values),
        )
        return dict(found)

    def tokens(self, rows: Iterable[int]) -> dict[int, tuple[str, str]]:
        """The tokens of the rows: of the text, and of the titles above."""
        found = all_rows(
            self._db,
            "select records.rowid, tokens, context from json_each(?) as asked"
            " cross join records on records.rowid = asked.value",
            (numbers(rows),),
        )
        return {row: (tokens, context) for row, tokens, context in found}

    def digests_of(self, rows: Iterable[int]) -> dict[int, str]:
        """The digest of the text of each of the rows."""
        return digests.digests_of(self._db, rows)

    def rows_with(self, wanted: Iterable[str]) -> list[tuple[int, str]]:
        """(row, digest) of every record that has one of the texts of these digests."""
        return digests.rows_with(self._db, wanted)

    def all_digests(self) -> set[str]:
        """The digests of all texts, each of which may stand in several records; of what is quarantined none."""
        return digests.all_digests(self._db)

    def read_texts(self, wanted: Iterable[str]) -> Iterator[tuple[str, str]]:
        """(digest, text) of each of the digests that is there, once."""
        return digests.read_texts(self._db, wanted)

    def fetch(self, rows: Iterable[int]) -> dict[int, Row]:
        """Whole records by row number."""
        found = all_rows(
            self._db,
            f"select {COLUMNS} from records where rowid in (select value from json_each(?))",  # noqa: S608
            (numbers(rows),),
        )
        return {values[0]: from_row(values) for values in found}

    def count(self, only: Filter, at_most: int) -> list[int]:
        """Rows that the filter lets through, newest first, not more than `at_most`."""
        where, values = condition(only)
        found = all_rows(
            self._db,
            f"select rowid from records where {where} order by {NEWEST_FIRST} limit ?",  # noqa: S608
            (*values, at_most),
        )
        return [row for (row,) in found]

    def newest(self, rows: Iterable[int], at_most: int) -> list[int]:
        """Of these rows the newest, then by path and line, not more than `at_most`."""
        found = all_rows(
            self._db,
            "select rowid from records where rowid in (select value from json_each(?))"  # noqa: S608
            f" order by {NEWEST_FIRST} limit ?",
            (numbers(rows), at_most),
        )
        return [row for (row,) in found]

    def known_names(self, keys: Sequence[str]) -> dict[str, str]:
        """Those of the folded names that an entity or page bears, with the name as written."""
        return names.known_names(self._db, keys)

    def mentions(self, keys: Sequence[str]) -> list[tuple[int, str, str]]:
        """(row, key, role) of the records that name the entities."""
        return names.mentions(self._db, keys)

    def pages(self, keys: Sequence[str]) -> list[tuple[str, str]]:
        """(key, path) of the pages that bear the names; pages of entities first."""
        return names.pages(self._db, keys)

    def rows_of(self, path: str) -> list[int]:
        """The rows of a file, in order."""
        found = all_rows(
            self._db, "select rowid from records where path = ? order by line_start, byte_start, rowid", (path,)
        )
        return [row for (row,) in found]

    def tagged(self) -> list[tuple[str, str]]:
        """(tag, path) of every record that bears a tag, by tag and path."""
        return all_rows(
            self._db, "select tag, path from tags join records on records.rowid = tags.record order by tag, path"
        )

    def bearing(self, tag: str) -> list[int]:
        """The rows of the records that bear a tag."""
        found = all_rows(self._db, "select record from tags where tag = ?", (tag,))
        return [row for (row,) in found]

    def derived(self, sources: Sequence[str]) -> list[int]:
        """The rows of the records that rest on any of these sources."""
        found = all_rows(
            self._db,
            "select distinct record from derivations where source in (select value from json_each(?)) order by record",
            (texts(sources),),
        )
        return [row for (row,) in found]

    def session(self, session: str) -> list[int]:
        """The rows of the captures of a session, in order of time."""
        found = all_rows(
            self._db,
            "select rowid from records where session = ? and session <> '' order by time, path, line_start",
            (session,),
        )
        return [row for (row,) in found]

    def row_of(self, record_id: str) -> int:
        """The row of the record with this id; 0 if there is none."""
        return int(one_value(self._db, "select rowid from records where id = ?", (record_id,)) or 0)

    def find(self, record_id: str) -> Record | None:
        """The record with this id."""
        found = all_rows(self._db, f"select {COLUMNS} from records where id = ?", (record_id,))  # noqa: S608
        return from_row(found[0]).record if found else None

    def scopes(self) -> tuple[str, ...]:
        """The scopes in use, sorted, without the shared one."""
        return names.scopes(self._db)

    def entities(self) -> list[tuple[str, str, int]]:
        """(folded name, name, number of records) of every entity, most named first."""
        return names.entities(self._db)

    def problems(self) -> tuple[Problem, ...]:
        """Everything that is wrong in the files, by path and line."""
        return canonical.problems(self._db)

    def conflicts(self) -> frozenset[str]:
        """Paths of files in which two versions are mixed, or that are one of two: never to be packed."""
        found = all_rows(self._db, "select path from problems where code in ('merge-markers', 'conflict-copy')")
        return frozenset(path for (path,) in found)

    def dump(self) -> list[str]:
        """The content in a canonical form, one line an item: equal indexes dump equally."""
        return canonical.dump(self._db)

    def dialogues(self, rows: Iterable[int]) -> dict[int, str]:
        """The name of the dialogue of each of the rows that is a turn of one."""
        return turns.dialogues(self._db, rows)

    def dialogue(self, name: str, around: Collection[int]) -> Dialogue:
        """A dialogue as a whole; of a long one what is near the rows `around`."""
        return turns.dialogue(self._db, name, around)

    def turns(self, rows: Iterable[int]) -> list[Turn]:
        """What scoring needs of the rows, in any order."""
        return turns.turns(self._db, rows)
