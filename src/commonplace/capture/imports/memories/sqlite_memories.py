"""Reads memories in SQLite: the chunks and intents of memory-core, and the tables of Memoria."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct, structs

from commonplace.capture.imports.events import NoEvent, ParseFailure, SetAside
from commonplace.capture.imports.memories.foreign_database import ForeignDatabase, TableRow, open_foreign_database
from commonplace.capture.imports.memories.imported_memory import ImportedMemory, MemoryItem
from commonplace.capture.imports.memories.markdown_notes import parse_note_memories
from commonplace.capture.imports.streams import decode_embedded_json
from commonplace.errors import BadArgument

CHUNK_TABLES = ("memory_index_chunks", "chunks")  # today's name, and that of databases that hold nothing else
CHUNK_COLUMNS = ("id", "path", "start_line", "end_line", "text")
ORIGIN_TRUST = {"untrusted": "untrusted", "system": "untrusted"}  # other classes of origin lower nothing
SPEAKER_ACTORS = {"user": "owner", "assistant": "agent"}
IMPORTANCE_TENTHS = tuple(map(str, range(1, 11)))
MAX_LINE_NUMBER_DIGITS = 9
MAX_RUN_CHARS = 1 << 20


class _ChunkMetadata(Struct, frozen=True):
    """The metadata of a chunk: the class of its origin, and the annotations of its line."""

    origin: str = ""
    importance: str = ""
    triggers: str = ""
    project: str = ""


class _LineRun(Struct):
    """Neighbouring lines of one file that have the same metadata."""

    path: str
    source: str
    metadata: _ChunkMetadata
    first_line: int
    lines: list[str]
    time: str

    @property
    def end_line(self) -> int:
        """The number of the line behind the run."""
        return self.first_line + len(self.lines)

    def lines_from(self, number: int) -> list[str]:
        """The lines from this number on."""
        return self.lines[max(0, number - self.first_line) :]


def read_memory_core(path: str) -> Iterator[MemoryItem]:
    """The memories of a memory-core database; chunks overlap, and each line is read once. Raises BadArgument."""
    with open_foreign_database(path) as database:
        table = next((name for name in CHUNK_TABLES if database.has_columns(name, *CHUNK_COLUMNS)), "")
        if not table:
            message = f"{path!r} has no table {CHUNK_TABLES[0]!r} with {', '.join(CHUNK_COLUMNS)}, as memory-core's has"
            raise BadArgument(message, path=path, hint="name the agent's database, or another --format")
        for run in _merge_chunks(database, table):
            if isinstance(run, SetAside):
                yield run
            else:
                yield from _read_dialogue_run(run) if run.source == "sessions" else _read_markdown_run(run)
        if database.has_columns("standing_intents", "id", "description", "status"):
            more = ("trigger_keywords", "created_at", "expires_at", "source_session_id")
            required = ("id", "description", "status")
            yield from database.read_memories("standing_intents", required, more, _convert_intent)


def _merge_chunks(database: ForeignDatabase, table: str) -> Iterator[_LineRun | SetAside]:
    metadata_by_id = _read_chunk_metadata(database)
    order = ("path", "source", "start_line", "end_line")
    run: _LineRun | None = None
    for row in database.read_rows(table, CHUNK_COLUMNS, ("source", "updated_at"), order=order):
        chunk = _parse_chunk(table, row, metadata_by_id) if isinstance(row, TableRow) else row
        if isinstance(chunk, SetAside):
            yield chunk
            continue
        is_same = run and (run.path, run.source, run.metadata) == (chunk.path, chunk.source, chunk.metadata)
        if run and is_same and chunk.first_line <= run.end_line and sum(map(len, run.lines)) < MAX_RUN_CHARS:
            run.lines += chunk.lines_from(run.end_line)
        else:
            if run is not None:
                if (run.path, run.source) == (chunk.path, chunk.source):
                    chunk.lines, chunk.first_line = chunk.lines_from(run.end_line), max(run.end_line, chunk.first_line)
                yield run
            run = chunk
    if run is not None:
        yield run


def _parse_chunk(table: str, row: TableRow, metadata_by_id: dict[str, _ChunkMetadata]) -> _LineRun | SetAside:
    if not row["start_line"].isdecimal() or len(row["start_line"]) > MAX_LINE_NUMBER_DIGITS:
        return SetAside(0, row.number, "`start_line` is no number of a line", part=table)
    metadata, lines = metadata_by_id.get(row["id"], _ChunkMetadata()), row["text"].split("\n")
    return _LineRun(row["path"], row["source"] or "memory", metadata, int(row["start_line"]), lines, row["updated_at"])


def _read_chunk_metadata(database: ForeignDatabase) -> dict[str, _ChunkMetadata]:
    """The metadata of each chunk that has any, by its id."""
    origin, recall = "memory_index_chunk_provenance", "memory_index_chunk_recall_metadata"
    metadata_by_id: dict[str, _ChunkMetadata] = {}
    if database.has_columns(origin, "chunk_id", "origin_class"):
        for row in database.read_rows(origin, ("chunk_id", "origin_class")):
            if isinstance(row, TableRow):
                metadata_by_id[row["chunk_id"]] = _ChunkMetadata(row["origin_class"])
    if database.has_columns(recall, "chunk_id", "importance", "triggers", "project_key"):
        for row in database.read_rows(recall, ("chunk_id",), ("importance", "triggers", "project_key")):
            if isinstance(row, TableRow):
                before = metadata_by_id.get(row["chunk_id"], _ChunkMetadata())
                metadata_by_id[row["chunk_id"]] = structs.replace(
                    before, importance=row["importance"], triggers=row["triggers"], project=row["project_key"]
                )
    return metadata_by_id


def _read_markdown_run(run: _LineRun) -> Iterator[ImportedMemory]:
    """The lines of a Markdown file as its records; the class `agent`, the host's default, names no author."""
    above = "\n" if run.first_line > 1 else ""  # or the first lines would be taken for front matter
    text, skipped = above + "\n".join(run.lines), run.first_line - 1 - len(above)
    for memory in parse_note_memories(run.path, text.encode("utf-8", "replace")):
        if memory.kind != "heading":  # the lines below a heading may be in the next run
            yield structs.replace(
                memory,
                kind="line",
                part=run.path,
                offset=0,
                line=memory.line + skipped,
                time=memory.time or run.time or None,
                trust=ORIGIN_TRUST.get(run.metadata.origin, ""),
                scope=memory.scope or run.metadata.project.partition(";")[0].strip(),
                confidence=None,
                detail=memory.detail | _build_annotation_detail(run.metadata),
            )


