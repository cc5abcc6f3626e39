"""Secrets in a table whose head names them: the cells below `| Password |`, a file of `user,password` and its lines."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct

from commonplace.redact import judge
from commonplace.redact.assignments import in_ascii, kind_of
from commonplace.redact.found import Hit
from commonplace.redact.patterns import compiled

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

_EDGES = b" \t\r\"'`*_"
_MOST_HEAD = 4096
_HEAD = (
    r"(?i)(?:^|[\n|,;\t])([ *_\"'`]*(?:[a-z][a-z_ -]{0,20}[ _-])?(?:pass[a-z]{0,7}|pwd?|pswd|[a-z]*wor[dt]|kennwort|"
    r"wachtwoord|contrasena|losenord|senha|mdp|secret|token|(?:_*api|secret|access|private)[ _-]?key|"
    r"[a-z]{0,6}_+passwd?)[ *_\"'`:]*)(?:[|,;\t\r\n]|$)"
)
_RULE = r"^[ \t>]*\|?[ \t:|-]*-[ \t:|-]*\r?$"  # what Markdown has below the head of a table


class _Shape(Struct, frozen=True):
    """What stands between the cells of a row, and how many times."""

    between: bytes
    times: int


def find_columns(data: bytes) -> Iterator[Hit]:
    """Cells below a telling name; a row with more or fewer cells than the head ends the table."""
    done = 0
    for match in compiled(_HEAD).finditer(data):
        if match.start(1) < done:
            continue
        head, below = _line(data, data.rfind(b"\n", 0, match.start(1)) + 1)
        done = below
        if len(head) > _MOST_HEAD:
            continue
        between = next((one for one in (b"|", b"\t", b";", b",") if one in head), b"")
        columns = _columns(head, between) if between else {}
        if columns and (between != b"|" or compiled(_RULE).search(_line(data, below)[0])):
            done, found = _rows(data, below, columns, _Shape(between, head.count(between)))
            yield from found


def _columns(head: bytes, between: bytes) -> dict[int, tuple[judge.Bar, str]]:
    """The columns whose name gives their cells away: how telling it is, and the kind."""
    found: dict[int, tuple[judge.Bar, str]] = {}
    for place, cell in enumerate(head.split(between)):
        bar, kind = kind_of(cell.strip(_EDGES).decode("latin-1"), spaced=False)
        if bar in ("password", "token"):
            found[place] = bar, kind
    return found


def _rows(data: bytes, start: int, columns: dict[int, tuple[judge.Bar, str]], shape: _Shape) -> tuple[int, list[Hit]]:
    """Where the table ends, and what its cells give away."""
    found: list[Hit] = []
    while start < len(data):
        row, below = _line(data, start)
        cells = _cells(row, shape.between)
        if len(cells) != shape.times + 1:
            break
        for place, cell in enumerate(cells):
            value = cell.strip(_EDGES)
            if place in columns and judge.is_secret(in_ascii(value), columns[place][0]):
                first = start + cell.index(value)
                found.append(Hit(columns[place][1], first, first + len(value), value, 2))
            start += len(cell) + 1
        start = below
    return start, found


def _cells(row: bytes, between: bytes) -> list[bytes]:
    """The cells of a row; what stands between them may stand in one, in quotes or behind a backslash."""
    cells, start = [], 0
    for cell in _within(between).sub(_filled, row).split(between):
        cells.append(row[start : start + len(cell)])
        start += len(cell) + 1
    return cells


def _filled(match: re.Match[bytes]) -> bytes:
    return b"_" * len(match[0])


@cache
def _within(between: bytes) -> re.Pattern[bytes]:
    import re

    return re.compile(rb"\\\|" if between == b"|" else rb'"[^"]*"')


def _line(data: bytes, start: int) -> tuple[bytes, int]:
    end = data.find(b"\n", start)
    return (data[start:], len(data)) if end < 0 else (data[start:end], end + 1)
