"""From a token, marker or name to the rows that have it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b

import apsw
from msgspec import json

from commonplace.index.sql import fetch_all, fetch_column, fetch_value, json_integers, json_strings
from commonplace.index.values import EntityMention, IndexEntry, TokenQuery, render_match_expression

# Of the private use area, which no token of a text begins with unless the text does.
_REPEATED_PREFIX, _NAME_PREFIX, _RETELLING_PREFIX = "\ue000", "\ue001", "\ue002"
LONG_TOKEN_TEXT = 100_000  # characters; to split a shorter one takes little memory and a fifth of the time
_TOKEN = re.compile(r"\S+")
EPISODE_FOLDER = "memory/episodes/"  # these tell what was captured


def repeated_token_marker(token: str) -> str:
    """The mark of a record that holds the token more than once, in its text and its titles together."""
    return _REPEATED_PREFIX + token


@lru_cache(4_096)
def name_marker(name_key: str) -> str:
    """The mark of a record that names or is spoken by whom the folded name means."""
    return _NAME_PREFIX + blake2b(name_key.encode("utf-8", "replace"), digest_size=8).hexdigest()


def retelling_token_marker(token: str) -> str:
    """The mark of a record that contains the token and repeats a capture."""
    return _RETELLING_PREFIX + token


def is_retelling(entry: IndexEntry) -> bool:
    """Whether an entry is a line of an episode that rests on captures: these say it already."""
    return bool(entry.record.sources) and entry.record.source.path.startswith(EPISODE_FOLDER)


def marker_tokens(entry: IndexEntry) -> str:
    """All marks of an entry, with spaces between them."""
    counts = Counter(iterate_tokens(entry.tokens + entry.context))
    found = {name_marker(key) for key, _role, _name in entry.mentions}
    found.update(repeated_token_marker(token) for token, count in counts.items() if count > 1)
    if is_retelling(entry):
        found.update(map(retelling_token_marker, counts))
    return " ".join(sorted(found))


def iterate_tokens(token_text: str) -> Iterable[str]:
    """Tokens; of a long text one by one, for it may have millions."""
    if len(token_text) < LONG_TOKEN_TEXT:
        return token_text.split()
    return (match[0] for match in _TOKEN.finditer(token_text))


def find_tagged_rows(db: apsw.Connection, tags: Iterable[str]) -> list[int]:
    """The rows of the records that have one of the tags."""
    query = "select record from tags where tag in (select value from json_each(?))"
    return fetch_column(db, query, (json_strings(tags),))


def find_mentions_in_rows(db: apsw.Connection, name_keys: Sequence[str], row_ids: Iterable[int]) -> list[EntityMention]:
    """(row, key, role) of those of the rows that name the entities."""
    query = """select record, mentions.key, role from json_each(?) as name cross join json_each(?) as asked
        cross join mentions on mentions.key = name.value and record = asked.value"""
    return fetch_all(db, query, (json_strings(name_keys), json_integers(row_ids)))


FIRST_CAPTURE_ROW = 1 << 31  # of captures: who looks for records only stops there, however many captures hold a word


def next_row_ids(db: apsw.Connection) -> dict[bool, int]:
    """The next free row id for a record, and (under True) for a capture."""
    record = fetch_value(db, "select max(rowid) from records where rowid < ?", (FIRST_CAPTURE_ROW,))
    capture = fetch_value(db, "select max(rowid) from records where rowid >= ?", (FIRST_CAPTURE_ROW,))
    return {False: (record or 0) + 1, True: (capture or FIRST_CAPTURE_ROW - 1) + 1}


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
    """The rows that match the expression, in text, titles or marks, in order."""
    found = fetch_value(db, MATCHING_ROWS, (render_match_expression(token_query), at_most))
    return _row_ids_decoder.decode(found) if found else []


def select_matching_rows(db: apsw.Connection, token_query: TokenQuery, row_ids: Collection[int]) -> set[int]:
    """Those of the rows that match the expression. Only the postings between the first and the last of the rows are
    read; rows of one time are near each other, and captures are separate from records."""
    found: set[int] = set()
    records = [row_id for row_id in row_ids if row_id < FIRST_CAPTURE_ROW]
    for some in (records, [row_id for row_id in row_ids if row_id >= FIRST_CAPTURE_ROW]):
        if some:
            there = fetch_value(db, MATCHING_ROWS_BETWEEN, (render_match_expression(token_query), min(some), max(some)))
            found.update(_row_ids_decoder.decode(there) if there else ())
    return found.intersection(row_ids)


def sort_rows_by_length(db: apsw.Connection, row_ids: Iterable[int]) -> tuple[list[int], list[int]]:
    """The rows in order of how many tokens their texts hold, the shortest first, and these counts, which are too low of
    texts of 16,384 tokens and more."""
    ((found, lengths),) = fetch_all(db, ROWS_BY_LENGTH, (json_integers(row_ids),))
    return _row_ids_decoder.decode(found), _row_ids_decoder.decode(lengths)


def find_rows_of_file(db: apsw.Connection, path: str, extent: tuple[int, int]) -> list[int]:
    """The rows of a file with any of the lines from a first to a last one, in order."""
    query = """select rowid from records where path = ? and line_start <= ? and line_end >= ?
        order by line_start, byte_start, rowid"""
    return fetch_column(db, query, (path, extent[1], extent[0]))


def find_written_names(db: apsw.Connection, name_keys: Sequence[str]) -> dict[str, str]:
    """Those of the folded names that an entity or page has, with the name as written."""
    query = """select asked.value, coalesce(
        (select min(name) from pages where key = asked.value),
        (select min(name) from mentions where key = asked.value)) from json_each(?) as asked"""
    rows = fetch_all(db, query, (json_strings(name_keys),))
    return {key: name for key, name in rows if name is not None}
