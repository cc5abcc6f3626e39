"""Reading the index in SQLite: filters, postings, names and whole records, each question one statement."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from commonplace.index import (
    beside,
    canonical,
    digests,
    events,
    evidence,
    names,
    postings,
    sessions,
    settling,
    taint,
)
from commonplace.index.filters import condition
from commonplace.index.kept import Kept
from commonplace.index.marks import naming
from commonplace.index.protocol import Dialogue, FileRow, Filter, Mention, Row, Stamp, Turn
from commonplace.index.rows import COLUMNS, from_row
from commonplace.index.sql import Connection, all_rows, numbers, one_value, texts
from commonplace.index.wanted import Wanted
from commonplace.model import Interval, Problem, Record

MOST_KEPT = 50_000  # words whose frequency is kept; counting a common one reads all of its postings
OFTEN = 2_000  # records that bear a name; of more the newest are found sooner by looking at the newest of all
NEWEST_OF_ALL = """select rowid from records indexed by records_newest where exists (
    select 1 from json_each(?) as asked cross join mentions on mentions.key = asked.value and record = records.rowid
    ) and {where} order by {order} limit ?"""
NEWEST_OF_THESE = """select distinct records.rowid from mentions cross join records on records.rowid = mentions.record
    where key in (select value from json_each(?)) and {where} order by {order} limit ?"""
NEWEST_FIRST = "iif(time = '', starts, time) desc, path, line_start, byte_start"
FILE_COLUMNS = "path, origin, digest, size, mtime, ctime, inode, role, title, records"


class Lookup:
    """The reading half of `Index`, on one connection."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection
        self._files: tuple[int, dict[str, FileRow]] | None = None
        self._stamps: tuple[int, dict[str, Stamp]] | None = None
        self._kept = Kept(connection)
        self._standing: tuple[int, int] | None = None  # the state that a snapshot shows

    def state(self) -> tuple[int, int]:
        """What differs after every change of the index, whoever made it."""
        return self._standing or self._state_now()

    def _state_now(self) -> tuple[int, int]:
        return one_value(self._db, "pragma data_version"), self._db.total_changes()

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
        query = """select files.path from files left join moves on moves.path = files.path
            where files.origin <> coalesce(moves.origin, files.path)"""
        return frozenset(path for (path,) in all_rows(self._db, query))

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
        return settling.evidence(self._db)

    def said(self) -> tuple[int, int]:
        """The same less the lines of episodes, which tell captures again: what is said once is counted once."""
        kept = self._kept_of_now()
        kept.said = kept.said or settling.said(self._db)
        return kept.said

    def frequency(self, token: str) -> int:
        """In how many of what `said` counts a token stands; 1 at least if it stands anywhere."""
        known = self._kept_of_now().frequencies
        if token not in known:
            if len(known) > MOST_KEPT:
                known.clear()
            known[token] = settling.frequency(self._db, token)
        return known[token]

    def near_tokens(self, beginning: str, spellings: Sequence[str]) -> tuple[str, ...]:
        """The tokens that begin so, and those of the spellings that stand anywhere; sorted, each once."""
        return postings.near_tokens(self._db, beginning, spellings)

    def occurrences(self, token: str, title_weight: float) -> dict[int, float]:
        """How often a token stands in each record that holds it; in the titles above it counts `title_weight`."""
        return postings.occurrences(self._db, token, title_weight)

    def holding(self, tokens: Sequence[str]) -> list[int]:
        """The rows of the records that hold all of the tokens, in text or titles; captures are not even looked at."""
        return evidence.records_holding(self._db, tokens)

    def outlines(self, rows: Iterable[int]) -> list[tuple[int, str, str, str]]:
        """(row, id, path, digest of the text) of rows, in order."""
        return evidence.outlines(self._db, rows)

    def matching(self, wanted: Wanted, at_most: int = -1) -> list[int]:
        """The rows of the records and captures that hold what is wanted, in text, titles or marks, in order."""
        kept = self._kept_of_now()
        known = kept.holders.matching(wanted) if kept.is_small and at_most < 0 else None
        return postings.matching(self._db, wanted, at_most) if known is None else known

    def matching_among(self, wanted: Wanted, rows: Collection[int]) -> set[int]:
        """Those of the rows that hold what is wanted."""
        return postings.matching_among(self._db, wanted, rows)

    def holders(self, tokens: Sequence[str], rows: Collection[int]) -> dict[str, list[int]] | None:
        """Those of the rows that hold each of the tokens; None where it would take long to know."""
        kept = self._kept_of_now()
        return kept.holders.by_token(tokens, rows) if kept.is_small else None

    def lengths(self, rows: Iterable[int], only: Filter) -> dict[int, int]:
        """Token counts of those of the rows that the filter lets through."""
        where, values = condition(only)
        found = all_rows(
            self._db,
            f"""select records.rowid, length from json_each(?) as asked
                cross join records on records.rowid = asked.value where {where}""",  # noqa: S608 - values are bound
            (numbers(rows), *values),
        )
        return dict(found)

    def by_length(self, rows: Iterable[int]) -> tuple[list[int], list[int]]:
        """The rows in order of how many tokens they hold, the shortest first, and these counts."""
        kept = self._kept_of_now()
        return kept.lengths.by_length(rows) if kept.is_small else postings.by_length(self._db, rows)

    def few(self, only: Filter, at_most: int) -> list[int] | None:
        """The rows that the filter lets through, in any order; None if there are more than `at_most`.

        The answer is kept as long as nothing is written and nothing else is asked: most questions have one filter.
        """
        where, values = condition(only)
        kept, key = self._kept_of_now(), (where, *values, at_most)
        if kept.few is None or kept.few[0] != key:
            query = f"select rowid from records where {where} limit ?"  # noqa: S608 - values are bound
            found = all_rows(self._db, query, (*values, at_most + 1))
            kept.few = key, [row for (row,) in found] if len(found) <= at_most else None
        return kept.few[1]

    def tokens(self, rows: Iterable[int]) -> dict[int, tuple[str, str]]:
        """The tokens of the rows, each between two spaces of its own: of the text, and of the titles above."""
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
        """Whole records by row number, in the order asked; of a set in that of the numbers."""
        order = sorted(rows) if isinstance(rows, (set, frozenset)) else list(rows)
        found = all_rows(
            self._db,
            f"select {COLUMNS} from records where rowid in (select value from json_each(?))",  # noqa: S608
            (numbers(order),),
        )
        there = {values[0]: values for values in found}
        return {row: from_row(there[row]) for row in order if row in there}

    def count(self, only: Filter, at_most: int) -> list[int]:
        """Rows that the filter lets through, newest first, not more than `at_most`."""
        where, values = condition(only)
        query = f"select rowid from records where {where} order by {NEWEST_FIRST} limit ?"  # noqa: S608
        return self._kept_of_now().answers.rows(query, (*values, at_most))

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

    def known(self, keys: Sequence[str]) -> tuple[str, ...]:
        """Those of the folded names that an entity or page bears, in the order asked."""
        return names.known(self._db, keys)

    def mentions(self, keys: Sequence[str]) -> list[Mention]:
        """(row, key, role) of the records that name the entities."""
        return names.mentions(self._db, keys)

    def mentions_among(self, keys: Sequence[str], rows: Iterable[int]) -> list[Mention]:
        """The same of these rows only."""
        return names.mentions_among(self._db, keys, rows)

    def speaking(self, keys: Sequence[str]) -> frozenset[str]:
        """Those of the folded names under which somebody speaks."""
        return names.speaking(self._db, keys)

    def newest_naming(self, keys: Sequence[str], only: Filter, at_most: int) -> list[int]:
        """The rows that name the entities and that the filter lets through, newest first."""
        where, values = condition(only)
        often = sum(self.frequency(naming(key)) for key in keys) > OFTEN
        query = (NEWEST_OF_ALL if often else NEWEST_OF_THESE).format(where=where, order=NEWEST_FIRST)
        return self._kept_of_now().answers.rows(query, (texts(keys), *values, at_most))

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

    def rows_with_ids(self, ids: Iterable[str]) -> list[int]:
        """The rows of the records with these ids."""
        found = all_rows(
            self._db, "select rowid from records where id in (select value from json_each(?))", (texts(sorted(ids)),)
        )
        return [row for (row,) in found]

    def row_of(self, record_id: str) -> int:
        """The row of the record with this id; 0 if there is none."""
        return int(one_value(self._db, "select rowid from records where id = ?", (record_id,)) or 0)

    def before(self, record: Record, only: Filter) -> Record | None:
        """The turn right before another in its dialogue, or the paragraph before another below the same titles."""
        return beside.before(self._db, record, only)

    def disputing(self, records: Sequence[str], only: Filter) -> list[tuple[str, int]]:
        """(id, row) of what says that it replaces any of the records, whether it does, and the filter lets through."""
        return beside.disputing(self._db, records, only)

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

    def telling(self, stretch: Interval, only: Filter, at_most: int) -> list[tuple[int, str, str]]:
        """(row, start, end) of the times in a stretch that lines tell of and the filter lets through, latest first."""
        return events.telling(self._db, stretch, only, at_most)

    def sessions(self, only: Filter) -> tuple[str, ...]:
        """The names of the sessions in which something was said that the filter lets through, in order of time."""
        kept, key = self._kept_of_now(), condition(only)
        if kept.sessions is None or kept.sessions[0] != key:
            kept.sessions = key, sessions.in_order(self._db, only)
        return kept.sessions[1]

    def said_in(self, names: Collection[str], only: Filter, at_most: int) -> list[int]:
        """The rows of sessions that the filter lets through, newest first, not more than `at_most`."""
        return sessions.said_in(self._db, names, only, at_most)

    def dialogues(self, rows: Iterable[int]) -> dict[int, str]:
        """The name of the dialogue of each of the rows that is a turn of one."""
        return self._kept_of_now().turns.names(rows)

    def read_dialogues(self, names: Sequence[str], around: Collection[int], only: Filter) -> list[Dialogue]:
        """Dialogues by name as wholes, in order; of long ones what is near the rows `around`."""
        return self._kept_of_now().turns.dialogues(names, around, only)

    def turns(self, rows: Iterable[int], only: Filter) -> list[Turn]:
        """What scoring needs of those of the rows that the filter lets through, in any order."""
        return self._kept_of_now().turns.read(rows, only)

    def _kept_of_now(self) -> Kept:
        """What was read of the state that is read now."""
        return self._kept.of(self.state())

    def _forget(self) -> None:
        """What was kept of the state before a transaction of our own."""
        self._files = self._stamps = None
        self._kept.forget()
