"""Which memory lies at a path: told by the tables, the keys or the folders that are there."""

from __future__ import annotations

import os
import re
from functools import cache

from commonplace.errors import BadArgument, NotFound, OutsideWorkspace
from commonplace.files import named
from commonplace.files.elsewhere import Found, opened, walk
from commonplace.imports.detect import format_of
from commonplace.imports.lines import Stream
from commonplace.imports.memories.database import MAGIC, Database
from commonplace.imports.memories.database import opened as opened_database
from commonplace.imports.memories.nouns import SYSTEMS, Place, System

TABLES: tuple[tuple[System, str, tuple[str, ...]], ...] = (
    ("memory-core", "memory_index_chunks", ("path", "start_line", "text")),
    ("memory-core", "chunks", ("path", "start_line", "text")),
    ("memoria", "facts", ("fact", "category", "created_at")),
    ("openclaw-mem", "observations", ("summary", "detail_json")),
    ("openclaw-mem", "episodic_events", ("event_id", "ts_ms", "summary")),
    ("mem0", "history", ("memory_id", "new_memory", "event")),
)
WITHIN: dict[System, tuple[str, ...]] = {
    "memoria": ("memoria.db", "memory/memoria.db", "cortex.db", "memory/cortex.db"),
    "openclaw-mem": ("openclaw-mem.sqlite", "memory/openclaw-mem.sqlite"),
    "memory-core": ("openclaw-agent.sqlite", "agent/openclaw-agent.sqlite"),
    "mem0": ("history.db",),
}
OF_OPENCLAW = ("AGENTS.md", "SOUL.md", "IDENTITY.md", "MEMORY.md", "memory.md")
MOST_NOTES = 200  # that are looked at
HEAD = 4096  # bytes of one
FORMATS = f"say which with --format: {', '.join(SYSTEMS)}"


def find(path: str, system: System | None = None) -> tuple[System, Place]:
    """The memory at a path, and where in it to read. Raises BadArgument for what is none that is known, NotFound."""
    path = path.rstrip("/") or path
    if not os.path.lexists(path):
        raise NotFound("file or folder", path)
    if not os.path.isdir(path):
        return system or _of_file(path), Place(path, is_folder=False)
    if path.endswith(".lance"):
        path = os.path.dirname(path) or "."
    if system is None:
        system, path = _of_folder(path)
    inside = next((f"{path}/{name}" for name in WITHIN.get(system, ()) if os.path.isfile(f"{path}/{name}")), "")
    if inside and not _is_capsule(path):
        return system, Place(inside, is_folder=False)
    if system in ("memoria", "memory-core", "mem0"):
        raise BadArgument(f"there is no {WITHIN[system][0]} in {path!r}", path=path, hint="name the file itself")
    return system, Place(path, is_folder=True)


def _of_file(path: str) -> System:
    with named(path) as (file, _identity):
        stream = Stream(file)
    if stream.head.startswith(MAGIC):
        with opened_database(path) as database:
            return _of_database(path, database)
    if stream.beginning.lstrip()[:1] in ("[", "{") and (found := _of_keys(stream.beginning)):
        return found
    if path.lower().endswith(".md"):
        raise BadArgument(f"{path!r} is a note; name the folder that holds it", path=path)
    hint = "transcripts come in with `commonplace ingest`" if _is_transcript(stream.beginning) else FORMATS
    raise BadArgument(f"{path!r} holds no memory that is known", path=path, hint=hint)


def _is_transcript(beginning: str) -> bool:
    return format_of(beginning) != "jsonl" or '"text"' in beginning


def _of_database(path: str, database: Database) -> System:
    for system, table, columns in TABLES:
        if database.has(table, *columns):
            return system
    tables = ", ".join(list(database.tables)[:8]) or "none"
    raise BadArgument(f"{path!r} is a database of no memory that is known; its tables: {tables}", path=path)


def _of_keys(beginning: str) -> System | None:
    keys = set(_key().findall(beginning))
    if "memory" in keys and keys & {"user_id", "hash", "agent_id", "run_id", "created_at", "metadata"}:
        return "mem0"
    if {"results", "id", "memory"} <= keys or {"memories", "apps", "content"} <= keys:
        return "mem0"
    if {"id", "text"} <= keys and ("createdAt" in keys or {"importance", "category", "timestamp"} <= keys):
        return "memory-lancedb"
    return None


def _of_folder(path: str) -> tuple[System, str]:
    there = set(os.listdir(path))
    if _is_capsule(path):
        return "openclaw-mem", path
    if any(name.endswith(".lance") for name in there):
        return "memory-lancedb", path
    if {"episodes", "semantic"} <= there and "memory" not in there:
        return "memoryclaw", path
    if {"episodes", "semantic"} <= _names(f"{path}/memoryclaw"):
        return "memoryclaw", f"{path}/memoryclaw"
    if ".obsidian" in there:
        return "obsidian", path
    if there.intersection(OF_OPENCLAW) and ("memory" in there or "AGENTS.md" in there):
        hint = (
            f"use it where it is: `commonplace --workspace {path}`; to copy its notes all the same: --format obsidian"
        )
        raise BadArgument(f"{path!r} is a workspace as it stands, and needs no import", path=path, hint=hint)
    for system, names in WITHIN.items():
        if any(os.path.isfile(f"{path}/{name}") for name in names):
            return system, path
    return _of_notes(path), path


def _names(folder: str) -> set[str]:
    return set(os.listdir(folder)) if os.path.isdir(folder) else set()


def _of_notes(path: str) -> System:
    """A folder of Markdown: basic-memory writes a permalink into each note."""
    notes = 0
    for found in walk(path):
        if found.trouble or not found.path.lower().endswith(".md"):
            continue
        notes += 1
        if _permalink().search(_head(path, found)):
            return "basic-memory"
        if notes >= MOST_NOTES:
            break
    if not notes:
        raise BadArgument(f"{path!r} holds no memory that is known", path=path, hint=FORMATS)
    return "obsidian"


def _head(root: str, found: Found) -> str:
    """How a note begins; empty for one that cannot be read, of which its reader tells."""
    try:
        with opened(root, found.path) as file:
            return file.read(HEAD).decode("utf-8", "replace")
    except (NotFound, OutsideWorkspace):
        return ""


def _is_capsule(path: str) -> bool:
    return {"manifest.json"} <= _names(path) and bool({"bundle.json", "observations.jsonl"} & _names(path))


@cache
def _key() -> re.Pattern[str]:
    return re.compile(r'"(\w+)"\s*:')


@cache
def _permalink() -> re.Pattern[str]:
    return re.compile(r"\A(?:\ufeff)?---\n(?:.*\n)*?permalink:\s*\S")
