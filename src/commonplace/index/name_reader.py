"""What reads the index: tokens, names and dialogues."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from commonplace.index import postings, rows, sql
from commonplace.index.postings import FIRST_CAPTURE_ROW, name_marker, retelling_token_marker
from commonplace.index.reader import NEWEST_FIRST, SnapshotReader
from commonplace.index.values import Dialogue, EntityMention, Filter, IndexedTurn, TokenQuery, render_match_expression

MAX_CACHED_FREQUENCIES = 50_000  # words whose frequency is kept; counting a common one reads all of its postings
# Words whose likes are kept, and how many: all spellings of one are tried out.
MAX_CACHED_SIMILAR, MAX_SIMILAR_TOKENS = 32, 300


class TokenReader(SnapshotReader):
    """Tokens, and the rows that hold them."""

    def corpus_size(self) -> tuple[int, int]:
        return self._read_sum("records"), self._read_sum("length")

    def capture_count(self) -> int:
        return self._read_sum("evidence")

    def _read_sum(self, key: str) -> int:
        return int(sql.fetch_value(self._db, "select value from meta where key = ?", (key,)) or 0)

    def distinct_size(self) -> tuple[int, int]:
        kept = self._current_cache()
        if kept.distinct_size is None:
            (records, length), keys = self.corpus_size(), ("retold", "retold length")
            records_again, length_again = map(self._read_sum, keys) if self.capture_count() else (0, 0)
            kept.distinct_size = records - records_again, length - length_again
        return kept.distinct_size

    def document_frequency(self, token: str) -> int:
        known = self._current_cache().frequencies
        if token not in known:
            if len(known) > MAX_CACHED_FREQUENCIES:
                known.clear()
            query = "select doc from vocabulary where term = ?"
            every: int = sql.fetch_value(self._db, query, (token,)) or 0
            marker = retelling_token_marker(token)
            again = sql.fetch_value(self._db, query, (marker,)) if every > 1 and self.capture_count() else 0
            known[token] = max(every - (again or 0), min(every, 1))
        return known[token]

    def similar_tokens(self, prefix: str, spellings: Sequence[str]) -> tuple[str, ...]:
        known, asked = self._current_cache().similar_tokens, (prefix, *spellings)
        found = known.pop(asked, None)
        if found is None:
            beginning = "select term from vocabulary where term >= ? and term < ?"
            equal = "select term from json_each(?) as asked cross join vocabulary on term = asked.value"
            begun = sql.fetch_column(self._db, beginning, (prefix, prefix + "\U0010ffff"))
            found = tuple(sorted({*begun, *sql.fetch_column(self._db, equal, (sql.json_strings(spellings),))}))
        if len(found) <= MAX_SIMILAR_TOKENS:
            known[asked] = found  # what was asked for last comes last
        if len(known) > MAX_CACHED_SIMILAR:
            known.pop(next(iter(known)))
        return found

    def records_with_tokens(self, tokens: Sequence[str]) -> list[int]:
        asked = " ".join(map(render_match_expression, tokens))
        query = "select rowid from lines where lines match ? and rowid < ?"
        return sql.fetch_column(self._db, query, (asked, FIRST_CAPTURE_ROW)) if tokens else []

    def matching_rows(self, token_query: TokenQuery, at_most: int = -1) -> list[int]:
        kept = self._current_cache()
        known = kept.token_bitmaps.matching_rows(token_query) if kept.is_small and at_most < 0 else None
        return postings.find_matching_rows(self._db, token_query, at_most) if known is None else known

    def select_matching_rows(self, token_query: TokenQuery, row_ids: Collection[int]) -> set[int]:
        return postings.select_matching_rows(self._db, token_query, row_ids)

    def rows_by_token(self, tokens: Sequence[str], row_ids: Collection[int]) -> dict[str, list[int]] | None:
        kept = self._current_cache()
        return kept.token_bitmaps.rows_by_token(tokens, row_ids) if kept.is_small else None

    def sort_by_length(self, row_ids: Iterable[int]) -> tuple[list[int], list[int]]:
        kept = self._current_cache()
        if kept.is_small:
            return kept.text_lengths.sort_by_length(row_ids)
        return postings.sort_rows_by_length(self._db, row_ids)


# Records that bear a name; of more the newest are found sooner by looking at the newest of all.
FREQUENT_NAME_RECORDS = 2_000
NEWEST_OF_ALL_NAMING = """select rowid from records indexed by records_newest where exists (
    select 1 from json_each(?) as asked cross join mentions on mentions.key = asked.value and record = records.rowid
    ) and {where} order by {order} limit ?"""
NEWEST_OF_MENTIONS = """\
select distinct records.rowid from mentions cross join records on records.rowid = mentions.record
    where key in (select value from json_each(?)) and {where} order by {order} limit ?"""


class NameReader(TokenReader):
    """Entities, sessions and dialogues; how often a name is borne is counted among the words."""

    def written_names(self, name_keys: Sequence[str]) -> dict[str, str]:
        return postings.find_written_names(self._db, name_keys)

    def existing_name_keys(self, name_keys: Sequence[str]) -> tuple[str, ...]:
        query = """select asked.value from json_each(?) as asked
            where exists (select 1 from pages where pages.key = asked.value)
            or exists (select 1 from mentions where mentions.key = asked.value) order by asked.key"""
        return tuple(sql.fetch_column(self._db, query, (sql.json_strings(name_keys),)))

    def mentions(self, name_keys: Sequence[str]) -> list[EntityMention]:
        query = "select record, key, role from mentions where key in (select value from json_each(?))"
        return sql.fetch_all(self._db, query, (sql.json_strings(name_keys),))

    def mentions_in_rows(self, name_keys: Sequence[str], row_ids: Iterable[int]) -> list[EntityMention]:
        asked = list(row_ids)
        held = self.rows_by_token([name_marker(key) for key in name_keys], asked)
        bearing = asked if held is None else set().union(*held.values())
        found = postings.find_mentions_in_rows(self._db, name_keys, bearing) if bearing else []
        query = """select records.rowid from json_each(?) as asked cross join records on records.rowid = asked.value
            where records.path = ?"""
        for key, path in self.pages_by_name(name_keys) if asked else ():
            found += [(row, key, "page") for row in sql.fetch_column(self._db, query, (sql.json_integers(asked), path))]
        return found

    def speaker_keys(self, name_keys: Sequence[str]) -> frozenset[str]:
        query = """select value from json_each(?) as asked where exists (
            select 1 from mentions where mentions.key = asked.value and role = 'speaker')"""
        return frozenset(sql.fetch_column(self._db, query, (sql.json_strings(name_keys),)))

    def newest_mentioning_rows(self, name_keys: Sequence[str], record_filter: Filter, at_most: int) -> list[int]:
        where, values = sql.filter_condition(record_filter)
        often = sum(self.document_frequency(name_marker(key)) for key in name_keys) > FREQUENT_NAME_RECORDS
        query = (NEWEST_OF_ALL_NAMING if often else NEWEST_OF_MENTIONS).format(where=where, order=NEWEST_FIRST)
        return list(self._current_cache().fetch_rows(query, sql.json_strings(name_keys), *values, at_most))

    def pages_by_name(self, name_keys: Sequence[str]) -> list[tuple[str, str]]:
        query = "select key, path from pages where key in (select value from json_each(?)) order by entity desc, path"
        return sql.fetch_all(self._db, query, (sql.json_strings(name_keys),))

    def entity_pages(self) -> list[tuple[str, str]]:
        return sql.fetch_all(self._db, "select path, name from pages where entity = 1 order by path, key")

    def entities(self, prefix: str = "") -> list[tuple[str, str, int]]:
        query = """select key, min(name), count(distinct record) from mentions where key >= ? and key < ?
            group by key order by 3 desc, key"""
        return list(self._current_cache().fetch_table(query, prefix, prefix + "\U0010ffff"))

    def scopes(self) -> tuple[str, ...]:
        return tuple(sql.fetch_column(self._db, "select distinct scope from records where scope <> '' order by scope"))

    def captures_between(self, since: str, until: str, path_prefix: str) -> list[int]:
        query = """select rowid from records where time >= ? and time <= ? and time <> '' and actor <> ''
            and substr(path, 1, ?) = ? order by time, path, line_start"""
        return sql.fetch_column(self._db, query, (since, until, len(path_prefix), path_prefix))

    def rows_of_session(self, session_id: str) -> list[int]:
        query = "select rowid from records where session = ? and session <> '' order by time, path, line_start"
        return sql.fetch_column(self._db, query, (session_id,))

    def standing_rows(self, record_filter: Filter, at_most: int) -> dict[int, int]:
        where, values = sql.filter_condition(record_filter)
        query = f"""select rowid, standing from records indexed by records_standing where standing <> 0 and {where}
            order by standing desc, ifnull(importance, 0.5) desc, {NEWEST_FIRST} limit ?"""  # noqa: S608 - values are bound
        return dict(sql.fetch_all(self._db, query, (*values, at_most)))

    def session_names(self, record_filter: Filter) -> tuple[str, ...]:
        kept, key = self._current_cache(), sql.filter_condition(record_filter)
        if kept.session_names is None or kept.session_names[0] != key:
            kept.session_names = key, rows.find_session_names(self._db, record_filter)
        return kept.session_names[1]

    def rows_of_sessions(self, session_names: Collection[str], record_filter: Filter, at_most: int) -> list[int]:
        where, values = sql.filter_condition(record_filter)
        captured = sql.json_strings(name[1:] for name in session_names if name[:1] == "s")
        files = dict.fromkeys(name[1:].partition("\x01")[0] for name in session_names if name[:1] == "p")
        query = f"""select rowid from records where rowid in (
                select rowid from records where session <> '' and session in (select value from json_each(?))
                union all select rowid from records where path in (select value from json_each(?))
            ) and {rows.IN_A_SESSION} and {rows.DIALOGUE_NAME} in (select value from json_each(?)) and {where}
            order by time desc, path, line_start, byte_start limit ?"""  # noqa: S608 - values are bound
        asked = (captured, sql.json_strings(files), sql.json_strings(session_names))
        return sql.fetch_column(self._db, query, (*asked, *values, at_most))

    def dialogue_names(self, row_ids: Iterable[int]) -> dict[int, str]:
        return self._current_cache().dialogues.dialogue_names(row_ids)

    def read_dialogues(
        self, dialogue_names: Sequence[str], anchor_row_ids: Collection[int], record_filter: Filter
    ) -> list[Dialogue]:
        return self._current_cache().dialogues.read_dialogues(dialogue_names, anchor_row_ids, record_filter)

    def read_turns(self, row_ids: Iterable[int], record_filter: Filter) -> list[IndexedTurn]:
        return self._current_cache().dialogues.read_turns(row_ids, record_filter)
