"""Edits: a file's bytes become other bytes, and every byte that an edit was not asked to change stays; no I/O."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from commonplace.errors import WriteConflict
from commonplace.model import Source
from commonplace.workspace import starts
from commonplace.workspace.blocks import Extent, Heading
from commonplace.workspace.frame import closure_start
from commonplace.workspace.frontmatter import read_front_matter
from commonplace.workspace.ids import digest
from commonplace.workspace.lines import BOM, Page, read_page
from commonplace.workspace.scan import scan

ANY_DATE = "0001-01-01"  # so that what is indented below a dialogue line is not taken for a heading


class Splice(Struct, frozen=True):
    """One changed stretch of a file, the lines `before` at byte `start` became `after`."""

    start: int
    before: bytes
    after: bytes


def append_under(data: bytes, heading: str, line: str, *, level: int = 2) -> bytes:
    """The file with a line more below this heading (compared without case); the heading is made if it is missing.

    The line goes below what stands there already, above the next heading and above a closure block; newlines in
    `line` become those of the file. A file that does not end in a newline does not end in one afterwards.
    """
    return append_all(data, {heading: [line]}, level=level)


def append_all(data: bytes, added: Mapping[str, Sequence[str]], *, level: int = 2) -> bytes:
    """The file with lines more below several headings; see `append_under`. It is looked through once."""
    page = read_page("", data)
    body = read_front_matter(page.lines).body
    places = _Places(page, Extent(body, closure_start(page.lines, body), ANY_DATE))
    insertions: dict[int, list[str]] = {}
    missing: list[str] = []
    for heading, lines in _merged(added):
        above = places.headings.get(_key(heading))
        if above is None:
            missing += [*([""] if missing else []), f"{'#' * level} {heading}", *lines]
            continue
        at = places.last_text(above)
        insertions[at] = [*lines] if at == above.last or places.is_in_list(at) else ["", *lines]
    if missing:
        at = _last_text(page.lines, body, places.end)
        insertions[at] = insertions.get(at, []) + (missing if at < 0 else ["", *missing])
    return _inserted(page, insertions)


def replace_lines(data: bytes, source: Source, line: str) -> bytes:
    """The file with the lines of this source replaced. Raises WriteConflict if they are not what was read."""
    return change_lines(data, [(source, line)])


def remove_lines(data: bytes, source: Source) -> bytes:
    """The file without the lines of this source. Raises WriteConflict if they are not what was read.

    The last line of a file without a final newline takes the newline before it along.
    """
    return change_lines(data, [(source, None)])


def change_lines(data: bytes, changes: Sequence[tuple[Source, str | None]]) -> bytes:
    """The file with the lines of several sources replaced, or removed where there is None; see `replace_lines` and
    `remove_lines`. It is copied once. Sources must not overlap."""
    newline = _newline(data)
    behind: list[bytes] = []  # what stands after `upto` in the new file, last piece first
    upto = len(data)
    for source, line in sorted(changes, key=lambda change: change[0].byte_start, reverse=True):
        _require_unchanged(data, source)
        start, end = source.byte_start, source.byte_end
        if line is not None:
            behind += [data[end:upto], _encoded(line, newline)]
        elif below := data.find(b"\n", end, upto) + 1:
            behind.append(data[below:upto])
        elif data.endswith(b"\n", 0, start):
            start -= 2 if data.endswith(b"\r\n", 0, start) else 1
        upto = start
    return data[:upto] + b"".join(reversed(behind))


def diff(before: bytes, after: bytes) -> Splice:
    """The one stretch of whole lines in which two states of a file differ."""
    most = min(len(before), len(after))
    start = before.rfind(b"\n", 0, _most(most, lambda n: before[:n] == after[:n])) + 1
    same = _most(most - start, lambda n: before[len(before) - n :] == after[len(after) - n :])
    if not (_begins_line(before, len(before) - same) and _begins_line(after, len(after) - same)):
        newline = before.find(b"\n", len(before) - same) + 1
        same = len(before) - newline if newline else 0
    return Splice(start, before[start : len(before) - same], after[start : len(after) - same])


def revert(data: bytes, splice: Splice) -> bytes:
    """The file as if the splice had not been. Raises WriteConflict if what it wrote does not stand there any more."""
    end = splice.start + len(splice.after)
    if data[splice.start : end] != splice.after or not _begins_line(data, splice.start):
        raise WriteConflict("the file", "what was written there has changed since")
    return data[: splice.start] + splice.before + data[end:]


def _merged(added: Mapping[str, Sequence[str]]) -> Iterable[tuple[str, list[str]]]:
    """The lines by heading; headings that are one but for their case come once."""
    merged: dict[str, tuple[str, list[str]]] = {}
    for heading, lines in added.items():
        merged.setdefault(_key(heading), (heading, []))[1].extend(lines)
    return merged.values()


def _key(title: str) -> str:
    return title.rstrip(": ").casefold()


class _Places:
    """Where the sections and lists of a page end: found once for however many headings."""

    def __init__(self, page: Page, extent: Extent) -> None:
        found = scan(page, extent)
        self.end = extent.end
        self.headings = {_key(heading.title): heading for heading in reversed(found.headings)}  # the first of a title
        self._lines = page.lines
        self._sections = [heading.first for heading in found.headings]
        self._blocks = found.blocks
        self._firsts = [block.first for block in found.blocks]

    def last_text(self, above: Heading) -> int:
        """The last line below a heading that is not blank, else that of the heading."""
        below = bisect_right(self._sections, above.last)
        end = self._sections[below] if below < len(self._sections) else self.end
        return _last_text(self._lines, above.last, end)

    def is_in_list(self, number: int) -> bool:
        """Whether a line belongs to a list, so that another item may follow at once."""
        before = bisect_right(self._firsts, number)
        block = self._blocks[before - 1] if before else None
        return (
            block is not None and number <= block.last and (block.form in ("item", "dialogue") or bool(block.parents))
        )


def _last_text(lines: list[str], first: int, end: int) -> int:
    """The last line before `end` that is not blank, else the one before `first`."""
    return next((number for number in range(end - 1, first - 1, -1) if lines[number].strip()), first - 1)


def _inserted(page: Page, insertions: Mapping[int, Sequence[str]]) -> bytes:
    """The file with lines more below lines of the page; -1 is the top of the file. It is copied once."""
    data, newline = page.data, _newline(page.data)
    pieces: list[bytes] = []
    done = 0
    for at, lines in sorted(insertions.items()):
        after = page.lines[at + 1] if at + 1 < len(page.lines) else ""
        spaced = [*lines, ""] if after.strip() and not starts.heading_level(after.rstrip()) else lines
        written = newline.join(_encoded(line, newline) for line in spaced)
        is_last = 0 <= at == len(page.lines) - 1  # the last line has no newline
        place = len(data) if is_last else page.starts[at + 1]
        pieces += [data[done:place], newline + written if is_last else written + newline]
        done = place
    return b"".join(pieces) + data[done:]


def _encoded(line: str, newline: bytes) -> bytes:
    return newline.join(part.rstrip("\r").encode("utf-8", "replace") for part in line.split("\n"))


def _newline(data: bytes) -> bytes:
    """The newline that most lines of the file have."""
    return b"\r\n" if data.count(b"\r\n") * 2 > data.count(b"\n") else b"\n"


def _require_unchanged(data: bytes, source: Source) -> None:
    start, end = source.byte_start, source.byte_end
    whole = _begins_line(data, start) and (end == len(data) or data.startswith((b"\n", b"\r\n"), end))
    if not whole or digest(data[start:end]) != source.digest:
        raise WriteConflict(source.path, line=source.line_start)


def _begins_line(data: bytes, at: int) -> bool:
    return at == 0 or data[at - 1 : at] == b"\n" or (at == len(BOM) and data.startswith(BOM))


def _most(limit: int, holds: Callable[[int], bool]) -> int:
    """The largest number up to `limit` for which this holds, if it holds for all below."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low
