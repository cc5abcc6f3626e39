"""Reads folders of Markdown notes: basic-memory, Obsidian and MemoryClaw."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from msgspec import structs

from commonplace.capture.imports.events import Blank, ParseFailure, SetAside
from commonplace.capture.imports.memories.imported_memory import ImportedMemory, MemoryItem, reject_item
from commonplace.capture.imports.streams import decode_json_strictly
from commonplace.errors import NotFound, OutsideWorkspace
from commonplace.model import Document, Record
from commonplace.storage import files
from commonplace.storage.files import ExternalFile, describe_read_error, open_in_directory, walk_directory
from commonplace.storage.workspace import parse_document, read_front_matter

MAX_NOTE_BYTES = 4 << 20
MAX_TITLES = 3  # above a line, which is imported with them
MAX_TITLE_CHARS = 300
DATE_KEYS = ("created", "date", "timestamp", "created_at", "updated", "modified")
CHECKBOX_STATUSES = frozenset(" xX-/>?!*")
DISTILLED_FORMS = ("retain", "keyvalue")
OBSERVATION = r"(?s)\[([^\[\]()]{1,80})\]\s+(.+)"  # `[category] text`
RELATION = (  # `type [[Target]] (context)`, of which only the target must be there
    r"(?:(\"[^\"]{1,80}\"|'[^']{1,80}')|([^\s\[\]]{1,80}))?\s*\[\[([^\[\]]{1,300})\]\](?:\s*\(([^()]{1,500})\))?"
)
FileReader = Callable[[ExternalFile, bytes], Iterator[MemoryItem]]


def read_notes(path: str) -> Iterator[MemoryItem]:
    """The memories of every note below the folder."""
    for entry in walk_directory(path):
        if entry.unreadable_reason and entry.path.lower().endswith((".md", "/")):
            yield reject_item(entry.path, 0, entry.unreadable_reason)
        elif entry.path.lower().endswith(".md"):
            yield from _read_entry(path, entry, _read_note)


def _read_entry(root: str, entry: ExternalFile, read_data: FileReader) -> Iterator[MemoryItem]:
    """The entries that a reader makes of a file; a file that may not be read, or no longer exists, is set aside."""
    try:
        with open_in_directory(root, entry.path) as file:
            data = file.read(MAX_NOTE_BYTES + 1)
    except (NotFound, OutsideWorkspace) as error:
        yield reject_item(entry.path, 0, describe_read_error(error))
    else:
        yield from read_data(entry, data)


def _read_note(entry: ExternalFile, data: bytes) -> Iterator[MemoryItem]:
    if entry.size > MAX_NOTE_BYTES:
        yield reject_item(entry.path, 0, f"a note of {entry.size} bytes, more than {MAX_NOTE_BYTES}")
        return
    memories: list[MemoryItem] = [
        structs.replace(memory, time=memory.time or entry.modified) for memory in parse_note_memories(entry.path, data)
    ]
    yield from memories or [Blank(0, 1, "a note without text", entry.path)]
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        yield SetAside(error.start, line, "not UTF-8 here; the bytes were read as U+FFFD", part=entry.path)


def parse_note_memories(path: str, data: bytes) -> Iterator[ImportedMemory]:
    """The memories of a note as the parser of a workspace reads them, each understandable by itself."""
    document, head = parse_document(path, data), data[: 64 << 10].decode("utf-8", "replace")
    dated = read_front_matter(head.split("\n")).text(*DATE_KEYS) if head.startswith("---") else ""
    seen: dict[str, int] = {}
    for record in document.records:
        memory = _record_to_memory(document, record, dated)
        again = seen[memory.text] = seen.get(memory.text, 0) + 1
        yield structs.replace(memory, id=f"{memory.id}#{again}")


def _record_to_memory(document: Document, record: Record, note_date: str) -> ImportedMemory:
    title = document.title or document.path.rsplit("/", 1)[-1].removesuffix(".md")
    observed = re.match(OBSERVATION, record.text) if record.form == "item" else None
    related = re.fullmatch(RELATION, record.text) if record.form == "item" else None
    kind, text, distilled = str(record.form), record.text, record.form in DISTILLED_FORMS
    category: str = record.category
    detail: dict[str, object] = {"tags": list(record.tags)} if record.tags else {}
    if observed and observed[1].strip() not in CHECKBOX_STATUSES:
        kind, distilled = "observation", True
        detail["category"] = category = observed[1].strip()
        text = _prefix_titles(observed[2], (title,))
    elif related:
        kind, distilled, category = "relation", bool(related[1] or related[2]), "fact"
        words = (related[1] or related[2] or "links to").strip("\"' ").replace("_", " ")
        target = related[3].partition("|")[0].partition("#")[0]
        text = f"{title} {words} {target}{f' ({related[4]})' if related[4] else ''}."
    else:
        text = _prefix_titles(text, (title, *record.heading))
    if record.links:
        detail["links"] = list(record.links)
    return ImportedMemory(
        text=text,
        kind=kind,
        id=f"{document.path}#{files.text_digest(record.text)[:16]}",
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


def _prefix_titles(text: str, titles: tuple[str, ...]) -> str:
    """A line below its titles, unless it names them: alone it would not say what it is about."""
    low = text.casefold()
    missing = [title for title in dict.fromkeys(titles) if title and title.casefold() not in low][-MAX_TITLES:]
    above = " › ".join(missing)[:MAX_TITLE_CHARS].rstrip(": ")
    return f"{above}: {text}" if above else text


LOG_ROLE_ACTORS = {"user": "owner", "assistant": "agent", "tool": "tool", "system": "system"}
PENDING_FILE = "_pending.md"
IGNORED_FILES = {"config.yaml": "settings", "aliases.yaml": "synonyms; copy them to memory/aliases.yaml"}
LOG_HEADING = r"###\s+(\w+)\s+\((\d{4}-\d\d-\d\d(?: \d\d:\d\d)?)[^)]*\)"  # `### role (2025-04-08 14:32)`


def read_memoryclaw(path: str) -> Iterator[MemoryItem]:
    """The memories of a MemoryClaw folder, file by file."""
    for entry in walk_directory(path):
        if entry.unreadable_reason:
            yield reject_item(entry.path, 0, entry.unreadable_reason)
        elif isinstance(reader := _choose_reader(entry.path), str):
            yield Blank(0, 0, reader, entry.path)
        else:
            yield from _read_entry(path, entry, reader)


def _choose_reader(path: str) -> FileReader | str:
    """The reader of a file, or why the file is skipped."""
    folder, _, name = path.rpartition("/")
    top = path.partition("/")[0]
    if name in IGNORED_FILES:
        return IGNORED_FILES[name]
    if top == "logs" and name.endswith(".md"):
        return _read_conversation_log
    if top == "skills" and name.endswith(".json"):
        return _read_skill_file
    if top in ("episodes", "semantic") and name.endswith(".md"):
        return _read_page
    return "an index, which is derived" if folder and top == "index" else "no file of MemoryClaw's"


def _read_page(entry: ExternalFile, data: bytes) -> Iterator[MemoryItem]:
    """An episode or a page of facts; what waits for review there is untrusted here."""
    for memory in _read_note(entry, data):
        if not isinstance(memory, ImportedMemory):
            yield memory
        elif entry.path.endswith(f"/{PENDING_FILE}"):
            yield structs.replace(memory, kind="pending", distilled=False, trust="untrusted")
        elif entry.path.startswith("episodes/"):
            yield structs.replace(memory, kind="episode", category="event", distilled=False)
        else:
            yield structs.replace(memory, kind="fact", distilled=True)


def _read_conversation_log(entry: ExternalFile, data: bytes) -> Iterator[MemoryItem]:
    """The messages of a conversation, each below its heading."""
    if entry.size > MAX_NOTE_BYTES:
        yield reject_item(entry.path, 0, f"a log of {entry.size} bytes, more than {MAX_NOTE_BYTES}")
        return
    lines = data[:MAX_NOTE_BYTES].decode("utf-8", "replace").split("\n")
    starts = [(at, head) for at, line in enumerate(lines) if (head := re.fullmatch(LOG_HEADING, line.rstrip()))]
    if not starts:
        yield reject_item(entry.path, 1, "a log without a message")
    ends = [at for at, _head in starts[1:]] + [len(lines)]
    name = entry.path.rsplit("/", 1)[-1]
    session = name.removesuffix("_raw.md")
    for (at, head), end in zip(starts, ends, strict=True):
        yield ImportedMemory(
            text="\n".join(lines[at + 1 : end]).strip(),
            kind="message",
            id=f"{session}#{at + 1}",
            part=name,  # without its folder: a log moves when it was processed
            line=at + 1,
            time=head[2].replace(" ", "T"),
            actor=LOG_ROLE_ACTORS.get(head[1].lower(), "tool"),
            type="message",
            session=session,
        )


def _read_skill_file(entry: ExternalFile, data: bytes) -> Iterator[MemoryItem]:
    if len(data) > MAX_NOTE_BYTES:
        skill = ParseFailure(f"a skill of more than {MAX_NOTE_BYTES} bytes")
    else:
        skill = decode_json_strictly(data, dict)
    if isinstance(skill, ParseFailure):
        yield reject_item(entry.path, 1, skill.reason)
    elif skill.get("status") == "rejected":
        yield Blank(0, 1, "a skill that was rejected", entry.path)
    else:
        name, triggers = str(skill.get("name") or ""), skill.get("triggers")
        words = ", ".join(map(str, triggers)) if isinstance(triggers, list) else ""
        text = f"Skill {name}: for {words}." if words else f"Skill {name}."
        detail = {"steps": skill.get("steps"), "status": skill.get("status")}
        yield ImportedMemory(
            text=text, kind="skill", id=entry.path, part=entry.path, line=1, category="procedure", detail=detail
        )
