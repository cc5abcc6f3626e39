"""What another memory holds, as its reader tells it; and how that becomes an event."""

from __future__ import annotations

from typing import Any, Literal, get_args

from msgspec import Struct

from commonplace import files
from commonplace.imports.bounds import bounded, cut
from commonplace.imports.nouns import MOST_SAMPLE, Event, Fields, SetAside
from commonplace.imports.times import set_time

System = Literal[
    "memory-core", "memory-lancedb", "memoria", "openclaw-mem", "memoryclaw", "basic-memory", "obsidian", "mem0"
]
SYSTEMS: tuple[System, ...] = get_args(System)
NO_TEXT = "no text"
MOST_NAME = 200  # characters of a session, agent or scope

# What other memories call a class of facts, as ours; words that are equal stand for themselves.
CATEGORIES: dict[str, str] = {
    **{
        word: word
        for word in (
            *("fact", "preference", "decision", "event", "plan", "lesson"),
            *("tool", "person", "project", "procedure", "note"),
        )
    },
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


class Place(Struct, frozen=True):
    """Where a memory lies: the path as the user named it, and whether that is a folder."""

    path: str
    is_folder: bool


class Memory(Struct, frozen=True, kw_only=True):
    """One thing that another memory holds.

    `kind` is its word for what it is (`fact`, `message`, …), `id` its name, which no other has there, `part` the file
    or table, `line` the line or row in it, `time` when it was said, in whatever form. `distilled` says that it is a
    statement made to be kept, and not what somebody said. `trust` can lower how far it is believed, whoever vouches.
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
    whose: str = ""
    trust: str = ""
    session: str = ""
    agent: str = ""
    scope: str = ""
    category: str = ""
    confidence: Any = None
    distilled: bool = False
    detail: Fields = {}


def event_of(system: System, memory: Memory) -> Event | SetAside:
    """The event of a memory, with the key under which its source knows it; one without text is set aside."""
    if not memory.text or memory.text.isspace():
        return SetAside(memory.offset, memory.line, NO_TEXT, part=memory.part)
    fields: Fields = {"text": memory.text, "actor": memory.actor, "type": memory.type}
    set_time(fields, memory.time)
    for name in ("session", "agent", "scope"):
        if value := getattr(memory, name):
            fields[name] = cut(value, MOST_NAME)
    if memory.trust:
        fields["origin"] = memory.trust
    detail = {**bounded(memory.detail), **fields.get("detail", {})}
    if detail:
        fields["detail"] = detail
    return Event(
        fields,
        memory.offset,
        memory.line,
        keys=(key_of(system, memory),),
        part=memory.part,
        brought=_brought(system, memory),
        whose=memory.whose,
    )


def key_of(system: System, memory: Memory) -> str:
    """What tells a memory from any other: its system, its name there, what it says. A changed one is another."""
    said = "\0".join(("import", system, memory.id, memory.actor, memory.text))
    return files.digest(said.encode("utf-8", "surrogatepass"))


def aside(part: str, line: int, reason: str, said: str = "") -> SetAside:
    """A file, row or line that is set aside."""
    return SetAside(0, line, reason, cut(said, MOST_SAMPLE), part)


def number_of(value: Any) -> float | None:
    """A share from 0 to 1, if that is what a value says."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if 0 <= number <= 1 else None


def _brought(system: System, memory: Memory) -> Fields:
    told = {
        "system": system,
        "kind": memory.kind,
        "id": memory.id,
        "part": memory.part,
        "line": memory.line,
        "time": "" if memory.time is None else cut(str(memory.time), 100),
        "category": CATEGORIES.get(memory.category.strip().casefold(), ""),
        "confidence": number_of(memory.confidence),
        "distilled": memory.distilled,
    }
    return {name: value for name, value in told.items() if value or (name == "confidence" and value is not None)}
