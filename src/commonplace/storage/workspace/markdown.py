"""Markdown syntax: a file as numbered lines, what the beginning of a line opens, and where fences and comments end."""

from __future__ import annotations

import re
from itertools import accumulate

from msgspec import Struct

from commonplace.lazy import lazy_pattern
from commonplace.model import Problem, Source
from commonplace.storage.files import content_digest

BOM = b"\xef\xbb\xbf"
CARRIAGE_RETURN = 13


class NumberedPage(Struct):
    """A file in lines (from 0, a trailing CR kept); `starts` are their byte offsets, and one for after the last."""

    path: str
    data: bytes
    lines: list[str]
    starts: list[int]
    problems: list[Problem]

    def source(self, first: int, last: int) -> Source:
        """The location of the lines `first` to `last`, with the digest of their bytes."""
        start, end = self.starts[first], self.starts[last + 1] - 1
        if end > start and self.data[end - 1] == CARRIAGE_RETURN:
            end -= 1
        return Source(self.path, first + 1, last + 1, start, end, content_digest(self.data[start:end]))

    def add_problem(self, code: str, message: str, line_index: int, hint: str = "") -> None:
        """Note a problem on the line with this index."""
        self.problems.append(Problem(code, message, self.path, line_index + 1, hint))


def read_page(path: str, data: bytes) -> NumberedPage:
    """Decode and split; whatever the bytes are, every one of them belongs to a line or to the byte order mark."""
    skipped = len(BOM) if data.startswith(BOM) else 0
    body = data[skipped:]
    page = NumberedPage(path, data, [], [], [])
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        text = body.decode("utf-8", "replace")
        page.add_problem("invalid-utf8", "bytes that are not UTF-8", body.count(b"\n", 0, error.start), "save as UTF-8")
    if b"\0" in body:
        page.add_problem("nul-byte", "a NUL byte", body.count(b"\n", 0, body.index(b"\0")), "is this a text file?")
    page.lines = text.split("\n")
    lengths = map(len, page.lines if text.isascii() else body.split(b"\n"))
    page.starts = list(accumulate(lengths, lambda offset, length: offset + length + 1, initial=skipped))
    return page


def last_nonblank_line(lines: list[str], first: int, end: int) -> int:
    """The last line before `end` that is not blank, else the one before `first`."""
    return next((number for number in range(end - 1, first - 1, -1) if lines[number].strip()), first - 1)


TAB_COLUMNS = 4
BLANKS = " \t"


def body_offset(line: str, body: str) -> int:
    """The offset of the body in a line; the body is the line without the blanks around it."""
    return 0 if line[0] == body[0] else len(line) - len(line.lstrip())


def indent_column(line: str, at: int) -> int:
    """The column of the character `at` in the line; a tab goes to the next multiple of four."""
    return len(line[:at].expandtabs(TAB_COLUMNS))


def heading_level(body: str) -> int:
    """1 to 6 for `# ` to `###### `, else 0."""
    level = len(body[:7]) - len(body[:7].lstrip("#"))
    return level if level <= 6 and (len(body) == level or body[level] in BLANKS) else 0


def is_thematic_break(body: str) -> bool:
    """Three or more of the same `-`, `*` or `_`, perhaps with blanks between."""
    if body[-1] != body[0] or len(body) < 3:
        return False
    marks = body.replace(" ", "").replace("\t", "")
    return len(marks) > 2 and marks == body[0] * len(marks)


def item_marker_width(body: str) -> int:
    """The number of characters of the marker of a list item and the blanks after it; 0 if this is not an item."""
    width = 1 if body[0] in "-*+" else 0
    if not width:
        digits = len(body[:10]) - len(body[:10].lstrip("0123456789"))
        width = digits + 1 if 0 < digits < 10 and body[digits : digits + 1] in (".", ")") else 0
    if not width or (len(body) > width and body[width] not in BLANKS):
        return 0
    while len(body) > width and body[width] in BLANKS:
        width += 1
    return width


def item_text_offset(line: str, start: int) -> int:
    """The column where the text of an item begins: after a check box and the marks of a heading."""
    if line.startswith("[", start) and line[start + 1 : start + 4].rstrip() in ("x]", "X]", " ]"):
        start = _skip_blanks(line, start + 3)
    if line.startswith("#", start):
        level = heading_level(line[start:].rstrip())
        start = _skip_blanks(line, start + level) if level else start
    return start


def parse_fence(body: str) -> tuple[str, int] | None:
    """The character and the length of an opening fence."""
    mark = body[0]
    run = len(body) - len(body.lstrip(mark))
    if run < 3 or (mark == "`" and "`" in body[run:]):
        return None
    return mark, run


def count_cells(table_row: str) -> int:
    """The number of cells in a row of a table."""
    inner = table_row.strip().removeprefix("|")
    ends = inner.endswith("|") and not inner.endswith("\\|")
    return inner.count("|") - inner.count("\\|") + (not ends)


