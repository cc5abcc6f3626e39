"""What the beginning of a line makes of it: heading, rule, list item, fence, table delimiter, definition."""

from __future__ import annotations

import re
from functools import cache

TAB = 4
SPACES = " \t"
MOST_FENCE_INDENT = 3


def first(line: str, body: str) -> int:
    """Where in the line its body begins: the same line without blanks around it."""
    return 0 if line[0] == body[0] else len(line) - len(line.lstrip())


def indent(line: str, at: int) -> int:
    """The column at which the character `at` of the line stands; a tab goes to the next multiple of four."""
    if "\t" not in line[:at]:
        return at
    column = 0
    for character in line[:at]:
        column += TAB - column % TAB if character == "\t" else 1
    return column


def heading_level(body: str) -> int:
    """1 to 6 for `# ` to `###### `, else 0."""
    level = len(body[:7]) - len(body[:7].lstrip("#"))
    return level if level <= 6 and (len(body) == level or body[level] in SPACES) else 0


def is_rule(body: str) -> bool:
    """Three or more of the same `-`, `*` or `_`, perhaps with blanks between."""
    if body[-1] != body[0] or len(body) < 3:
        return False
    marks = body.replace(" ", "").replace("\t", "")
    return len(marks) > 2 and marks == body[0] * len(marks)


def item_start(body: str) -> int:
    """How many characters the marker of a list item and the blanks after it take; 0 if this is no item."""
    width = 1 if body[0] in "-*+" else _ordinal(body)
    if not width or (len(body) > width and body[width] not in SPACES):
        return 0
    while len(body) > width and body[width] in SPACES:
        width += 1
    return width


def item_text(line: str, start: int) -> int:
    """Where the text of an item begins: after a check box and the marks of a heading."""
    if line.startswith("[", start) and line[start + 1 : start + 4].rstrip() in ("x]", "X]", " ]"):
        start = _after_blanks(line, start + 3)
    if line.startswith("#", start):
        level = heading_level(line[start:].rstrip())
        start = _after_blanks(line, start + level) if level else start
    return start


def fence(body: str) -> tuple[str, int] | None:
    """The character and the length of an opening fence."""
    mark = body[0]
    run = len(body) - len(body.lstrip(mark))
    if run < 3 or (mark == "`" and "`" in body[run:]):
        return None
    return mark, run


def is_underline(body: str) -> bool:
    """Two or more of the same `=` or `-` and nothing else."""
    return len(body) > 1 and body == body[0] * len(body)


def is_delimiter_row(body: str) -> bool:
    """The line between header and body of a table: `|---|:-:|`."""
    return "|" in body and "-" in body and not body.strip("|:- \t")


def cells(row: str) -> int:
    """How many cells a row of a table has."""
    inner = row.strip().removeprefix("|")
    ends = inner.endswith("|") and not inner.endswith("\\|")
    return inner.count("|") - inner.count("\\|") + (not ends)


def is_definition(body: str) -> bool:
    """A link reference definition `[name]: address "title"`; a footnote, or `[Ada]: yes`, is a text like any other."""
    found = _definition().fullmatch(body)
    return found is not None and any(sign in found[1] for sign in "/.#:<")


def starts_block(body: str) -> bool:
    """Whether a line begins another block, so that it cannot be a row without outer pipes."""
    mark = body[0]
    if mark == "#":
        return heading_level(body) > 0
    if mark in "-*+0123456789":
        return item_start(body) > 0
    return mark == ">" or (mark in "`~" and fence(body) is not None)


def _after_blanks(line: str, at: int) -> int:
    return len(line) - len(line[at:].lstrip())


def _ordinal(body: str) -> int:
    digits = len(body[:10]) - len(body[:10].lstrip("0123456789"))
    return digits + 1 if 0 < digits < 10 and body[digits : digits + 1] in (".", ")") else 0


@cache
def _definition() -> re.Pattern[str]:
    title = r"""(?:"[^"]*"|'[^']*'|\([^()]*\))"""
    return re.compile(rf"\[(?!\^)[^\[\]]{{1,300}}\]:[ \t]*(<[^<>]*>|[^\s<]\S*)(?:[ \t]+{title})?")
