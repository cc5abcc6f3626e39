"""Blocks become records: their text, what it says about itself, whom it mentions, its id."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from commonplace.model import Category, Form, Kind, Record
from commonplace.workspace.annotations import Annotation, split_annotation
from commonplace.workspace.blocks import Block
from commonplace.workspace.ids import folded, id_of_folded
from commonplace.workspace.keyvalues import has_value, key_of, people
from commonplace.workspace.lines import Page
from commonplace.workspace.mentions import entities, links, tags
from commonplace.workspace.retain import prefix
from commonplace.workspace.roles import KIND_CATEGORIES

MOST_PARAGRAPH = 700  # characters; a longer paragraph is split at line ends
PLAIN = Annotation()


class Defaults(Struct, frozen=True):
    """What holds for every record of a file that does not say otherwise.

    `category` None follows the kind; `dated` counts before the date of a heading, `time` after it; `in_bank`, `keyed`
    and `of_people` say how items are read.
    """

    kind: Kind = "world"
    category: Category | None = "note"
    dated: str = ""
    time: str = ""
    tags: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    scope: str = ""
    confidence: float | None = None
    in_bank: bool = False
    keyed: bool = False
    of_people: bool = False


class _Reading(Struct):
    """What a block turns out to be while its text is read."""

    text: str
    form: Form
    kind: Kind
    category: Category | None
    confidence: float | None
    entities: tuple[str, ...]


def read_records(page: Page, blocks: list[Block], defaults: Defaults, *, origin: str) -> tuple[Record, ...]:
    """The records of these blocks in order; a block without text is none."""
    maker = _Maker(page, defaults, origin)
    for block in blocks:
        if block.form == "paragraph" and block.last > block.first:
            for part in _parts(page.lines, block):
                maker.take(part)
        else:
            maker.take(block)
    return tuple(maker.records)


class _Maker:
    """Makes one record after the other and knows which texts and ids it has seen."""

    def __init__(self, page: Page, defaults: Defaults, origin: str) -> None:
        self.page, self.defaults, self.origin = page, defaults, origin
        self.records: list[Record] = []
        self._texts: dict[str, int] = {}
        self._ids: set[str] = set()

    def take(self, block: Block) -> None:
        """Make the record of a block, if there is a text in it."""
        text, note = _text(self.page.lines, block)
        read = self._read(block, text) if text else None
        if read is None:
            return
        text, defaults, section, said = read.text, self.defaults, block.section, block.said
        for complaint in note.complaints:
            self.page.complain("bad-annotation", complaint, block.last)
        identity, annotated = self._identity(text, note, block)
        code = block.form == "code"
        marked = defaults.tags if code or "#" not in text else tuple(dict.fromkeys((*defaults.tags, *tags(text))))
        record = Record(
            identity,
            text,
            self.page.source(block.first, block.last),
            read.form,
            read.kind,
            note.category or read.category or KIND_CATEGORIES[read.kind],
            section.path + block.parents if block.parents else section.path,
            read.entities,
            said.speaker if said else "",
            marked,
            () if code or "[" not in text else links(text),
            note.triggers + defaults.triggers,
            said.time if said else defaults.dated or section.date or defaults.time,
            note.valid_from,
            note.valid_to,
            read.confidence,
            note.importance,
            note.trust,
            note.project or defaults.scope,
            note.supersedes,
            "",
            note.sources or defaults.sources,
            annotated,
        )
        self.records.append(record)

    def _read(self, block: Block, text: str) -> _Reading | None:
        """What the text says about itself; None for a title or a key to which the lines below belong."""
        defaults = self.defaults
        category = block.category or defaults.category
        read = _Reading(text, block.form, defaults.kind, category, defaults.confidence, defaults.entities)
        if block.form == "item":
            if block.below is not None and _is_title(self.page.lines, block):
                return None
            if block.section.retain or defaults.in_bank:
                self._read_retain(block, read)
            elif defaults.keyed and key_of(text):
                if block.below is not None and not has_value(text):
                    return None
                read.form = "keyvalue"
        if block.said:
            read.entities = (*defaults.entities, block.said.speaker)
        elif defaults.of_people:
            read.entities = (*defaults.entities, *_people(block, read))
        return read

    def _read_retain(self, block: Block, read: _Reading) -> None:
        found = prefix(read.text)
        if found:
            read.form, read.kind, read.category, read.confidence = "retain", found.kind, None, found.confidence
            read.text = read.text[found.start :]
            if found.complaint:
                self.page.complain("bad-confidence", found.complaint, block.first, "write O(c=0.95)")
        if "@" in read.text:
            read.entities = tuple(dict.fromkeys((*read.entities, *entities(read.text))))

    def _identity(self, text: str, note: Annotation, block: Block) -> tuple[str, bool]:
        words = folded(text)
        occurrence = self._texts.get(words, 0)
        self._texts[words] = occurrence + 1
        if note.id and note.id not in self._ids:
            self._ids.add(note.id)
            return note.id, True
        if note.id:
            message = f"the id {note.id!r} is taken by a line above"
            self.page.complain("duplicate-id", message, block.last, "remove it here, or write another")
        return id_of_folded(words, occurrence, self.origin), False


def _text(lines: list[str], block: Block) -> tuple[str, Annotation]:
    """The verbatim text of a block, and the annotation behind it."""
    first, last = block.first, block.last
    if block.inner:
        begin, end = block.inner
        return "\n".join(lines[begin:end]).strip("\r\n").rstrip(), PLAIN
    if block.given:
        note = split_annotation(lines[first].strip())[1] if block.form == "heading" else None
        return block.given, note or PLAIN
    line = lines[first][block.start :]
    if block.quoted and first == last:
        line = line.lstrip("> \t")
    text = line.strip() if first == last else "\n".join((line, *lines[first + 1 : last + 1])).strip()
    note = None
    if text.endswith("-->"):
        text, note = split_annotation(text)
    if block.form == "row":
        text = _bare_row(text)
        if text.endswith("-->"):  # the annotation stands in the last cell
            text, note = split_annotation(text)
    return text, note or PLAIN


def _is_title(lines: list[str], block: Block) -> bool:
    """Whether an item is the heading of what stands below it: `- ## Title`."""
    return block.first == block.last and "#" in lines[block.first][: block.start]


def _bare_row(row: str) -> str:
    """The row without its outer pipes; nothing if all its cells are empty."""
    row = row.removeprefix("|")
    if row.endswith("|") and not row.endswith("\\|"):
        row = row[:-1]
    return row.strip() if row.strip("| \t") else ""


def _people(block: Block, read: _Reading) -> tuple[str, ...]:
    outermost = block.parents[0] if block.parents else ""
    title = block.section.path[-1:] if block.section.level > 1 else ()  # the first level names the page
    if read.form == "row":
        return people(read.text.partition("|")[0].strip(), outermost, title)
    key = key_of(read.text) if read.form == "keyvalue" else ""
    return people(key, outermost, title) if key or outermost else ()


def _parts(lines: list[str], block: Block) -> Iterator[Block]:
    """The block itself, or pieces of at most 700 characters if it is longer, not annotated, and has several lines."""
    whole = lines[block.first : block.last + 1]
    annotated = whole[-1].rstrip().endswith("-->") and split_annotation(whole[-1].strip())[1]
    if sum(map(len, whole)) <= MOST_PARAGRAPH or annotated:
        yield block
        return
    first, size = block.first, 0
    for number, line in enumerate(whole, block.first):
        if size and size + len(line) > MOST_PARAGRAPH:
            yield _part(block, first, number - 1)
            first, size = number, 0
        size += len(line) + 1
    yield _part(block, first, block.last)


def _part(block: Block, first: int, last: int) -> Block:
    return Block("paragraph", first, last, 0, block.section, block.parents, quoted=block.quoted)
