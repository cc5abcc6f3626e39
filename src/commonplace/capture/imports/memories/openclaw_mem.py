"""Reads openclaw-mem: its SQLite file, and the capsules that it exports."""

from __future__ import annotations

import os
from collections.abc import Iterator

from msgspec import structs

from commonplace.capture.imports.events import EventDraft, Fields, NoEvent, ParseFailure, SetAside, StreamPosition
from commonplace.capture.imports.json_lines import ObservationReader
from commonplace.capture.imports.memories import imported_memory
from commonplace.capture.imports.memories.foreign_database import ForeignDatabase, TableRow, open_foreign_database
from commonplace.capture.imports.message_content import list_objects, object_or_empty, shorten_name
from commonplace.capture.imports.streams import ByteStream, LineReader, decode_json_strictly, decode_line
from commonplace.errors import BadArgument
from commonplace.shapes import Json
from commonplace.storage.files import open_in_directory

CANONICAL_SCHEMA, PACK_SCHEMA = "openclaw-mem.canonical-capsule.v1", "openclaw-mem.pack-capsule.v1"
# The file in which a capsule has its memories.
CAPSULE_DATA_FILES = {CANONICAL_SCHEMA: "observations.jsonl", PACK_SCHEMA: "bundle.json"}
MAX_MANIFEST_BYTES = 1 << 20
MAX_BUNDLE_BYTES = 32 << 20
READ_BYTES = 1 << 20
OBSERVATION_COLUMNS = ("ts", "kind", "summary_en", "lang", "tool_name", "detail_json")
EPISODE_COLUMNS = ("scope", "session_id", "agent_id", "payload_json", "refs_json", "redacted")
FACT_DETAIL_COLUMNS = ("valid_from", "valid_to", "confidence_tier")
DOCUMENT_REASON = "a piece of a document, which is read where it lies"
PACK_TRUST = {"quarantine": "quarantined", "quarantined": "quarantined", "untrusted": "untrusted"}
TOOL_KINDS = ("", "tool", "tool_result", "tool.result")  # of an observation: no statement that was made to be stored


def read_openclaw_mem(path: str) -> Iterator[imported_memory.MemoryItem]:
    """The memories of the database or the capsule. Raises BadArgument."""
    if os.path.isdir(path):
        yield from _read_capsule(path)
        return
    with open_foreign_database(path) as database:
        if database.has_columns("observations", "id", "summary"):
            yield from _read_observations(database)
        if database.has_columns("episodic_events", "event_id", "ts_ms", "type", "summary"):
            yield from _read_episodes(database)
        required = ("id", "subject_ref", "predicate", "object_json")
        if database.has_columns("graph_facts", *required):
            more = ("subject_label", "status", "created_at", *FACT_DETAIL_COLUMNS)
            yield from database.read_memories("graph_facts", required, more, _convert_graph_fact)
        if database.has_columns("docs_chunks", "id"):
            yield from database.read_memories("docs_chunks", ("id",), (), lambda _row: NoEvent(DOCUMENT_REASON))


def _read_observations(database: ForeignDatabase) -> Iterator[imported_memory.MemoryItem]:
    reader = ObservationReader()
    for row in database.read_rows("observations", ("id", "summary"), OBSERVATION_COLUMNS):
        if isinstance(row, TableRow):
            observation = {name: value for name, value in row.values.items() if value}
            yield from _read_observation(reader, observation, "observations", StreamPosition(0, row.number))
        else:
            yield row


def _read_observation(
    reader: ObservationReader, source_object: Fields, part: str, position: StreamPosition
) -> Iterator[imported_memory.MemoryItem]:
    """An observation as a memory; unless it names somebody, the owner's agent stored it on the owner's behalf."""
    answer = reader.read_object(source_object, position)
    if not isinstance(answer, list):
        yield imported_memory.locate_memory(answer, part, position)
        return
    kind = str(source_object.get("kind") or "note")
    for draft in answer:
        memory = _draft_to_memory(draft, kind, position.line)
        is_tool = bool(memory.detail.get("tool"))
        distilled = kind not in TOOL_KINDS and not is_tool
        scope = memory.detail.get("scope")
        memory = structs.replace(
            memory,
            id=f"obs:{memory.id}",
            actor="owner" if distilled else "tool" if is_tool else memory.actor,
            type="note" if distilled else memory.type,
            scope=memory.scope or (scope if isinstance(scope, str) and scope != "global" else ""),
            category=kind,
            distilled=distilled,
        )
        yield imported_memory.locate_memory(memory, part, position)


def _draft_to_memory(draft: EventDraft, kind: str, line_number: int) -> imported_memory.ImportedMemory:
    fields = draft.fields
    return imported_memory.ImportedMemory(
        text=fields["text"],
        kind=kind,
        id=draft.source_ids[0] if draft.source_ids else str(line_number),
        line=line_number,
        time=fields.get("ts"),
        actor=fields.get("actor", "agent"),
        type=fields.get("type", "note"),
        trust=fields.get("origin", ""),
        **{name: fields.get(name, "") for name in ("session", "agent", "scope")},
        detail=fields.get("detail", {}),
    )


