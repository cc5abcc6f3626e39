"""Reads openclaw-mem: its SQLite file, and the capsules that it exports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from commonplace.capture.imports.events import (
    Blank,
    EventDraft,
    Fields,
    NoEvent,
    ParseFailure,
    SetAside,
    StreamPosition,
)
from commonplace.capture.imports.json_lines import ObservationReader
from commonplace.capture.imports.memories.foreign_database import ForeignDatabase, TableRow, open_foreign_database
from commonplace.capture.imports.memories.imported_memory import ImportedMemory, MemoryLocation, reject_item
from commonplace.capture.imports.message_content import shorten_name
from commonplace.capture.imports.streams import ByteStream, LineReader, decode_json_strictly, decode_line
from commonplace.errors import BadArgument
from commonplace.storage.files.external_directories import open_in_directory as opened_file

CANONICAL_SCHEMA, PACK_SCHEMA = "openclaw-mem.canonical-capsule.v1", "openclaw-mem.pack-capsule.v1"
CAPSULE_DATA_FILES = {
    CANONICAL_SCHEMA: "observations.jsonl",
    PACK_SCHEMA: "bundle.json",
}  # the file in which a capsule has its memories
MAX_MANIFEST_BYTES = 1 << 20  # bytes
MAX_BUNDLE_BYTES = 32 << 20
READ_BYTES = 1 << 20
OBSERVATION_COLUMNS = ("ts", "kind", "summary_en", "lang", "tool_name", "detail_json")
EPISODE_COLUMNS = ("scope", "session_id", "agent_id", "payload_json", "refs_json", "redacted")
DOCUMENT_REASON = "a piece of a document, which is read where it lies"
TOOL_KINDS = ("", "tool", "tool_result", "tool.result")  # of an observation: no statement that was made to be kept
MemoryItem = ImportedMemory | SetAside | Blank


def read_openclaw_mem(location: MemoryLocation) -> Iterator[MemoryItem]:
    """What the database or the capsule holds."""
    if location.is_folder:
        yield from _read_capsule(location.path)
        return
    with open_foreign_database(location.path) as database:
        yield from _read_observations(database)
        yield from _read_episodes(database)
        yield from _read_graph_facts(database)
        yield from _read_documents(database)


def _read_documents(database: ForeignDatabase) -> Iterator[MemoryItem]:
    found = database.read_rows("docs_chunks", ("id",)) if database.has_columns("docs_chunks", "id") else ()
    for row in found:
        yield Blank(0, row.number, DOCUMENT_REASON, "docs_chunks") if isinstance(row, TableRow) else row


def _read_observations(database: ForeignDatabase) -> Iterator[MemoryItem]:
    if not database.has_columns("observations", "id", "summary"):
        return
    reader = ObservationReader()
    for row in database.read_rows("observations", ("id", "summary"), OBSERVATION_COLUMNS):
        if isinstance(row, TableRow):
            found = {name: value for name, value in row.values.items() if value}
            yield from _read_observation(reader, found, "observations", StreamPosition(0, row.number))
        else:
            yield row


def _read_observation(
    reader: ObservationReader, source_object: Fields, part: str, position: StreamPosition
) -> Iterator[MemoryItem]:
    answer = reader.read_object(source_object, position)
    if isinstance(answer, ParseFailure):
        yield SetAside(position.offset, position.line, answer.reason, part=part)
    elif isinstance(answer, NoEvent):
        yield Blank(position.offset, position.line, answer.reason, part)
    else:
        for draft in answer:
            yield _draft_to_memory(draft, str(source_object.get("kind") or "note"), part, position)


def _draft_to_memory(draft: EventDraft, kind: str, part: str, position: StreamPosition) -> ImportedMemory:
    """An observation as a memory; who is not named there is the owner's agent, which kept it on the owner's behalf."""
    fields = draft.fields
    detail = fields.get("detail", {})
    distilled = kind not in TOOL_KINDS and not detail.get("tool")
    return ImportedMemory(
        text=fields["text"],
        kind=kind,
        id=f"obs:{draft.source_ids[0] if draft.source_ids else position.line}",
        part=part,
        offset=position.offset,
        line=position.line,
        time=fields.get("ts"),
        actor="owner" if distilled else "tool" if detail.get("tool") else fields.get("actor", "agent"),
        type="note" if distilled else fields.get("type", "note"),
        trust=fields.get("origin", ""),
        session=fields.get("session", ""),
        agent=fields.get("agent", ""),
        scope=fields.get("scope", "") or _scope_of_detail(detail),
        category=kind,
        distilled=distilled,
        detail=detail,
    )


def _scope_of_detail(raw_detail: Any) -> str:
    scope = raw_detail.get("scope") if isinstance(raw_detail, dict) else ""
    return scope if isinstance(scope, str) and scope != "global" else ""


def _read_episodes(database: ForeignDatabase) -> Iterator[MemoryItem]:
    if not database.has_columns("episodic_events", "event_id", "ts_ms", "type", "summary"):
        return
    reader = ObservationReader()
    for row in database.read_rows("episodic_events", ("event_id", "ts_ms", "type", "summary"), EPISODE_COLUMNS):
        if not isinstance(row, TableRow):
            yield row
            continue
        found: Fields = {name: value for name, value in row.values.items() if value}
        found["payload"], found["refs"] = found.pop("payload_json", None), found.pop("refs_json", None)
        if found.get("scope") == "global":
            del found["scope"]
        answer = reader.read_object(found, StreamPosition(0, row.number))
        if isinstance(answer, list):
            yield from (_episode_to_memory(draft, row["type"], row.number) for draft in answer)
        elif isinstance(answer, ParseFailure):
            yield reject_item("episodic_events", row.number, answer.reason)
    yield from (
        _episode_to_memory(draft, "tool.call", draft.position.line if draft.position else 0) for draft in reader.flush()
    )


def _episode_to_memory(draft: EventDraft, kind: str, line_number: int) -> ImportedMemory:
    fields = draft.fields
    return ImportedMemory(
        text=fields["text"],
        kind=kind,
        id=draft.source_ids[0] if draft.source_ids else str(line_number),
        part="episodic_events",
        line=line_number,
        time=fields.get("ts"),
        actor=fields.get("actor", "agent"),
        type=fields.get("type", "note"),
        session=fields.get("session", ""),
        agent=fields.get("agent", ""),
        scope=fields.get("scope", ""),
        detail=fields.get("detail", {}),
    )


def _read_graph_facts(database: ForeignDatabase) -> Iterator[MemoryItem]:
    """Facts that hold; what was invalidated or superseded is passed over."""
    if not database.has_columns("graph_facts", "id", "subject_ref", "predicate", "object_json"):
        return
    more = ("subject_label", "valid_from", "valid_to", "status", "confidence_tier", "created_at")
    for row in database.read_rows("graph_facts", ("id", "subject_ref", "predicate", "object_json"), more):
        if not isinstance(row, TableRow):
            yield row
        elif row["status"] not in ("", "active"):
            yield Blank(0, row.number, f"a fact that is {row['status']}", "graph_facts")
        else:
            yield ImportedMemory(
                text=_render_fact_sentence(row),
                kind="graph-fact",
                id=row["id"],
                part="graph_facts",
                line=row.number,
                time=row["valid_from"] or row["created_at"] or None,
                detail={name: row[name] for name in ("valid_from", "valid_to", "confidence_tier") if row[name]},
            )


def _render_fact_sentence(row: TableRow) -> str:
    found = decode_json_strictly(row["object_json"].encode())
    value = found.get("label") or found.get("value") if isinstance(found, dict) else found
    value = value.removeprefix("entity:") if isinstance(value, str) else shorten_name(value)
    subject = row["subject_label"] or row["subject_ref"].removeprefix("entity:")
    return f"{subject} {row['predicate'].replace('_', ' ')} {value}." if value else ""


def _read_capsule(folder: str) -> Iterator[MemoryItem]:
    """A capsule, if each of its files is as its manifest says. Raises BadArgument."""
    manifest = _read_json_object(folder, "manifest.json", MAX_MANIFEST_BYTES)
    kind = str(manifest.get("schema"))
    _verify_digests(folder, manifest, CAPSULE_DATA_FILES.get(kind, ""))
    if kind == CANONICAL_SCHEMA:
        yield from _read_capsule_lines(folder, CAPSULE_DATA_FILES[CANONICAL_SCHEMA])
    elif kind == PACK_SCHEMA:
        yield from _read_pack_bundle(
            _read_json_object(folder, CAPSULE_DATA_FILES[PACK_SCHEMA], MAX_BUNDLE_BYTES),
            str(manifest.get("created_at") or ""),
        )
    else:
        raise BadArgument(f"{folder!r} is a capsule of a sort that is not known: {manifest.get('schema')!r}")


def _read_capsule_lines(folder: str, name: str) -> Iterator[MemoryItem]:
    reader = ObservationReader()
    with opened_file(folder, name) as file:
        for line in LineReader(ByteStream(file), lambda _data: None):
            found = decode_line(line)
            if isinstance(found, dict):
                yield from _read_observation(reader, found, name, line.position)
            elif isinstance(found, SetAside):
                yield SetAside(found.offset, found.line, found.reason, found.sample, name)


def _read_pack_bundle(bundle: Fields, created: str) -> Iterator[MemoryItem]:
    """The lines of a pack: what an agent was given once, of which each names the record behind it."""
    trusts = {
        shorten_name(item.get("recordRef")): item.get("trust")
        for item in _list_item_objects(bundle.get("context_pack"))
    }
    for at, said in enumerate(_list_item_objects(bundle), 1):
        text = said.get("text") or said.get("summary") or ""
        trust = said.get("trust") or trusts.get(shorten_name(said.get("recordRef")))
        yield ImportedMemory(
            text=text if isinstance(text, str) else "",
            kind=str(said.get("kind") or said.get("type") or "item"),
            id=str(said.get("recordRef") or said.get("id") or at),
            part="bundle.json",
            line=at,
            time=said.get("ts") or created or None,
            trust="quarantined"
            if trust in ("quarantine", "quarantined")
            else "untrusted"
            if trust == "untrusted"
            else "",
            category=str(said.get("kind") or ""),
            distilled=True,
        )


def _list_item_objects(bundle: Any) -> list[Fields]:
    items = bundle.get("items") if isinstance(bundle, dict) else None
    return [one for one in items if isinstance(one, dict)] if isinstance(items, list) else []


def _verify_digests(folder: str, manifest: Fields, data_file: str) -> None:
    """Hold each file to its digest, and the manifest to naming the one that is read."""
    from hashlib import sha256

    entries = manifest.get("files")
    entries = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    if data_file and all(entry.get("name") != data_file for entry in entries):
        message = f"the manifest of the capsule does not seal {data_file!r}"
        raise BadArgument(message, path=data_file, hint="export the capsule anew")
    for entry in entries:
        name = str(entry.get("name") or "")
        found = sha256()
        with opened_file(folder, name) as file:
            while piece := file.read(READ_BYTES):
                found.update(piece)
        if found.hexdigest() != entry.get("sha256"):
            message = f"{name!r} is not what the manifest of the capsule says"
            raise BadArgument(message, path=name, hint="it was changed after it was sealed; export it anew")


def _read_json_object(folder: str, name: str, max_bytes: int) -> Fields:
    with opened_file(folder, name) as file:
        data = file.read(max_bytes + 1)
    found = (
        ParseFailure(f"it has more than {max_bytes} bytes")
        if len(data) > max_bytes
        else decode_json_strictly(data, dict[str, Any])
    )
    if isinstance(found, ParseFailure):
        raise BadArgument(f"{name!r} cannot be read: {found.reason}", path=name)
    return dict(found)
