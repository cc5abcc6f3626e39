"""Reads memories kept in SQLite: the chunks and intents of memory-core, and the tables of Memoria."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from msgspec import Struct, structs

from commonplace.capture.imports.events import Blank, SetAside
from commonplace.capture.imports.memories.foreign_database import ForeignDatabase, TableRow, open_foreign_database
from commonplace.capture.imports.memories.imported_memory import ImportedMemory, MemoryLocation
from commonplace.capture.imports.memories.markdown_notes import parse_note_memories
from commonplace.capture.imports.streams import decode_embedded_json
from commonplace.errors import BadArgument

CHUNK_TABLES = ("memory_index_chunks", "chunks")  # today's name, and that of databases that hold nothing else
CHUNK_COLUMNS = ("id", "path", "start_line", "end_line", "text")
ORIGIN_TRUST = {
    "untrusted": "untrusted",
    "system": "untrusted",
}  # by the class of origin; of the others nothing is lowered
SPEAKER_ACTORS = {"user": "owner", "assistant": "agent"}
IMPORTANCE_TENTHS = tuple(map(str, range(1, 11)))
MAX_LINE_NUMBER_DIGITS = 9  # of the number of a line
MAX_RUN_CHARS = 1 << 20  # characters of a run of pieces
MemoryItem = ImportedMemory | SetAside | Blank


class _ChunkMetadata(Struct, frozen=True):
    """What is noted of a piece: the class of its origin, and what the annotations of its line said."""

    origin: str = ""
    importance: str = ""
    triggers: str = ""
    project: str = ""


class _LineRun(Struct):
    """Neighbouring lines of one file of which the same is noted."""

    path: str
    source: str
    metadata: _ChunkMetadata
    first_line: int
    lines: list[str]
    time: str
    row: int


def read_memory_core(location: MemoryLocation) -> Iterator[MemoryItem]:
    """What the database holds; pieces overlap, and each line is told once."""
    with open_foreign_database(location.path) as database:
        table = next((name for name in CHUNK_TABLES if database.has_columns(name, *CHUNK_COLUMNS)), "")
        if not table:
            message = (
                f"{location.path!r} has no table {CHUNK_TABLES[0]!r} "
                f"with {', '.join(CHUNK_COLUMNS)}, as memory-core's has"
            )
            raise BadArgument(message, path=location.path, hint="name the agent's database, or another --format")
        for run in _merge_chunks(database, table):
            if isinstance(run, _LineRun):
                yield from _read_dialogue_run(run) if run.source == "sessions" else _read_markdown_run(run)
            else:
                yield run
        yield from _read_intents(database)


def _merge_chunks(database: ForeignDatabase, table: str) -> Iterator[_LineRun | SetAside]:
    noted = _read_chunk_metadata(database)
    rows = database.read_rows(
        table, CHUNK_COLUMNS, ("source", "updated_at"), order=("path", "source", "start_line", "end_line")
    )
    run: _LineRun | None = None
    for row in rows:
        if not isinstance(row, TableRow):
            yield row
            continue
        piece = _parse_chunk(table, row, noted)
        if isinstance(piece, SetAside):
            yield piece
        elif run is not None and _continues_run(run, piece):
            run.lines += piece.lines[max(0, run.first_line + len(run.lines) - piece.first_line) :]
        else:
            if run is not None:
                behind = run.first_line + len(run.lines) if (run.path, run.source) == (piece.path, piece.source) else 0
                piece.lines, piece.first_line = (
                    piece.lines[max(0, behind - piece.first_line) :],
                    max(behind, piece.first_line),
                )
                yield run
            run = piece
    if run is not None:
        yield run


def _parse_chunk(table: str, row: TableRow, metadata_by_id: dict[str, _ChunkMetadata]) -> _LineRun | SetAside:
    if not row["start_line"].isdecimal() or len(row["start_line"]) > MAX_LINE_NUMBER_DIGITS:
        return SetAside(0, row.number, "`start_line` is no number of a line", part=table)
    source, told = row["source"] or "memory", metadata_by_id.get(row["id"], _ChunkMetadata())
    lines = row["text"].split("\n")
    return _LineRun(row["path"], source, told, int(row["start_line"]), lines, row["updated_at"], row.number)


def _continues_run(run: _LineRun, chunk: _LineRun) -> bool:
    """Whether a piece begins within the lines of a run or right behind them."""
    same = (run.path, run.source, run.metadata) == (chunk.path, chunk.source, chunk.metadata)
    return same and chunk.first_line <= run.first_line + len(run.lines) and sum(map(len, run.lines)) < MAX_RUN_CHARS


def _read_chunk_metadata(database: ForeignDatabase) -> dict[str, _ChunkMetadata]:
    """What is noted of each piece of which anything is."""
    origin, recall = "memory_index_chunk_provenance", "memory_index_chunk_recall_metadata"
    noted: dict[str, _ChunkMetadata] = {}
    if database.has_columns(origin, "chunk_id", "origin_class"):
        for row in database.read_rows(origin, ("chunk_id", "origin_class")):
            if isinstance(row, TableRow):
                noted[row["chunk_id"]] = _ChunkMetadata(row["origin_class"])
    if database.has_columns(recall, "chunk_id", "importance", "triggers", "project_key"):
        for row in database.read_rows(recall, ("chunk_id",), ("importance", "triggers", "project_key")):
            if isinstance(row, TableRow):
                told = noted.get(row["chunk_id"], _ChunkMetadata())
                said = {"importance": row["importance"], "triggers": row["triggers"], "project": row["project_key"]}
                noted[row["chunk_id"]] = structs.replace(told, **said)
    return noted


def _read_markdown_run(run: _LineRun) -> Iterator[MemoryItem]:
    """The lines of a Markdown file as the records that they would be there; the class `agent` is what the host gives
    each file of which it knows nothing, and says nothing about who wrote it."""
    above = "\n" if run.first_line > 1 else ""  # or what stands first would be taken for front matter
    text, skipped = above + "\n".join(run.lines), run.first_line - 1 - len(above)
    for memory in parse_note_memories(run.path, text.encode("utf-8", "replace")):
        if memory.kind == "heading":  # what stands below it may be in the next run
            continue
        yield ImportedMemory(
            text=memory.text,
            kind="line",
            id=memory.id,
            part=run.path,
            line=memory.line + skipped,
            time=memory.time or run.time or None,
            trust=ORIGIN_TRUST.get(run.metadata.origin, ""),
            scope=memory.scope or run.metadata.project.partition(";")[0].strip(),
            category=memory.category,
            distilled=memory.distilled,
            detail=memory.detail | _build_annotation_detail(run.metadata),
        )


def _build_annotation_detail(metadata: _ChunkMetadata) -> dict[str, object]:
    """Importance in tenths and triggers, as the annotations of the line said."""
    importance = {"importance": int(metadata.importance) / 10} if metadata.importance in IMPORTANCE_TENTHS else {}
    triggers = [phrase for word in metadata.triggers.split(";") if (phrase := word.strip())]
    return {**importance, **({"triggers": triggers} if triggers else {})}


def _read_dialogue_run(run: _LineRun) -> Iterator[MemoryItem]:
    """`User: …` and `Assistant: …`, with the lines that go on with what was said."""
    told: list[tuple[str, int, list[str]]] = []
    for at, words in enumerate(run.lines, run.first_line):
        found = _dialogue_speaker_pattern().match(words)
        if found:
            told.append((SPEAKER_ACTORS[found[1].lower()], at, [words[found.end() :]]))
        elif told:
            told[-1][2].append(words)
        else:
            told.append(("", at, [words]))
    name = run.path.rsplit("/", 1)[-1].partition(".jsonl")[0]
    for actor, line, said in told:
        yield ImportedMemory(
            text="\n".join(said).strip(),
            kind="message",
            id=f"{run.path}#{line}",
            part=run.path,
            line=line,
            time=run.time or None,
            actor=actor or "tool",
            type="message",
            trust=ORIGIN_TRUST.get(run.metadata.origin, ""),
            session=name,
        )


def _read_intents(database: ForeignDatabase) -> Iterator[MemoryItem]:
    """What an agent was asked to bring up when its time comes; what is over is passed over."""
    if not database.has_columns("standing_intents", "id", "description", "status"):
        return
    more = ("trigger_keywords", "created_at", "expires_at", "source_session_id")
    for row in database.read_rows("standing_intents", ("id", "description", "status"), more):
        if not isinstance(row, TableRow):
            yield row
        elif row["status"] not in ("pending", "armed", "fired"):
            yield Blank(0, row.number, f"an intent that is {row['status']}", "standing_intents")
        else:
            yield ImportedMemory(
                text=row["description"],
                kind="intent",
                id=row["id"],
                part="standing_intents",
                line=row.number,
                time=row["created_at"] or None,
                session=row["source_session_id"],
                category="plan",
                detail={"triggers": decode_embedded_json(row["trigger_keywords"]), "expires_at": row["expires_at"]},
            )


@cache
def _dialogue_speaker_pattern() -> re.Pattern[str]:
    return re.compile(r"(User|Assistant): ", re.IGNORECASE)


SUPERSEDED_REASON = "superseded by a newer one"
ReadItem = ImportedMemory | SetAside | Blank


def read_memoria(location: MemoryLocation) -> Iterator[ReadItem]:
    """What the database holds; a fact that another one superseded is passed over."""
    with open_foreign_database(location.path) as database:
        yield from _read_facts(database)
        yield from _read_observation_rows(database)
        yield from _read_procedures(database)
        yield from _read_relations(database)
        yield from _read_unprocessed_messages(database)


def _read_facts(database: ForeignDatabase) -> Iterator[ReadItem]:
    more = ("category", "confidence", "source", "tags", "agent", "created_at", "superseded", "fact_type", "updated_at")
    for row in database.read_rows("facts", ("id", "fact"), more):
        if not isinstance(row, TableRow):
            yield row
        elif row["superseded"] not in ("", "0"):
            yield Blank(0, row.number, SUPERSEDED_REASON, "facts")
        else:
            yield ImportedMemory(
                text=row["fact"],
                kind=row["fact_type"] or "semantic",
                id=row["id"],
                part="facts",
                line=row.number,
                time=row["created_at"] or None,
                agent=row["agent"],
                category=row["category"],
                confidence=row["confidence"],
                distilled=row["fact_type"] != "cluster",  # which tells again what its facts tell
                detail=_decode_columns(row, "source", "tags"),
            )


def _read_observation_rows(database: ForeignDatabase) -> Iterator[ReadItem]:
    if not database.has_columns("observations", "id", "topic", "summary"):
        return
    more = ("topic", "confidence", "evidence_ids", "updated_at", "created_at")
    for row in database.read_rows("observations", ("id", "summary"), more):
        if not isinstance(row, TableRow):
            yield row
            continue
        yield ImportedMemory(
            text=f"{row['topic']}: {row['summary']}" if row["summary"] and row["topic"] else row["summary"],
            kind="observation",
            id=row["id"],
            part="observations",
            line=row.number,
            time=row["updated_at"] or row["created_at"] or None,
            confidence=row["confidence"],
            detail=_decode_columns(row, "evidence_ids"),
        )


def _read_procedures(database: ForeignDatabase) -> Iterator[ReadItem]:
    if not database.has_columns("procedures", "id", "name", "steps"):
        return
    more = ("goal", "context", "gotchas", "last_updated_at", "success_count", "failure_count")
    for row in database.read_rows("procedures", ("id", "name", "steps"), more):
        if not isinstance(row, TableRow):
            yield row
            continue
        steps = decode_embedded_json(row["steps"])
        numbered = [f"{at}. {step}" for at, step in enumerate(steps, 1)] if isinstance(steps, list) else [row["steps"]]
        told = [row["name"], *(f"{word.capitalize()}: {row[word]}" for word in ("goal", "context") if row[word])]
        told += numbered + ([f"Gotchas: {row['gotchas']}"] if row["gotchas"] else [])
        yield ImportedMemory(
            text="\n".join(told),
            kind="procedure",
            id=row["id"],
            part="procedures",
            line=row.number,
            time=row["last_updated_at"] or None,
            category="procedure",
            detail=_decode_columns(row, "success_count", "failure_count"),
        )


def _read_relations(database: ForeignDatabase) -> Iterator[ReadItem]:
    """`A works on B`, of names that are read once; what two facts merely have in common is no statement."""
    if not (
        database.has_columns("relations", "source_id", "target_id", "relation")
        and database.has_columns("entities", "id", "name")
    ):
        return
    found = database.read_rows("entities", ("id", "name"))
    names = {row["id"]: row["name"] for row in found if isinstance(row, TableRow)}
    for row in database.read_rows("relations", ("id", "source_id", "target_id", "relation"), ("created_at", "weight")):
        if not isinstance(row, TableRow):
            yield row
            continue
        source, target = names.get(row["source_id"], ""), names.get(row["target_id"], "")
        if not source or not target:
            yield SetAside(0, row.number, "a relation of what is not there", part="relations")
        elif row["relation"] in ("related_to", "co-occurs", "co_occurs"):
            yield Blank(0, row.number, "only mentioned together", "relations")
        else:
            yield ImportedMemory(
                text=f"{source} {row['relation'].replace('_', ' ')} {target}.",
                kind="relation",
                id=row["id"],
                part="relations",
                line=row.number,
                time=row["created_at"] or None,
                detail=_decode_columns(row, "weight"),
            )


def _read_unprocessed_messages(database: ForeignDatabase) -> Iterator[ReadItem]:
    if not database.has_columns("wal_buffer", "role", "content"):
        return
    for row in database.read_rows("wal_buffer", ("id", "role", "content"), ("session_id", "created_at", "processed")):
        if not isinstance(row, TableRow):
            yield row
        elif row["processed"] not in ("", "0"):
            yield Blank(0, row.number, "a message whose facts were taken", "wal_buffer")
        else:
            yield ImportedMemory(
                text=row["content"],
                kind="message",
                id=f"wal:{row['id']}",
                part="wal_buffer",
                line=row.number,
                time=row["created_at"] or None,
                actor="owner" if row["role"] == "user" else "agent",
                type="message",
                session=row["session_id"],
            )


def _decode_columns(row: TableRow, *columns: str) -> dict[str, object]:
    return {name: decode_embedded_json(row[name]) for name in columns if row[name] not in ("", "[]")}
