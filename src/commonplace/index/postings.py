"""In which rows tokens stand, read from the full text, and how long those rows are."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import apsw
from msgspec import json

from commonplace.index.evidence import FIRST_ROW
from commonplace.index.sql import all_rows, numbers, one_value, texts
from commonplace.index.wanted import Wanted, expression

# The full text keeps beside each row how many tokens its columns hold, the text first: a number in base 128, of which
# each byte but the last is 128 more. So little stands there that it is read three times as fast as `records.length`.
_BYTES = f"x'{bytes(range(256)).hex()}'"
_BYTE = f"instr({_BYTES}, substr(sz, {{}}, 1)) - 1"
_SIZE = f"iif(sz < x'80', {_BYTE.format(1)}, ({_BYTE.format(1)} - 128) * 128 + ({_BYTE.format(2)}) % 128)"
BY_LENGTH = f"""select json_group_array(row), json_group_array(length) from (
    select lines_docsize.id as row, {_SIZE} as length from json_each(?) as asked
    cross join lines_docsize on lines_docsize.id = asked.value order by length, row)"""  # noqa: S608 - constants
MATCHING = "select json_group_array(row) from (select rowid as row from lines where lines match ? limit ?)"
BETWEEN = "select json_group_array(rowid) from lines where lines match ? and rowid between ? and ?"
_rows = json.Decoder(list[int])


def matching(db: apsw.Connection, wanted: Wanted, at_most: int) -> list[int]:
    """The rows that hold what is wanted, in text, titles or marks, in order."""
    found = one_value(db, MATCHING, (expression(wanted), at_most))
    return _rows.decode(found) if found else []


def matching_among(db: apsw.Connection, wanted: Wanted, rows: Collection[int]) -> set[int]:
    """Those of the rows that hold what is wanted; of the postings only what lies between the first and the last of
    them is read, which are near each other where they are of one time. Captures stand apart from records."""
    found: set[int] = set()
    for some in ([row for row in rows if row < FIRST_ROW], [row for row in rows if row >= FIRST_ROW]):
        if some:
            there = one_value(db, BETWEEN, (expression(wanted), min(some), max(some)))
            found.update(_rows.decode(there) if there else ())
    return found.intersection(rows)


def by_length(db: apsw.Connection, rows: Iterable[int]) -> tuple[list[int], list[int]]:
    """The rows in order of how many tokens their texts hold, the shortest first, and these counts.

    Of texts of 16,384 tokens and more the count is lower than it is.
    """
    ((found, lengths),) = all_rows(db, BY_LENGTH, (numbers(rows),))
    return _rows.decode(found), _rows.decode(lengths)


def near_tokens(db: apsw.Connection, beginning: str, spellings: Sequence[str]) -> tuple[str, ...]:
    """The tokens that begin so, and those of the spellings that stand anywhere; sorted, each once."""
    begun = all_rows(
        db, "select term from vocabulary where term >= ? and term < ?", (beginning, beginning + "\U0010ffff")
    )
    known = all_rows(
        db,
        "select term from json_each(?) as asked cross join vocabulary on term = asked.value",
        (texts(spellings),),
    )
    return tuple(sorted({term for (term,) in (*begun, *known)}))


def occurrences(db: apsw.Connection, token: str, title_weight: float) -> dict[int, float]:
    """How often a token stands in each record that holds it; in the titles above it counts `title_weight`."""
    query = "select doc, sum(iif(col = 'text', 1.0, ?)) from postings where term = ? group by doc"
    return dict(all_rows(db, query, (title_weight, token)))
