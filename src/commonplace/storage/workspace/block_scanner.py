"""Scan the lines of a file in one pass into blocks: paragraphs, items, rows, code, headings."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from msgspec import Struct, structs

from commonplace.model import Category, Form
from commonplace.storage.workspace import markdown
from commonplace.storage.workspace.annotations import strip_annotation
from commonplace.storage.workspace.inline import Utterance, is_transcript, parse_key, parse_transcript, parse_utterance
from commonplace.storage.workspace.markdown import CommentFinder, FenceFinder, NumberedPage
from commonplace.storage.workspace.timestamps import find_date


class Section(Struct):
    """The headings above a line: titles, the last one's level, the nearest date, whether one is `Retain`."""

    path: tuple[str, ...] = ()
    level: int = 0
    date: str = ""
    retain: bool = False


class Heading(Struct):
    """A heading on the lines `first` to `last` (indexes); `start` is the column of its title."""

    first: int
    last: int
    level: int
    title: str
    start: int = 0


class TextBlock(Struct):
    """Lines that become one record; `start` is the column of the text in the line `first`.

    `parents` are the first lines of the items above, outermost first; `inner` the lines of the text where they are not
    all of the block's (code); `fixed_text` (the text) and `category` are known before the lines are read;
    `announces_code` where the last lines are code that the line above them announces. `column`, `content` (where its
    text may go on) and `child_path` (the path of what is below it) belong to an item.
    """

    form: Form
    first: int
    last: int
    start: int
    section: Section
    parents: tuple[str, ...] = ()
    column: int = 0
    content: int = 0
    child_path: tuple[str, ...] | None = None
    quoted: bool = False
    inner: tuple[int, int] | None = None
    utterance: Utterance | None = None
    fixed_text: str = ""
    category: Category | None = None
    announces_code: bool = False


class ScanRange(Struct, frozen=True):
    """Which lines are scanned (`first` up to, not including, `end`) and how: `date` is that of the file's name, `keyed`
    makes keys of items titles, `header` is a title that is not a record."""

    first: int
    end: int
    date: str = ""
    keyed: bool = False
    header: str = ""


MAX_TITLE_CHARS = 200  # characters of a title in the path; a longer one is a record as well
MAX_LABEL_CHARS = 80  # characters of an item's first line in the path of what stands below it
MAX_ANNOUNCED_CHARS = 700  # characters of a line that ends in a colon with the code below it, to be one record
MAX_PARENTS = 8
CODE_INDENT = 4  # columns that make a block code
NESTED_INDENT = 2  # columns that make an item the child of another


def scan_blocks(page: NumberedPage, extent: ScanRange) -> tuple[list[TextBlock], list[Heading]]:
    """The blocks and headings of a file, in order; the work is linear in its size, whatever stands in it."""
    scanner = _BlockScanner(page, extent)
    scanner.run()
    return scanner.blocks, scanner.headings


