"""Which rows hold a token, as the bits of one number, and how long the texts are, kept between questions.

What records must hold is then reckoned by ands and ors of numbers; the full text is read for a token that was not asked
for lately, and for what very many rows hold.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable
from itertools import compress, count
from operator import and_, or_

import apsw

from commonplace.index import postings
from commonplace.index.evidence import FIRST_ROW
from commonplace.index.wanted import All, Wanted

MOST_KEPT = 6_000_000  # bytes; of more what was not asked for lately is let go
MOST_ROWS = 60_000  # of a token; what more rows hold is left to the full text, which need not read all of them
EACH = 200  # bytes that a token takes beside its bits
DENSE = 100  # bits, of which more than one is set

_IS_SET = bytes([0, *[1] * 255])  # by byte: whether any of its bits is set
_PLACES = tuple(tuple(bit for bit in range(8) if byte >> bit & 1) for byte in range(256))

Spots = list[tuple[int, int, int]]
Bits = tuple[int, int]  # of the records; of the captures, whose rows begin at FIRST_ROW


class Holders:
    """The rows that hold a token, of one state of the database; who keeps it sees to that."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._known: dict[str, Bits | None] = {}  # what was asked for last comes last; None: too many rows hold it
        self._bytes = 0
        self._unpacked: tuple[tuple[str, ...], list[tuple[bytes, bytes]]] = (), []  # the tokens of one question

    def forget(self) -> None:
        """Keep nothing of what was read."""
        self._known, self._bytes, self._unpacked = {}, 0, ((), [])

    def let_go(self, is_touched: Callable[[str], bool]) -> None:
        """Keep nothing of the tokens of which that is so."""
        self._unpacked = (), []
        for token in [one for one in self._known if is_touched(one)]:
            self._bytes -= _size(self._known.pop(token))

    def matching(self, wanted: Wanted) -> list[int] | None:
        """The rows that hold what is wanted, in order; None where too many hold a token that it names."""
        found = self._holding(wanted)
        return None if found is None else [*_rows(found[0], 0), *_rows(found[1], FIRST_ROW)]

    def by_token(self, tokens: Iterable[str], rows: Iterable[int]) -> dict[str, list[int]] | None:
        """Those of the rows that hold each of the tokens; None where too many hold one of them."""
        asked = tuple(tokens)
        every = self._bytes_of(asked)
        if every is None:
            return None
        records, captures = map(_spots, _apart(rows))
        found = {token: _set(held, records) for token, (held, _heard) in zip(asked, every, strict=True)}
        for token, (_held, heard) in zip(asked, every, strict=True) if captures else ():
            found[token] += [FIRST_ROW + place for place in _set(heard, captures)]
        return found

    def _bytes_of(self, tokens: tuple[str, ...]) -> list[tuple[bytes, bytes]] | None:
        """The bits of each of the tokens as bytes; one question asks for the same again and again."""
        if self._unpacked[0] != tokens:
            every = [bits for bits in map(self._of, tokens) if bits is not None]
            if len(every) < len(tokens):
                return None
            self._unpacked = tokens, [(_packed(records), _packed(captures)) for records, captures in every]
        return self._unpacked[1]

    def _holding(self, wanted: Wanted) -> Bits | None:
        if isinstance(wanted, str):
            return self._of(wanted)
        join = and_ if isinstance(wanted, All) else or_
        whole: Bits | None = None
        for part in wanted.parts:
            found = self._of(part) if isinstance(part, str) else self._holding(part)
            if found is None:
                return None
            whole = (join(whole[0], found[0]), join(whole[1], found[1])) if whole else found
        return whole

    def _of(self, token: str) -> Bits | None:
        if token in self._known:
            found = self._known[token] = self._known.pop(token)
            return found
        rows = postings.matching(self._db, token, MOST_ROWS + 1)
        found = self._known[token] = _bits(rows) if len(rows) <= MOST_ROWS else None
        self._bytes += _size(found)
        while self._bytes > MOST_KEPT and len(self._known) > 1:
            self._bytes -= _size(self._known.pop(next(iter(self._known))))
        return found


class Lengths:
    """How many tokens the texts hold, of one state of the database; who keeps it sees to that."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._known = array("H"), array("H")  # by row, of the records and of the captures: one more, 0 for not known

    def forget(self) -> None:
        """Keep nothing of what was read."""
        self._known = array("H"), array("H")

    def by_length(self, rows: Iterable[int]) -> tuple[list[int], list[int]]:
        """The rows in order of how many tokens their texts hold, the shortest first, and these counts.

        Of texts of 16,384 tokens and more the count is lower than it is.
        """
        asked = sorted(rows)
        at = bisect_left(asked, FIRST_ROW)
        found = self._in_order(self._known[0], asked[:at], 0)
        if at == len(asked):
            return found
        captures = self._in_order(self._known[1], [row - FIRST_ROW for row in asked[at:]], FIRST_ROW)
        every = sorted((*zip(*reversed(found), strict=True), *zip(*reversed(captures), strict=True)))
        return [row for _length, row in every], [length for length, _row in every]

    def _in_order(self, known: array[int], places: list[int], first: int) -> tuple[list[int], list[int]]:
        """Rows by length, given in order as places behind the first, and their lengths."""
        if places and places[-1] >= len(known):
            known.frombytes(bytes(known.itemsize * (places[-1] + 1 - len(known))))
        fresh = [first + place for place in places if not known[place]]
        if fresh:
            for row, length in zip(*postings.by_length(self._db, fresh), strict=True):
                known[row - first] = length + 1
            places = [place for place in places if known[place]]
        places = sorted(places, key=known.__getitem__)
        return [first + place for place in places], [known[place] - 1 for place in places]


def _bits(rows: list[int]) -> Bits:
    """Rows in order as bits."""
    records, captures = _apart(rows)
    return _number(records), _number(captures)


def _apart(rows: Iterable[int]) -> tuple[list[int], list[int]]:
    """The records among the rows, and the places of the captures behind the first."""
    every = list(rows)
    records = [row for row in every if row < FIRST_ROW]
    return records, [row - FIRST_ROW for row in every if row >= FIRST_ROW] if len(records) < len(every) else []


def _number(places: list[int]) -> int:
    held = bytearray((places[-1] >> 3) + 1 if places else 0)
    for place in places:
        held[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(held, "little")


def _rows(bits: int, first: int) -> list[int]:
    """The places of the bits that are set, in order, `first` added to each."""
    held = _packed(bits)
    if bits.bit_count() * DENSE > bits.bit_length():  # so many that no byte is worth passing over
        bytes_set = zip(compress(count(first, 8), held), filter(None, held), strict=True)
        return [start + place for start, byte in bytes_set for place in _PLACES[byte]]
    places = held.translate(_IS_SET)
    found: list[int] = []
    at = places.find(1)
    while at >= 0:
        start = first + (at << 3)
        found += map(start.__add__, _PLACES[held[at]])
        at = places.find(1, at + 1)
    return found


def _spots(places: list[int]) -> Spots:
    """For each place, where its bit stands: in which byte, and which it is."""
    return [(place, place >> 3, 1 << (place & 7)) for place in places]


def _packed(bits: int) -> bytes:
    return bits.to_bytes((bits.bit_length() + 7) >> 3, "little")


def _set(held: bytes, spots: Spots) -> list[int]:
    """Those of the places at which a bit is set."""
    end = len(held)
    return [place for place, at, bit in spots if at < end and held[at] & bit] if held else []


def _size(bits: Bits | None) -> int:
    return EACH + sum(number.bit_length() >> 3 for number in bits or ())
