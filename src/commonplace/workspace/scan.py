"""One pass over the lines of a file that finds its blocks: paragraphs, items, rows, code, headings."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from commonplace.workspace import starts
from commonplace.workspace.annotations import without_annotation
from commonplace.workspace.blocks import Block, Extent, Heading, Scan, Section
from commonplace.workspace.dialogue import Utterance, utterance
from commonplace.workspace.fences import Comments, Fences
from commonplace.workspace.keyvalues import key_of
from commonplace.workspace.lines import Page
from commonplace.workspace.times import date_in
from commonplace.workspace.transcript import is_transcript, sayings

MOST_TITLE = 200  # characters of a title in the path; a longer one is a record as well
MOST_LABEL = 80  # characters of an item's first line in the path of what stands below it
MOST_PARENTS = 8
CODE = 4  # columns that make a block code
NESTED = 2  # columns that make an item the child of another


def scan(page: Page, extent: Extent) -> Scan:
    """Find the blocks; the work is linear in the size of the file, whatever stands in it."""
    scanner = _Scanner(page, extent)
    scanner.run()
    return Scan(scanner.blocks, scanner.headings)


class _Scanner:
    """`open` is the block that the next line may continue, `items` are the list items that may hold it."""

    def __init__(self, page: Page, extent: Extent) -> None:
        self.page, self.lines, self.extent = page, page.lines, extent
        self.blocks: list[Block] = []
        self.headings: list[Heading] = []
        self.section = Section()
        self.open: Block | None = None
        self.items: list[Block] = []
        self.fences = Fences(page.lines, extent.end)
        self.comments = Comments(page.lines, extent.end)
        self.merging = self.unclosed = False
        self._titles: list[tuple[int, str]] = []
        self._bare: tuple[Block, int] | None = None  # the last heading, and how many blocks there were before it

    def run(self) -> None:
        """Look at each line and let what its first character promises decide."""
        lines, end, number = self.lines, self.extent.end, self.extent.first
        while number < end:
            line = lines[number]
            body = line.strip()
            if body:
                begin = _BEGINNINGS.get(body[0])
                number = (begin and begin(self, number, line, body)) or self.text(number, line, body)
            else:
                self.open = None
                number += 1
        self._close_section()

    # Each of these takes the number of a line, the line, and its body without blanks around it; it returns the number
    # of the line to go on with, or 0 if the line is not what its first character promised.

    def text(self, number: int, line: str, body: str) -> int:
        """A line that begins nothing else: it continues what is open, or begins a paragraph or indented code."""
        if self.open is not None:
            self.open.last = number
            return number + 1
        at = starts.first(line, body)
        column = starts.indent(line, at)
        parents = self._parents(column)
        least = CODE + (self.items[-1].content if self.items else 0)
        if column >= least:
            return self._indented(number, parents, least)
        return self._begin(Block("paragraph", number, number, at, self.section, parents))

    def hash(self, number: int, line: str, body: str) -> int:
        """`# Title #`."""
        level = starts.heading_level(body)
        at = starts.first(line, body)
        if not level or starts.indent(line, at) >= CODE:
            return 0
        title = body[level:].lstrip()
        start = at + len(body) - len(title)
        bare = title.rstrip("#")
        if not bare or bare[-1].isspace():  # the last character of `# C#` belongs to the title
            title = bare.rstrip()
        return self._title(Heading(number, number, level, without_annotation(title), start))

    def dash(self, number: int, line: str, body: str) -> int:
        """An underline, the delimiter of a table without outer pipes, a rule, or an item."""
        if len(body) > 1 and body[1] not in starts.SPACES:
            after = self.underline(number, body, 2) or self.pipe(number, line, body)
            if after:
                return after
        return self.star(number, line, body)

    def star(self, number: int, line: str, body: str) -> int:
        """A rule or an item."""
        if body[-1] == body[0] and starts.is_rule(body):
            return self.rule(number, line, body)
        return self.item(number, line, body)

    def rule(self, number: int, line: str, body: str) -> int:
        """`---`, `***` or `___`."""
        column = starts.indent(line, starts.first(line, body))
        if not starts.is_rule(body) or (column >= CODE and not self.items):
            return 0
        self._parents(column)
        return self._skip(number)

    def item(self, number: int, line: str, body: str) -> int:
        """`- text` or `1. text`."""
        width = starts.item_start(body)
        if not width:
            return 0
        at = starts.first(line, body)
        column = starts.indent(line, at) if at else 0
        items = self.items
        if self._is_no_item(column, body, width):
            return 0
        while items and column < items[-1].column + NESTED:
            items.pop()
        parents = self._path_of_item(empty=width == len(body))
        block = Block("item", number, number, at + width, self.section, parents, column, column + min(width, 5))
        items.append(block)
        if line.startswith(("```", "~~~"), block.start):
            block.below = parents
            after = self._fenced(number, line[block.start :].strip(), parents)
            if after:
                return after
            block.below = None
        block.start = starts.item_text(line, block.start)
        return self._dialogue(block, line) or self._begin(block)

    def quote(self, number: int, line: str, body: str) -> int:
        """`> text`."""
        if self.merging and body.startswith(">>>>>>>"):
            self.merging = False
            return self._skip(number)
        at = starts.first(line, body)
        column = starts.indent(line, at)
        if column >= CODE and not self.items:
            return 0
        if not body.strip("> \t"):
            return self._skip(number)
        if self.open is not None and self.open.quoted:
            self.open.last = number
            return number + 1
        return self._begin(Block("paragraph", number, number, at, self.section, self._parents(column), quoted=True))

    def fence(self, number: int, line: str, body: str) -> int:
        """Three or more backticks or tildes."""
        column = starts.indent(line, starts.first(line, body))
        if column >= self._content(column) + CODE:
            return 0
        return self._fenced(number, body, None, column)

    def angle(self, number: int, line: str, body: str) -> int:
        """A comment that stands alone, or the first mark of a merge."""
        if body.startswith("<<<<<<< ") and line[0] == "<":
            self.merging = True
            self.page.complain("merge-markers", "a merge left both sides here", number, "keep one and remove the marks")
            return self._skip(number)
        end = self.comments.end(number) if body.startswith("<!--") else -1
        if end < 0:
            return 0
        if self.comments.is_mark(number):
            return self._marked(number)
        if end == number and self.open is not None:  # it may be an annotation of what is open
            self.open.last = number
            return number + 1
        return self._skip(end)

    def bracket(self, number: int, line: str, body: str) -> int:
        """A link reference definition."""
        if self.open is not None or "]:" not in body or not starts.is_definition(body):
            return 0
        return self._skip(number) if starts.indent(line, starts.first(line, body)) < CODE else 0

    def equals(self, number: int, _line: str, body: str) -> int:
        """An underline, or the middle mark of a merge."""
        if self.merging and body == "=======":
            return self._skip(number)
        return self.underline(number, body, 1)

    def underline(self, number: int, body: str, level: int) -> int:
        """The line below a heading of one line."""
        above = self.open
        if above is None or above.form != "paragraph" or above.first != number - 1 or not starts.is_underline(body):
            return 0
        title = self.lines[above.first].strip()
        if above.parents or above.quoted or len(title) > MOST_TITLE:
            return 0
        self.blocks.pop()
        return self._title(Heading(above.first, number, level, without_annotation(title), above.start))

    def pipe(self, number: int, _line: str, body: str) -> int:
        """The delimiter between the header and the rows of a table."""
        if self.merging and body.startswith("||||||| "):
            return self._skip(number)
        above = self.open
        if above is None or above.quoted or not starts.is_delimiter_row(body):
            return 0
        header = self.lines[number - 1][above.start if above.first == number - 1 else 0 :]
        return self._table(number, above) if "|" in header and starts.cells(header) == starts.cells(body) else 0

    # What the above are made of.

    def _marked(self, number: int) -> int:
        """Past the mark of a program: what was open ends there; what was dreamt behind it is passed over."""
        end = self.comments.end_of_dream(number)
        if end > number:
            self._bare = None
        return self._skip(end)

    def _is_no_item(self, column: int, body: str, width: int) -> bool:
        """Whether a line that looks like an item is indented code, or goes on with a paragraph."""
        if self.items:
            return self.open is None and column >= self._content(column) + CODE
        interrupts = len(body) > width and (body[0] in "-*+" or body[:2] in ("1.", "1)"))
        return column >= CODE or (self.open is not None and not interrupts)

    def _dialogue(self, block: Block, line: str) -> int:
        date = self.section.date or self.extent.date
        said = utterance(line, block.start, date) if date and line[block.start : block.start + 1].isdigit() else None
        if not said:
            return 0
        block.form, block.said, block.start = "dialogue", said, said.start
        self._begin(block)
        lines, number = self.lines, block.first + 1
        while number < self.extent.end:  # what is indented below it belongs to it, whatever it looks like
            body = lines[number].strip()
            if body and starts.indent(lines[number], starts.first(lines[number], body)) < block.column + NESTED:
                break
            if body:
                block.last = number
            number += 1
        return block.last + 1

    def _fenced(self, number: int, body: str, parents: tuple[str, ...] | None, column: int = 0) -> int:
        opening = starts.fence(body)
        if not opening:
            return 0
        if not self.fences.can_close(number, opening):
            if not self.unclosed:
                self.page.complain("unclosed-fence", "a code fence that is never closed", number, "add the closing one")
            self.unclosed = True
            return 0
        parents = self._parents(column) if parents is None else parents
        least = self.items[-1].column + NESTED if self.items else 0
        last, closed = self.fences.closing(number, opening, least)
        inner = (number + 1, last + 1 - closed)
        self.blocks.append(Block("code", number, last, 0, self.section, parents, inner=inner))
        return self._skip(last)

    def _indented(self, first: int, parents: tuple[str, ...], least: int) -> int:
        number = first
        while number < self.extent.end:
            line = self.lines[number]
            body = line.strip()
            if not body or starts.indent(line, starts.first(line, body)) < least:
                break
            number += 1
        self.blocks.append(Block("code", first, number - 1, 0, self.section, parents, inner=(first, number)))
        return self._skip(number - 1)

    def _table(self, number: int, above: Block) -> int:
        """The rows below a delimiter; a header without any is a row itself, but no table if more text stands above."""
        rows: list[Block] = []
        alone = above.first == number - 1
        for after in range(number + 1, self.extent.end):
            line = self.lines[after]
            body = line.strip()
            if "|" not in body or (body[0] != "|" and starts.starts_block(body)):
                break
            rows.append(Block("row", after, after, starts.first(line, body), self.section))
        if not alone:
            if not rows:
                return 0
            above.last -= 1
        elif above.form == "paragraph":
            self.blocks.pop()
            rows = rows or [Block("row", number - 1, number - 1, above.start, self.section)]
        parents = above.parents if above.form == "paragraph" else self._below(above)
        for row in rows:
            row.parents = parents
        self.blocks += rows
        return self._skip(max(number, rows[-1].last if rows else 0))

    # The state: what is open, what stands above.

    def _skip(self, last: int) -> int:
        self.open = None
        return last + 1

    def _begin(self, block: Block) -> int:
        self.blocks.append(block)
        self.open = block
        return block.first + 1

    def _content(self, column: int) -> int:
        """Where the content of the item begins that would hold a line indented like this."""
        above = bisect_right(self.items, column - NESTED, key=lambda item: item.column)
        return self.items[above - 1].content if above else 0

    def _parents(self, column: int) -> tuple[str, ...]:
        """Leave the items that do not hold a line indented like this; the path below those that do."""
        items = self.items
        while items and column < items[-1].column + NESTED:
            items.pop()
        return self._below(items[-1]) if items else ()

    def _path_of_item(self, *, empty: bool) -> tuple[str, ...]:
        """The path of an item that begins here; an empty one does not count as something below the item above."""
        if not self.items:
            return ()
        above = self.items[-1]
        known, path = above.below, self._below(above)
        if empty:
            above.below = known
        return path

    def _below(self, item: Block) -> tuple[str, ...]:
        if item.below is None:
            label = without_annotation(self.lines[item.first][item.start :].strip())
            label = (self.extent.keyed and key_of(label)) or label[:MOST_LABEL].rstrip()
            item.below = (*item.parents, label)[-MOST_PARENTS:] if label else item.parents
        return item.below

    def _title(self, heading: Heading) -> int:
        """Begin a section."""
        self._close_section()
        self.headings.append(heading)
        titles = self._titles
        while titles and titles[-1][0] >= heading.level:
            titles.pop()
        above = Section(tuple([title for _level, title in titles]))
        block = Block("heading", heading.first, heading.last, heading.start, above, given=heading.title)
        if heading.title:
            titles.append((heading.level, heading.title[:MOST_TITLE]))
        if len(heading.title) > MOST_TITLE:
            self.blocks.append(block)
        elif heading.title and heading.title != self.extent.header:
            self._bare = (block, len(self.blocks))
        self.section = _section(titles)
        self.items.clear()
        return self._skip(self._transcribed(heading.last) if is_transcript(self.section.path) else heading.last)

    def _transcribed(self, heading: int) -> int:
        """Make turns of a transcript below a heading; returns the last line that is read."""
        date = self.section.date or self.extent.date
        found = sayings(self.lines, heading + 1, self.extent.end, self.fences)
        for one in found:
            said = Utterance(one.speaker, date, 0)
            self.blocks.append(Block("dialogue", one.first, one.last, 0, self.section, said=said))
        return found[-1].last if found else heading

    def _close_section(self) -> None:
        """A heading with nothing of its own below it, or only empty items and fences, is a record."""
        if self._bare:
            heading, count = self._bare
            if not any(self._says_something(self.blocks[index]) for index in range(count, len(self.blocks))):
                self.blocks[count:] = [heading]
        self._bare = None

    def _says_something(self, block: Block) -> bool:
        if block.inner:
            return any(line.strip() for line in self.lines[block.inner[0] : block.inner[1]])
        return block.last > block.first or bool(self.lines[block.first][block.start :].strip())


def _section(titles: list[tuple[int, str]]) -> Section:
    path = tuple([title for _level, title in titles])
    date = next((date for title in reversed(path) if (date := date_in(title))), "")
    level = titles[-1][0] if titles else 0
    return Section(path, level, date, any(title.rstrip(": ").casefold() == "retain" for title in path))


_BEGINNINGS: dict[str, Callable[[_Scanner, int, str, str], int]] = {
    "#": _Scanner.hash,
    "-": _Scanner.dash,
    "*": _Scanner.star,
    "+": _Scanner.item,
    "_": _Scanner.rule,
    ">": _Scanner.quote,
    "`": _Scanner.fence,
    "~": _Scanner.fence,
    "<": _Scanner.angle,
    "[": _Scanner.bracket,
    "=": _Scanner.equals,
    "|": _Scanner.pipe,
    ":": _Scanner.pipe,
    **dict.fromkeys("0123456789", _Scanner.item),
}
