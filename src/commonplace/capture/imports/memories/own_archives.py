"""Reads the records and captures of an archive that `commonplace export` wrote for a part of a memory."""

from __future__ import annotations

from collections.abc import Iterator

from commonplace.capture.imports.memories.imported_memory import (
    ImportedMemory,
    MemoryItem,
    MemoryLocation,
    reject_item,
)
from commonplace.shapes import Json
from commonplace.storage.archives import open_archive
from commonplace.storage.journal import parse_capture, parse_json_line


def read_own_archive(location: MemoryLocation) -> Iterator[MemoryItem]:
    """The captures of an archive, then its records. Raises BadArgument, BackupDamaged."""
    with open_archive(location.path) as archive:
        parts = sorted(one.path for one in archive.manifest.files if one.path.endswith("s.jsonl"))
        for part in parts:
            for number, raw_line in enumerate(archive.read(part).split(b"\n")[:-1], 1):
                fields = parse_json_line(raw_line)
                if isinstance(fields, str):
                    yield reject_item(part, number, fields)
                else:
                    yield (_read_record if "evidence" in fields else _read_capture)(fields, part, number)


def _read_capture(fields: Json, part: str, line_number: int) -> ImportedMemory:
    capture = parse_capture(fields)
    return ImportedMemory(
        text=capture.text,
        kind=capture.type,
        id=capture.id,
        part=part,
        line=line_number,
        time=capture.ts,
        actor=capture.actor,
        type=capture.type,
        trust=capture.origin,
        session=capture.session,
        agent=capture.agent,
        scope=capture.scope,
    )


def _read_record(fields: Json, part: str, line_number: int) -> ImportedMemory:
    return ImportedMemory(
        text=str(fields.get("text") or ""),
        kind=str(fields.get("kind") or ""),
        id=str(fields.get("id") or ""),
        part=part,
        line=line_number,
        time=fields.get("time") or None,
        trust=str(fields.get("trust") or ""),
        scope=str(fields.get("scope") or ""),
        category=str(fields.get("category") or ""),
        confidence=fields.get("confidence"),
        distilled=True,
    )
