"""memory-core's database: the pieces of Markdown and of sessions that it indexed, put together again, and intents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from msgspec import Struct

from commonplace.imports.decoding import json_in
from commonplace.imports.memories.database import Database, Row, opened
from commonplace.imports.memories.notes import records_of
from commonplace.imports.memories.nouns import Memory, Place
from commonplace.imports.nouns import Blank, SetAside

CHUNKS = ("memory_index_chunks", "chunks")  # today's name, and that of databases that hold nothing else
NEED = ("id", "path", "start_line", "end_line", "text")
TRUSTS = {"untrusted": "untrusted", "system": "untrusted"}  # by the class of origin; of the others nothing is lowered
SPOKEN = {"user": "owner", "assistant": "agent"}
MOST_RUN = 1 << 20  # characters of a run of pieces
Item = Memory | SetAside | Blank


class _Run(Struct):
    """Neighbouring lines of one file that have one origin."""

    path: str
    source: str
    origin: str
    first: int
    lines: list[str]
    time: str
    row: int


def read(place: Place) -> Iterator[Item]:
    """What the database holds; pieces overlap, and each line is told once."""
    with opened(place.path) as database:
        table = next(name for name in CHUNKS if database.has(name, *NEED))
        for run in _runs(database, table):
            if isinstance(run, _Run):
                yield from _dialogue(run) if run.source == "sessions" else _lines(run)
            else:
                yield run
        yield from _intents(database)


def _runs(database: Database, table: str) -> Iterator[_Run | SetAside]:
    origins = _origins(database)
    rows = database.rows(table, NEED, ("source", "updated_at"), order=("path", "source", "start_line", "end_line"))
    run: _Run | None = None
    for row in rows:
        if not isinstance(row, Row):
            yield row
            continue
        piece = _piece(table, row, origins)
        if isinstance(piece, SetAside):
            yield piece
        elif run is not None and _goes_on(run, piece):
            run.lines += piece.lines[max(0, run.first + len(run.lines) - piece.first) :]
        else:
            if run is not None:
                behind = run.first + len(run.lines) if (run.path, run.source) == (piece.path, piece.source) else 0
                piece.lines, piece.first = piece.lines[max(0, behind - piece.first) :], max(behind, piece.first)
                yield run
            run = piece
    if run is not None:
        yield run


def _piece(table: str, row: Row, origins: dict[str, str]) -> _Run | SetAside:
    if not row["start_line"].isdecimal():
        return SetAside(0, row.number, "`start_line` is no number", part=table)
    source, origin = row["source"] or "memory", origins.get(row["id"], "")
    lines = row["text"].split("\n")
    return _Run(row["path"], source, origin, int(row["start_line"]), lines, row["updated_at"], row.number)


def _goes_on(run: _Run, piece: _Run) -> bool:
    """Whether a piece begins within the lines of a run or right behind them."""
    same = (run.path, run.source, run.origin) == (piece.path, piece.source, piece.origin)
    return same and piece.first <= run.first + len(run.lines) and sum(map(len, run.lines)) < MOST_RUN


def _origins(database: Database) -> dict[str, str]:
    """The class of origin of the pieces that have another one than the owner's."""
    table = "memory_index_chunk_provenance"
    if not database.has(table, "chunk_id", "origin_class"):
        return {}
    found = database.rows(table, ("chunk_id", "origin_class"))
    return {row["chunk_id"]: row["origin_class"] for row in found if isinstance(row, Row) and row["origin_class"]}


def _lines(run: _Run) -> Iterator[Item]:
    """The lines of a Markdown file as the records that they would be there."""
    padded = "\n" * max(0, run.first - 1) + "\n".join(run.lines)
    for memory in records_of(run.path, padded.encode("utf-8", "replace")):
        yield Memory(
            text=memory.text,
            kind="line",
            id=memory.id,
            part=run.path,
            line=memory.line,
            time=memory.time or run.time or None,
            actor="agent" if run.origin == "agent" else "owner",
            trust=TRUSTS.get(run.origin, ""),
            scope=memory.scope,
            category=memory.category,
            distilled=memory.distilled and run.origin in ("", "owner"),
            detail=memory.detail,
        )


def _dialogue(run: _Run) -> Iterator[Item]:
    """`User: …` and `Assistant: …`, with the lines that go on with what was said."""
    told: list[tuple[str, int, list[str]]] = []
    for at, words in enumerate(run.lines, run.first):
        found = _speaker().match(words)
        if found:
            told.append((SPOKEN[found[1].lower()], at, [words[found.end() :]]))
        elif told:
            told[-1][2].append(words)
        else:
            told.append(("", at, [words]))
    name = run.path.rsplit("/", 1)[-1].partition(".jsonl")[0]
    for actor, line, said in told:
        yield Memory(
            text="\n".join(said).strip(),
            kind="message",
            id=f"{run.path}#{line}",
            part=run.path,
            line=line,
            time=run.time or None,
            actor=actor or "tool",
            type="message",
            trust=TRUSTS.get(run.origin, ""),
            session=name,
        )


def _intents(database: Database) -> Iterator[Item]:
    """What an agent was asked to bring up when its time comes; what is over is passed over."""
    if not database.has("standing_intents", "id", "description", "status"):
        return
    more = ("trigger_keywords", "created_at", "expires_at", "source_session_id")
    for row in database.rows("standing_intents", ("id", "description", "status"), more):
        if not isinstance(row, Row):
            yield row
        elif row["status"] not in ("pending", "armed", "fired"):
            yield Blank(0, row.number, f"an intent that is {row['status']}", "standing_intents")
        else:
            yield Memory(
                text=row["description"],
                kind="intent",
                id=row["id"],
                part="standing_intents",
                line=row.number,
                time=row["created_at"] or None,
                session=row["source_session_id"],
                category="plan",
                detail={"triggers": json_in(row["trigger_keywords"]), "expires_at": row["expires_at"]},
            )


@cache
def _speaker() -> re.Pattern[str]:
    return re.compile(r"(User|Assistant): ", re.IGNORECASE)
