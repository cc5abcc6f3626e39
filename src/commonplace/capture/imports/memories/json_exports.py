"""Reads mem0 and memory-lancedb: JSON exports, the history database of mem0, and folders of LanceDB tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, BinaryIO

from commonplace.capture.imports.events import Blank, Fields, ParseFailure, SetAside, StreamPosition
from commonplace.capture.imports.memories.foreign_database import (
    SQLITE_MAGIC,
    ForeignDatabase,
    TableRow,
    open_foreign_database,
)
from commonplace.capture.imports.memories.imported_memory import ImportedMemory, MemoryLocation
from commonplace.capture.imports.message_content import shorten_name
from commonplace.capture.imports.streams import (
    MAX_ELEMENT_BYTES,
    TRUNCATED,
    ByteStream,
    ElementReader,
    LineReader,
    decode_json_strictly,
    decode_line,
    explain_non_object,
    sample_text,
)
from commonplace.errors import BadArgument
from commonplace.storage.files import open_user_file

MEMORY_ARRAY_KEYS = ("results", "memories", "data", "rows", "")  # names of the array that holds the memories
MemoryItem = ImportedMemory | SetAside | Blank
ObjectConverter = Callable[[Fields, StreamPosition], ImportedMemory | Blank]


def read_mem0(location: MemoryLocation) -> Iterator[MemoryItem]:
    """What `get_all`, or an export of the platform, wrote; or what mem0's own `history.db` holds."""
    with open_user_file(location.path) as (stream, _identity):
        if stream.read(len(SQLITE_MAGIC)) != SQLITE_MAGIC:
            stream.seek(0)
            yield from read_memory_objects(stream, _mem0_to_memory)
            return
    with open_foreign_database(location.path) as database:
        yield from _read_history(database)


def _read_history(database: ForeignDatabase) -> Iterator[MemoryItem]:
    """What each memory said last; one that was deleted is passed over."""
    if not database.has_columns("history", "memory_id", "new_memory", "event"):
        raise BadArgument("this database has no table `history`, as mem0's has", hint="name its `history.db`")
    told = database.read_rows("history", ("memory_id",))
    last = {row["memory_id"]: row.number for row in told if isinstance(row, TableRow)}
    more = ("event", "created_at", "updated_at", "is_deleted", "actor_id", "role")
    for row in database.read_rows("history", ("memory_id", "new_memory"), more):
        if not isinstance(row, TableRow):
            yield row
        elif last.get(row["memory_id"]) != row.number:
            yield Blank(0, row.number, "changed later", "history")
        elif row["event"].upper() == "DELETE" or row["is_deleted"] == "1":
            yield Blank(0, row.number, "deleted there", "history")
        else:
            time = row["updated_at"] or row["created_at"]
            found = {"id": row["memory_id"], "memory": row["new_memory"], "role": row["role"], "created_at": time}
            yield _mem0_to_memory(found, StreamPosition(0, row.number))


def read_lancedb_export(location: MemoryLocation) -> Iterator[MemoryItem]:
    """What `openclaw ltm list` wrote, or rows that another tool exported as JSON or JSON lines."""
    with open_user_file(location.path) as (stream, _identity):
        yield from read_memory_objects(stream, lancedb_to_memory)


def read_memory_objects(stream: BinaryIO, convert: ObjectConverter) -> Iterator[MemoryItem]:
    """A memory of each object in an array, or on a line of its own; one of them is held at a time."""
    found = ByteStream(stream)
    begins = found.head_text.lstrip()[:1]
    if begins == "[" or (begins == "{" and has_memory_array(found.head_text)):
        yield from _read_array_objects(found, convert)
        return
    for line in LineReader(found, lambda _data: None):
        value = decode_line(line)
        yield convert(value, line.position) if isinstance(value, dict) else _reject_non_object(value)


def has_memory_array(beginning: str) -> bool:
    """Whether an export that begins so is an object around an array of memories."""
    return _memory_array_pattern().match(beginning) is not None


