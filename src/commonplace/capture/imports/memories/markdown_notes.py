"""Reads folders of Markdown notes: basic-memory, Obsidian and MemoryClaw."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from msgspec import structs

from commonplace.capture.imports.events import Blank, ParseFailure, SetAside
from commonplace.capture.imports.memories.imported_memory import ImportedMemory, MemoryLocation, reject_item
from commonplace.capture.imports.streams import decode_json_strictly
from commonplace.errors import NotFound, OutsideWorkspace
from commonplace.model import Document, Record
from commonplace.storage import files
from commonplace.storage.files.external_directories import (
    ExternalFile,
    describe_read_error,
    open_in_directory,
    walk_directory,
)

MAX_NOTE_BYTES = 4 << 20  # bytes
MAX_TITLES = 3  # above a line, which is told with them
MAX_TITLE_CHARS = 300  # characters of the titles
DATE_KEYS = ("created", "date", "timestamp", "created_at", "updated", "modified")
CHECKBOX_STATUSES = frozenset(" xX-/>?!*")
DISTILLED_FORMS = ("retain", "keyvalue")
MemoryItem = ImportedMemory | SetAside | Blank


def read_notes(location: MemoryLocation) -> Iterator[MemoryItem]:
    """The memories of every note below the folder, or of a single note."""
    for found in walk_directory(location.path):
        if found.path.lower().endswith((".md", "/")):
            yield from reject_unreadable(found, read_note(location.path, found))


def reject_unreadable(entry: ExternalFile, memory_items: Iterator[MemoryItem]) -> Iterator[MemoryItem]:
    """What a file holds; one that may not be read, or is gone by now, is set aside."""
    try:
        yield from memory_items
    except (NotFound, OutsideWorkspace) as error:
        yield reject_item(entry.path, 0, describe_read_error(error))


def read_note(root: str, entry: ExternalFile) -> Iterator[MemoryItem]:
    """The memories of one note; what cannot be read is set aside."""
    if entry.unreadable_reason:
        yield reject_item(entry.path, 0, entry.unreadable_reason)
        return
    if entry.size > MAX_NOTE_BYTES:
        yield reject_item(entry.path, 0, f"a note of {entry.size} bytes, more than {MAX_NOTE_BYTES}")
        return
    with open_in_directory(root, entry.path) as file:
        data = file.read(MAX_NOTE_BYTES + 1)
    told: list[MemoryItem] = [
        structs.replace(one, time=one.time or entry.modified) for one in parse_note_memories(entry.path, data)
    ]
    yield from told or [Blank(0, 1, "a note without text", entry.path)]
    yield from _find_encoding_faults(entry.path, data)


def parse_note_memories(path: str, data: bytes) -> Iterator[ImportedMemory]:
    """The memories of a note: what the parser of a workspace reads, told so that it can be understood alone."""
    from commonplace.storage.workspace import parse_document

    document = parse_document(path, data)
    dated = _read_note_date(data)
    seen: dict[str, int] = {}
    for record in document.records:
        memory = _record_to_memory(document, record, dated)
        again = seen[memory.text] = seen.get(memory.text, 0) + 1
        yield structs.replace(memory, id=f"{memory.id}#{again}")


def _record_to_memory(document: Document, record: Record, note_date: str) -> ImportedMemory:
    title = document.title or note_title(document.path)
    observed = _observation_pattern().match(record.text) if record.form == "item" else None
    related = _relation_pattern().fullmatch(record.text) if record.form == "item" else None
    kind, text, distilled = str(record.form), record.text, record.form in DISTILLED_FORMS
    category: str = record.category
    detail: dict[str, object] = {"tags": list(record.tags)} if record.tags else {}
    if observed and observed[1].strip() not in CHECKBOX_STATUSES:
        kind, distilled = "observation", True
        detail["category"] = category = observed[1].strip()
        text = _prefix_titles(observed[2], (title,))
    elif related:
        kind, distilled, category = "relation", bool(related[1] or related[2]), "fact"
        text = _render_relation(title, related)
    else:
        text = _prefix_titles(text, (title, *record.heading))
    if record.links:
        detail["links"] = list(record.links)
    return ImportedMemory(
        text=text,
        kind=kind,
        id=f"{document.path}#{files.content_digest(record.text.encode('utf-8', 'surrogatepass'))[:16]}",
        part=document.path,
        offset=record.source.byte_start,
        line=record.source.line_start,
        time=record.time or note_date or None,
        trust="" if record.trust == "trusted" else record.trust,
        scope=record.scope,
        category=category,
        confidence=record.confidence,
        distilled=distilled,
        detail=detail,
    )


def note_title(path: str) -> str:
    """The name of a note without folders and ending."""
    return path.rsplit("/", 1)[-1].removesuffix(".md")


def _prefix_titles(text: str, titles: tuple[str, ...]) -> str:
    """A line below its titles, unless it names them: alone it would not say what it is about."""
    low = text.casefold()
    told = [title for title in dict.fromkeys(titles) if title and title.casefold() not in low][-MAX_TITLES:]
    above = " › ".join(told)[:MAX_TITLE_CHARS].rstrip(": ")
    return f"{above}: {text}" if above else text


def _render_relation(title: str, match: re.Match[str]) -> str:
    """`Paul Graham works at Y Combinator (co-founder).`"""
    kind = (match[1] or match[2] or "links to").strip("\"' ").replace("_", " ")
    target = match[3].partition("|")[0].partition("#")[0]
    context = f" ({match[4]})" if match[4] else ""
    return f"{title} {kind} {target}{context}."


def _read_note_date(data: bytes) -> str:
    """The date in the front matter of a note, whatever it is called there."""
    from commonplace.storage.workspace.front_matter import read_front_matter

    head = data[: 64 << 10].decode("utf-8", "replace")
    return read_front_matter(head.split("\n")).text(*DATE_KEYS) if head.startswith("---") else ""


def _find_encoding_faults(path: str, data: bytes) -> Iterator[SetAside]:
    """Bytes that are no text: they were read as U+FFFD, and said so."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        yield SetAside(error.start, line, "not UTF-8 here; the bytes were read as U+FFFD", part=path)


