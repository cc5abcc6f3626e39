"""Reads mem0 and memory-lancedb: JSON exports, the history database of mem0, and folders of LanceDB tables."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from typing import BinaryIO

from commonplace.capture.imports import streams
from commonplace.capture.imports.events import Blank, Fields, NoEvent, ParseFailure, SetAside, StreamPosition
from commonplace.capture.imports.memories import foreign_database, imported_memory
from commonplace.capture.imports.message_content import object_or_empty, shorten_name
from commonplace.errors import BadArgument
from commonplace.shapes import Json
from commonplace.storage.files import open_user_file

MEMORY_ARRAY_KEYS = ("results", "memories", "data", "rows", "")  # names of the array that holds the memories
# The outermost object up to its first array, which holds the memories or comes before them.
MEMORY_ARRAY_PATTERN = r"\s*\{(?:[^\[\]]*?\"(?:results|memories|data|rows|relations)\"\s*:\s*\[)"
HISTORY_COLUMNS = ("event", "created_at", "updated_at", "is_deleted", "actor_id", "role")
ObjectConverter = Callable[[Fields], imported_memory.ImportedMemory | NoEvent]


def read_mem0(path: str) -> Iterator[imported_memory.MemoryItem]:
    """The memories that `get_all`, or an export of the platform, wrote, or that mem0's own `history.db` holds."""
    with open_user_file(path) as (stream, _identity):
        if stream.read(len(foreign_database.SQLITE_MAGIC)) != foreign_database.SQLITE_MAGIC:
            stream.seek(0)
            yield from _read_memory_objects(stream, _convert_mem0_memory)
            return
    with foreign_database.open_foreign_database(path) as database:
        yield from _read_history(database)


def _read_history(database: foreign_database.ForeignDatabase) -> Iterator[imported_memory.MemoryItem]:
    """The last text of each memory; one that was deleted is skipped."""
    if not database.has_columns("history", "memory_id", "new_memory", "event"):
        raise BadArgument("this database has no table `history`, as mem0's has", hint="name its `history.db`")
    rows = database.read_rows("history", ("memory_id",))
    last = {row["memory_id"]: row.number for row in rows if isinstance(row, foreign_database.TableRow)}
    for row in database.read_rows("history", ("memory_id", "new_memory"), HISTORY_COLUMNS):
        if not isinstance(row, foreign_database.TableRow):
            yield row
        elif last.get(row["memory_id"]) != row.number:
            yield Blank(0, row.number, "changed later", "history")
        elif row["event"].upper() == "DELETE" or row["is_deleted"] == "1":
            yield Blank(0, row.number, "deleted there", "history")
        else:
            time = row["updated_at"] or row["created_at"]
            memory = {"id": row["memory_id"], "memory": row["new_memory"], "role": row["role"], "created_at": time}
            yield imported_memory.locate_memory(_convert_mem0_memory(memory), "", StreamPosition(0, row.number))


def _read_memory_objects(stream: BinaryIO, convert: ObjectConverter) -> Iterator[imported_memory.MemoryItem]:
    """A memory of each object in an array, or on a line of its own; one of them is held at a time."""
    byte_stream = streams.ByteStream(stream)
    begins = byte_stream.head_text.lstrip()[:1]
    if begins == "[" or (begins == "{" and re.match(MEMORY_ARRAY_PATTERN, byte_stream.head_text)):
        yield from _read_array_objects(byte_stream, convert)
        return
    for line in streams.LineReader(byte_stream, lambda _data: None):
        item = streams.decode_line(line)
        yield imported_memory.locate_memory(convert(item), "", line.position) if isinstance(item, dict) else item


def _read_array_objects(
    byte_stream: streams.ByteStream, convert: ObjectConverter
) -> Iterator[imported_memory.MemoryItem]:
    """The objects of the array, which may be inside an object, whose opening bracket is skipped."""
    if byte_stream.encoding != "utf-8":
        yield SetAside(0, 1, "an export in UTF-16; save it as UTF-8")
        return
    if byte_stream.head_text.lstrip()[:1] == "{":
        byte_stream.head = byte_stream.head.replace(b"{", b" ", 1)
    section = ""
    for element in streams.ElementReader(byte_stream):
        offset, line, data = element.position.offset, element.position.line, element.data
        if data[:1] == b'"' and element.is_complete and len(data) < streams.MAX_ELEMENT_BYTES:
            section = shorten_name(streams.decode_json_strictly(data))
        elif data[:1] != b"{":
            continue
        elif element.oversize_bytes or section in MEMORY_ARRAY_KEYS:
            found = element.find_fault("an object") or streams.decode_json_strictly(data)
            if isinstance(found, ParseFailure):
                yield SetAside(offset, line, found.reason, streams.sample_text(data))
            else:
                yield imported_memory.locate_memory(convert(found), "", element.position)
        else:
            yield Blank(offset, line, f"of `{section}`, which holds no memories"[:200])


