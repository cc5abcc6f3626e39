"""One item of another memory system, and how it becomes an event."""

from __future__ import annotations

from typing import Any, Literal, get_args

from msgspec import Struct, structs

from commonplace.capture.imports.events import (
    MAX_SAMPLE_CHARS,
    Blank,
    Fields,
    ImportedEvent,
    NoEvent,
    ParseFailure,
    SetAside,
    StreamPosition,
    limit_detail,
    truncate_before_word,
)
from commonplace.capture.imports.message_content import set_event_time
from commonplace.storage import files

MemorySystem = Literal[
    "memory-core", "memory-lancedb", "memoria", "openclaw-mem", "memoryclaw", "basic-memory", "obsidian", "mem0"
]
SYSTEMS: tuple[MemorySystem, ...] = get_args(MemorySystem)
MAX_FIELD_CHARS = 200  # characters of a session, agent or scope

# The category for the words by which other memories classify facts.
CATEGORY_SYNONYMS: dict[str, str] = {
    **{name: name for name in ("fact", "preference", "decision", "event", "plan", "lesson")},
    **{name: name for name in ("tool", "person", "project", "procedure", "note")},
    **dict.fromkeys(("learning", "lessons", "erreur", "error", "gotcha"), "lesson"),
    **dict.fromkeys(("preferences", "like"), "preference"),
    **dict.fromkeys(("decisions",), "decision"),
    **dict.fromkeys(("chronologie", "episode", "meeting"), "event"),
    **dict.fromkeys(("todo", "task", "goal", "idea"), "plan"),
    **dict.fromkeys(("outil", "infrastructure", "config", "configuration"), "tool"),
    **dict.fromkeys(("rh", "client", "people", "contact", "contacts", "personal_details"), "person"),
    **dict.fromkeys(("projects",), "project"),
    **dict.fromkeys(("technique", "method", "howto", "how-to", "reflection"), "procedure"),
}


class MemoryLocation(Struct, frozen=True):
    """The location of a memory: the path as the user named it, and whether it is a folder."""

    path: str
    is_folder: bool


class ImportedMemory(Struct, frozen=True, kw_only=True):
    """One item of another memory.

    `kind` is its word for what it is (`fact`, `message`, …), `id` its unique name there, `part` the file or table,
    `line` the line or row in it, `time` when it was said, in any form. `distilled`: it is a statement made to be
    stored, not what somebody said. `trust` can lower its trust, whoever vouches for it.
    """

    text: str
    kind: str
    id: str
    part: str = ""
    offset: int = 0
    line: int = 0
    time: Any = None
    actor: str = "owner"
    type: str = "note"
    owner_name: str = ""
    trust: str = ""
    session: str = ""
    agent: str = ""
    scope: str = ""
    category: str = ""
    confidence: Any = None
    distilled: bool = False
    detail: Fields = {}


MemoryItem = ImportedMemory | SetAside | Blank


def locate_memory(item: ImportedMemory | NoEvent | ParseFailure, part: str, position: StreamPosition) -> MemoryItem:
    """What was read at a position of a file or table, with that position."""
    if isinstance(item, NoEvent):
        return Blank(position.offset, position.line, item.reason, part)
    if isinstance(item, ParseFailure):
        return SetAside(position.offset, position.line, item.reason, part=part)
    return structs.replace(item, part=part, offset=position.offset, line=position.line)


def memory_to_event(system: MemorySystem, imported_memory: ImportedMemory) -> ImportedEvent | SetAside:
    """The event of a memory with its key; one without text is set aside."""
    if not imported_memory.text or imported_memory.text.isspace():
        return SetAside(imported_memory.offset, imported_memory.line, "no text", part=imported_memory.part)
    fields: Fields = {"text": imported_memory.text, "actor": imported_memory.actor, "type": imported_memory.type}
    set_event_time(fields, imported_memory.time)
    for name in ("session", "agent", "scope"):
        if value := getattr(imported_memory, name):
            fields[name] = truncate_before_word(value, MAX_FIELD_CHARS)
    if imported_memory.trust:
        fields["origin"] = imported_memory.trust
    detail = {**limit_detail(imported_memory.detail), **fields.get("detail", {})}
    if detail:
        fields["detail"] = detail
    return ImportedEvent(
        fields,
        imported_memory.offset,
        imported_memory.line,
        keys=(compute_memory_key(system, imported_memory),),
        part=imported_memory.part,
        import_detail=_build_import_detail(system, imported_memory),
        owner_name=imported_memory.owner_name,
    )


def compute_memory_key(system: MemorySystem, imported_memory: ImportedMemory) -> str:
    """The key of a memory: a digest of its system, its id there and its text, so that a changed one is new."""
    said = "\0".join(("import", system, imported_memory.id, imported_memory.actor, imported_memory.text))
    return files.content_digest(said.encode("utf-8", "surrogatepass"))


def reject_item(part: str, line_number: int, reason: str, text: str = "") -> SetAside:
    """A file, row or line that is set aside."""
    return SetAside(0, line_number, reason, truncate_before_word(text, MAX_SAMPLE_CHARS), part)


def parse_share(raw_value: Any) -> float | None:
    """A number from 0 to 1; None for any other value."""
    try:
        number = float(raw_value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if 0 <= number <= 1 else None


def _build_import_detail(system: MemorySystem, imported_memory: ImportedMemory) -> Fields:
    told = {
        "system": system,
        "kind": imported_memory.kind,
        "id": imported_memory.id,
        "part": imported_memory.part,
        "line": imported_memory.line,
        "time": "" if imported_memory.time is None else truncate_before_word(str(imported_memory.time), 100),
        "category": CATEGORY_SYNONYMS.get(imported_memory.category.strip().casefold(), ""),
        "confidence": parse_share(imported_memory.confidence),
        "distilled": imported_memory.distilled,
    }
    return {name: value for name, value in told.items() if value or (name == "confidence" and value is not None)}
