"""Detects the memory system at a path, and reads it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from itertools import islice

from commonplace.capture.imports.events import StreamItem
from commonplace.capture.imports.memories.foreign_database import SQLITE_MAGIC, open_foreign_database
from commonplace.capture.imports.memories.imported_memory import SYSTEMS, ImportedMemory, MemorySystem, memory_to_event
from commonplace.capture.imports.reader import detect_format
from commonplace.capture.imports.streams import ByteStream
from commonplace.errors import BadArgument, NotFound, OutsideWorkspace
from commonplace.storage.archives import ARCHIVE_MAGIC
from commonplace.storage.files import list_folder_names, open_in_directory, open_user_file, walk_directory

SYSTEM_TABLES: tuple[tuple[MemorySystem, str, tuple[str, ...]], ...] = (
    ("memory-core", "memory_index_chunks", ("path", "start_line", "text")),
    ("memory-core", "chunks", ("path", "start_line", "text")),
    ("memoria", "facts", ("fact", "category", "created_at")),
    ("openclaw-mem", "observations", ("summary", "detail_json")),
    ("openclaw-mem", "episodic_events", ("event_id", "ts_ms", "summary")),
    ("mem0", "history", ("memory_id", "new_memory", "event")),
)
SYSTEM_DATABASES: dict[MemorySystem, tuple[str, ...]] = {
    "memoria": ("memoria.db", "memory/memoria.db", "cortex.db", "memory/cortex.db"),
    "openclaw-mem": ("openclaw-mem.sqlite", "memory/openclaw-mem.sqlite"),
    "memory-core": ("openclaw-agent.sqlite", "agent/openclaw-agent.sqlite"),
    "mem0": ("history.db",),
}
OPENCLAW_FILES = ("AGENTS.md", "SOUL.md", "IDENTITY.md", "MEMORY.md", "memory.md")
MAX_SAMPLED_NOTES = 200
NOTE_HEAD_BYTES = 4096
PERMALINK = r"(?:\ufeff)?---\n(?:.*\n)*?permalink:\s*\S"
FORMAT_HINT = f"name the format with --format: {', '.join(SYSTEMS)}"


def find_memory(path: str, system: MemorySystem | None = None) -> tuple[MemorySystem, str]:
    """The memory system at a path, and the file or folder to read. Raises BadArgument for an unknown one, NotFound."""
    path = path.rstrip("/") or path
    if not os.path.lexists(path):
        raise NotFound("file or folder", path)
    if not os.path.isdir(path):
        return system or _detect_file_system(path), path
    if path.endswith(".lance"):
        path = os.path.dirname(path) or "."
    if system is None:
        system, path = _detect_folder_system(path)
    names = (f"{path}/{name}" for name in SYSTEM_DATABASES.get(system, ()))
    inside = next(filter(os.path.isfile, names), "")
    if inside and not _is_capsule(path):
        return system, inside
    if system in ("memoria", "memory-core", "mem0"):
        raise BadArgument(
            f"there is no {SYSTEM_DATABASES[system][0]} in {path!r}", path=path, hint="name the file itself"
        )
    return system, path


def _detect_file_system(path: str) -> MemorySystem:
    with open_user_file(path) as (file, _identity):
        stream = ByteStream(file)
    if stream.head.startswith(SQLITE_MAGIC):
        with open_foreign_database(path) as database:
            for system, table, columns in SYSTEM_TABLES:
                if database.has_columns(table, *columns):
                    return system
            tables = ", ".join(list(database.tables)[:8]) or "none"
        raise BadArgument(f"{path!r} is a database of no memory that is known; its tables: {tables}", path=path)
    if stream.head.startswith(ARCHIVE_MAGIC):
        return "commonplace"
    if stream.head_text.lstrip()[:1] in ("[", "{") and (found := _detect_export_system(stream.head_text)):
        return found
    if path.lower().endswith(".md"):
        raise BadArgument(f"{path!r} is a single note; name its folder", path=path)
    is_transcript = detect_format(stream.head_text) != "jsonl" or '"text"' in stream.head_text
    hint = "transcripts come in with `commonplace ingest`" if is_transcript else FORMAT_HINT
    raise BadArgument(f"{path!r} contains no known kind of memory", path=path, hint=hint)


def _detect_export_system(beginning: str) -> MemorySystem | None:
    keys = set(re.findall(r'"(\w+)"\s*:', beginning))
    if "memory" in keys and keys & {"user_id", "hash", "agent_id", "run_id", "created_at", "metadata"}:
        return "mem0"
    if {"results", "id", "memory"} <= keys or {"memories", "apps", "content"} <= keys:
        return "mem0"
    if {"id", "text"} <= keys and ("createdAt" in keys or {"importance", "category", "timestamp"} <= keys):
        return "memory-lancedb"
    return None


def _detect_folder_system(path: str) -> tuple[MemorySystem, str]:
    there = set(list_folder_names(path))
    if _is_capsule(path):
        return "openclaw-mem", path
    if any(name.endswith(".lance") for name in there):
        return "memory-lancedb", path
    if {"episodes", "semantic"} <= there and "memory" not in there:
        return "memoryclaw", path
    if {"episodes", "semantic"}.issubset(list_folder_names(f"{path}/memoryclaw")):
        return "memoryclaw", f"{path}/memoryclaw"
    if ".obsidian" in there:
        return "obsidian", path
    if there.intersection(OPENCLAW_FILES) and ("memory" in there or "AGENTS.md" in there):
        hint = (
            f"use it where it is: `commonplace --workspace {path}`; to copy its notes all the same: --format obsidian"
        )
        raise BadArgument(f"{path!r} is a workspace already, and needs no import", path=path, hint=hint)
    for system, names in SYSTEM_DATABASES.items():
        if any(os.path.isfile(f"{path}/{name}") for name in names):
            return system, path
    return _detect_notes_system(path), path


def _detect_notes_system(path: str) -> MemorySystem:
    """A folder of Markdown: basic-memory writes a permalink into each note."""
    entries = (entry for entry in walk_directory(path) if entry.path.lower().endswith(".md"))
    notes = list(islice((entry for entry in entries if not entry.unreadable_reason), MAX_SAMPLED_NOTES))
    for entry in notes:
        with suppress(NotFound, OutsideWorkspace), open_in_directory(path, entry.path) as file:
            if re.match(PERMALINK, file.read(NOTE_HEAD_BYTES).decode("utf-8", "replace")):
                return "basic-memory"
    if not notes:
        raise BadArgument(f"{path!r} contains no known kind of memory", path=path, hint=FORMAT_HINT)
    return "obsidian"


def _is_capsule(path: str) -> bool:
    names = list_folder_names(path)
    return "manifest.json" in names and ("bundle.json" in names or "observations.jsonl" in names)


SYSTEM_READERS: dict[MemorySystem, tuple[str, str]] = {
    "memory-core": ("sqlite_memories", "read_memory_core"),
    "memory-lancedb": ("json_exports", "read_lancedb"),
    "memoria": ("sqlite_memories", "read_memoria"),
    "openclaw-mem": ("openclaw_mem", "read_openclaw_mem"),
    "memoryclaw": ("markdown_notes", "read_memoryclaw"),
    "basic-memory": ("markdown_notes", "read_notes"),
    "obsidian": ("markdown_notes", "read_notes"),
    "mem0": ("json_exports", "read_mem0"),
    "commonplace": ("own_archives", "read_own_archive"),
}


def read_memory(system: MemorySystem, path: str) -> Iterator[StreamItem]:
    """The events of another memory, and the entries that are not events, one by one. Raises BadArgument, NotFound or
    OutsideWorkspace if it cannot be read at all."""
    module, function = SYSTEM_READERS[system]
    read = getattr(import_module(f"commonplace.capture.imports.memories.{module}"), function)
    for item in read(path):
        yield memory_to_event(system, item) if isinstance(item, ImportedMemory) else item
