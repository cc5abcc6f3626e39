"""Another memory becomes events: the one door of this room."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from commonplace.imports.memories.nouns import Memory, Place, System, event_of
from commonplace.imports.nouns import Item

READERS: dict[System, tuple[str, str]] = {
    "memory-core": ("chunks", "read"),
    "memory-lancedb": ("lance", "read"),
    "memoria": ("memoria", "read"),
    "openclaw-mem": ("openclaw_mem", "read"),
    "memoryclaw": ("memoryclaw", "read"),
    "basic-memory": ("notes", "read"),
    "obsidian": ("notes", "read"),
    "mem0": ("exports", "read_mem0"),
}


def bring(system: System, place: Place) -> Iterator[Item]:
    """The events of another memory, with what is none of them, one by one. Raises BadArgument, NotFound,
    OutsideWorkspace for what cannot be read at all."""
    module, function = READERS[system]
    read = getattr(import_module(f"commonplace.imports.memories.{module}"), function)
    for found in read(place):
        yield event_of(system, found) if isinstance(found, Memory) else found
