"""Parse: the bytes of a Markdown file become its records, its tags and its problems; nothing is read or written."""

from __future__ import annotations

from commonplace.model import Document, Role
from commonplace.workspace import roles
from commonplace.workspace.annotations import decimal
from commonplace.workspace.blocks import Block, Extent, Heading, Section
from commonplace.workspace.frame import HEADERS, read_frame
from commonplace.workspace.frontmatter import HINT, FrontMatter, read_front_matter
from commonplace.workspace.ids import digest
from commonplace.workspace.lines import Page, read_page
from commonplace.workspace.mentions import tag_list
from commonplace.workspace.records import Defaults, read_records
from commonplace.workspace.scan import scan
from commonplace.workspace.times import instant

CONFIDENCES = {"low": 0.3, "medium": 0.6, "high": 0.9}
PAGES: tuple[Role, ...] = ("note", "bank", "entity")
EPISODE_LABEL = "**Details:**"


def parse(path: str, data: bytes, *, origin: str = "") -> Document:
    """Read one file as docs/format.md says; whatever the bytes are, this raises nothing.

    `path` is relative to the workspace, with `/`; `origin` is the path at which the file was first seen, from which
    the ids of its unmarked lines follow.
    """
    page = read_page(path, data)
    role = roles.role_of(path)
    if roles.is_golden(path) or roles.is_dreamt(path):
        return Document(path, digest(data), role, roles.stem(path))
    front = read_front_matter(page.lines)
    for message, line in front.faults:
        page.complain("front-matter", message, line, HINT)
    frame = read_frame(page, front.body, role)
    keyed = roles.has_keys(path)
    extent = Extent(front.body, frame.end, roles.file_date(path), keyed, HEADERS.get(role, ""))
    found = scan(page, extent)
    title = _title(path, role, front, found.headings)
    tags = tuple(dict.fromkeys((*_tags(front), *frame.tags)))
    blocks = [
        *_front(front, role, found.headings),
        *_body(page, role, found.blocks),
        *_closing(frame.closure, found.headings),
    ]
    records = read_records(
        page, blocks, _defaults(page, front, role=role, tags=tags, title=title), origin=origin or path
    )
    page.problems.sort(key=lambda problem: problem.line)
    return Document(
        path, digest(data), role, title, records, front.texts("aliases", "alias"), tags, tuple(page.problems)
    )


def _title(path: str, role: Role, front: FrontMatter, headings: list[Heading]) -> str:
    first = headings[0].title if headings and headings[0].level == 1 else ""
    name = roles.stem(path)
    return front.text("title") or first or (name.replace("-", " ") if role == "entity" else name)


def _tags(front: FrontMatter) -> tuple[str, ...]:
    written = front.fields.get("tags", "")
    return tag_list(written) if isinstance(written, str) else tuple(tag.lstrip("#") for tag in front.texts("tags"))


def _front(front: FrontMatter, role: Role, headings: list[Heading]) -> list[Block]:
    """What the front matter tells: the summary; and of a page what else is said of that which it is about."""
    found = front.summary
    blocks = [Block("summary", found.first, found.last, 0, Section(), given=found.text)] if found else []
    if role in PAGES:
        section = _top(headings)
        blocks += [Block("keyvalue", one.first, one.last, 0, section, given=one.text) for one in front.properties]
    return sorted(blocks, key=lambda block: block.first)


def _top(headings: list[Heading]) -> Section:
    """The title of the page, if it begins with one."""
    return Section((headings[0].title,)) if headings and headings[0].level == 1 and headings[0].title else Section()


def _body(page: Page, role: Role, blocks: list[Block]) -> list[Block]:
    """The blocks, less the label that every episode has."""
    if role != "episode":
        return blocks
    return [block for block in blocks if page.lines[block.first].strip() != EPISODE_LABEL or block.last > block.first]


def _closing(closure: list[Block], headings: list[Heading]) -> list[Block]:
    """The closure block stands below the title of the page, not below the section that happens to come last."""
    section = _top(headings)
    for block in closure:
        block.section = section if section.path else block.section
    return closure


def _defaults(page: Page, front: FrontMatter, *, role: Role, tags: tuple[str, ...], title: str) -> Defaults:
    path = page.path
    written = instant(front.text("timestamp", "date", "created"))
    in_bank = role in ("bank", "entity")
    episode = role == "episode"
    return Defaults(
        kind=roles.kind_of(path, role),
        category=None if in_bank else roles.category_of(path, role),
        dated=written if episode else "",
        time=roles.file_date(path) or written,
        tags=tags,
        triggers=front.texts("trigger"),
        entities=((title,) if role == "entity" else ()) + front.texts("participants"),
        sources=front.texts("source") if episode else (),
        scope=front.text("project", "scope"),
        confidence=_confidence(page, front) if episode else None,
        in_bank=in_bank,
        keyed=roles.has_keys(path),
        of_people=roles.has_people(path),
    )


def _confidence(page: Page, front: FrontMatter) -> float | None:
    written = front.text("confidence").lower()
    value = CONFIDENCES.get(written, decimal(written))
    if written and (value is None or value > 1):
        page.complain("bad-confidence", f"the confidence {written[:40]!r} is none of low, medium, high", 0)
        return None
    return value
