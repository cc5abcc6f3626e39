"""One item of another memory system, and how it becomes an event."""

from __future__ import annotations

from typing import Any, Literal, get_args

from msgspec import Struct, structs

from commonplace.capture.imports import events
from commonplace.capture.imports.message_content import set_event_time
from commonplace.storage import files

MemorySystem = Literal[
    "memory-core",
    "memory-lancedb",
    "memoria",
    "openclaw-mem",
    "memoryclaw",
    "basic-memory",
    "obsidian",
    "mem0",
    "commonplace",
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
    detail: events.Fields = {}


MemoryItem = ImportedMemory | events.SetAside | events.Blank


def locate_memory(
    item: ImportedMemory | events.NoEvent | events.ParseFailure, part: str, position: events.StreamPosition
) -> MemoryItem:
    """The memory read at a position of a file or table, with that position."""
    if isinstance(item, events.NoEvent):
        return events.Blank(position.offset, position.line, item.reason, part)
    if isinstance(item, events.ParseFailure):
        return events.SetAside(position.offset, position.line, item.reason, part=part)
    return structs.replace(item, part=part, offset=position.offset, line=position.line)


def memory_to_event(system: MemorySystem, memory: ImportedMemory) -> events.ImportedEvent | events.SetAside:
    """The event of a memory, by whose key (system, id, text) a changed one is new; one without text is set aside."""
    if not memory.text or memory.text.isspace():
        return events.SetAside(memory.offset, memory.line, "no text", part=memory.part)
    fields: events.Fields = {"text": memory.text, "actor": memory.actor, "type": memory.type}
    set_event_time(fields, memory.time)
    for name in ("session", "agent", "scope"):
        if value := getattr(memory, name):
            fields[name] = events.truncate_before_word(value, MAX_FIELD_CHARS)
    if memory.trust:
        fields["origin"] = memory.trust
    detail = {**events.truncate_json(memory.detail), **fields.get("detail", {})}
    if detail:
        fields["detail"] = detail
    identity = "\0".join(("import", system, memory.id, memory.actor, memory.text))
    return events.ImportedEvent(
        fields,
        memory.offset,
        memory.line,
        keys=(files.text_digest(identity),),
        part=memory.part,
        import_detail=_build_import_detail(system, memory),
        owner_name=memory.owner_name,
    )


def reject_item(part: str, line_number: int, reason: str, text: str = "") -> events.SetAside:
    """A file, row or line that is set aside."""
    return events.SetAside(0, line_number, reason, events.truncate_before_word(text, events.MAX_SAMPLE_CHARS), part)


def _build_import_detail(system: MemorySystem, memory: ImportedMemory) -> events.Fields:
    try:
        confidence = float(memory.confidence)
    except (TypeError, ValueError, OverflowError):
        confidence = -1.0
    return {
        "system": system,
        "kind": memory.kind,
        "id": memory.id,
        "part": memory.part,
        "line": memory.line,
        "time": "" if memory.time is None else events.truncate_before_word(str(memory.time), 100),
        "category": CATEGORY_SYNONYMS.get(memory.category.strip().casefold(), ""),
        "confidence": confidence if 0 <= confidence <= 1 else None,
        "distilled": memory.distilled,
    }
