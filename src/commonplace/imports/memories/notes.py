"""Folders of Markdown notes, as basic-memory and Obsidian keep them: each record a memory with its note and line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from msgspec import structs

from commonplace import files
from commonplace.errors import NotFound, OutsideWorkspace
from commonplace.files.elsewhere import Found, opened, walk, why_unread
from commonplace.imports.memories.nouns import Memory, Place, aside
from commonplace.imports.nouns import Blank, SetAside
from commonplace.model import Document, Record

MOST_FILE = 4 << 20  # bytes
MOST_TITLES = 3  # above a line, which is told with them
CONTEXT = 300  # characters of the titles
DATES = ("created", "date", "timestamp", "created_at", "updated", "modified")
STATUSES = frozenset(" xX-/>?!*")
DISTILLED = ("retain", "keyvalue")
Item = Memory | SetAside | Blank


def read(place: Place) -> Iterator[Item]:
    """The memories of every note below the folder, or of a single note."""
    for found in walk(place.path):
        if found.path.lower().endswith((".md", "/")):
            yield from if_read(found, note(place.path, found))


def if_read(found: Found, items: Iterator[Item]) -> Iterator[Item]:
    """What a file holds; one that may not be read, or is gone by now, is set aside."""
    try:
        yield from items
    except (NotFound, OutsideWorkspace) as error:
        yield aside(found.path, 0, why_unread(error))


def note(root: str, found: Found) -> Iterator[Item]:
    """The memories of one note; what cannot be read is set aside."""
    if found.trouble:
        yield aside(found.path, 0, found.trouble)
        return
    if found.size > MOST_FILE:
        yield aside(found.path, 0, f"a note of {found.size} bytes, more than {MOST_FILE}")
        return
    with opened(root, found.path) as file:
        data = file.read(MOST_FILE + 1)
    told: list[Item] = [structs.replace(one, time=one.time or found.modified) for one in records_of(found.path, data)]
    yield from told or [Blank(0, 1, "a note without text", found.path)]
    yield from _faults(found.path, data)


def records_of(path: str, data: bytes) -> Iterator[Memory]:
    """The memories of a note: what the parser of a workspace reads, told so that it can be understood alone."""
    from commonplace.workspace import parse

    document = parse(path, data)
    dated = _date(data)
    seen: dict[str, int] = {}
    for record in document.records:
        memory = _memory(document, record, dated)
        again = seen[memory.text] = seen.get(memory.text, 0) + 1
        yield structs.replace(memory, id=f"{memory.id}#{again}")


def _memory(document: Document, record: Record, dated: str) -> Memory:
    title = document.title or path_title(document.path)
    observed = _observation().match(record.text) if record.form == "item" else None
    related = _relation().fullmatch(record.text) if record.form == "item" else None
    kind, text, distilled = str(record.form), record.text, record.form in DISTILLED
    category: str = record.category
    detail: dict[str, object] = {"tags": list(record.tags)} if record.tags else {}
    if observed and observed[1].strip() not in STATUSES:
        kind, distilled = "observation", True
        detail["category"] = category = observed[1].strip()
        text = _with_titles(observed[2], (title,))
    elif related:
        kind, distilled, category = "relation", bool(related[1] or related[2]), "fact"
        text = _related(title, related)
    else:
        text = _with_titles(text, (title, *record.heading))
    if record.links:
        detail["links"] = list(record.links)
    return Memory(
        text=text,
        kind=kind,
        id=f"{document.path}#{files.digest(record.text.encode('utf-8', 'surrogatepass'))[:16]}",
        part=document.path,
        offset=record.source.byte_start,
        line=record.source.line_start,
        time=record.time or dated or None,
        trust="" if record.trust == "trusted" else record.trust,
        scope=record.scope,
        category=category,
        confidence=record.confidence,
        distilled=distilled,
        detail=detail,
    )


def path_title(path: str) -> str:
    """The name of a note without folders and ending."""
    return path.rsplit("/", 1)[-1].removesuffix(".md")


def _with_titles(text: str, titles: tuple[str, ...]) -> str:
    """A line below its titles, unless it names them: alone it would not say what it is about."""
    low = text.casefold()
    told = [title for title in dict.fromkeys(titles) if title and title.casefold() not in low][-MOST_TITLES:]
    above = " › ".join(told)[:CONTEXT].rstrip(": ")
    return f"{above}: {text}" if above else text


def _related(title: str, found: re.Match[str]) -> str:
    """`Paul Graham works at Y Combinator (co-founder).`"""
    kind = (found[1] or found[2] or "links to").strip("\"' ").replace("_", " ")
    target = found[3].partition("|")[0].partition("#")[0]
    context = f" ({found[4]})" if found[4] else ""
    return f"{title} {kind} {target}{context}."


def _date(data: bytes) -> str:
    """The date in the front matter of a note, whatever it is called there."""
    from commonplace.workspace.frontmatter import read_front_matter

    head = data[: 64 << 10].decode("utf-8", "replace")
    return read_front_matter(head.split("\n")).text(*DATES) if head.startswith("---") else ""


def _faults(path: str, data: bytes) -> Iterator[SetAside]:
    """Bytes that are no text: they were read as U+FFFD, and said so."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        yield SetAside(error.start, line, "not UTF-8 here; the bytes were read as U+FFFD", part=path)


@cache
def _observation() -> re.Pattern[str]:
    """`[category] text`."""
    return re.compile(r"\[([^\[\]()]{1,80})\]\s+(.+)", re.DOTALL)


@cache
def _relation() -> re.Pattern[str]:
    """`type [[Target]] (context)`, of which only the target must be there."""
    kind = r"(?:(\"[^\"]{1,80}\"|'[^']{1,80}')|([^\s\[\]]{1,80}))?"
    return re.compile(kind + r"\s*\[\[([^\[\]]{1,300})\]\](?:\s*\(([^()]{1,500})\))?")
