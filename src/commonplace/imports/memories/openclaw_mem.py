"""openclaw-mem: its SQLite file, and the capsules that it seals, in which one may be carried elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from commonplace.errors import BadArgument
from commonplace.files.elsewhere import opened as opened_file
from commonplace.imports.blocks import name_of
from commonplace.imports.decoding import object_of, parsed
from commonplace.imports.lines import Lines, Stream
from commonplace.imports.memories.database import Database, Row, opened
from commonplace.imports.memories.nouns import Memory, Place, aside
from commonplace.imports.nouns import Blank, Fields, Quiet, Refused, SetAside, Spot, Told
from commonplace.imports.openclaw_mem import Observations

CANONICAL, PACK = "openclaw-mem.canonical-capsule.v1", "openclaw-mem.pack-capsule.v1"
HELD = {CANONICAL: "observations.jsonl", PACK: "bundle.json"}  # the file in which a capsule has its memories
MOST_MANIFEST = 1 << 20  # bytes
MOST_BUNDLE = 32 << 20
PIECE = 1 << 20
OBSERVED = ("ts", "kind", "summary_en", "lang", "tool_name", "detail_json")
HAPPENED = ("scope", "session_id", "agent_id", "payload_json", "refs_json", "redacted")
OF_FILES = "a piece of a document, which is read where it lies"
OF_TOOLS = ("", "tool", "tool_result", "tool.result")  # of an observation: no statement that was made to be kept
Item = Memory | SetAside | Blank


def read(place: Place) -> Iterator[Item]:
    """What the database or the capsule holds."""
    if place.is_folder:
        yield from _capsule(place.path)
        return
    with opened(place.path) as database:
        yield from _observations(database)
        yield from _episodes(database)
        yield from _facts(database)
        yield from _documents(database)


def _documents(database: Database) -> Iterator[Item]:
    found = database.rows("docs_chunks", ("id",)) if database.has("docs_chunks", "id") else ()
    for row in found:
        yield Blank(0, row.number, OF_FILES, "docs_chunks") if isinstance(row, Row) else row


def _observations(database: Database) -> Iterator[Item]:
    if not database.has("observations", "id", "summary"):
        return
    reader = Observations()
    for row in database.rows("observations", ("id", "summary"), OBSERVED):
        if isinstance(row, Row):
            found = {name: value for name, value in row.values.items() if value}
            yield from _observation(reader, found, "observations", Spot(0, row.number))
        else:
            yield row


def _observation(reader: Observations, found: Fields, part: str, spot: Spot) -> Iterator[Item]:
    answer = reader.told(found, spot)
    if isinstance(answer, Refused):
        yield SetAside(spot.offset, spot.line, answer.reason, part=part)
    elif isinstance(answer, Quiet):
        yield Blank(spot.offset, spot.line, answer.reason, part)
    else:
        for told in answer:
            yield _told(told, str(found.get("kind") or "note"), part, spot)


def _told(told: Told, kind: str, part: str, spot: Spot) -> Memory:
    """An observation as a memory; who is not named there is the owner's agent, which kept it on the owner's behalf."""
    fields = told.fields
    detail = fields.get("detail", {})
    distilled = kind not in OF_TOOLS and not detail.get("tool")
    return Memory(
        text=fields["text"],
        kind=kind,
        id=f"obs:{told.ids[0] if told.ids else spot.line}",
        part=part,
        offset=spot.offset,
        line=spot.line,
        time=fields.get("ts"),
        actor="owner" if distilled else "tool" if detail.get("tool") else fields.get("actor", "agent"),
        type="note" if distilled else fields.get("type", "note"),
        trust=fields.get("origin", ""),
        session=fields.get("session", ""),
        agent=fields.get("agent", ""),
        scope=fields.get("scope", "") or _scope(detail),
        category=kind,
        distilled=distilled,
        detail=detail,
    )


def _scope(detail: Any) -> str:
    scope = detail.get("scope") if isinstance(detail, dict) else ""
    return scope if isinstance(scope, str) and scope != "global" else ""


def _episodes(database: Database) -> Iterator[Item]:
    if not database.has("episodic_events", "event_id", "ts_ms", "type", "summary"):
        return
    reader = Observations()
    for row in database.rows("episodic_events", ("event_id", "ts_ms", "type", "summary"), HAPPENED):
        if not isinstance(row, Row):
            yield row
            continue
        found: Fields = {name: value for name, value in row.values.items() if value}
        found["payload"], found["refs"] = found.pop("payload_json", None), found.pop("refs_json", None)
        if found.get("scope") == "global":
            del found["scope"]
        answer = reader.told(found, Spot(0, row.number))
        if isinstance(answer, list):
            yield from (_episode(told, row["type"], row.number) for told in answer)
        elif isinstance(answer, Refused):
            yield aside("episodic_events", row.number, answer.reason)
    yield from (_episode(told, "tool.call", told.spot.line if told.spot else 0) for told in reader.left())


def _episode(told: Told, kind: str, line: int) -> Memory:
    fields = told.fields
    return Memory(
        text=fields["text"],
        kind=kind,
        id=told.ids[0] if told.ids else str(line),
        part="episodic_events",
        line=line,
        time=fields.get("ts"),
        actor=fields.get("actor", "agent"),
        type=fields.get("type", "note"),
        session=fields.get("session", ""),
        agent=fields.get("agent", ""),
        scope=fields.get("scope", ""),
        detail=fields.get("detail", {}),
    )


def _facts(database: Database) -> Iterator[Item]:
    """Facts that hold; what was invalidated or superseded is passed over."""
    if not database.has("graph_facts", "id", "subject_ref", "predicate", "object_json"):
        return
    more = ("subject_label", "valid_from", "valid_to", "status", "confidence_tier", "created_at")
    for row in database.rows("graph_facts", ("id", "subject_ref", "predicate", "object_json"), more):
        if not isinstance(row, Row):
            yield row
        elif row["status"] not in ("", "active"):
            yield Blank(0, row.number, f"a fact that is {row['status']}", "graph_facts")
        else:
            yield Memory(
                text=_sentence(row),
                kind="graph-fact",
                id=row["id"],
                part="graph_facts",
                line=row.number,
                time=row["valid_from"] or row["created_at"] or None,
                detail={name: row[name] for name in ("valid_from", "valid_to", "confidence_tier") if row[name]},
            )


def _sentence(row: Row) -> str:
    found = parsed(row["object_json"].encode())
    value = found.get("label") or found.get("value") if isinstance(found, dict) else found
    value = value.removeprefix("entity:") if isinstance(value, str) else name_of(value)
    subject = row["subject_label"] or row["subject_ref"].removeprefix("entity:")
    return f"{subject} {row['predicate'].replace('_', ' ')} {value}." if value else ""


def _capsule(folder: str) -> Iterator[Item]:
    """A capsule, if each of its files is as its manifest says. Raises BadArgument."""
    manifest = _object(folder, "manifest.json", MOST_MANIFEST)
    kind = str(manifest.get("schema"))
    _verify(folder, manifest, HELD.get(kind, ""))
    if kind == CANONICAL:
        yield from _lines(folder, HELD[CANONICAL])
    elif kind == PACK:
        yield from _pack(_object(folder, HELD[PACK], MOST_BUNDLE), str(manifest.get("created_at") or ""))
    else:
        raise BadArgument(f"{folder!r} is a capsule of a sort that is not known: {manifest.get('schema')!r}")


def _lines(folder: str, name: str) -> Iterator[Item]:
    reader = Observations()
    with opened_file(folder, name) as file:
        for line in Lines(Stream(file), lambda _data: None):
            found = object_of(line)
            if isinstance(found, dict):
                yield from _observation(reader, found, name, line.spot)
            elif isinstance(found, SetAside):
                yield SetAside(found.offset, found.line, found.reason, found.sample, name)


def _pack(bundle: Fields, created: str) -> Iterator[Item]:
    """The lines of a pack: what an agent was given once, of which each names the record behind it."""
    trusts = {name_of(item.get("recordRef")): item.get("trust") for item in _items(bundle.get("context_pack"))}
    for at, said in enumerate(_items(bundle), 1):
        text = said.get("text") or said.get("summary") or ""
        trust = said.get("trust") or trusts.get(name_of(said.get("recordRef")))
        yield Memory(
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


def _items(found: Any) -> list[Fields]:
    items = found.get("items") if isinstance(found, dict) else None
    return [one for one in items if isinstance(one, dict)] if isinstance(items, list) else []


def _verify(folder: str, manifest: Fields, held: str) -> None:
    """Hold each file to its digest, and the manifest to naming the one that is read."""
    from hashlib import sha256

    entries = manifest.get("files")
    entries = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    if held and all(entry.get("name") != held for entry in entries):
        message = f"the manifest of the capsule does not seal {held!r}"
        raise BadArgument(message, path=held, hint="export the capsule anew")
    for entry in entries:
        name = str(entry.get("name") or "")
        found = sha256()
        with opened_file(folder, name) as file:
            while piece := file.read(PIECE):
                found.update(piece)
        if found.hexdigest() != entry.get("sha256"):
            message = f"{name!r} is not what the manifest of the capsule says"
            raise BadArgument(message, path=name, hint="it was changed after it was sealed; export it anew")


def _object(folder: str, name: str, most: int) -> Fields:
    with opened_file(folder, name) as file:
        data = file.read(most + 1)
    found = Refused(f"it has more than {most} bytes") if len(data) > most else parsed(data, dict[str, Any])
    if isinstance(found, Refused):
        raise BadArgument(f"{name!r} cannot be read: {found.reason}", path=name)
    return dict(found)
