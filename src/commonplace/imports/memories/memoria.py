"""Memoria's `memoria.db`: facts, observations, procedures, relations, and messages that it had not dealt with."""

from __future__ import annotations

from collections.abc import Iterator

from commonplace.imports.decoding import json_in
from commonplace.imports.memories.database import Database, Row, opened
from commonplace.imports.memories.nouns import Memory, Place
from commonplace.imports.nouns import Blank, SetAside

SUPERSEDED = "superseded by a newer one"
Item = Memory | SetAside | Blank


def read(place: Place) -> Iterator[Item]:
    """What the database holds; a fact that another one superseded is passed over."""
    with opened(place.path) as database:
        yield from _facts(database)
        yield from _observations(database)
        yield from _procedures(database)
        yield from _relations(database)
        yield from _messages(database)


def _facts(database: Database) -> Iterator[Item]:
    more = ("category", "confidence", "source", "tags", "agent", "created_at", "superseded", "fact_type", "updated_at")
    for row in database.rows("facts", ("id", "fact"), more):
        if not isinstance(row, Row):
            yield row
        elif row["superseded"] not in ("", "0"):
            yield Blank(0, row.number, SUPERSEDED, "facts")
        else:
            yield Memory(
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
                detail=_detail(row, "source", "tags"),
            )


def _observations(database: Database) -> Iterator[Item]:
    if not database.has("observations", "id", "topic", "summary"):
        return
    more = ("topic", "confidence", "evidence_ids", "updated_at", "created_at")
    for row in database.rows("observations", ("id", "summary"), more):
        if not isinstance(row, Row):
            yield row
            continue
        yield Memory(
            text=f"{row['topic']}: {row['summary']}" if row["summary"] and row["topic"] else row["summary"],
            kind="observation",
            id=row["id"],
            part="observations",
            line=row.number,
            time=row["updated_at"] or row["created_at"] or None,
            confidence=row["confidence"],
            detail=_detail(row, "evidence_ids"),
        )


def _procedures(database: Database) -> Iterator[Item]:
    if not database.has("procedures", "id", "name", "steps"):
        return
    more = ("goal", "context", "gotchas", "last_updated_at", "success_count", "failure_count")
    for row in database.rows("procedures", ("id", "name", "steps"), more):
        if not isinstance(row, Row):
            yield row
            continue
        steps = json_in(row["steps"])
        numbered = [f"{at}. {step}" for at, step in enumerate(steps, 1)] if isinstance(steps, list) else [row["steps"]]
        told = [row["name"], *(f"{word.capitalize()}: {row[word]}" for word in ("goal", "context") if row[word])]
        told += numbered + ([f"Gotchas: {row['gotchas']}"] if row["gotchas"] else [])
        yield Memory(
            text="\n".join(told),
            kind="procedure",
            id=row["id"],
            part="procedures",
            line=row.number,
            time=row["last_updated_at"] or None,
            category="procedure",
            detail=_detail(row, "success_count", "failure_count"),
        )


def _relations(database: Database) -> Iterator[Item]:
    """`A works on B`, of names that are read once; what two facts merely have in common is no statement."""
    if not (database.has("relations", "source_id", "target_id", "relation") and database.has("entities", "id", "name")):
        return
    found = database.rows("entities", ("id", "name"))
    names = {row["id"]: row["name"] for row in found if isinstance(row, Row)}
    for row in database.rows("relations", ("id", "source_id", "target_id", "relation"), ("created_at", "weight")):
        if not isinstance(row, Row):
            yield row
            continue
        source, target = names.get(row["source_id"], ""), names.get(row["target_id"], "")
        if not source or not target:
            yield SetAside(0, row.number, "a relation of what is not there", part="relations")
        elif row["relation"] in ("related_to", "co-occurs", "co_occurs"):
            yield Blank(0, row.number, "only mentioned together", "relations")
        else:
            yield Memory(
                text=f"{source} {row['relation'].replace('_', ' ')} {target}.",
                kind="relation",
                id=row["id"],
                part="relations",
                line=row.number,
                time=row["created_at"] or None,
                detail=_detail(row, "weight"),
            )


def _messages(database: Database) -> Iterator[Item]:
    if not database.has("wal_buffer", "role", "content"):
        return
    for row in database.rows("wal_buffer", ("id", "role", "content"), ("session_id", "created_at", "processed")):
        if not isinstance(row, Row):
            yield row
        elif row["processed"] not in ("", "0"):
            yield Blank(0, row.number, "a message whose facts were taken", "wal_buffer")
        else:
            yield Memory(
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


def _detail(row: Row, *columns: str) -> dict[str, object]:
    return {name: json_in(row[name]) for name in columns if row[name] not in ("", "[]")}
