"""Reads the records and captures of an archive that `commonplace export` wrote for a part of a memory."""

from __future__ import annotations

from collections.abc import Iterator

from commonplace.capture.imports.memories.imported_memory import ImportedMemory, MemoryItem, reject_item
from commonplace.shapes import Json
from commonplace.storage.archives import open_archive
from commonplace.storage.journal import parse_json_line


def read_own_archive(path: str) -> Iterator[MemoryItem]:
    """The captures of an archive, then its records. Raises BadArgument, BackupDamaged."""
    with open_archive(path) as archive:
        for part in sorted(one.path for one in archive.manifest.files):
            for number, raw_line in enumerate(archive.read(part).split(b"\n")[:-1], 1):
                fields = parse_json_line(raw_line)
                yield reject_item(part, number, fields) if isinstance(fields, str) else _read(fields, part, number)


def _read(fields: Json, part: str, line_number: int) -> ImportedMemory:
    """A record, which has its lines and a kind, or a capture, which has a type and an origin."""
    defaults = {"kind": fields.get("type"), "actor": "owner", "type": "note", "trust": fields.get("origin")}
    record = defaults | {name: value for name, value in fields.items() if value}
    names = ("text", "id", "session", "agent", "scope", "category", "kind", "actor", "type", "trust")
    texts: Json = {name: str(record.get(name) or "") for name in names}
    time, confidence = fields.get("ts") or fields.get("time") or None, fields.get("confidence")
    distilled = "kind" in fields
    return ImportedMemory(**texts, part=part, line=line_number, time=time, confidence=confidence, distilled=distilled)
