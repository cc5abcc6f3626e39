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
_ALONE = b"\x1f"  # between the cells of a table of one column stands nothing
_PINS = ("pin", "pincode", "pin code", "pin-code", "pin_code")
_MOST_HEAD = 4096
_HEAD = (
    r"(?i)(?:^|[\n|,;\t])([ *_\"'`]*(?:[a-z][a-z_ -]{0,20}[ _-])?(?:pass[a-z]{0,7}|pwd?|pswd|[a-z]*wor[dt]|kennwort|"
    r"wachtwoord|contrasena|losenord|senha|mdp|secret|token|(?:_*api|secret|access|private)[ _-]?key|"
    r"[a-z]{0,6}_+passwd?|pin(?:[ _-]?code)?)[ *_\"'`:]*(?:\([^()|,;\t\r\n]{1,20}\)[ *_\"'`:]*)?)(?:[|,;\t\r\n]|$)"
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
        start = data.rfind(b"\n", 0, match.start(1)) + 1
        head, below = _line(data, start)
        done = below
        if len(head) > _MOST_HEAD:
            continue
        between = next((one for one in (b"|", b"\t", b";", b",") if one in head), _ALONE)
        columns = _columns(head, between) if _is_head(data, start, below, between) else {}
        if columns:
            done, found = _rows(data, below, columns, _Shape(between, head.count(between)))
            yield from found


def _is_head(data: bytes, start: int, below: int, between: bytes) -> bool:
    """Whether a line may be the head of a table: with bars the first or ruled off, without any cells after a blank."""
    if between not in (b"|", _ALONE):
        return True
    before = data[data.rfind(b"\n", 0, max(0, start - 1)) + 1 : start]
    if between == _ALONE:
        return not before.strip()
    if b"|" not in before:
        return True
    rule = _line(data, below)[0]
    return b"-" in rule and compiled(_RULE).search(rule) is not None


def _columns(head: bytes, between: bytes) -> dict[int, tuple[judge.Bar, str]]:
    """The columns whose name gives their cells away: how telling it is, and the kind."""
    found: dict[int, tuple[judge.Bar, str]] = {}
    for place, cell in enumerate(head.split(between)):
        name = cell.partition(b"(")[0].strip(_EDGES).decode("latin-1")
        bar, kind = ("pin", "password") if name.lower() in _PINS else kind_of(name, spaced=False)
        if bar in ("password", "pass", "pin", "token"):
            found[place] = bar, kind
    return found


def _rows(data: bytes, start: int, columns: dict[int, tuple[judge.Bar, str]], shape: _Shape) -> tuple[int, list[Hit]]:
    """Where the table ends, and what its cells give away."""
    found: list[Hit] = []
    while start < len(data):
        row, below = _line(data, start)
        cells = _cells(row, shape.between)
        if len(cells) != shape.times + 1 or (shape.between == _ALONE and len(row.split()) != 1):
            break
        for place, cell in enumerate(cells):
            at = start
            for part in cell.split(b"\x00") if place in columns else ():  # what is masked already is never crossed
                value = part.strip(_EDGES)
                if _is_secret(in_ascii(value), columns[place][0], shape):
                    first = at + part.index(value)
                    found.append(Hit(columns[place][1], first, first + len(value), value, 2))
                at += len(part) + 1
            start += len(cell) + 1
        start = below
    return start, found


def _is_secret(value: bytes, bar: judge.Bar, shape: _Shape) -> bool:
    """Whether a cell is a secret; what only stands below a word has to show more."""
    if shape.between != _ALONE or bar != "password":
        return judge.is_secret(value, bar)
    return judge.is_secret(value, "pass") or (value != value.lower() and judge.is_said(value))


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