def _convert_mem0_memory(source_object: Fields) -> imported_memory.ImportedMemory | NoEvent:
    """A memory of mem0; its user is its owner, and its run is its session."""
    if source_object.get("state") == "deleted" or source_object.get("is_deleted") in (True, 1):
        return NoEvent("deleted there")
    metadata = object_or_empty(source_object.get("metadata") or source_object.get("metadata_"))
    categories = source_object.get("categories")
    categories = [shorten_name(one) for one in categories] if isinstance(categories, list) else []
    user, app = shorten_name(source_object.get("user_id")), shorten_name(source_object.get("app_id"))
    detail = {"user": user, "categories": categories, "metadata": metadata, "app": app}
    texts = (source_object.get(word) for word in ("memory", "content", "text", "data"))
    return imported_memory.ImportedMemory(
        text=next((text for text in texts if isinstance(text, str)), ""),
        kind="memory",
        id=shorten_name(source_object.get("id")) or shorten_name(source_object.get("hash")),
        time=source_object.get("created_at") or source_object.get("updated_at"),
        actor="agent" if source_object.get("role") == "assistant" else "owner",
        owner_name=user,
        session=shorten_name(source_object.get("run_id")),
        agent=shorten_name(source_object.get("agent_id")),
        category=shorten_name(metadata.get("category") or metadata.get("type")) or next(iter(categories), ""),
        distilled=True,
        detail={name: value for name, value in detail.items() if value},
    )


def _convert_lancedb_row(source_object: Fields) -> imported_memory.ImportedMemory | NoEvent:
    """A row of memory-lancedb, or of a related program, which has `timestamp` and more in `metadata`."""
    if source_object.get("id") == "__schema__":
        return NoEvent("the row that gives the table its shape")
    detail = {name: source_object.get(name) for name in ("importance", "metadata")}
    scope = shorten_name(source_object.get("scope"))
    return imported_memory.ImportedMemory(
        text=source_object["text"] if isinstance(source_object.get("text"), str) else "",
        kind="memory",
        id=shorten_name(source_object.get("id")),
        time=source_object.get("createdAt") or source_object.get("created_at") or source_object.get("timestamp"),
        agent=shorten_name(source_object.get("agentId")),
        scope="" if scope == "global" else scope,
        category=shorten_name(source_object.get("category")),
        distilled=True,
        detail={name: value for name, value in detail.items() if value not in (None, "", "{}")},
    )


LANCEDB_TABLE = "memories"
LANCEDB_BATCH_ROWS = 500
VECTOR_COLUMN = "vector"
LANCEDB_HINT = "`pip install lancedb`, or export the rows: `openclaw ltm list > memories.json`, and import that file"


def read_lancedb(path: str) -> Iterator[imported_memory.MemoryItem]:
    """The rows of the table, or of an export that `openclaw ltm list` or another tool wrote. Raises BadArgument."""
    if os.path.isdir(path):
        for number, row in enumerate(_read_lancedb_rows(path), 1):
            yield imported_memory.locate_memory(_convert_lancedb_row(row), "", StreamPosition(0, number))
        return
    with open_user_file(path) as (stream, _identity):
        yield from _read_memory_objects(stream, _convert_lancedb_row)


def _read_lancedb_rows(folder: str) -> Iterator[Json]:
    try:
        import lancedb
    except ImportError:
        message = "a folder of LanceDB tables cannot be read without the package `lancedb`"
        raise BadArgument(message, path=folder, hint=LANCEDB_HINT) from None
    try:
        table = lancedb.connect(folder).open_table(LANCEDB_TABLE)
        columns = [name for name in table.schema.names if name != VECTOR_COLUMN]
        for batch in table.search().select(columns).limit(None).to_batches(LANCEDB_BATCH_ROWS):
            yield from batch.to_pylist()
    except (ValueError, OSError, RuntimeError) as error:
        said = str(error).partition("\n")[0][:200]
        raise BadArgument(
            f"{folder!r} holds no readable table {LANCEDB_TABLE!r}: {said}", path=folder, hint=LANCEDB_HINT
        ) from None
