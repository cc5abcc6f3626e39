"""memory-core's database: the pieces of Markdown and of sessions that it indexed, put together again, and intents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from msgspec import Struct, structs

from commonplace.errors import BadArgument
from commonplace.imports.decoding import json_in
from commonplace.imports.memories.database import Database, Row, opened
from commonplace.imports.memories.notes import records_of
from commonplace.imports.memories.nouns import Memory, Place
from commonplace.imports.nouns import Blank, SetAside

CHUNKS = ("memory_index_chunks", "chunks")  # today's name, and that of databases that hold nothing else
NEED = ("id", "path", "start_line", "end_line", "text")
TRUSTS = {"untrusted": "untrusted", "system": "untrusted"}  # by the class of origin; of the others nothing is lowered
SPOKEN = {"user": "owner", "assistant": "agent"}
TENTHS = tuple(map(str, range(1, 11)))
MOST_DIGITS = 9  # of the number of a line
MOST_RUN = 1 << 20  # characters of a run of pieces
Item = Memory | SetAside | Blank


class _Noted(Struct, frozen=True):
    """What is noted of a piece: the class of its origin, and what the annotations of its line said."""

    origin: str = ""
    importance: str = ""
    triggers: str = ""
    project: str = ""


class _Run(Struct):
    """Neighbouring lines of one file of which the same is noted."""

    path: str
    source: str
    noted: _Noted
    first: int
    lines: list[str]
    time: str
    row: int


def read(place: Place) -> Iterator[Item]:
    """What the database holds; pieces overlap, and each line is told once."""
    with opened(place.path) as database:
        table = next((name for name in CHUNKS if database.has(name, *NEED)), "")
        if not table:
            message = f"{place.path!r} has no table {CHUNKS[0]!r} with {', '.join(NEED)}, as memory-core's has"
            raise BadArgument(message, path=place.path, hint="name the agent's database, or another --format")
        for run in _runs(database, table):
            if isinstance(run, _Run):
                yield from _dialogue(run) if run.source == "sessions" else _lines(run)
            else:
                yield run
        yield from _intents(database)


def _runs(database: Database, table: str) -> Iterator[_Run | SetAside]:
    noted = _noted(database)
    rows = database.rows(table, NEED, ("source", "updated_at"), order=("path", "source", "start_line", "end_line"))
    run: _Run | None = None
    for row in rows:
        if not isinstance(row, Row):
            yield row
            continue
        piece = _piece(table, row, noted)
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


def _piece(table: str, row: Row, noted: dict[str, _Noted]) -> _Run | SetAside:
    if not row["start_line"].isdecimal() or len(row["start_line"]) > MOST_DIGITS:
        return SetAside(0, row.number, "`start_line` is no number of a line", part=table)
    source, told = row["source"] or "memory", noted.get(row["id"], _Noted())
    lines = row["text"].split("\n")
    return _Run(row["path"], source, told, int(row["start_line"]), lines, row["updated_at"], row.number)


def _goes_on(run: _Run, piece: _Run) -> bool:
    """Whether a piece begins within the lines of a run or right behind them."""
    same = (run.path, run.source, run.noted) == (piece.path, piece.source, piece.noted)
    return same and piece.first <= run.first + len(run.lines) and sum(map(len, run.lines)) < MOST_RUN


def _noted(database: Database) -> dict[str, _Noted]:
    """What is noted of each piece of which anything is."""
    origin, recall = "memory_index_chunk_provenance", "memory_index_chunk_recall_metadata"
    noted: dict[str, _Noted] = {}
    if database.has(origin, "chunk_id", "origin_class"):
        for row in database.rows(origin, ("chunk_id", "origin_class")):
            if isinstance(row, Row):
                noted[row["chunk_id"]] = _Noted(row["origin_class"])
    if database.has(recall, "chunk_id", "importance", "triggers", "project_key"):
        for row in database.rows(recall, ("chunk_id",), ("importance", "triggers", "project_key")):
            if isinstance(row, Row):
                told = noted.get(row["chunk_id"], _Noted())
                said = {"importance": row["importance"], "triggers": row["triggers"], "project": row["project_key"]}
                noted[row["chunk_id"]] = structs.replace(told, **said)
    return noted


def _lines(run: _Run) -> Iterator[Item]:
    """The lines of a Markdown file as the records that they would be there; the class `agent` is what the host gives
    each file of which it knows nothing, and says nothing about who wrote it."""
    above = "\n" if run.first > 1 else ""  # or what stands first would be taken for front matter
    text, skipped = above + "\n".join(run.lines), run.first - 1 - len(above)
    for memory in records_of(run.path, text.encode("utf-8", "replace")):
        if memory.kind == "heading":  # what stands below it may be in the next run
            continue
        yield Memory(
            text=memory.text,
            kind="line",
            id=memory.id,
            part=run.path,
            line=memory.line + skipped,
            time=memory.time or run.time or None,
            trust=TRUSTS.get(run.noted.origin, ""),
            scope=memory.scope or run.noted.project.partition(";")[0].strip(),
            category=memory.category,
            distilled=memory.distilled,
            detail=memory.detail | _annotated(run.noted),
        )


def _annotated(noted: _Noted) -> dict[str, object]:
    """Importance in tenths and triggers, as the annotations of the line said."""
    importance = {"importance": int(noted.importance) / 10} if noted.importance in TENTHS else {}
    triggers = [phrase for word in noted.triggers.split(";") if (phrase := word.strip())]
    return {**importance, **({"triggers": triggers} if triggers else {})}


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
            trust=TRUSTS.get(run.noted.origin, ""),
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
