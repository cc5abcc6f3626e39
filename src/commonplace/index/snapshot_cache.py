"""Caches of what was read from one snapshot of the database; writes evict what they touched."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import compress, count
from operator import and_, or_

import apsw

from commonplace.index import postings
from commonplace.index.postings import FIRST_CAPTURE_ROW, next_row_ids
from commonplace.index.rows import DialogueCache
from commonplace.index.sql import fetch_all, fetch_column, has_subquery, json_integers
from commonplace.index.values import AllOf, TokenQuery

MAX_NOTED_ROWS = 2_000  # rows; of a transaction that writes more nothing is noted, and nothing is kept
# What the full text takes for one token as it stands: other ASCII parts tokens, and capital letters are made small.
_PLAIN_TOKEN = re.compile(r"[a-z0-9_.@/:+#\x80-\U0010ffff-]+")
_PLAIN_TOKENS = re.compile(r"[ a-z0-9_.@/:+#\x80-\U0010ffff-]*")


class TransactionWrites:
    """The rows of `records` that were added or changed in a transaction, and the tokens of what was added.

    `is_additive` is true as long as that is all: nothing was removed, and it is not too much to be told.
    """

    def __init__(self) -> None:
        self.added: set[int] = set()
        self.changed: set[int] = set()
        self.tokens: set[str] = set()
        self.has_writes = False
        self.is_additive = True

    def note_row(self, operation: int, _database: str, table: str, row_id: int) -> None:
        """Record a change of one row that SQLite reports; tables without row numbers change with those of records."""
        if table == "problems":
            return
        self.has_writes = True
        if table != "records" or not self.is_additive:
            return
        if operation == apsw.SQLITE_INSERT:
            self.added.add(row_id)
        elif row_id not in self.added:
            self.changed.add(row_id)
        self.is_additive = operation != apsw.SQLITE_DELETE and len(self.added) + len(self.changed) <= MAX_NOTED_ROWS

    def note_tokens(self, token_text: str) -> None:
        """Take in the tokens of a row that was added, with spaces between them."""
        if not self.is_additive:
            return
        self.is_additive = _PLAIN_TOKENS.fullmatch(token_text) is not None
        self.tokens.update(postings.iterate_tokens(token_text))

    def may_contain(self, token: str) -> bool:
        """Whether a row that was added may hold the token."""
        return token in self.tokens or not _PLAIN_TOKEN.fullmatch(token)


MAX_BITMAP_CACHE_BYTES = 6_000_000  # bytes; of more what was not asked for lately is let go
MAX_BITMAP_ROWS = 60_000  # of a token; what more rows hold is left to the full text, which need not read all of them
BITMAP_OVERHEAD_BYTES = 200  # bytes that a token takes beside its bits
DENSE_BITS = 100  # bits, of which more than one is set

_IS_NONZERO_BYTE = bytes([0, *[1] * 255])  # by byte: whether any of its bits is set
_SET_BITS = tuple(tuple(bit for bit in range(8) if byte >> bit & 1) for byte in range(256))

BitMasks = list[tuple[int, int, int]]
BitmapPair = tuple[int, int]  # of the records; of the captures, whose rows begin at FIRST_CAPTURE_ROW


class TokenBitmaps:
    """The rows that contain a token, for one state of the database; the caller clears it when the state changes."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        # What was asked for last comes last; None: too many rows hold it.
        self._bitmaps: dict[str, BitmapPair | None] = {}
        self._bytes = 0
        self._unpacked: tuple[tuple[str, ...], list[tuple[bytes, bytes]]] = (), []  # the tokens of one question

    def clear(self) -> None:
        """Keep nothing of what was read."""
        self._bitmaps, self._bytes, self._unpacked = {}, 0, ((), [])

    def evict(self, is_touched: Callable[[str], bool]) -> None:
        """Keep nothing of the tokens of which that is so."""
        self._unpacked = (), []
        for token in [one for one in self._bitmaps if is_touched(one)]:
            self._bytes -= _bitmap_size(self._bitmaps.pop(token))

    def matching_rows(self, token_query: TokenQuery) -> list[int] | None:
        """The rows that match an expression, in order; None if too many rows contain one of its tokens."""
        found = self._evaluate(token_query)
        return None if found is None else [*_bitmap_to_rows(found[0], 0), *_bitmap_to_rows(found[1], FIRST_CAPTURE_ROW)]

    def rows_by_token(self, query_tokens: Iterable[str], row_ids: Iterable[int]) -> dict[str, list[int]] | None:
        """Those of the rows that hold each of the tokens; None if too many hold one of them."""
        asked = tuple(query_tokens)
        every = self._unpack_bitmaps(asked)
        if every is None:
            return None
        # For each position, where its bit stands: in which byte, and which it is.
        records, captures = (
            [(position, position >> 3, 1 << (position & 7)) for position in positions]
            for positions in _split_records_and_captures(row_ids)
        )
        found = {token: _select_set_positions(held, records) for token, (held, _) in zip(asked, every, strict=True)}
        for token, (_held, heard) in zip(asked, every, strict=True) if captures else ():
            found[token] += [FIRST_CAPTURE_ROW + place for place in _select_set_positions(heard, captures)]
        return found

    def _unpack_bitmaps(self, query_tokens: tuple[str, ...]) -> list[tuple[bytes, bytes]] | None:
        """The bits of each of the tokens as bytes; one question asks for the same again and again."""
        if self._unpacked[0] != query_tokens:
            every = [bits for bits in map(self._bitmap_of_token, query_tokens) if bits is not None]
            if len(every) < len(query_tokens):
                return None
            self._unpacked = query_tokens, [(_bitmap_bytes(held), _bitmap_bytes(heard)) for held, heard in every]
        return self._unpacked[1]

    def _evaluate(self, token_query: TokenQuery) -> BitmapPair | None:
        if isinstance(token_query, str):
            return self._bitmap_of_token(token_query)
        join = and_ if isinstance(token_query, AllOf) else or_
        whole: BitmapPair | None = None
        for part in token_query.parts:
            found = self._bitmap_of_token(part) if isinstance(part, str) else self._evaluate(part)
            if found is None:
                return None
            whole = (join(whole[0], found[0]), join(whole[1], found[1])) if whole else found
        return whole

    def _bitmap_of_token(self, token: str) -> BitmapPair | None:
        if token in self._bitmaps:
            found = self._bitmaps[token] = self._bitmaps.pop(token)
            return found
        row_ids = postings.find_matching_rows(self._db, token, MAX_BITMAP_ROWS + 1)
        found = None
        if len(row_ids) <= MAX_BITMAP_ROWS:
            records, captures = _split_records_and_captures(row_ids)
            found = _positions_to_bitmap(records), _positions_to_bitmap(captures)
        self._bitmaps[token] = found
        self._bytes += _bitmap_size(found)
        while self._bytes > MAX_BITMAP_CACHE_BYTES and len(self._bitmaps) > 1:
            self._bytes -= _bitmap_size(self._bitmaps.pop(next(iter(self._bitmaps))))
        return found