def is_link_definition(body: str) -> bool:
    """A link reference definition `[name]: address "title"`; a footnote, or `[Ada]: yes`, is a text like any other."""
    found = _LINK_DEFINITION_PATTERN.fullmatch(body)
    return found is not None and any(sign in found[1] for sign in "/.#:<")


def starts_block(body: str) -> bool:
    """Whether a line begins another block, so that it cannot be a row without outer pipes."""
    mark = body[0]
    if mark == "#":
        return heading_level(body) > 0
    if mark in "-*+0123456789":
        return item_marker_width(body) > 0
    return mark == ">" or (mark in "`~" and parse_fence(body) is not None)


def _skip_blanks(line: str, at: int) -> int:
    return len(line) - len(line[at:].lstrip())


_LINK_DEFINITION_PATTERN = lazy_pattern(
    r"\[(?!\^)[^\[\]]{1,300}\]:[ \t]*(<[^<>]*>|[^\s<]\S*)"
    r"""(?:[ \t]+(?:"[^"]*"|'[^']*'|\([^()]*\)))?"""
)


class FenceFinder:
    """The ends of fenced blocks among the lines before `end`."""

    def __init__(self, lines: list[str], end: int) -> None:
        self._lines, self._end = lines, end
        self._longest_by_mark: dict[str, list[int]] = {}

    def can_close(self, number: int, opening: tuple[str, int]) -> bool:
        """Whether any line below this one could close the fence."""
        mark, run = opening
        longest = self._longest_by_mark.get(mark)
        if longest is None:  # for each line the length of the longest closing fence at or below it
            longest = self._longest_by_mark[mark] = [0] * (len(self._lines) + 1)
            for index in range(self._end - 1, -1, -1):
                body = self._lines[index].strip()
                is_longer = body.startswith(mark * 3) and len(body) > longest[index + 1] and body == mark * len(body)
                longest[index] = len(body) if is_longer else longest[index + 1]
        return longest[number + 1] >= run

    def find_end(self, number: int, opening: tuple[str, int], min_indent: int) -> tuple[int, bool]:
        """The last line of the block that opens on this line, and whether it is a fence.

        A line indented by less than `min_indent` ends the list item that holds the block, and the block with it.
        """
        mark, run = opening
        last = number
        for index in range(number + 1, self._end):
            line = self._lines[index]
            body = line.strip()
            if not body:
                continue
            if body[0] == mark and len(body) >= run and body == mark * len(body):
                return index, True
            if indent_column(line, body_offset(line, body)) < min_indent:
                break
            last = index
        return last, False


class CommentFinder:
    """The ends of HTML comments among the lines before `end`."""

    def __init__(self, lines: list[str], end: int) -> None:
        self._lines, self._end = lines, end
        self._unclosed_dreams: set[str] = set()  # dreams that end nowhere
        self._next_comment_line = -1  # the next line with a mark of a comment, from wherever it was looked for last

    def find_end(self, number: int) -> int:
        """The line that ends the comment which begins this line, if nothing but comments is there; else -1.

        A comment in which another begins was never closed: the end it would find belongs to somebody's annotation.
        """
        line = self._lines[number]
        if line.find("-->", line.index("<!--") + 4) >= 0:
            return number if _ONLY_COMMENTS.fullmatch(line) else -1
        if self._next_comment_line <= number:
            below = range(number + 1, self._end)
            marks = (index for index in below if "-->" in self._lines[index] or "<!--" in self._lines[index])
            self._next_comment_line = next(marks, self._end)
        if self._next_comment_line == self._end:
            return -1
        line = self._lines[self._next_comment_line]
        end = line.find("-->")
        is_closed = end >= 0 and "<!--" not in line[:end] and _ONLY_COMMENTS.fullmatch("<!--" + line)
        return self._next_comment_line if is_closed else -1

    def find_dream_end(self, number: int) -> int:
        """The line that ends what OpenClaw dreamt, if such begins here; else the line itself."""
        begins = _DREAM_START_PATTERN.fullmatch(self._lines[number].strip())
        if not begins or begins[1] in self._unclosed_dreams:
            return number
        mark = f"<!-- openclaw:dreaming:{begins[1]}:end -->"
        end = next((at for at in range(number + 1, self._end) if self._lines[at].strip() == mark), number)
        if end == number:
            self._unclosed_dreams.add(begins[1])
        return end


OPENCLAW_COMMENT_PATTERN = lazy_pattern(r"<!--\s*openclaw(?::|-memory-promotion:)[^<>]*-->$")
_DREAM_START_PATTERN = lazy_pattern(r"<!--\s*openclaw:dreaming:([a-z][a-z0-9-]*):start\s*-->")
_ONLY_COMMENTS = lazy_pattern(r"\s*(?:(?><!--.*?-->)\s*)*", re.DOTALL)  # each ends at the first sign of an end
