"""From a token, name, key, text digest or time to the rows that have it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b

import apsw
from msgspec import json

from commonplace.index.protocol import (
    MAX_EVENT_DAYS,
    EntityMention,
    Filter,
    IndexEntry,
    TokenQuery,
    render_match_expression,
)
from commonplace.index.rows import drop_references
from commonplace.index.sql import fetch_all, fetch_value, filter_condition, json_integers, json_strings
from commonplace.model import Interval

# Of the private use area, which no token of a text begins with unless the text does.
_REPEATED_PREFIX, _NAME_PREFIX, _RETELLING_PREFIX = "\ue000", "\ue001", "\ue002"
EPISODE_FOLDER = "memory/episodes/"  # these tell what was captured


def repeated_token_marker(token: str) -> str:
    """The mark of a record that holds the token more than once, in its text and its titles together."""
    return _REPEATED_PREFIX + token


@lru_cache(4_096)
def name_marker(name_key: str) -> str:
    """The mark of a record that names or is spoken by whom the folded name means."""
    return _NAME_PREFIX + blake2b(name_key.encode("utf-8", "replace"), digest_size=8).hexdigest()


def retelling_token_marker(token: str) -> str:
    """The mark of a record that holds the token and tells a capture again."""
    return _RETELLING_PREFIX + token


def is_retelling(entry: IndexEntry) -> bool:
    """Whether an entry is a line of an episode that rests on captures: these say it already."""
    return bool(entry.record.sources) and entry.record.source.path.startswith(EPISODE_FOLDER)


def marker_tokens(entry: IndexEntry) -> str:
    """All marks of an entry, with spaces between them."""
    held = (entry.tokens + entry.context).split()
    found = {name_marker(key) for key, _role, _name in entry.mentions}
    if len(set(held)) < len(held):
        found.update(repeated_token_marker(token) for token, count in Counter(held).items() if count > 1)
    if is_retelling(entry):
        found.update(map(retelling_token_marker, held))
    return " ".join(sorted(found))


def find_written_names(db: apsw.Connection, name_keys: Sequence[str]) -> dict[str, str]:
    """Those of the folded names that an entity or page bears, with the name as written."""
    found = fetch_all(
        db,
        "select asked.value, coalesce("
        " (select min(name) from pages where key = asked.value),"
        " (select min(name) from mentions where key = asked.value))"
        " from json_each(?) as asked",
        (json_strings(name_keys),),
    )
    return {key: name for key, name in found if name is not None}


def find_existing_name_keys(db: apsw.Connection, name_keys: Sequence[str]) -> tuple[str, ...]:
    """Those of the folded names that an entity or page bears, in the order asked."""
    query = """select asked.value from json_each(?) as asked
        where exists (select 1 from pages where pages.key = asked.value)
        or exists (select 1 from mentions where mentions.key = asked.value) order by asked.key"""
    return tuple(key for (key,) in fetch_all(db, query, (json_strings(name_keys),)))


def find_mentions(db: apsw.Connection, name_keys: Sequence[str]) -> list[EntityMention]:
    """(row, key, role) of the records that name the entities."""
    query = "select record, key, role from mentions where key in (select value from json_each(?))"
    return fetch_all(db, query, (json_strings(name_keys),))


def find_mentions_in_rows(db: apsw.Connection, name_keys: Sequence[str], row_ids: Iterable[int]) -> list[EntityMention]:
    """Those of some rows."""
    query = """select record, mentions.key, role from json_each(?) as name cross join json_each(?) as asked
        cross join mentions on mentions.key = name.value and record = asked.value"""
    return fetch_all(db, query, (json_strings(name_keys), json_integers(row_ids)))


def find_page_mentions(
    db: apsw.Connection, pages: Sequence[tuple[str, str]], row_ids: Iterable[int]
) -> list[EntityMention]:
    """Those of some rows that stand on the pages, given as (key, path)."""
    query = """select records.rowid from json_each(?) as asked cross join records on records.rowid = asked.value
        where records.path = ?"""
    asked = json_integers(row_ids)
    return [(row, key, "page") for key, path in pages for (row,) in fetch_all(db, query, (asked, path))]


def find_speaker_keys(db: apsw.Connection, name_keys: Sequence[str]) -> frozenset[str]:
    """The names under which somebody speaks."""
    query = """select value from json_each(?) as asked where exists (
        select 1 from mentions where mentions.key = asked.value and role = 'speaker')"""
    return frozenset(key for (key,) in fetch_all(db, query, (json_strings(name_keys),)))


def find_pages(db: apsw.Connection, name_keys: Sequence[str]) -> list[tuple[str, str]]:
    """(key, path) of the pages that bear the names; pages of entities first."""
    query = "select key, path from pages where key in (select value from json_each(?)) order by entity desc, path"
    return fetch_all(db, query, (json_strings(name_keys),))


def list_entities(db: apsw.Connection) -> list[tuple[str, str, int]]:
    """(folded name, name, number of records) of every entity, most named first."""
    query = "select key, min(name), count(distinct record) from mentions group by key order by 3 desc, key"
    return fetch_all(db, query)


def list_scopes(db: apsw.Connection) -> tuple[str, ...]:
    """The scopes in use, sorted, without the shared one."""
    found = fetch_all(db, "select distinct scope from records where scope <> '' order by scope")
    return tuple(scope for (scope,) in found)


FIRST_CAPTURE_ROW = 1 << 31  # of captures: who looks for records only stops there, however many captures hold a word


def next_row_ids(db: apsw.Connection) -> dict[bool, int]:
    """Where the next record is put, and (under True) the next capture."""
    record = fetch_value(db, "select max(rowid) from records where rowid < ?", (FIRST_CAPTURE_ROW,)) or 0
    capture = (
        fetch_value(db, "select max(rowid) from records where rowid >= ?", (FIRST_CAPTURE_ROW,))
        or FIRST_CAPTURE_ROW - 1
    )
    return {False: record + 1, True: capture + 1}


def find_records_with_tokens(db: apsw.Connection, tokens: Sequence[str]) -> list[int]:
    """The rows below those of captures that hold all of the tokens."""
    asked = " ".join('"' + token.replace('"', '""') + '"' for token in tokens)
    query = "select rowid from lines where lines match ? and rowid < ?"
    return [row for (row,) in fetch_all(db, query, (asked, FIRST_CAPTURE_ROW))] if tokens else []


def find_outlines(db: apsw.Connection, row_ids: Iterable[int]) -> list[tuple[int, str, str, str]]:
    """(row, id, path, digest of the text) of rows."""
    query = """select records.rowid, records.id, records.path, text_digest from json_each(?) as asked
        cross join records on records.rowid = asked.value order by 1"""
    return fetch_all(db, query, (json_integers(row_ids),))


def put_capture_keys(db: apsw.Connection, capture_keys: Iterable[str]) -> None:
    """Note under which keys something was captured."""
    db.executemany("insert or ignore into captured (key) values (?)", ((key,) for key in capture_keys))


def find_capture_keys(db: apsw.Connection, capture_keys: Sequence[str]) -> frozenset[str]:
    """Those of the keys that are noted."""
    asked = json.encode(list(capture_keys)).decode()
    found = fetch_all(db, "select key from captured where key in (select value from json_each(?))", (asked,))
    return frozenset(key for (key,) in found)


def drop_captures(db: apsw.Connection) -> list[tuple[int, str, str, int]]:
    """Remove every capture and every key; returns (row, id, claim, length) of what is gone."""
    gone = fetch_all(db, "select rowid, id, claim, length from records where actor <> ''")
    drop_references(db, [(row[0],) for row in gone])
    db.execute("delete from records where actor <> ''")
    db.execute("delete from captured")
    return gone


# The full text keeps beside each row how many tokens its columns hold, the text first: a number in base 128, of which
# each byte but the last is 128 more. So little stands there that it is read three times as fast as `records.length`.
_ALL_BYTES = f"x'{bytes(range(256)).hex()}'"
_BYTE_VALUE = f"instr({_ALL_BYTES}, substr(sz, {{}}, 1)) - 1"
_TEXT_TOKEN_COUNT = (
    f"iif(sz < x'80', {_BYTE_VALUE.format(1)}, ({_BYTE_VALUE.format(1)} - 128) * 128 + ({_BYTE_VALUE.format(2)}) % 128)"
)
ROWS_BY_LENGTH = f"""select json_group_array(row), json_group_array(length) from (
    select lines_docsize.id as row, {_TEXT_TOKEN_COUNT} as length from json_each(?) as asked
    cross join lines_docsize on lines_docsize.id = asked.value order by length, row)"""  # noqa: S608 - constants
MATCHING_ROWS = "select json_group_array(row) from (select rowid as row from lines where lines match ? limit ?)"
MATCHING_ROWS_BETWEEN = "select json_group_array(rowid) from lines where lines match ? and rowid between ? and ?"
_row_ids_decoder = json.Decoder(list[int])


def find_matching_rows(db: apsw.Connection, token_query: TokenQuery, at_most: int) -> list[int]:
    """The rows that hold what is wanted, in text, titles or marks, in order."""
    found = fetch_value(db, MATCHING_ROWS, (render_match_expression(token_query), at_most))
    return _row_ids_decoder.decode(found) if found else []


def select_matching_rows(db: apsw.Connection, token_query: TokenQuery, row_ids: Collection[int]) -> set[int]:
    """Those of the rows that hold what is wanted; of the postings only what lies between the first and the last of
    them is read, which are near each other where they are of one time. Captures stand apart from records."""
    found: set[int] = set()
    for some in (
        [row_id for row_id in row_ids if row_id < FIRST_CAPTURE_ROW],
        [row_id for row_id in row_ids if row_id >= FIRST_CAPTURE_ROW],
    ):
        if some:
            there = fetch_value(db, MATCHING_ROWS_BETWEEN, (render_match_expression(token_query), min(some), max(some)))
            found.update(_row_ids_decoder.decode(there) if there else ())
    return found.intersection(row_ids)


def sort_rows_by_length(db: apsw.Connection, row_ids: Iterable[int]) -> tuple[list[int], list[int]]:
    """The rows in order of how many tokens their texts hold, the shortest first, and these counts.

    Of texts of 16,384 tokens and more the count is lower than it is.
    """
    ((found, lengths),) = fetch_all(db, ROWS_BY_LENGTH, (json_integers(row_ids),))
    return _row_ids_decoder.decode(found), _row_ids_decoder.decode(lengths)


def find_similar_tokens(db: apsw.Connection, prefix: str, spellings: Sequence[str]) -> tuple[str, ...]:
    """The tokens that begin so, and those of the spellings that stand anywhere; sorted, each once."""
    begun = fetch_all(db, "select term from vocabulary where term >= ? and term < ?", (prefix, prefix + "\U0010ffff"))
    known = fetch_all(
        db,
        "select term from json_each(?) as asked cross join vocabulary on term = asked.value",
        (json_strings(spellings),),
    )
    return tuple(sorted({term for (term,) in (*begun, *known)}))


def count_occurrences(db: apsw.Connection, token: str, title_weight: float) -> dict[int, float]:
    """How often a token stands in each record that holds it; in the titles above it counts `title_weight`."""
    query = "select doc, sum(iif(col = 'text', 1.0, ?)) from postings where term = ? group by doc"
    return dict(fetch_all(db, query, (title_weight, token)))


TEXTS_PER_QUERY = 500


def find_text_digests(db: apsw.Connection, row_ids: Iterable[int]) -> dict[int, str]:
    """The digest of the text of each row."""
    query = """select records.rowid, text_digest from json_each(?) as asked
        cross join records on records.rowid = asked.value"""
    return dict(fetch_all(db, query, (json_integers(row_ids),)))


def find_rows_with_digests(db: apsw.Connection, digests: Iterable[str]) -> list[tuple[int, str]]:
    """(row, digest) of every record that has one of the texts."""
    query = """select records.rowid, text_digest from json_each(?) as asked
        cross join records on records.text_digest = asked.value"""
    return fetch_all(db, query, (json_strings(digests),))


def list_text_digests(db: apsw.Connection) -> set[str]:
    """The digests of all texts; what is quarantined is given to nobody."""
    every = fetch_all(db, "select distinct text_digest from records")
    refused = fetch_all(db, "select distinct text_digest from records where trust = 'quarantined'")
    return {digest for (digest,) in every if digest}.difference(digest for (digest,) in refused)


def read_texts_by_digest(db: apsw.Connection, digests: Iterable[str]) -> Iterator[tuple[str, str]]:
    """(digest, text) of each of the digests that is there, once; without the name of who said it, which tells nothing
    of what was said."""
    wanted = sorted(digests)
    query = """select asked.value, text, speaker from json_each(?) as asked cross join records
        on records.rowid = (select rowid from records where text_digest = asked.value limit 1)"""
    for start in range(0, len(wanted), TEXTS_PER_QUERY):
        for digest, text, speaker in fetch_all(db, query, (json_strings(wanted[start : start + TEXTS_PER_QUERY]),)):
            yield digest, text.removeprefix(f"{speaker}:").lstrip() if speaker else text


def find_events(
    db: apsw.Connection, interval: Interval, record_filter: Filter, at_most: int
) -> list[tuple[int, str, str]]:
    """(row, start, end) of the times in a stretch that lines tell of and the filter lets through.

    The latest `at_most`.
    """
    where, values = filter_condition(record_filter)
    query = f"""select record, begins, closes from events
        cross join records on records.rowid = events.record
        where begins < ? and closes > ? and begins > date(substr(?, 1, 10), '-{MAX_EVENT_DAYS} days')
        and {where} order by begins desc, records.path, line_start, byte_start, closes limit ?"""  # noqa: S608 - values are bound
    first, last = interval.start or "0001-01-01T00:00", interval.end or "9999"
    return fetch_all(db, query, (last, first, first, *values, at_most))
