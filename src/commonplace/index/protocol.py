"""The interface of an index."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from commonplace.index.derived import HiddenPlace, LedgerFacts, Relations, RowRelations
from commonplace.index.values import (
    Dialogue,
    EntityMention,
    FileEntries,
    FileRow,
    Filter,
    IndexedRecord,
    IndexedTurn,
    IndexEntry,
    Stamp,
    TokenQuery,
)
from commonplace.model import Interval, OtherValue, Problem, Record, Trust

if TYPE_CHECKING:
    from commonplace.errors import CommonplaceError
    from commonplace.storage.workspace import Sweep


class Index(Protocol):
    """The derived index. Reading methods may be called at any time; writing methods inside `transaction()`."""

    inode: int  # of the file that was opened, to tell whether it was swapped since
    memory_only_error: CommonplaceError | None  # why it is in memory only; None for one in a file

    def transaction(self) -> AbstractContextManager[None]:
        """A write transaction; rolled back if the block raises. Raises LockBusy, WorkspaceUnusable."""

    def snapshot(self) -> AbstractContextManager[None]:
        """Read in one state: changes that other processes write are seen only afterwards. May be nested."""

    def stop(self) -> None:
        """Break off what reads in another thread: it raises Interrupted, and so does every later question until
        `resume`; what is being written is left to its end. The only method that any thread may call."""

    def resume(self) -> None:
        """Answer again after `stop`."""

    def close(self) -> None:
        """Let go of the database."""

    def size_in_bytes(self) -> int:
        """The size in bytes, in memory or on disk."""

    # writing
    def drop_file(self, path: str) -> None:
        """Remove a file and all that came from it."""

    def put_file(self, file_entries: FileEntries) -> None:
        """Add a file that is not there."""

    def replace_file(
        self, file_entries: FileEntries, records: Sequence[Record], make_entry: Callable[[Record], IndexEntry]
    ) -> None:
        """Put a changed file, given without its entries, in place of what is there; entries are made only of those
        records that do not say what they said."""

    def put_captures(self, entries: Sequence[IndexEntry], capture_keys: Sequence[str]) -> None:
        """Add captures as evidence, and the keys under which their sources know them."""

    def put_tainted_shingles(self, hashes: Collection[int]) -> None:
        """Take in the shingles of what cannot be trusted; `reconcile` finds the records that were taken from it."""

    def drop_captures(self) -> None:
        """Delete every capture, key, taint and problem of captures, in order to read the journals again."""

    def replace_problems(self, source: str, problems: Sequence[Problem]) -> None:
        """Keep what is wrong with `source` in place of what was noted before."""

    def update_stamp(self, path: str, stamp: Stamp) -> None:
        """Note that a file was touched but says the same."""

    def put_ledger_facts(self, facts: LedgerFacts) -> None:
        """Take in what new ledger lines say."""

    def hidden_ids(self) -> frozenset[str]:
        """The ids of the records and captures that are forgotten, as a whole or in part."""

    def hidden_sentences(self) -> dict[str, list[list[int]]]:
        """By id how many sentences each has and which (from 1) are forgotten, or only 0 for all, in their order."""

    def edited_supersessions(self) -> dict[str, tuple[str, ...]]:
        """What the ledger says that lines supersede since they were edited, by their ids."""

    def hidden_places(self) -> tuple[HiddenPlace, ...]:
        """Where the texts of those that are forgotten stand, in the order of the files."""

    def drop_ledger_facts(self) -> None:
        """Delete everything read from ledger lines, and their problems, in order to read them again."""

    def reconcile(self) -> int:
        """Settle ids, supersession and trust before what is derived is put; returns how many ids went unexplained."""

    def touched_groups(self, at_most: int) -> dict[int, tuple[int, ...]]:
        """After `reconcile`, the rows of each scoped signature that the transaction touched and that two lines or more
        share, lines before captures, by path and place; of more than `at_most` lines nothing is derived."""

    def put_relations(self, relations: Mapping[int, Relations]) -> None:
        """Replace what was derived for the signatures that the transaction touched, and settle what it supersedes."""

    def set_meta(self, key: str, value: str) -> None:
        """Keep a small fact about the index itself."""

    # reading
    def state(self) -> tuple[int, int]:
        """A value that differs after every change of the index, in whichever process."""

    def mark_synced(self, sweep: Sweep, journal_sizes: Mapping[str, int] | None = None) -> None:
        """Record that the files of this sweep, and journals of these sizes, are fully indexed."""

    def synced_state(self) -> tuple[Sweep, Mapping[str, int] | None] | None:
        """The last look of which that was noted, and those sizes, if nothing was written since."""

    def get_meta(self, key: str) -> str:
        """The value stored under `key`; empty if there is none."""

    def files(self) -> dict[str, FileRow]:
        """Every file by path. Not to be changed."""

    def owed_corrections(self, session_key: str, since: str) -> list[str]:
        """The captures that a session is still to be told as corrections, of those since `since`, oldest first."""

    def file_digests(self, paths: Sequence[str]) -> tuple[str, dict[str, str]]:
        """All files with their digests as one text, the same for the same files, and the digests of some by path."""

    def stamps(self) -> dict[str, Stamp]:
        """The stamp of every file, as it was when the file was last read. Not to be changed."""

    def find_stale_origins(self) -> frozenset[str]:
        """The files whose first path in the index is not the one that the ledger has now."""

    def find_captured_keys(self, capture_keys: Sequence[str]) -> frozenset[str]:
        """Those of the keys under which something was captured already."""

    def find_shingles_in_records(self, hashes: Collection[int], trusts: Sequence[Trust]) -> dict[int, bool]:
        """Those of the shingles that occur in records of these trusts; true for those that are a whole record. The
        first question makes the index keep the shingles of its records. Raises LockBusy then."""

    def find_tainted_shingles(self, hashes: Collection[int]) -> frozenset[int]:
        """Those of the shingles that occur in untrusted captures."""

    def has_tainted_shingles(self) -> bool:
        """Whether any text of untrusted captures was taken in."""

    def origin_of(self, path: str) -> str:
        """The first path of the file at `path`, according to the ledger; `path` itself if it has none."""

    def counts(self) -> dict[str, int]:
        """The numbers of files, records, entities, problems and so on."""

    def corpus_size(self) -> tuple[int, int]:
        """The number of records and captures, and the number of tokens in their texts."""

    def capture_count(self) -> int:
        """The number of captures."""

    def distinct_size(self) -> tuple[int, int]:
        """The corpus size without the lines of episodes, which repeat captures, so that each statement counts once."""

    def document_frequency(self, token: str) -> int:
        """The number of records, as `distinct_size` counts them, that contain a token; at least 1 if any does."""

    def similar_tokens(self, prefix: str, spellings: Sequence[str]) -> tuple[str, ...]:
        """The tokens with this prefix, and those of the spellings that occur; sorted, each once."""

    def records_with_tokens(self, tokens: Sequence[str]) -> list[int]:
        """The rows of the records that contain all of the tokens, in text or titles; captures are not searched."""

    def outlines(self, row_ids: Iterable[int]) -> list[tuple[int, str, str]]:
        """(row, path, tokens of the text) of rows, in order."""

    def matching_rows(self, token_query: TokenQuery, at_most: int = -1) -> list[int]:
        """The rows of the records and captures that match the expression, in text, titles or marks, in order."""

    def select_matching_rows(self, token_query: TokenQuery, row_ids: Collection[int]) -> set[int]:
        """Those of the rows that match the expression."""

    def rows_by_token(self, tokens: Sequence[str], row_ids: Collection[int]) -> dict[str, list[int]] | None:
        """Those of the rows that hold each of the tokens; None if it would take long to know."""

    def sort_by_length(self, row_ids: Iterable[int]) -> tuple[list[int], list[int]]:
        """The rows in order of how many tokens they hold, the shortest first, and these counts."""

    def filtered_rows(self, record_filter: Filter, at_most: int) -> list[int] | None:
        """The rows that the filter lets through, in any order; None if there are more than `at_most`."""

    def token_counts(self, row_ids: Iterable[int], record_filter: Filter) -> dict[int, int]:
        """Token counts of those of the rows that the filter lets through."""

    def events_in(self, interval: Interval, record_filter: Filter, at_most: int) -> list[tuple[int, str, str]]:
        """(row, start, end) of the times in a period that lines mention and that pass the filter, latest first."""

    def session_names(self, record_filter: Filter) -> tuple[str, ...]:
        """The names of the sessions in which something was said that the filter lets through, in order of time."""

    def rows_of_sessions(self, session_names: Collection[str], record_filter: Filter, at_most: int) -> list[int]:
        """The rows of sessions that the filter lets through, newest first, not more than `at_most`."""

    def dialogue_names(self, row_ids: Iterable[int]) -> dict[int, str]:
        """The name of the dialogue of each of the rows that is a turn of one."""

    def read_dialogues(
        self, dialogue_names: Sequence[str], anchor_row_ids: Collection[int], record_filter: Filter
    ) -> list[Dialogue]:
        """Dialogues by name as wholes, in order; of long ones what is near the rows `anchor_row_ids`."""

    def read_turns(self, row_ids: Iterable[int], record_filter: Filter) -> list[IndexedTurn]:
        """The data that scoring needs, of those rows that pass the filter, in any order."""

    def text_digests(self, row_ids: Iterable[int]) -> dict[int, str]:
        """The digest of the text of each of the rows."""

    def rows_with_digests(self, text_digests: Iterable[str]) -> list[tuple[int, str]]:
        """(row, digest) of every record that has one of the texts of these digests."""

    def all_vector_keys(self, *, with_context: bool) -> dict[str, int]:
        """The keys of all texts that may be embedded, with the number of records of each; without quarantined ones.

        The key of a text is its digest; with context that of a turn also has the digest of the turn before it.
        """

    def vector_keys(self, row_ids: Iterable[int]) -> dict[int, str]:
        """The key of each of the rows, with context."""

    def read_texts(self, vector_keys: Iterable[str]) -> Iterator[tuple[str, str, str]]:
        """(key, text, text of the turn before) of each of the keys that is there; without the names of who said it."""

    def fetch(self, row_ids: Iterable[int]) -> dict[int, IndexedRecord]:
        """Whole records by row number, in the order asked; of a set in that of the numbers."""

    def newest_filtered_rows(self, record_filter: Filter, at_most: int, *, by_importance: bool = False) -> list[int]:
        """Rows that pass the filter, newest first; the most important first, captures last, if `by_importance`."""

    def newest_of_rows(self, row_ids: Iterable[int], at_most: int) -> list[int]:
        """Of these rows the newest, then by path and line, not more than `at_most`."""

    def written_names(self, name_keys: Sequence[str]) -> dict[str, str]:
        """Those of the folded names that an entity or page has, with the name as written."""

    def existing_name_keys(self, name_keys: Sequence[str]) -> tuple[str, ...]:
        """Those of the folded names that an entity or page has, in the given order."""

    def mentions(self, name_keys: Sequence[str]) -> list[EntityMention]:
        """(row, key, role) of the records that name the entities."""

    def mentions_in_rows(self, name_keys: Sequence[str], row_ids: Iterable[int]) -> list[EntityMention]:
        """The mentions in these rows only, and those of the rows that are on the pages of the entities."""

    def speaker_keys(self, name_keys: Sequence[str]) -> frozenset[str]:
        """Those of the folded names that are speakers."""

    def newest_mentioning_rows(self, name_keys: Sequence[str], record_filter: Filter, at_most: int) -> list[int]:
        """The rows that name the entities and that the filter lets through, newest first."""

    def pages_by_name(self, name_keys: Sequence[str]) -> list[tuple[str, str]]:
        """(key, path) of the pages that have the names; pages of entities first."""

    def entity_pages(self) -> list[tuple[str, str]]:
        """(path, name) of each name of the pages of entities, by path."""

    def rows_of_file(self, path: str, first_line: int = 1, last_line: int = 1 << 40) -> list[int]:
        """The rows of a file, or of what stands on some of its lines, in order."""

    def tagged_rows(self) -> list[tuple[str, str, int]]:
        """(tag, path, row) of every record that has a tag, by tag and path."""

    def tags(self) -> tuple[str, ...]:
        """All tags, sorted."""

    def rows_with_tags(self, tags: Iterable[str]) -> list[int]:
        """The rows of the records that have one of the tags."""

    def rows_derived_from(self, source_ids: Sequence[str]) -> list[int]:
        """The rows of the records that rest on any of these sources."""

    def standing_rows(self, record_filter: Filter, at_most: int) -> dict[int, int]:
        """The standing grades by row of those that pass the filter: highest grade and importance first, then newest."""

    def captures_between(self, since: str, until: str, path_prefix: str) -> list[int]:
        """The rows of the captures of a time whose paths begin so, in order of time."""

    def rows_of_session(self, session_id: str) -> list[int]:
        """The rows of the captures of a session, in order of time."""

    def rows_with_ids(self, ids: Iterable[str]) -> list[int]:
        """The rows of the records with these ids."""

    def unrecorded_ids(self) -> list[str]:
        """The ids of the records, but headings, of which neither a date nor the ledger says when they were written."""

    def recorded_days(self, period: Interval, record_filter: Filter) -> list[tuple[str, int, int]]:
        """(day, captures, lines) of the days of a period on which any that pass the filter were written down."""

    def recorded_rows(
        self, period: Interval, record_filter: Filter, *, part: range, by_importance: bool = False
    ) -> list[int]:
        """A part of the rows written down in a period, the newest first, or the most important of the newest."""

    def last_recorded_day(self) -> str:
        """The newest day on which anything was written down; empty if none is known."""

    def row_of_record(self, record_id: str) -> int:
        """The row of the record with this id; 0 if there is none."""

    def preceding_record(self, record: Record, record_filter: Filter) -> Record | None:
        """The turn or, below the same titles, the paragraph right before another; None if none or hidden."""

    def supersession_claims(self, record_ids: Sequence[str], record_filter: Filter) -> list[tuple[str, int]]:
        """(id, row) of what says that it replaces any of the records, whether it does, and the filter lets through."""

    def rows_with_signatures(self, signatures: Collection[int], scope: str) -> list[int]:
        """The rows of a scope that have any of the signatures, in order."""

    def relations_of(self, row_ids: Collection[int]) -> dict[int, RowRelations]:
        """The derived relations of those of the rows that have any."""

    def earlier_values(self, row_id: int) -> tuple[OtherValue, ...]:
        """The values before that of a row, the last one first: of what it superseded, what that superseded, and so
        on; a value is the text of its record where the two are not known to differ in one span."""

    def current_rows(self) -> dict[int, int]:
        """The row that holds now in place of each row that is superseded."""

    def replaced_captures(self, row_ids: Collection[int], day: str) -> dict[int, tuple[int, str]]:
        """Of the captures all of whose lines are replaced, or over on a day: the row that holds now in place of one of
        them (0 if none does), and the day at which the last ended."""

    def newest_sources(self, row_ids: Collection[int]) -> dict[int, Record]:
        """The newest capture that each of the rows rests on, or that said it again and is trusted no less."""

    def pairs_held(self, row_ids: Collection[int], known_day: str = "") -> frozenset[frozenset[int]]:
        """The pairs of these rows of which the ledger says, or said by the end of a day, that both hold."""

    def rejected_words(self, digests: Collection[str]) -> frozenset[str]:
        """Those of these digests, of words, that a person rejected, but for an item that waits again."""

    def struck_times(self, record_ids: Collection[str]) -> dict[str, str]:
        """When those of the records that are struck through became so, as the ledger says."""

    def late_supersessions(self, record_ids: Collection[str], known_day: str) -> frozenset[tuple[str, str]]:
        """(id, superseded id) of what the ledger says after a day that these records supersede."""

    def supporting_sources(
        self, record_ids: Collection[str], known_day: str = ""
    ) -> dict[str, tuple[tuple[str, str], ...]]:
        """The sources that said again what the records say, and since when that counts, by record id and time; as the
        ledger said by the end of a day."""

    def find(self, record_id: str) -> Record | None:
        """The record with this id."""

    def find_captures(self, id_prefix: str) -> tuple[Record, ...]:
        """The captures whose ids begin so, by id."""

    def scopes(self) -> tuple[str, ...]:
        """The scopes in use, sorted, without the shared one."""

    def entities(self, prefix: str = "") -> list[tuple[str, str, int]]:
        """(folded name, name, number of records) of every entity whose folded name begins so, most named first."""

    def problems(self) -> tuple[Problem, ...]:
        """All problems in the files, by path and line."""

    def conflicted_paths(self) -> frozenset[str]:
        """Paths of files in which two versions are mixed, or that are one of two: never to be packed."""

    def dump(self) -> list[str]:
        """The content in a canonical form, one line an item: equal indexes dump equally."""