class TextLengths:
    """The number of tokens of texts, for one state of the database; the caller clears it when the state changes."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        # By row, of the records and of the captures: one more, 0 for not known.
        self._lengths_by_row = array("H"), array("H")

    def clear(self) -> None:
        """Keep nothing of what was read."""
        self._lengths_by_row = array("H"), array("H")

    def sort_by_length(self, row_ids: Iterable[int]) -> tuple[list[int], list[int]]:
        """The same as `postings.sort_rows_by_length`."""
        asked = sorted(row_ids)
        at = bisect_left(asked, FIRST_CAPTURE_ROW)
        found = self._sort_positions(self._lengths_by_row[0], asked[:at], 0)
        if at == len(asked):
            return found
        captures = self._sort_positions(
            self._lengths_by_row[1], [row_id - FIRST_CAPTURE_ROW for row_id in asked[at:]], FIRST_CAPTURE_ROW
        )
        every = sorted((*zip(*reversed(found), strict=True), *zip(*reversed(captures), strict=True)))
        return [row for _length, row in every], [length for length, _row in every]

    def _sort_positions(
        self, known_lengths: array[int], positions: list[int], first_row_id: int
    ) -> tuple[list[int], list[int]]:
        """Rows by length, given in order as places behind the first, and their lengths."""
        if positions and positions[-1] >= len(known_lengths):
            known_lengths.frombytes(bytes(known_lengths.itemsize * (positions[-1] + 1 - len(known_lengths))))
        fresh = [first_row_id + place for place in positions if not known_lengths[place]]
        if fresh:
            for row_id, length in zip(*postings.sort_rows_by_length(self._db, fresh), strict=True):
                known_lengths[row_id - first_row_id] = length + 1
            positions = [place for place in positions if known_lengths[place]]
        positions = sorted(positions, key=known_lengths.__getitem__)
        return [first_row_id + place for place in positions], [known_lengths[place] - 1 for place in positions]


def _split_records_and_captures(row_ids: Iterable[int]) -> tuple[list[int], list[int]]:
    """The records among the rows, and the places of the captures behind the first."""
    every = list(row_ids)
    records = [row_id for row_id in every if row_id < FIRST_CAPTURE_ROW]
    if len(records) == len(every):
        return records, []
    return records, [row_id - FIRST_CAPTURE_ROW for row_id in every if row_id >= FIRST_CAPTURE_ROW]


def _positions_to_bitmap(positions: list[int]) -> int:
    held = bytearray((positions[-1] >> 3) + 1 if positions else 0)
    for place in positions:
        held[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(held, "little")


def _bitmap_to_rows(bitmap: int, first_row_id: int) -> list[int]:
    """The places of the bits that are set, in order, `first_row_id` added to each."""
    held = _bitmap_bytes(bitmap)
    if bitmap.bit_count() * DENSE_BITS > bitmap.bit_length():  # so many that no byte is worth passing over
        bytes_set = zip(compress(count(first_row_id, 8), held), filter(None, held), strict=True)
        return [start + place for start, byte in bytes_set for place in _SET_BITS[byte]]
    places = held.translate(_IS_NONZERO_BYTE)
    found: list[int] = []
    at = places.find(1)
    while at >= 0:
        start = first_row_id + (at << 3)
        found += map(start.__add__, _SET_BITS[held[at]])
        at = places.find(1, at + 1)
    return found


def _bitmap_bytes(bitmap: int) -> bytes:
    return bitmap.to_bytes((bitmap.bit_length() + 7) >> 3, "little")


def _select_set_positions(bitmap_bytes: bytes, bit_masks: BitMasks) -> list[int]:
    """Those of the places at which a bit is set."""
    end = len(bitmap_bytes)
    return [place for place, at, bit in bit_masks if at < end and bitmap_bytes[at] & bit] if bitmap_bytes else []


def _bitmap_size(bitmaps: BitmapPair | None) -> int:
    return BITMAP_OVERHEAD_BYTES + sum(number.bit_length() >> 3 for number in bitmaps or ())


MAX_CACHED_RESULTS = 32  # statements whose rows are kept
# Rows; beyond, what a token takes as bits is made and read more slowly than the full text is asked.
MAX_CACHED_ROW_IDS = 300_000


class SnapshotCache:
    """Results that are likely to be needed again. Each cache is bounded: in bytes, in number, or to the last result."""

    def __init__(self, db: apsw.Connection) -> None:
        self.dialogues = DialogueCache(db)
        self.token_bitmaps, self.text_lengths = TokenBitmaps(db), TextLengths(db)
        # The rows that a statement of one column gives, in order.
        self.fetch_rows = lru_cache(MAX_CACHED_RESULTS)(lambda *asked: tuple(fetch_column(db, asked[0], asked[1:])))
        self.fetch_table = lru_cache(1)(lambda *asked: tuple(fetch_all(db, asked[0], asked[1:])))
        self._db = db
        self.distinct_size: tuple[int, int] | None = None
        self.counts: dict[str, int] | None = None
        self.frequencies: dict[str, int] = {}
        self.similar_tokens: dict[tuple[str, ...], tuple[str, ...]] = {}
        self.filtered_rows: tuple[tuple[object, ...], list[int] | None] | None = None
        self.session_names: tuple[tuple[object, ...], tuple[str, ...]] | None = None
        self.current_rows: dict[int, int] | None = None
        self.is_small = True  # so that holders and lengths are worth keeping
        self._state: object = None

    def at_state(self, state: object) -> SnapshotCache:
        """The cache of this state."""
        if state != self._state:
            self.clear()
            self._set_state(state)
        return self

    def apply_writes(self, state_before: object, state: object, writes: TransactionWrites) -> None:
        """Go on with what is in the state into which a transaction brought `state_before`, if this is of that."""
        if state_before != self._state or (writes.has_writes and not writes.is_additive):
            self.clear()  # of the former, another process wrote since, or something was asked in the midst
            return
        if not writes.has_writes:
            self._state = state
            return
        self.distinct_size = self.counts = self.session_names = self.current_rows = None
        self.frequencies.clear()
        self.similar_tokens.clear()
        self.fetch_rows.cache_clear()
        self.fetch_table.cache_clear()
        self.token_bitmaps.evict(writes.may_contain)  # lengths stay: a row that stays has the text that it had
        self.dialogues.evict(writes.added | writes.changed)
        self.filtered_rows = self._updated_filtered_rows(writes)
        self._set_state(state)

    def _updated_filtered_rows(self, writes: TransactionWrites) -> tuple[tuple[object, ...], list[int] | None] | None:
        if self.filtered_rows is None or has_subquery(str(self.filtered_rows[0][0])):
            return None
        asked, rows = self.filtered_rows
        if rows is None:
            return None if writes.changed else self.filtered_rows  # still more than were wanted
        where, *values, at_most = asked
        come = writes.added | writes.changed
        query = f"select rowid from records where rowid in (select value from json_each(?)) and {where}"  # noqa: S608
        found = fetch_column(self._db, query, (json_integers(come), *values))
        rows = [row_id for row_id in rows if row_id not in come] + found
        return asked, rows if len(rows) <= int(str(at_most)) else None

    def _set_state(self, state: object) -> None:
        rows = next_row_ids(self._db)
        self.is_small = max(rows[False], rows[True] - FIRST_CAPTURE_ROW) <= MAX_CACHED_ROW_IDS
        self._state = state

    def clear(self) -> None:
        """Keep nothing."""
        self.distinct_size = self.counts = self.filtered_rows = self.session_names = None
        self.current_rows = self._state = None
        self.frequencies.clear()
        self.similar_tokens.clear()
        self.fetch_rows.cache_clear()
        self.fetch_table.cache_clear()
        for one in (self.dialogues, self.token_bitmaps, self.text_lengths):
            one.clear()