class _BlockScanner:
    """`open` is the block that the next line may continue, `items` are the list items that may hold it."""

    def __init__(self, page: NumberedPage, extent: ScanRange) -> None:
        self.page, self.lines, self.extent = page, page.lines, extent
        self.blocks: list[TextBlock] = []
        self.headings: list[Heading] = []
        self.section = Section()
        self.open_block: TextBlock | None = None
        self.items: list[TextBlock] = []
        self.fences = FenceFinder(page.lines, extent.end)
        self.comments = CommentFinder(page.lines, extent.end)
        self.in_merge = self.has_unclosed_fence = False
        self._titles: list[tuple[int, str]] = []
        self._last_heading: tuple[TextBlock, int] | None = None  # and how many blocks there were before it

    def run(self) -> None:
        """Look at each line and let what its first character promises decide."""
        lines, end, number = self.lines, self.extent.end, self.extent.first
        while number < end:
            line = lines[number]
            body = line.strip()
            if body:
                begin = _SCANNERS_BY_CHAR.get(body[0])
                number = (begin and begin(self, number, line, body)) or self.scan_text(number, line, body)
            else:
                self.open_block = None
                number += 1
        self._close_section()

    # Each of these takes the number of a line, the line, and its body without blanks around it; it returns the number
    # of the line to go on with, or 0 if the line is not what its first character promised.

    def scan_text(self, number: int, line: str, body: str) -> int:
        """A line that begins nothing else: it continues what is open, or begins a paragraph or indented code."""
        if self.open_block is not None:
            self.open_block.last = number
            return number + 1
        at = markdown.body_offset(line, body)
        column = markdown.indent_column(line, at)
        parents = self._close_items(column)
        least = CODE_INDENT + (self.items[-1].content if self.items else 0)
        if column >= least:
            return self._scan_indented_code(number, parents, least)
        if len(body) > 1 and body[0] == body[-1] == "`" and self._announce_code(number, number):
            return self._skip_past(number)
        return self._begin_block(TextBlock("paragraph", number, number, at, self.section, parents))

    def scan_heading(self, number: int, line: str, body: str) -> int:
        """`# Title #`."""
        level = markdown.heading_level(body)
        at = markdown.body_offset(line, body)
        if not level or markdown.indent_column(line, at) >= CODE_INDENT:
            return 0
        title = body[level:].lstrip()
        start = at + len(body) - len(title)
        bare = title.rstrip("#")
        if not bare or bare[-1].isspace():  # the last character of `# C#` belongs to the title
            title = bare.rstrip()
        return self._begin_section(Heading(number, number, level, strip_annotation(title), start))

    def scan_dash(self, number: int, line: str, body: str) -> int:
        """An underline, the delimiter of a table without outer pipes, a rule, or an item."""
        after = 0
        if len(body) > 1 and body[1] not in markdown.BLANKS:
            after = self.scan_underline(number, body, 2) or self.scan_pipe(number, line, body)
        return after or self.scan_star(number, line, body)

    def scan_star(self, number: int, line: str, body: str) -> int:
        """A rule or an item."""
        return self.scan_rule(number, line, body) or self.scan_item(number, line, body)

    def scan_rule(self, number: int, line: str, body: str) -> int:
        """Scan a thematic break: `---`, `***` or `___`."""
        if not markdown.is_thematic_break(body):
            return 0
        column = markdown.indent_column(line, markdown.body_offset(line, body))
        if column >= CODE_INDENT and not self.items:
            return 0
        self._close_items(column)
        return self._skip_past(number)

    def scan_item(self, number: int, line: str, body: str) -> int:
        """`- text` or `1. text`."""
        width = markdown.item_marker_width(body)
        if not width:
            return 0
        at = markdown.body_offset(line, body)
        column = markdown.indent_column(line, at) if at else 0
        items = self.items
        if items:  # is it indented code, or does it go on with a paragraph?
            if self.open_block is None and column >= self._content_column(column) + CODE_INDENT:
                return 0
        else:
            interrupts = len(body) > width and (body[0] in "-*+" or body[:2] in ("1.", "1)"))
            if column >= CODE_INDENT or (self.open_block is not None and not interrupts):
                return 0
        beside = None
        while items and column < items[-1].column + NESTED_INDENT:
            beside = items.pop()
        above = items[-1] if items else None
        path_known = above.child_path if above else None
        parents = self._child_path(above) if above else beside.parents if beside else self._announced_path(number)
        if above and width == len(body):  # an empty item does not count as something below the item above
            above.child_path = path_known
        block = TextBlock("item", number, number, at + width, self.section, parents, column, column + min(width, 5))
        items.append(block)
        if line.startswith(("```", "~~~"), block.start):
            block.child_path = parents
            after = self._scan_fenced_code(number, line[block.start :].strip(), parents)
            if after:
                return after
            block.child_path = None
        block.start = markdown.item_text_offset(line, block.start)
        return self._scan_dialogue(block, line) or self._begin_block(block)

    def scan_quote(self, number: int, line: str, body: str) -> int:
        """`> text`."""
        if self.in_merge and body.startswith(">>>>>>>"):
            self.in_merge = False
            return self._skip_past(number)
        at = markdown.body_offset(line, body)
        column = markdown.indent_column(line, at)
        if column >= CODE_INDENT and not self.items:
            return 0
        if not body.strip("> \t"):
            return self._skip_past(number)
        if self.open_block is not None and self.open_block.quoted:
            self.open_block.last = number
            return number + 1
        parents = self._close_items(column)
        return self._begin_block(TextBlock("paragraph", number, number, at, self.section, parents, quoted=True))

    def scan_fence(self, number: int, line: str, body: str) -> int:
        """Three or more backticks or tildes."""
        column = markdown.indent_column(line, markdown.body_offset(line, body))
        if column >= self._content_column(column) + CODE_INDENT:
            return 0
        return self._scan_fenced_code(number, body, None, column)

    def scan_angle(self, number: int, line: str, body: str) -> int:
        """Scan a comment on a line of its own, or the first marker of a merge conflict."""
        if body.startswith("<<<<<<< ") and line[0] == "<":
            self.in_merge = True
            self.page.add_problem("merge-markers", "an unresolved merge", number, "keep one side and remove the marks")
            return self._skip_past(number)
        end = self.comments.find_end(number) if body.startswith("<!--") else -1
        if end < 0:
            return 0
        if markdown.OPENCLAW_COMMENT_PATTERN.match(body):
            dream_end = self.comments.find_dream_end(number)  # what was open ends there
            self._last_heading = None if dream_end > number else self._last_heading
            return self._skip_past(dream_end)
        if end == number and self.open_block is not None:  # it may be an annotation of what is open
            self.open_block.last = number
            return number + 1
        return self._skip_past(end)

    def scan_bracket(self, number: int, line: str, body: str) -> int:
        """Scan a link reference definition."""
        if self.open_block is not None or "]:" not in body or not markdown.is_link_definition(body):
            return 0
        column = markdown.indent_column(line, markdown.body_offset(line, body))
        return self._skip_past(number) if column < CODE_INDENT else 0

    def scan_equals(self, number: int, _line: str, body: str) -> int:
        """An underline, or the middle mark of a merge."""
        if self.in_merge and body == "=======":
            return self._skip_past(number)
        return self.scan_underline(number, body, 1)

    def scan_underline(self, number: int, body: str, level: int) -> int:
        """The line below a heading of one line."""
        above = self.open_block
        is_underline = len(body) > 1 and body == body[0] * len(body)
        if above is None or above.form != "paragraph" or above.first != number - 1 or not is_underline:
            return 0
        title = self.lines[above.first].strip()
        if above.parents or above.quoted or len(title) > MAX_TITLE_CHARS:
            return 0
        self.blocks.pop()
        return self._begin_section(Heading(above.first, number, level, strip_annotation(title), above.start))

    def scan_pipe(self, number: int, _line: str, body: str) -> int:
        """The delimiter between the header and the rows of a table."""
        if self.in_merge and body.startswith("||||||| "):
            return self._skip_past(number)
        above = self.open_block
        is_delimiter = "|" in body and "-" in body and not body.strip("|:- \t")
        if above is None or above.quoted or not is_delimiter:
            return 0
        header = self.lines[number - 1][above.start if above.first == number - 1 else 0 :]
        is_table = "|" in header and markdown.count_cells(header) == markdown.count_cells(body)
        return self._scan_table(number, above) if is_table else 0

    # What the above are made of.

    def _scan_dialogue(self, block: TextBlock, line: str) -> int:
        date = self.section.date or self.extent.date
        if not date or not line[block.start : block.start + 1].isdigit():
            return 0
        said = parse_utterance(line, block.start, date)
        if not said:
            return 0
        block.form, block.utterance, block.start = "dialogue", said, said.start
        self._begin_block(block)
        least = block.column + NESTED_INDENT
        for number in range(block.first + 1, self.extent.end):
            below = self.lines[number]
            if not (body := below.strip()):
                continue
            if markdown.indent_column(below, markdown.body_offset(below, body)) < least:
                break
            block.last = number  # what is indented below it belongs to it, whatever it looks like
        return block.last + 1

    def _scan_fenced_code(self, number: int, body: str, parents: tuple[str, ...] | None, column: int = 0) -> int:
        opening = markdown.parse_fence(body)
        if not opening:
            return 0
        if not self.fences.can_close(number, opening):
            if not self.has_unclosed_fence:
                message = "a code fence that is never closed"
                self.page.add_problem("unclosed-fence", message, number, "add the closing one")
            self.has_unclosed_fence = True
            return 0
        parents = self._close_items(column) if parents is None else parents
        least = self.items[-1].column + NESTED_INDENT if self.items else 0
        last, closed = self.fences.find_end(number, opening, least)
        inner = (number + 1, last + 1 - closed)
        if not self._announce_code(number, last):
            self.blocks.append(TextBlock("code", number, last, 0, self.section, parents, inner=inner))
        return self._skip_past(last)

    def _scan_indented_code(self, first: int, parents: tuple[str, ...], min_indent: int) -> int:
        number = first
        while number < self.extent.end:
            line = self.lines[number]
            body = line.strip()
            if not body or markdown.indent_column(line, markdown.body_offset(line, body)) < min_indent:
                break
            number += 1
        if not self._announce_code(first, number - 1):
            self.blocks.append(TextBlock("code", first, number - 1, 0, self.section, parents, inner=(first, number)))
        return self._skip_past(number - 1)

    def _announce_code(self, first: int, last: int) -> bool:
        """Whether a line with a colon at its end announces the code on these lines, if short, and so takes it in."""
        lead = self.blocks[-1] if self.blocks else None
        if lead is None or lead.form not in ("item", "paragraph") or lead.section is not self.section or lead.quoted:
            return False
        lines = self.lines[lead.last : last + 1]
        if not lines[0].rstrip().endswith((":", "：")) or any(line.strip() for line in lines[1 : first - lead.last]):
            return False
        if sum(map(len, self.lines[lead.first : last + 1])) > MAX_ANNOUNCED_CHARS:
            return False
        lead.last, lead.announces_code = last, True
        return True

    def _announced_path(self, number: int) -> tuple[str, ...]:
        """The path of a list or table that begins here: below the paragraph above it, if that ends in a colon."""
        lead = self.blocks[-1] if self.blocks else None
        if lead is None or lead.form != "paragraph" or lead.section is not self.section or lead.quoted:
            return ()
        *blank, end = self.lines[number - 1 : lead.last - 1 if lead.last else None : -1]
        return self._child_path(lead) if end.rstrip().endswith((":", "：")) and not any(map(str.strip, blank)) else ()

    def _scan_table(self, number: int, above: TextBlock) -> int:
        """The rows below a delimiter; a header without any is a row itself, but no table if more text is above."""
        rows: list[TextBlock] = []
        alone = above.first == number - 1
        header = self.lines[number - 1][above.start if alone else 0 :]  # the names of the columns stand above its title
        label = " | ".join(cell.strip() for cell in header.strip(" \t|").split("|"))[:MAX_LABEL_CHARS].rstrip()
        *outer, title = self.section.path or ("",)
        section = structs.replace(self.section, path=(*outer, label, title) if title else (label,))
        for after in range(number + 1, self.extent.end):
            line = self.lines[after]
            body = line.strip()
            if "|" not in body or (body[0] != "|" and markdown.starts_block(body)):
                break
            rows.append(TextBlock("row", after, after, markdown.body_offset(line, body), section))
        if not alone:
            if not rows:
                return 0
            above.last -= 1
        elif above.form == "paragraph":
            self.blocks.pop()
            rows = rows or [TextBlock("row", number - 1, number - 1, above.start, self.section)]
        parents = above.parents if above.form == "paragraph" else self._child_path(above)
        parents = parents or self._announced_path(number - 1)
        for row in rows:
            row.parents = parents
        self.blocks += rows
        return self._skip_past(max(number, rows[-1].last if rows else 0))

    # The state: what is open, what stands above.

    def _skip_past(self, last: int) -> int:
        self.open_block = None
        return last + 1

    def _begin_block(self, block: TextBlock) -> int:
        self.blocks.append(block)
        self.open_block = block
        return block.first + 1

    def _content_column(self, column: int) -> int:
        """The column where the content of the item begins that would contain a line with this indentation."""
        above = bisect_right(self.items, column - NESTED_INDENT, key=lambda item: item.column)
        return self.items[above - 1].content if above else 0

    def _close_items(self, column: int) -> tuple[str, ...]:
        """Leave the items that do not hold a line indented like this; the path below those that do."""
        items = self.items
        while items and column < items[-1].column + NESTED_INDENT:
            items.pop()
        return self._child_path(items[-1]) if items else ()

    def _child_path(self, block: TextBlock) -> tuple[str, ...]:
        if block.child_path is None:
            goes_on = block.form == "paragraph" and block.last > block.first
            line = self.lines[block.last] if goes_on else self.lines[block.first][block.start :]
            label = strip_annotation(line.strip())
            label = (self.extent.keyed and parse_key(label)) or label[:MAX_LABEL_CHARS].rstrip()
            block.child_path = (*block.parents, label)[-MAX_PARENTS:] if label else block.parents
        return block.child_path

    def _begin_section(self, heading: Heading) -> int:
        self._close_section()
        self.headings.append(heading)
        titles = self._titles
        while titles and titles[-1][0] >= heading.level:
            titles.pop()
        above = Section(tuple([title for _level, title in titles]))
        block = TextBlock("heading", heading.first, heading.last, heading.start, above, fixed_text=heading.title)
        if heading.title:
            titles.append((heading.level, heading.title[:MAX_TITLE_CHARS]))
        if len(heading.title) > MAX_TITLE_CHARS:
            self.blocks.append(block)
        elif heading.title and heading.title != self.extent.header:
            self._last_heading = (block, len(self.blocks))
        path = tuple([title for _level, title in titles])
        date = next((date for title in reversed(path) if (date := find_date(title))), "")
        retain = any(title.rstrip(": ").casefold() == "retain" for title in path)
        self.section = Section(path, titles[-1][0] if titles else 0, date, retain)
        self.items.clear()
        turns = []
        if is_transcript(path):
            turns = parse_transcript(self.lines, heading.last + 1, self.extent.end, self.fences)
        for turn in turns:
            said = Utterance(turn.speaker, date or self.extent.date, 0)
            self.blocks.append(TextBlock("dialogue", turn.first, turn.last, 0, self.section, utterance=said))
        return self._skip_past(turns[-1].last if turns else heading.last)

    def _close_section(self) -> None:
        """A heading with nothing of its own below it, or only empty items and fences, is a record."""
        if self._last_heading:
            heading, count = self._last_heading
            for block in self.blocks[count:]:
                first, end = block.inner or (block.first, block.first + 1)
                column = 0 if block.inner else block.start
                has_more = not block.inner and block.last > block.first
                if has_more or any(line[column:].strip() for line in self.lines[first:end]):
                    break
            else:
                self.blocks[count:] = [heading]
        self._last_heading = None


_SCANNERS_BY_CHAR: dict[str, Callable[[_BlockScanner, int, str, str], int]] = {
    "#": _BlockScanner.scan_heading,
    "-": _BlockScanner.scan_dash,
    "*": _BlockScanner.scan_star,
    "+": _BlockScanner.scan_item,
    "_": _BlockScanner.scan_rule,
    ">": _BlockScanner.scan_quote,
    "`": _BlockScanner.scan_fence,
    "~": _BlockScanner.scan_fence,
    "<": _BlockScanner.scan_angle,
    "[": _BlockScanner.scan_bracket,
    "=": _BlockScanner.scan_equals,
    "|": _BlockScanner.scan_pipe,
    ":": _BlockScanner.scan_pipe,
    **dict.fromkeys("0123456789", _BlockScanner.scan_item),
}