def _build_annotation_detail(metadata: _ChunkMetadata) -> dict[str, object]:
    """Importance in tenths and triggers, as the annotations of the line say."""
    importance = {"importance": int(metadata.importance) / 10} if metadata.importance in IMPORTANCE_TENTHS else {}
    triggers = [phrase for word in metadata.triggers.split(";") if (phrase := word.strip())]
    return {**importance, **({"triggers": triggers} if triggers else {})}


def _read_dialogue_run(run: _LineRun) -> Iterator[ImportedMemory]:
    """The messages of a session, `User: …` and `Assistant: …`, each with the lines that continue it."""
    messages: list[tuple[str, int, list[str]]] = []
    for number, line in enumerate(run.lines, run.first_line):
        speaker = re.match(r"(?i)(User|Assistant): ", line)
        if speaker or not messages:
            actor = SPEAKER_ACTORS[speaker[1].lower()] if speaker else "tool"
            messages.append((actor, number, [line[speaker.end() :] if speaker else line]))
        else:
            messages[-1][2].append(line)
    for actor, number, lines in messages:
        yield ImportedMemory(
            text="\n".join(lines).strip(),
            kind="message",
            id=f"{run.path}#{number}",
            part=run.path,
            line=number,
            time=run.time or None,
            actor=actor,
            type="message",
            trust=ORIGIN_TRUST.get(run.metadata.origin, ""),
            session=run.path.rsplit("/", 1)[-1].partition(".jsonl")[0],
        )


def _convert_intent(row: TableRow) -> ImportedMemory | NoEvent:
    """A memory of something that an agent is to bring up later, unless its time is over."""
    if row["status"] not in ("pending", "armed", "fired"):
        return NoEvent(f"an intent that is {row['status']}")
    return ImportedMemory(
        **row.memory_fields("text:description id time:created_at session:source_session_id"),
        kind="intent",
        category="plan",
        detail={"triggers": decode_embedded_json(row["trigger_keywords"]), "expires_at": row["expires_at"]},
    )