@cache
def _observation_pattern() -> re.Pattern[str]:
    """`[category] text`."""
    return re.compile(r"\[([^\[\]()]{1,80})\]\s+(.+)", re.DOTALL)


@cache
def _relation_pattern() -> re.Pattern[str]:
    """`type [[Target]] (context)`, of which only the target must be there."""
    kind = r"(?:(\"[^\"]{1,80}\"|'[^']{1,80}')|([^\s\[\]]{1,80}))?"
    return re.compile(kind + r"\s*\[\[([^\[\]]{1,300})\]\](?:\s*\(([^()]{1,500})\))?")


LOG_ROLE_ACTORS = {"user": "owner", "assistant": "agent", "tool": "tool", "system": "system"}
PENDING_FILE = "_pending.md"
IGNORED_FILES = {"config.yaml": "settings", "aliases.yaml": "synonyms; copy them to memory/aliases.yaml"}
ReadItem = ImportedMemory | SetAside | Blank


def read_memoryclaw(location: MemoryLocation) -> Iterator[ReadItem]:
    """What the folder holds, file by file."""
    for found in walk_directory(location.path):
        yield from reject_unreadable(found, _read_folder_file(location.path, found))


def _read_folder_file(root: str, entry: ExternalFile) -> Iterator[ReadItem]:
    folder, _, name = entry.path.rpartition("/")
    top = entry.path.partition("/")[0]
    if entry.unreadable_reason:
        yield reject_item(entry.path, 0, entry.unreadable_reason)
    elif name in IGNORED_FILES:
        yield Blank(0, 0, IGNORED_FILES[name], entry.path)
    elif top == "logs" and name.endswith(".md"):
        yield from _read_conversation_log(root, entry)
    elif top == "skills" and name.endswith(".json"):
        yield from _read_skill_file(root, entry)
    elif top in ("episodes", "semantic") and name.endswith(".md"):
        yield from _read_page(root, entry, is_episode=top == "episodes")
    elif folder and top == "index":
        yield Blank(0, 0, "an index, which is derived", entry.path)
    else:
        yield Blank(0, 0, "no file of MemoryClaw's", entry.path)


