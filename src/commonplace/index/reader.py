"""The reading half of the index: filters, postings, names, dialogues and whole records."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from commonplace.index import postings, reconcile, rows, sql
from commonplace.index.postings import name_marker
from commonplace.index.protocol import (
    Dialogue,
    EntityMention,
    FileRow,
    Filter,
    IndexedRecord,
    IndexedTurn,
    Stamp,
    TokenQuery,
)
from commonplace.index.rows import READ_COLUMNS, from_record_row
from commonplace.index.snapshot_cache import SnapshotCache
from commonplace.index.sql import (
    InterruptibleConnection,
    fetch_all,
    fetch_value,
    filter_condition,
    json_integers,
    json_strings,
)
from commonplace.model import Interval, Problem, Record

NEWEST_FIRST = "iif(time = '', starts, time) desc, path, line_start, byte_start"


class SnapshotReader:
    """A connection, and what was read of its present state."""

    def __init__(self, connection: InterruptibleConnection) -> None:
        self._db = connection
        self._cache = SnapshotCache(connection)
        self._snapshot_state: tuple[int, int] | None = None  # the state that a snapshot shows

    def state(self) -> tuple[int, int]:
        """What differs after every change of the index, whoever made it."""
        return self._snapshot_state or self._read_state()

    def _read_state(self) -> tuple[int, int]:
        return fetch_value(self._db, "pragma data_version"), self._db.total_changes()

    def _current_cache(self) -> SnapshotCache:
        """What was read of the state that is read now."""
        return self._cache.at_state(self.state())


if TYPE_CHECKING:
    from commonplace.storage.workspace import Sweep

    SyncState = tuple[Sweep, Mapping[str, int] | None]

FILE_COLUMNS = "path, origin, digest, size, mtime, ctime, inode, role, title, records"


class FileReader(SnapshotReader):
    """Files, and what is known beside their records."""

    def __init__(self, connection: InterruptibleConnection) -> None:
        super().__init__(connection)
        self._files: tuple[int, dict[str, FileRow]] | None = None
        self._stamps: tuple[int, dict[str, Stamp]] | None = None
        self._synced_at: tuple[SyncState, tuple[int, int]] | None = (
            None  # the last look at the files, and the state it led to
        )

    def get_meta(self, key: str) -> str:
        """The small fact under `key`, empty if there is none."""
        return fetch_value(self._db, "select value from meta where key = ?", (key,)) or ""

    def files(self) -> dict[str, FileRow]:
        """Every file by path. Not to be changed."""
        version = fetch_value(self._db, "pragma data_version")
        if self._files is None or self._files[0] != version:
            found = fetch_all(self._db, f"select {FILE_COLUMNS} from files order by path")  # noqa: S608
            read = {p: FileRow(p, o, d, (s, m, c, i), r, t, n) for p, o, d, s, m, c, i, r, t, n in found}
            self._files = (version, read)
        return self._files[1]

    def stamps(self) -> dict[str, Stamp]:
        """The stamp of every file, as it was when the file was last read. Not to be changed."""
        version = fetch_value(self._db, "pragma data_version")
        if self._stamps is None or self._stamps[0] != version:
            found = fetch_all(self._db, "select path, size, mtime, ctime, inode from files")
            self._stamps = (version, {path: (size, m, c, inode) for path, size, m, c, inode in found})
        return self._stamps[1]

    def mark_synced(self, sweep: Sweep, journal_sizes: Mapping[str, int] | None = None) -> None:
        """Note that this look at the files has nothing new to tell, nor have journals of these sizes."""
        self._synced_at = (sweep, journal_sizes), self.state()

    def synced_state(self) -> SyncState | None:
        """The last look of which that was noted, and those sizes, if nothing was written since."""
        return self._synced_at[0] if self._synced_at is not None and self._synced_at[1] == self.state() else None

    def find_stale_origins(self) -> frozenset[str]:
        """Files that were read under another first place than the ledger knows by now: it forgets none that it knew."""
        query = "select path from moves cross join files using (path) where files.origin <> moves.origin"
        return frozenset(path for (path,) in fetch_all(self._db, query))

    def origin_of(self, path: str) -> str:
        """Where the file at `path` stood at first sight, as the ledger knows it; `path` itself otherwise."""
        return fetch_value(self._db, "select origin from moves where path = ?", (path,)) or path

    def rows_of_file(self, path: str) -> list[int]:
        """The rows of a file, in order."""
        found = fetch_all(
            self._db, "select rowid from records where path = ? order by line_start, byte_start, rowid", (path,)
        )
        return [row for (row,) in found]

    def find_captured_keys(self, capture_keys: Sequence[str]) -> frozenset[str]:
        """Those of the keys under which something was captured already."""
        return postings.find_capture_keys(self._db, capture_keys)

    def find_tainted_shingles(self, hashes: Collection[int]) -> frozenset[int]:
        """Those of the shingles that stand in captures that cannot be trusted."""
        return reconcile.find_tainted_shingles(self._db, hashes)

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
        return {name: fetch_value(self._db, query) for name, query in queries.items()} | {
            "problems": len(self.problems())
        }

    def problems(self) -> tuple[Problem, ...]:
        """Everything that is wrong in the files, by path and line."""
        return sql.read_problems(self._db)

    def conflicted_paths(self) -> frozenset[str]:
        """Paths of files in which two versions are mixed, or that are one of two: never to be packed."""
        found = fetch_all(self._db, "select path from problems where code in ('merge-markers', 'conflict-copy')")
        return frozenset(path for (path,) in found)

    def dump(self) -> list[str]:
        """The content in a canonical form, one line an item: equal indexes dump equally."""
        return sql.dump_index(self._db)


class RecordReader(SnapshotReader):
    """Records and captures, whole or as rows."""

    def filtered_rows(self, record_filter: Filter, at_most: int) -> list[int] | None:
        """The rows that the filter lets through, in any order; None if there are more than `at_most`.

        The answer is kept as long as nothing is written and nothing else is asked: most questions have one filter.
        """
        where, values = filter_condition(record_filter)
        kept, key = self._current_cache(), (where, *values, at_most)
        if kept.filtered_rows is None or kept.filtered_rows[0] != key:
            query = f"select rowid from records where {where} limit ?"  # noqa: S608 - values are bound
            found = fetch_all(self._db, query, (*values, at_most + 1))
            kept.filtered_rows = key, [row for (row,) in found] if len(found) <= at_most else None
        return kept.filtered_rows[1]

    def newest_filtered_rows(self, record_filter: Filter, at_most: int) -> list[int]:
        """Rows that the filter lets through, newest first, not more than `at_most`."""
        where, values = filter_condition(record_filter)
        query = f"select rowid from records where {where} order by {NEWEST_FIRST} limit ?"  # noqa: S608
        return self._current_cache().query_results.fetch_rows(query, (*values, at_most))

    def newest_of_rows(self, row_ids: Iterable[int], at_most: int) -> list[int]:
        """Of these rows the newest, then by path and line, not more than `at_most`."""
        found = fetch_all(
            self._db,
            "select rowid from records where rowid in (select value from json_each(?))"  # noqa: S608
            f" order by {NEWEST_FIRST} limit ?",
            (json_integers(row_ids), at_most),
        )
        return [row for (row,) in found]

    def fetch(self, row_ids: Iterable[int]) -> dict[int, IndexedRecord]:
        """Whole records by row number, in the order asked; of a set in that of the numbers."""
        order = sorted(row_ids) if isinstance(row_ids, (set, frozenset)) else list(row_ids)
        if not order:
            return {}
        found = fetch_all(
            self._db,
            f"select {READ_COLUMNS} from records where rowid in (select value from json_each(?))",  # noqa: S608
            (json_integers(order),),
        )
        there = {values[0]: values for values in found}
        return {row: from_record_row(there[row]) for row in order if row in there}

    def find(self, record_id: str) -> Record | None:
        """The record with this id."""
        found = fetch_all(self._db, f"select {READ_COLUMNS} from records where id = ?", (record_id,))  # noqa: S608
        return from_record_row(found[0]).record if found else None

    def row_of_record(self, record_id: str) -> int:
        """The row of the record with this id; 0 if there is none."""
        return int(fetch_value(self._db, "select rowid from records where id = ?", (record_id,)) or 0)

    def rows_with_ids(self, ids: Iterable[str]) -> list[int]:
        """The rows of the records with these ids."""
        found = fetch_all(
            self._db,
            "select rowid from records where id in (select value from json_each(?))",
            (json_strings(sorted(ids)),),
        )
        return [row for (row,) in found]

    def outlines(self, row_ids: Iterable[int]) -> list[tuple[int, str, str, str]]:
        """(row, id, path, digest of the text) of rows, in order."""
        return postings.find_outlines(self._db, row_ids)

    def text_digests(self, row_ids: Iterable[int]) -> dict[int, str]:
        """The digest of the text of each of the rows."""
        return postings.find_text_digests(self._db, row_ids)

    def rows_with_digests(self, text_digests: Iterable[str]) -> list[tuple[int, str]]:
        """(row, digest) of every record that has one of the texts of these digests."""
        return postings.find_rows_with_digests(self._db, text_digests)

    def all_text_digests(self) -> set[str]:
        """The digests of all texts, each of which may stand in several records; of what is quarantined none."""
        return postings.list_text_digests(self._db)

    def read_texts(self, text_digests: Iterable[str]) -> Iterator[tuple[str, str]]:
        """(digest, text) of each of the digests that is there, once."""
        return postings.read_texts_by_digest(self._db, text_digests)

    def events_in(self, interval: Interval, record_filter: Filter, at_most: int) -> list[tuple[int, str, str]]:
        """(row, start, end) of the times in a stretch that lines tell of and the filter lets through, latest first."""
        return postings.find_events(self._db, interval, record_filter, at_most)

    def preceding_record(self, record: Record, record_filter: Filter) -> Record | None:
        """The turn right before another in its dialogue, or the paragraph before another below the same titles."""
        return rows.find_preceding_record(self._db, record, record_filter)

    def supersession_claims(self, record_ids: Sequence[str], record_filter: Filter) -> list[tuple[str, int]]:
        """(id, row) of what says that it replaces any of the records, whether it does, and the filter lets through."""
        return rows.find_supersession_claims(self._db, record_ids, record_filter)

    def rows_derived_from(self, source_ids: Sequence[str]) -> list[int]:
        """The rows of the records that rest on any of these sources."""
        found = fetch_all(
            self._db,
            "select distinct record from derivations where source in (select value from json_each(?)) order by record",
            (json_strings(source_ids),),
        )
        return [row for (row,) in found]

    def tagged_paths(self) -> list[tuple[str, str]]:
        """(tag, path) of every record that bears a tag, by tag and path."""
        return fetch_all(
            self._db, "select tag, path from tags join records on records.rowid = tags.record order by tag, path"
        )

    def rows_with_tag(self, tag: str) -> list[int]:
        """The rows of the records that bear a tag."""
        found = fetch_all(self._db, "select record from tags where tag = ?", (tag,))
        return [row for (row,) in found]


MAX_CACHED_FREQUENCIES = 50_000  # words whose frequency is kept; counting a common one reads all of its postings
MAX_CACHED_SIMILAR, MAX_SIMILAR_TOKENS = (
    32,
    300,
)  # words whose likes are kept, and how many: all spellings of one are tried out


class TokenReader(SnapshotReader):
    """Tokens, and the rows that hold them."""

    def corpus_size(self) -> tuple[int, int]:
        """How many records and captures there are and how many tokens their texts hold."""
        return reconcile.read_corpus_size(self._db)

    def capture_count(self) -> int:
        """How many of them are captures."""
        return reconcile.read_capture_count(self._db)

    def distinct_size(self) -> tuple[int, int]:
        """The same less the lines of episodes, which tell captures again: what is said once is counted once."""
        kept = self._current_cache()
        kept.distinct_size = kept.distinct_size or reconcile.read_distinct_size(self._db)
        return kept.distinct_size

    def document_frequency(self, token: str) -> int:
        """In how many of what `said` counts a token stands; 1 at least if it stands anywhere."""
        known = self._current_cache().frequencies
        if token not in known:
            if len(known) > MAX_CACHED_FREQUENCIES:
                known.clear()
            known[token] = reconcile.read_document_frequency(self._db, token)
        return known[token]

    def similar_tokens(self, prefix: str, spellings: Sequence[str]) -> tuple[str, ...]:
        """The tokens that begin so, and those of the spellings that stand anywhere; sorted, each once."""
        known, asked = self._current_cache().similar_tokens, (prefix, *spellings)
        found = known.pop(asked, None)
        if found is None:
            found = postings.find_similar_tokens(self._db, prefix, spellings)
        if len(found) <= MAX_SIMILAR_TOKENS:
            known[asked] = found  # what was asked for last comes last
        if len(known) > MAX_CACHED_SIMILAR:
            known.pop(next(iter(known)))
        return found

    def count_occurrences(self, token: str, title_weight: float) -> dict[int, float]:
        """How often a token stands in each record that holds it; in the titles above it counts `title_weight`."""
        return postings.count_occurrences(self._db, token, title_weight)

    def records_with_tokens(self, tokens: Sequence[str]) -> list[int]:
        """The rows of the records that hold all of the tokens, in text or titles; captures are not even looked at."""
        return postings.find_records_with_tokens(self._db, tokens)

    def matching_rows(self, token_query: TokenQuery, at_most: int = -1) -> list[int]:
        """The rows of the records and captures that hold what is wanted, in text, titles or marks, in order."""
        kept = self._current_cache()
        known = kept.token_bitmaps.matching_rows(token_query) if kept.is_small and at_most < 0 else None
        return postings.find_matching_rows(self._db, token_query, at_most) if known is None else known

    def select_matching_rows(self, token_query: TokenQuery, row_ids: Collection[int]) -> set[int]:
        """Those of the rows that hold what is wanted."""
        return postings.select_matching_rows(self._db, token_query, row_ids)

    def rows_by_token(self, tokens: Sequence[str], row_ids: Collection[int]) -> dict[str, list[int]] | None:
        """Those of the rows that hold each of the tokens; None where it would take long to know."""
        kept = self._current_cache()
        return kept.token_bitmaps.rows_by_token(tokens, row_ids) if kept.is_small else None

    def sort_by_length(self, row_ids: Iterable[int]) -> tuple[list[int], list[int]]:
        """The rows in order of how many tokens they hold, the shortest first, and these counts."""
        kept = self._current_cache()
        return (
            kept.text_lengths.sort_by_length(row_ids)
            if kept.is_small
            else postings.sort_rows_by_length(self._db, row_ids)
        )

    def token_counts(self, row_ids: Iterable[int], record_filter: Filter) -> dict[int, int]:
        """Token counts of those of the rows that the filter lets through."""
        where, values = filter_condition(record_filter)
        found = fetch_all(
            self._db,
            f"""select records.rowid, length from json_each(?) as asked
                cross join records on records.rowid = asked.value where {where}""",  # noqa: S608 - values are bound
            (json_integers(row_ids), *values),
        )
        return dict(found)

    def read_tokens(self, row_ids: Iterable[int]) -> dict[int, tuple[str, str]]:
        """The tokens of the rows, each between two spaces of its own: of the text, and of the titles above."""
        found = fetch_all(
            self._db,
            "select records.rowid, tokens, context from json_each(?) as asked"
            " cross join records on records.rowid = asked.value",
            (json_integers(row_ids),),
        )
        return {row: (tokens, context) for row, tokens, context in found}


FREQUENT_NAME_RECORDS = (
    2_000  # records that bear a name; of more the newest are found sooner by looking at the newest of all
)
NEWEST_OF_ALL_NAMING = """select rowid from records indexed by records_newest where exists (
    select 1 from json_each(?) as asked cross join mentions on mentions.key = asked.value and record = records.rowid
    ) and {where} order by {order} limit ?"""
NEWEST_OF_MENTIONS = """\
select distinct records.rowid from mentions cross join records on records.rowid = mentions.record
    where key in (select value from json_each(?)) and {where} order by {order} limit ?"""


class NameReader(TokenReader):
    """Entities, sessions and dialogues; how often a name is borne is counted among the words."""

    def written_names(self, name_keys: Sequence[str]) -> dict[str, str]:
        """Those of the folded names that an entity or page bears, with the name as written."""
        return postings.find_written_names(self._db, name_keys)

    def existing_name_keys(self, name_keys: Sequence[str]) -> tuple[str, ...]:
        """Those of the folded names that an entity or page bears, in the order asked."""
        return postings.find_existing_name_keys(self._db, name_keys)

    def mentions(self, name_keys: Sequence[str]) -> list[EntityMention]:
        """(row, key, role) of the records that name the entities."""
        return postings.find_mentions(self._db, name_keys)

    def mentions_in_rows(self, name_keys: Sequence[str], row_ids: Iterable[int]) -> list[EntityMention]:
        """The same of these rows only, and those of them that stand on the pages of the entities."""
        asked = list(row_ids)
        held = self.rows_by_token([name_marker(key) for key in name_keys], asked)
        bearing = asked if held is None else set().union(*held.values())
        found = postings.find_mentions_in_rows(self._db, name_keys, bearing) if bearing else []
        pages = self.pages_by_name(name_keys) if asked else []
        return found + postings.find_page_mentions(self._db, pages, asked) if pages else found

    def speaker_keys(self, name_keys: Sequence[str]) -> frozenset[str]:
        """Those of the folded names under which somebody speaks."""
        return postings.find_speaker_keys(self._db, name_keys)

    def newest_mentioning_rows(self, name_keys: Sequence[str], record_filter: Filter, at_most: int) -> list[int]:
        """The rows that name the entities and that the filter lets through, newest first."""
        where, values = filter_condition(record_filter)
        often = sum(self.document_frequency(name_marker(key)) for key in name_keys) > FREQUENT_NAME_RECORDS
        query = (NEWEST_OF_ALL_NAMING if often else NEWEST_OF_MENTIONS).format(where=where, order=NEWEST_FIRST)
        return self._current_cache().query_results.fetch_rows(query, (json_strings(name_keys), *values, at_most))

    def pages_by_name(self, name_keys: Sequence[str]) -> list[tuple[str, str]]:
        """(key, path) of the pages that bear the names; pages of entities first."""
        return postings.find_pages(self._db, name_keys)

    def entities(self) -> list[tuple[str, str, int]]:
        """(folded name, name, number of records) of every entity, most named first."""
        return postings.list_entities(self._db)

    def scopes(self) -> tuple[str, ...]:
        """The scopes in use, sorted, without the shared one."""
        return postings.list_scopes(self._db)

    def rows_of_session(self, session_id: str) -> list[int]:
        """The rows of the captures of a session, in order of time."""
        found = fetch_all(
            self._db,
            "select rowid from records where session = ? and session <> '' order by time, path, line_start",
            (session_id,),
        )
        return [row for (row,) in found]

    def session_names(self, record_filter: Filter) -> tuple[str, ...]:
        """The names of the sessions in which something was said that the filter lets through, in order of time."""
        kept, key = self._current_cache(), filter_condition(record_filter)
        if kept.session_names is None or kept.session_names[0] != key:
            kept.session_names = key, rows.find_session_names(self._db, record_filter)
        return kept.session_names[1]

    def rows_of_sessions(self, session_names: Collection[str], record_filter: Filter, at_most: int) -> list[int]:
        """The rows of sessions that the filter lets through, newest first, not more than `at_most`."""
        return rows.find_rows_of_sessions(self._db, session_names, record_filter, at_most)

    def dialogue_names(self, row_ids: Iterable[int]) -> dict[int, str]:
        """The name of the dialogue of each of the rows that is a turn of one."""
        return self._current_cache().dialogues.dialogue_names(row_ids)

    def read_dialogues(
        self, dialogue_names: Sequence[str], anchor_row_ids: Collection[int], record_filter: Filter
    ) -> list[Dialogue]:
        """Dialogues by name as wholes, in order; of long ones what is near the rows `anchor_row_ids`."""
        return self._current_cache().dialogues.read_dialogues(dialogue_names, anchor_row_ids, record_filter)

    def read_turns(self, row_ids: Iterable[int], record_filter: Filter) -> list[IndexedTurn]:
        """What scoring needs of those of the rows that the filter lets through, in any order."""
        return self._current_cache().dialogues.read_turns(row_ids, record_filter)


class IndexReader(FileReader, RecordReader, NameReader):
    """The reading half of `Index`, on one connection."""
