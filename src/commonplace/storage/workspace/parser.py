"""Parse the bytes of a Markdown file into its records, tags and problems."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from commonplace.model import Category, Document, Form, Kind, Record, Role
from commonplace.storage.files import content_digest
from commonplace.storage.workspace import front_matter, paths
from commonplace.storage.workspace.annotations import Annotation, parse_decimal, parse_retain_prefix, split_annotation
from commonplace.storage.workspace.block_scanner import ScanRange, Section, TextBlock, scan_blocks
from commonplace.storage.workspace.ids import derive_id_of_normalized, normalize_id_text
from commonplace.storage.workspace.inline import (
    find_entities,
    find_links,
    find_tags,
    has_value,
    parse_key,
    parse_tag_list,
    people_of_key,
)
from commonplace.storage.workspace.markdown import NumberedPage, read_page
from commonplace.storage.workspace.paths import CATEGORY_BY_KIND, HISTORY_HEADING
from commonplace.storage.workspace.timestamps import parse_written_time

MAX_KEPT_BYTES = 1 << 18  # of a file whose reading is kept: what was written is read at once by sync
MAX_FILE_RECORDS = 50_000
MAX_PARAGRAPH_CHARS = 700  # characters; a longer paragraph is split at line ends
EMPTY_ANNOTATION = Annotation()


class RecordDefaults(Struct, frozen=True):
    """The defaults of the records of a file.

    `category` None follows the kind; `episode_time` counts before the date of a heading, `time` after it; `in_bank`,
    `keyed` and `of_people` say how items are read.
    """

    kind: Kind = "world"
    category: Category | None = "note"
    episode_time: str = ""
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


class _RecordFields(Struct):
    """The fields of a record while its text is parsed."""

    text: str
    form: Form
    kind: Kind
    category: Category | None
    confidence: float | None
    entities: tuple[str, ...]


def read_records(
    page: NumberedPage, blocks: list[TextBlock], defaults: RecordDefaults, *, origin: str
) -> tuple[Record, ...]:
    """The records of these blocks in order; a block without text is none."""
    maker = _RecordBuilder(page, defaults, origin)
    for block in blocks:
        if block.form == "paragraph" and block.last > block.first and not block.announces_code:
            for part in _split_paragraph(page.lines, block):
                maker.add_block(part)
        else:
            maker.add_block(block)
    return tuple(maker.records)


class _RecordBuilder:
    """Builds one record after the other, and tracks the texts and ids that occurred."""

    def __init__(self, page: NumberedPage, defaults: RecordDefaults, origin: str) -> None:
        self.page, self.defaults, self.origin = page, defaults, origin
        self.records: list[Record] = []
        self._texts: dict[str, int] = {}
        self._ids: set[str] = set()

    def add_block(self, block: TextBlock) -> None:
        """Make the record of a block, if there is a text in it."""
        text, note = _block_text(self.page.lines, block)
        read = self._read_fields(block, text) if text else None
        if read is None:
            return
        text, defaults, section, said = read.text, self.defaults, block.section, block.utterance
        for complaint in note.problems:
            self.page.add_problem("bad-annotation", complaint, block.last)
        identity, annotated = self._identity(text, note, block)
        code = block.form == "code" or block.announces_code
        marked = defaults.tags if code or "#" not in text else tuple(dict.fromkeys((*defaults.tags, *find_tags(text))))
        category = note.category or read.category or CATEGORY_BY_KIND[read.kind]
        around = said.time if said else defaults.episode_time or section.date or defaults.time
        is_preference = category == "preference" and read.kind == "world" and read.form not in ("heading", "code")
        record = Record(
            identity,
            text,
            self.page.source(block.first, block.last),
            read.form,
            "opinion" if is_preference else read.kind,
            category,
            section.path + block.parents if block.parents else section.path,
            read.entities,
            said.speaker if said else note.by,
            marked,
            () if code or "[" not in text else find_links(text),
            note.triggers + defaults.triggers,
            around if said and "T" in around else note.said_on or around,
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

    def _read_fields(self, block: TextBlock, text: str) -> _RecordFields | None:
        """The fields in the text; None for a title or a key that has lines below it."""
        defaults = self.defaults
        category = block.category or defaults.category
        read = _RecordFields(text, block.form, defaults.kind, category, defaults.confidence, defaults.entities)
        if block.form == "item":
            marker = self.page.lines[block.first][: block.start]
            if block.child_path is not None and block.first == block.last and "#" in marker:  # `- ## Title`
                return None
            if block.section.retain or defaults.in_bank:
                self._read_retain_prefix(block, read)
            elif defaults.keyed and parse_key(text):
                if block.child_path is not None and not has_value(text):
                    return None
                read.form = "keyvalue"
        if block.utterance:
            read.entities = (*defaults.entities, block.utterance.speaker)
        elif defaults.of_people:
            read.entities = (*defaults.entities, *_people_of_block(block, read))
        return read

    def _read_retain_prefix(self, block: TextBlock, fields: _RecordFields) -> None:
        found = parse_retain_prefix(fields.text)
        if found:
            fields.form, fields.kind, fields.category, fields.confidence = "retain", found.kind, None, found.confidence
            fields.text = fields.text[found.start :]
            if found.problem:
                self.page.add_problem("bad-confidence", found.problem, block.first, "write O(c=0.95)")
        if "@" in fields.text:
            fields.entities = tuple(dict.fromkeys((*fields.entities, *find_entities(fields.text))))

    def _identity(self, text: str, annotation: Annotation, block: TextBlock) -> tuple[str, bool]:
        words = normalize_id_text(text)
        occurrence = self._texts.get(words, 0)
        self._texts[words] = occurrence + 1
        if annotation.id and annotation.id not in self._ids:
            self._ids.add(annotation.id)
            return annotation.id, True
        if annotation.id:
            message = f"the id {annotation.id!r} is already used by a line above"
            self.page.add_problem("duplicate-id", message, block.last, "remove it here, or write another")
        return derive_id_of_normalized(words, occurrence, self.origin), False


def _block_text(lines: list[str], block: TextBlock) -> tuple[str, Annotation]:
    """The verbatim text of a block, and the annotation after it."""
    first, last = block.first, block.last
    if block.inner:
        begin, end = block.inner
        return "\n".join(lines[begin:end]).strip("\r\n").rstrip(), EMPTY_ANNOTATION
    if block.fixed_text:
        note = split_annotation(lines[first].strip())[1] if block.form == "heading" else None
        return block.fixed_text, note or EMPTY_ANNOTATION
    line = lines[first][block.start :]
    if block.quoted and first == last:
        line = line.lstrip("> \t")
    text = line.strip() if first == last else "\n".join((line, *lines[first + 1 : last + 1])).strip()
    note = None
    if text.endswith("-->"):
        text, note = split_annotation(text)
    if block.form == "row":
        text = text.removeprefix("|")
        if text.endswith("|") and not text.endswith("\\|"):
            text = text[:-1]
        text = text.strip() if text.strip("| \t") else ""
        if text.endswith("-->"):  # the annotation stands in the last cell
            text, note = split_annotation(text)
    return text, note or EMPTY_ANNOTATION


def _people_of_block(block: TextBlock, fields: _RecordFields) -> tuple[str, ...]:
    outermost = block.parents[0] if block.parents else ""
    title = block.section.path[-1:] if block.section.level > 1 else ()  # the first level names the page
    title = () if title == (HISTORY_HEADING,) else title
    if fields.form == "row":
        return people_of_key(fields.text.partition("|")[0].strip(), outermost, title)
    key = parse_key(fields.text) if fields.form == "keyvalue" else ""
    return people_of_key(key, outermost, title) if key or outermost else title


def _split_paragraph(lines: list[str], block: TextBlock) -> Iterator[TextBlock]:
    """The block itself, or pieces of at most 700 characters if it is longer, not annotated, and has several lines."""
    whole = lines[block.first : block.last + 1]
    annotated = whole[-1].rstrip().endswith("-->") and split_annotation(whole[-1].strip())[1]
    if sum(map(len, whole)) <= MAX_PARAGRAPH_CHARS or annotated:
        yield block
        return
    first, size = block.first, 0
    for number, line in enumerate(whole, block.first):
        if size and size + len(line) > MAX_PARAGRAPH_CHARS:
            yield _paragraph_slice(block, first, number - 1)
            first, size = number, 0
        size += len(line) + 1
    yield _paragraph_slice(block, first, block.last)


def _paragraph_slice(block: TextBlock, first: int, last: int) -> TextBlock:
    return TextBlock("paragraph", first, last, 0, block.section, block.parents, quoted=block.quoted)


CONFIDENCE_WORDS = {"low": 0.3, "medium": 0.6, "high": 0.9}
PAGE_ROLES: tuple[Role, ...] = ("note", "bank", "entity")
EPISODE_LABEL = "**Details:**"


def parse_document(path: str, data: bytes, *, origin: str = "") -> Document:
    """Read one file as docs/format.md says; whatever the bytes are, this raises nothing. `origin` is the path at which
    the file was first seen, from which the ids of its unmarked lines follow."""
    origin = "" if origin == path else origin
    return (_parse if len(data) > MAX_KEPT_BYTES else _parse_short)(path, data, origin)


def _parse(path: str, data: bytes, origin: str) -> Document:
    page = read_page(path, data)
    role, name = paths.path_role(path), paths.path_stem(path)
    if paths.is_golden_path(path) or path.startswith(paths.DREAM_FOLDERS):
        return Document(path, content_digest(data), role, name)
    front = front_matter.read_front_matter(page.lines)
    for message, line in front.faults:
        page.add_problem("front-matter", message, line, front_matter.FRONT_MATTER_HINT)
    frame_tags, end, closure = front_matter.read_frame(page, front.body, role)
    keyed = paths.has_key_lines(path)
    extent = ScanRange(front.body, end, paths.path_date(path), keyed, front_matter.DEFAULT_TITLES.get(role, ""))
    blocks, headings = scan_blocks(page, extent)
    if len(blocks) > MAX_FILE_RECORDS:
        message = f"a file has at most {MAX_FILE_RECORDS} records; what follows is not read"
        page.add_problem("too-many-records", message, blocks[MAX_FILE_RECORDS].first, hint="split the file")
        blocks = blocks[:MAX_FILE_RECORDS]
    top = headings[0].title if headings and headings[0].level == 1 else ""
    title = front.text("title") or top or (name.replace("-", " ") if role == "entity" else name)
    section = Section((top,)) if top else Section()
    if role == "episode":
        blocks = [one for one in blocks if page.lines[one.first].strip() != EPISODE_LABEL or one.last > one.first]
    for block in closure:  # it stands below the title of the page, not below the section that comes last
        block.section = section
    blocks = [*_front_matter_blocks(front, role, section), *blocks, *closure]
    listed = front.fields.get("tags", "")
    tags = parse_tag_list(listed) if isinstance(listed, str) else tuple(tag.lstrip("#") for tag in front.texts("tags"))
    tags = tuple(dict.fromkeys((*tags, *frame_tags)))
    defaults = _record_defaults(page, front, role=role, tags=tags, title=title)
    records = read_records(page, blocks, defaults, origin=origin or path)
    page.problems.sort(key=lambda problem: problem.line)
    aliases = front.texts("aliases", "alias")
    return Document(path, content_digest(data), role, title, records, aliases, tags, tuple(page.problems))


_parse_short = lru_cache(4)(_parse)


def _front_matter_blocks(front: front_matter.FrontMatter, role: Role, section: Section) -> list[TextBlock]:
    """The blocks from the front matter: the summary and, of a page, the other facts about its subject."""
    properties = front.properties if role in PAGE_ROLES else ()
    blocks = [TextBlock("keyvalue", one.first, one.last, 0, section, fixed_text=one.text) for one in properties]
    if summary := front.summary:
        blocks.append(TextBlock("summary", summary.first, summary.last, 0, Section(), fixed_text=summary.text))
    return sorted(blocks, key=lambda block: block.first)


def _record_defaults(
    page: NumberedPage, front: front_matter.FrontMatter, *, role: Role, tags: tuple[str, ...], title: str
) -> RecordDefaults:
    path = page.path
    written = parse_written_time(front.text("timestamp", "date", "created"))
    in_bank = role in ("bank", "entity")
    episode = role == "episode"
    return RecordDefaults(
        kind=paths.KIND_BY_BANK_FILE.get(paths.path_stem(path), "world") if role == "bank" else "world",
        category=None if in_bank else paths.path_category(path, role),
        episode_time=written if episode else "",
        time=paths.path_date(path) or written,
        tags=tags,
        triggers=front.texts("trigger"),
        entities=((title,) if role == "entity" else ()) + front.texts("participants"),
        sources=front.texts("source") if episode else (),
        scope=front.text("project", "scope"),
        confidence=_read_episode_confidence(page, front) if episode else None,
        in_bank=in_bank,
        keyed=paths.has_key_lines(path),
        of_people=paths.path_stem(path) in ("contacts", "people"),  # whose outermost keys are names
    )


def _read_episode_confidence(page: NumberedPage, front: front_matter.FrontMatter) -> float | None:
    written = front.text("confidence").lower()
    value = CONFIDENCE_WORDS.get(written, parse_decimal(written))
    if written and (value is None or value > 1):
        page.add_problem("bad-confidence", f"the confidence {written[:40]!r} is none of low, medium, high", 0)
        return None
    return value