FACT_COLUMNS = ("category", "confidence", "source", "tags", "agent", "created_at", "superseded", "fact_type")
OBSERVATION_ROW_COLUMNS = ("topic", "confidence", "evidence_ids", "updated_at", "created_at")
PROCEDURE_COLUMNS = ("goal", "context", "gotchas", "last_updated_at", "success_count", "failure_count")


def read_memoria(path: str) -> Iterator[MemoryItem]:
    """The memories of a Memoria database; a fact that another one superseded is skipped."""
    with open_foreign_database(path) as database:
        yield from database.read_memories("facts", ("id", "fact"), FACT_COLUMNS, _convert_fact)
        if database.has_columns("observations", "id", "topic", "summary"):
            yield from database.read_memories(
                "observations", ("id", "summary"), OBSERVATION_ROW_COLUMNS, _convert_observation
            )
        if database.has_columns("procedures", "id", "name", "steps"):
            required = ("id", "name", "steps")
            yield from database.read_memories("procedures", required, PROCEDURE_COLUMNS, _convert_procedure)
        if database.has_columns("relations", "source_id", "target_id", "relation") and (
            database.has_columns("entities", "id", "name")
        ):
            yield from _read_relations(database)
        if database.has_columns("wal_buffer", "role", "content"):
            required, more = ("id", "role", "content"), ("session_id", "created_at", "processed")
            yield from database.read_memories("wal_buffer", required, more, _convert_message)


def _convert_fact(row: TableRow) -> ImportedMemory | NoEvent:
    if row["superseded"] not in ("", "0"):
        return NoEvent("superseded by a newer one")
    return ImportedMemory(
        **row.memory_fields("text:fact id time:created_at agent category confidence"),
        kind=row["fact_type"] or "semantic",
        distilled=row["fact_type"] != "cluster",  # a cluster repeats its facts
        detail=_decode_columns(row, "source", "tags"),
    )


def _convert_observation(row: TableRow) -> ImportedMemory:
    return ImportedMemory(
        text=f"{row['topic']}: {row['summary']}" if row["summary"] and row["topic"] else row["summary"],
        kind="observation",
        id=row["id"],
        time=row["updated_at"] or row["created_at"] or None,
        confidence=row["confidence"],
        detail=_decode_columns(row, "evidence_ids"),
    )


def _convert_procedure(row: TableRow) -> ImportedMemory:
    steps = decode_embedded_json(row["steps"])
    lines = [row["name"], *(f"{word.capitalize()}: {row[word]}" for word in ("goal", "context") if row[word])]
    lines += [f"{at}. {step}" for at, step in enumerate(steps, 1)] if isinstance(steps, list) else [row["steps"]]
    lines += [f"Gotchas: {row['gotchas']}"] if row["gotchas"] else []
    return ImportedMemory(
        **row.memory_fields("id time:last_updated_at"),
        text="\n".join(lines),
        kind="procedure",
        category="procedure",
        detail=_decode_columns(row, "success_count", "failure_count"),
    )


def _read_relations(database: ForeignDatabase) -> Iterator[MemoryItem]:
    """`A works on B`; that two names are only mentioned together is not a statement."""
    entities = database.read_rows("entities", ("id", "name"))
    names = {row["id"]: row["name"] for row in entities if isinstance(row, TableRow)}

    def convert(row: TableRow) -> ImportedMemory | NoEvent | ParseFailure:
        source, target = names.get(row["source_id"], ""), names.get(row["target_id"], "")
        if not source or not target:
            return ParseFailure("a relation of what is not there")
        if row["relation"] in ("related_to", "co-occurs", "co_occurs"):
            return NoEvent("only mentioned together")
        text, detail = f"{source} {row['relation'].replace('_', ' ')} {target}.", _decode_columns(row, "weight")
        return ImportedMemory(**row.memory_fields("id time:created_at"), text=text, kind="relation", detail=detail)

    required = ("id", "source_id", "target_id", "relation")
    yield from database.read_memories("relations", required, ("created_at", "weight"), convert)


def _convert_message(row: TableRow) -> ImportedMemory | NoEvent:
    if row["processed"] not in ("", "0"):
        return NoEvent("a message whose facts were taken")
    return ImportedMemory(
        **row.memory_fields("text:content time:created_at session:session_id"),
        kind="message",
        id=f"wal:{row['id']}",
        actor="owner" if row["role"] == "user" else "agent",
        type="message",
    )


def _decode_columns(row: TableRow, *columns: str) -> dict[str, object]:
    return {name: decode_embedded_json(row[name]) for name in columns if row[name] not in ("", "[]")}