def _read_page(root: str, entry: ExternalFile, *, is_episode: bool) -> Iterator[ReadItem]:
    """An episode or a page of facts; what waits for review there is as doubtful here."""
    for one in read_note(root, entry):
        if not isinstance(one, ImportedMemory):
            yield one
        elif entry.path.endswith(f"/{PENDING_FILE}"):
            yield structs.replace(one, kind="pending", distilled=False, trust="untrusted")
        elif is_episode:
            yield structs.replace(one, kind="episode", category="event", distilled=False)
        else:
            yield structs.replace(one, kind="fact", distilled=True)


def _read_conversation_log(root: str, entry: ExternalFile) -> Iterator[ReadItem]:
    """A conversation: `### role (2025-04-08 14:32)` and what was said below it."""
    if entry.size > MAX_NOTE_BYTES:
        yield reject_item(entry.path, 0, f"a log of {entry.size} bytes, more than {MAX_NOTE_BYTES}")
        return
    with open_in_directory(root, entry.path) as file:
        lines = file.read(MAX_NOTE_BYTES).decode("utf-8", "replace").split("\n")
    starts = [(at, head) for at, line in enumerate(lines) if (head := _log_heading_pattern().fullmatch(line.rstrip()))]
    if not starts:
        yield reject_item(entry.path, 1, "a log without a message")
    ends = [at for at, _head in starts[1:]] + [len(lines)]
    session = entry.path.rsplit("/", 1)[-1].removesuffix("_raw.md")
    for (at, head), end in zip(starts, ends, strict=True):
        yield ImportedMemory(
            text="\n".join(lines[at + 1 : end]).strip(),
            kind="message",
            id=f"{session}#{at + 1}",
            part=entry.path.rsplit("/", 1)[-1],  # a log moves when it was processed
            line=at + 1,
            time=head[2].replace(" ", "T"),
            actor=LOG_ROLE_ACTORS.get(head[1].lower(), "tool"),
            type="message",
            session=session,
        )


def _read_skill_file(root: str, entry: ExternalFile) -> Iterator[ReadItem]:
    with open_in_directory(root, entry.path) as file:
        data = file.read(MAX_NOTE_BYTES + 1)
    told = (
        decode_json_strictly(data, dict)
        if len(data) <= MAX_NOTE_BYTES
        else ParseFailure(f"a skill of more than {MAX_NOTE_BYTES} bytes")
    )
    if isinstance(told, ParseFailure):
        yield reject_item(entry.path, 1, told.reason)
    elif told.get("status") == "rejected":
        yield Blank(0, 1, "a skill that was rejected", entry.path)
    else:
        name, triggers = str(told.get("name") or ""), told.get("triggers")
        words = ", ".join(map(str, triggers)) if isinstance(triggers, list) else ""
        detail = {"steps": told.get("steps"), "status": told.get("status")}
        said = f"Skill {name}: for {words}." if words else f"Skill {name}."
        yield ImportedMemory(
            text=said, kind="skill", id=entry.path, part=entry.path, line=1, category="procedure", detail=detail
        )


@cache
def _log_heading_pattern() -> re.Pattern[str]:
    return re.compile(r"###\s+(\w+)\s+\((\d{4}-\d\d-\d\d(?: \d\d:\d\d)?)[^)]*\)")