def _read_array_objects(byte_stream: ByteStream, convert: ObjectConverter) -> Iterator[MemoryItem]:
    """The objects of the array, also where it stands in an object: that one's opening bracket is passed over."""
    if byte_stream.encoding != "utf-8":
        yield SetAside(0, 1, "an export in UTF-16; save it as UTF-8")
        return
    if byte_stream.head_text.lstrip()[:1] == "{":
        byte_stream.head = byte_stream.head.replace(b"{", b" ", 1)
    section = ""
    for element in ElementReader(byte_stream):
        offset, line, data = element.position.offset, element.position.line, element.data
        if data[:1] == b'"' and element.is_complete and len(data) < MAX_ELEMENT_BYTES:
            section = shorten_name(decode_json_strictly(data))
        elif data[:1] != b"{":
            continue
        elif element.oversize_bytes:
            reason = f"an object of {element.oversize_bytes} bytes, more than {MAX_ELEMENT_BYTES}"
            yield SetAside(offset, line, reason, sample_text(data))
        elif section in MEMORY_ARRAY_KEYS:
            found = decode_json_strictly(data) if element.is_complete else ParseFailure(TRUNCATED)
            if isinstance(found, ParseFailure):
                yield SetAside(offset, line, found.reason, sample_text(data))
            else:
                yield convert(found, element.position)
        else:
            yield Blank(offset, line, f"of `{section}`, which holds no memories"[:200])


def _mem0_to_memory(source_object: Fields, position: StreamPosition) -> ImportedMemory | Blank:
    """A memory of mem0; whom it belongs to is its user, and what it was told in is its session."""
    if source_object.get("state") == "deleted" or source_object.get("is_deleted") in (True, 1):
        return Blank(position.offset, position.line, "deleted there")
    metadata = source_object.get("metadata") or source_object.get("metadata_")
    metadata = metadata if isinstance(metadata, dict) else {}
    categories = source_object.get("categories")
    categories = [shorten_name(one) for one in categories] if isinstance(categories, list) else []
    user = shorten_name(source_object.get("user_id"))
    detail = {
        "user": user,
        "categories": categories,
        "metadata": metadata,
        "app": shorten_name(source_object.get("app_id")),
    }
    text = next(
        (
            source_object[word]
            for word in ("memory", "content", "text", "data")
            if isinstance(source_object.get(word), str)
        ),
        "",
    )
    return ImportedMemory(
        text=text,
        kind="memory",
        id=shorten_name(source_object.get("id")) or shorten_name(source_object.get("hash")),
        offset=position.offset,
        line=position.line,
        time=source_object.get("created_at") or source_object.get("updated_at"),
        actor="agent" if source_object.get("role") == "assistant" else "owner",
        owner_name=user,
        session=shorten_name(source_object.get("run_id")),
        agent=shorten_name(source_object.get("agent_id")),
        category=shorten_name(metadata.get("category") or metadata.get("type")) or next(iter(categories), ""),
        distilled=True,
        detail={name: value for name, value in detail.items() if value},
    )


def lancedb_to_memory(source_object: Fields, position: StreamPosition) -> ImportedMemory | Blank:
    """A row of memory-lancedb, or of one of its kin, which say `timestamp` and keep more in `metadata`."""
    if source_object.get("id") == "__schema__":
        return Blank(position.offset, position.line, "the row that gives the table its shape")
    detail = {"importance": source_object.get("importance"), "metadata": source_object.get("metadata")}
    scope = shorten_name(source_object.get("scope"))
    return ImportedMemory(
        text=source_object["text"] if isinstance(source_object.get("text"), str) else "",
        kind="memory",
        id=shorten_name(source_object.get("id")),
        offset=position.offset,
        line=position.line,
        time=source_object.get("createdAt") or source_object.get("created_at") or source_object.get("timestamp"),
        agent=shorten_name(source_object.get("agentId")),
        scope="" if scope == "global" else scope,
        category=shorten_name(source_object.get("category")),
        distilled=True,
        detail={name: value for name, value in detail.items() if value not in (None, "", "{}")},
    )


@cache
def _memory_array_pattern() -> re.Pattern[str]:
    """The outermost object up to the first array in it, which is one of memories, or stands before it."""
    return re.compile(r"\s*\{(?:[^\[\]]*?\"(?:results|memories|data|rows|relations)\"\s*:\s*\[)")


def _reject_non_object(raw_value: object) -> SetAside | Blank:
    return raw_value if isinstance(raw_value, SetAside | Blank) else SetAside(0, 0, explain_non_object(raw_value))


LANCEDB_TABLE = "memories"
LANCEDB_BATCH_ROWS = 500  # rows
VECTOR_COLUMN = "vector"
LANCEDB_HINT = "`pip install lancedb`, or export the rows: `openclaw ltm list > memories.json`, and import that file"
ReadItem = ImportedMemory | SetAside | Blank


def read_lancedb(location: MemoryLocation) -> Iterator[ReadItem]:
    """The rows of the table, or of an export of it. Raises BadArgument."""
    if not location.is_folder:
        yield from read_lancedb_export(location)
        return
    for at, row in enumerate(_read_lancedb_rows(location.path), 1):
        yield lancedb_to_memory(row, StreamPosition(0, at))


def _read_lancedb_rows(folder: str) -> Iterator[dict[str, Any]]:
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