def _read_episodes(database: ForeignDatabase) -> Iterator[imported_memory.MemoryItem]:
    reader, table = ObservationReader(), "episodic_events"
    for row in database.read_rows(table, ("event_id", "ts_ms", "type", "summary"), EPISODE_COLUMNS):
        if not isinstance(row, TableRow):
            yield row
            continue
        episode: Fields = {name: value for name, value in row.values.items() if value}
        episode["payload"], episode["refs"] = episode.pop("payload_json", None), episode.pop("refs_json", None)
        if episode.get("scope") == "global":
            del episode["scope"]
        answer = reader.read_object(episode, StreamPosition(0, row.number))
        if isinstance(answer, list):
            for draft in answer:
                yield structs.replace(_draft_to_memory(draft, row["type"], row.number), part=table)
        elif isinstance(answer, ParseFailure):
            yield imported_memory.reject_item(table, row.number, answer.reason)
    for draft in reader.flush():
        line_number = draft.position.line if draft.position else 0
        yield structs.replace(_draft_to_memory(draft, "tool.call", line_number), part=table)


def _convert_graph_fact(row: TableRow) -> imported_memory.ImportedMemory | NoEvent:
    """A fact that holds; one that was invalidated or superseded is skipped."""
    if row["status"] not in ("", "active"):
        return NoEvent(f"a fact that is {row['status']}")
    found = decode_json_strictly(row["object_json"].encode())
    value = found.get("label") or found.get("value") if isinstance(found, dict) else found
    value = value.removeprefix("entity:") if isinstance(value, str) else shorten_name(value)
    subject = row["subject_label"] or row["subject_ref"].removeprefix("entity:")
    return imported_memory.ImportedMemory(
        text=f"{subject} {row['predicate'].replace('_', ' ')} {value}." if value else "",
        kind="graph-fact",
        id=row["id"],
        time=row["valid_from"] or row["created_at"] or None,
        detail={name: row[name] for name in FACT_DETAIL_COLUMNS if row[name]},
    )


def _read_capsule(folder: str) -> Iterator[imported_memory.MemoryItem]:
    """The memories of a capsule. Raises BadArgument if a file of it does not match its manifest."""
    manifest = _read_json_object(folder, "manifest.json", MAX_MANIFEST_BYTES)
    schema = str(manifest.get("schema"))
    data_file = CAPSULE_DATA_FILES.get(schema, "")
    _verify_digests(folder, manifest, data_file)
    if schema == CANONICAL_SCHEMA:
        yield from _read_capsule_lines(folder, data_file)
    elif schema == PACK_SCHEMA:
        bundle = _read_json_object(folder, data_file, MAX_BUNDLE_BYTES)
        yield from _read_pack_bundle(bundle, str(manifest.get("created_at") or ""))
    else:
        raise BadArgument(f"{folder!r} is a capsule of a sort that is not known: {manifest.get('schema')!r}")


def _read_capsule_lines(folder: str, name: str) -> Iterator[imported_memory.MemoryItem]:
    reader = ObservationReader()
    with open_in_directory(folder, name) as file:
        for line in LineReader(ByteStream(file), lambda _data: None):
            found = decode_line(line)
            if isinstance(found, dict):
                yield from _read_observation(reader, found, name, line.position)
            elif isinstance(found, SetAside):
                yield SetAside(found.offset, found.line, found.reason, found.sample, name)


def _read_pack_bundle(bundle: Fields, created: str) -> Iterator[imported_memory.MemoryItem]:
    """The lines of a pack, each of which names the record behind it."""
    records = list_objects(object_or_empty(bundle.get("context_pack")).get("items"))
    trust_by_record = {shorten_name(record.get("recordRef")): record.get("trust") for record in records}
    for at, item in enumerate(list_objects(bundle.get("items")), 1):
        text = item.get("text") or item.get("summary") or ""
        trust = item.get("trust") or trust_by_record.get(shorten_name(item.get("recordRef")))
        yield imported_memory.ImportedMemory(
            text=text if isinstance(text, str) else "",
            kind=str(item.get("kind") or item.get("type") or "item"),
            id=str(item.get("recordRef") or item.get("id") or at),
            part="bundle.json",
            line=at,
            time=item.get("ts") or created or None,
            trust=PACK_TRUST.get(trust, "") if isinstance(trust, str) else "",
            category=str(item.get("kind") or ""),
            distilled=True,
        )


def _verify_digests(folder: str, manifest: Fields, data_file: str) -> None:
    """Raise BadArgument if a file does not have its digest, or the manifest does not name the data file."""
    from hashlib import sha256

    entries = list_objects(manifest.get("files"))
    if data_file and all(entry.get("name") != data_file for entry in entries):
        message = f"the manifest of the capsule does not seal {data_file!r}"
        raise BadArgument(message, path=data_file, hint="export the capsule again")
    for entry in entries:
        name = str(entry.get("name") or "")
        found = sha256()
        with open_in_directory(folder, name) as file:
            while piece := file.read(READ_BYTES):
                found.update(piece)
        if found.hexdigest() != entry.get("sha256"):
            message = f"{name!r} is not what the manifest of the capsule says"
            raise BadArgument(message, path=name, hint="it was changed after it was sealed; export it again")


def _read_json_object(folder: str, name: str, max_bytes: int) -> Fields:
    with open_in_directory(folder, name) as file:
        data = file.read(max_bytes + 1)
    is_long = len(data) > max_bytes
    found = ParseFailure(f"it has more than {max_bytes} bytes") if is_long else decode_json_strictly(data, Json)
    if isinstance(found, ParseFailure):
        raise BadArgument(f"{name!r} cannot be read: {found.reason}", path=name)
    return dict(found)
