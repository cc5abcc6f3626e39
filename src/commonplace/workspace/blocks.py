"""The nouns of the scanner: blocks of lines that become one record each, and the titles above them."""

from __future__ import annotations

from msgspec import Struct

from commonplace.model import Category, Form
from commonplace.workspace.dialogue import Utterance


class Section(Struct):
    """What the headings above a line say: titles, the last one's level, the nearest date, whether one is `Retain`."""

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


class Block(Struct):
    """Lines that become one record; `start` is the column of the text in the line `first`.

    `parents` are the first lines of the items above, outermost first; `inner` the lines of the text where they are not
    all of the block's (code); `given` (the text) and `category` are known before the lines are read. `column`,
    `content` (where its text may go on) and `below` (the path of what stands below it) belong to an item.
    """

    form: Form
    first: int
    last: int
    start: int
    section: Section
    parents: tuple[str, ...] = ()
    column: int = 0
    content: int = 0
    below: tuple[str, ...] | None = None
    quoted: bool = False
    inner: tuple[int, int] | None = None
    said: Utterance | None = None
    given: str = ""
    category: Category | None = None


class Extent(Struct, frozen=True):
    """Which lines are scanned (`first` up to, not including, `end`) and how.

    `date` is that of the file's name, `keyed` makes keys of items titles, `header` is a title that is no record.
    """

    first: int
    end: int
    date: str = ""
    keyed: bool = False
    header: str = ""


class Scan(Struct):
    """The blocks and headings of a file, in order."""

    blocks: list[Block]
    headings: list[Heading]
