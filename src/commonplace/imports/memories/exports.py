"""Exports as JSON: the rows of memory-lancedb, and what mem0 gives out; an array, an object around one, or lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import BinaryIO

from commonplace.errors import BadArgument
from commonplace.files import named
from commonplace.imports.blocks import name_of
from commonplace.imports.decoding import TORN, not_an_object, object_of, parsed
from commonplace.imports.elements import MOST_ELEMENT_BYTES, Elements
from commonplace.imports.lines import Lines, Stream, sample
from commonplace.imports.memories.database import MAGIC, Database, Row, opened
from commonplace.imports.memories.nouns import Memory, Place
from commonplace.imports.nouns import Blank, Fields, Refused, SetAside, Spot

SECTIONS = ("results", "memories", "data", "rows", "")  # names of the array that holds the memories
Item = Memory | SetAside | Blank
Told = Callable[[Fields, Spot], Memory | Blank]


def read_mem0(place: Place) -> Iterator[Item]:
    """What `get_all`, or an export of the platform, wrote; or what mem0's own `history.db` holds."""
    with named(place.path) as (stream, _identity):
        if stream.read(len(MAGIC)) != MAGIC:
            stream.seek(0)
            yield from objects(stream, _mem0)
            return
    with opened(place.path) as database:
        yield from _history(database)


def _history(database: Database) -> Iterator[Item]:
    """What each memory said last; one that was deleted is passed over."""
    if not database.has("history", "memory_id", "new_memory", "event"):
        raise BadArgument("this database has no table `history`, as mem0's has", hint="name its `history.db`")
    told = database.rows("history", ("memory_id",))
    last = {row["memory_id"]: row.number for row in told if isinstance(row, Row)}
    more = ("event", "created_at", "updated_at", "is_deleted", "actor_id", "role")
    for row in database.rows("history", ("memory_id", "new_memory"), more):
        if not isinstance(row, Row):
            yield row
        elif last.get(row["memory_id"]) != row.number:
            yield Blank(0, row.number, "changed later", "history")
        elif row["event"].upper() == "DELETE" or row["is_deleted"] == "1":
            yield Blank(0, row.number, "deleted there", "history")
        else:
            time = row["updated_at"] or row["created_at"]
            found = {"id": row["memory_id"], "memory": row["new_memory"], "role": row["role"], "created_at": time}
            yield _mem0(found, Spot(0, row.number))


def read_lancedb(place: Place) -> Iterator[Item]:
    """What `openclaw ltm list` wrote, or rows that another tool exported as JSON or JSON lines."""
    with named(place.path) as (stream, _identity):
        yield from objects(stream, lance_row)


def objects(stream: BinaryIO, told: Told) -> Iterator[Item]:
    """A memory of each object in an array, or on a line of its own; one of them is held at a time."""
    found = Stream(stream)
    begins = found.beginning.lstrip()[:1]
    if begins == "[" or (begins == "{" and section_in(found.beginning)):
        yield from _elements(found, told)
        return
    for line in Lines(found, lambda _data: None):
        value = object_of(line)
        yield told(value, line.spot) if isinstance(value, dict) else _aside(value)


def section_in(beginning: str) -> bool:
    """Whether an export that begins so is an object around an array of memories."""
    return _array().match(beginning) is not None


def _elements(stream: Stream, told: Told) -> Iterator[Item]:
    """The objects of the array, also where it stands in an object: that one's opening bracket is passed over."""
    if stream.encoding != "utf-8":
        yield SetAside(0, 1, "an export in UTF-16; save it as UTF-8")
        return
    if stream.beginning.lstrip()[:1] == "{":
        stream.head = stream.head.replace(b"{", b" ", 1)
    section = ""
    for element in Elements(stream):
        offset, line, data = element.spot.offset, element.spot.line, element.data
        if data[:1] == b'"' and element.whole and len(data) < MOST_ELEMENT_BYTES:
            section = name_of(parsed(data))
        elif data[:1] != b"{":
            continue
        elif element.too_long:
            reason = f"an object of {element.too_long} bytes, more than {MOST_ELEMENT_BYTES}"
            yield SetAside(offset, line, reason, sample(data))
        elif section in SECTIONS:
            found = parsed(data) if element.whole else Refused(TORN)
            if isinstance(found, Refused):
                yield SetAside(offset, line, found.reason, sample(data))
            else:
                yield told(found, element.spot)
        else:
            yield Blank(offset, line, f"of `{section}`, which holds no memories"[:200])


def _mem0(found: Fields, spot: Spot) -> Memory | Blank:
    """A memory of mem0; whom it belongs to is its user, and what it was told in is its session."""
    if found.get("state") == "deleted" or found.get("is_deleted") in (True, 1):
        return Blank(spot.offset, spot.line, "deleted there")
    metadata = found.get("metadata") or found.get("metadata_")
    metadata = metadata if isinstance(metadata, dict) else {}
    categories = found.get("categories")
    categories = [name_of(one) for one in categories] if isinstance(categories, list) else []
    user = name_of(found.get("user_id"))
    detail = {"user": user, "categories": categories, "metadata": metadata, "app": name_of(found.get("app_id"))}
    text = next((found[word] for word in ("memory", "content", "text", "data") if isinstance(found.get(word), str)), "")
    return Memory(
        text=text,
        kind="memory",
        id=name_of(found.get("id")) or name_of(found.get("hash")),
        offset=spot.offset,
        line=spot.line,
        time=found.get("created_at") or found.get("updated_at"),
        actor="agent" if found.get("role") == "assistant" else "owner",
        whose=user,
        session=name_of(found.get("run_id")),
        agent=name_of(found.get("agent_id")),
        category=name_of(metadata.get("category") or metadata.get("type")) or next(iter(categories), ""),
        distilled=True,
        detail={name: value for name, value in detail.items() if value},
    )


def lance_row(found: Fields, spot: Spot) -> Memory | Blank:
    """A row of memory-lancedb, or of one of its kin, which say `timestamp` and keep more in `metadata`."""
    if found.get("id") == "__schema__":
        return Blank(spot.offset, spot.line, "the row that gives the table its shape")
    detail = {"importance": found.get("importance"), "metadata": found.get("metadata")}
    scope = name_of(found.get("scope"))
    return Memory(
        text=found["text"] if isinstance(found.get("text"), str) else "",
        kind="memory",
        id=name_of(found.get("id")),
        offset=spot.offset,
        line=spot.line,
        time=found.get("createdAt") or found.get("created_at") or found.get("timestamp"),
        agent=name_of(found.get("agentId")),
        scope="" if scope == "global" else scope,
        category=name_of(found.get("category")),
        distilled=True,
        detail={name: value for name, value in detail.items() if value not in (None, "", "{}")},
    )


@cache
def _array() -> re.Pattern[str]:
    """The outermost object up to the first array in it, which is one of memories, or stands before it."""
    return re.compile(r"\s*\{(?:[^\[\]]*?\"(?:results|memories|data|rows|relations)\"\s*:\s*\[)")


def _aside(value: object) -> SetAside | Blank:
    return value if isinstance(value, SetAside | Blank) else SetAside(0, 0, not_an_object(value))
