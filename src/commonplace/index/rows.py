"""Records to rows of the database and back."""

from __future__ import annotations

from typing import Any

from msgspec import json

from commonplace.index.protocol import Entry, Row
from commonplace.index.turns import dialogue_of
from commonplace.model import Record, Source

COLUMNS = (
    "rowid, length, scope, kind, category, trust, superseded_by, actor, time, starts, ends, id, claim, path,"
    " line_start, line_end, byte_start, byte_end, digest, form, speaker, valid_from, valid_to, confidence, importance,"
    " said_trust, annotated, heading, entities, tags, links, triggers, supersedes, sources, session,"
    " text, text_digest, tokens, context"
)
READ = (
    "rowid, id, text, path, line_start, line_end, byte_start, byte_end, digest, form, kind, category, heading,"
    " entities, speaker, tags, links, triggers, time, valid_from, valid_to, confidence, importance, trust, scope,"
    " supersedes, superseded_by, sources, annotated, session, actor, tokens, context, length"
)
PLACE = ("line_start", "line_end", "byte_start", "byte_end")
SAID = (  # what a record says, wherever it stands; on a page of the same name all else follows from it
    "scope, kind, category, actor, time, claim, path, digest, form, speaker, valid_from, valid_to, confidence,"
    " importance, said_trust, annotated, heading, entities, tags, links, triggers, supersedes, sources, session, text"
)
INSERT = f"insert into records ({COLUMNS}, dialogue) values ({', '.join('?' * 40)})"  # noqa: S608 - constant columns

_unpack = json.Decoder(tuple[str, ...]).decode
_encode = json.Encoder().encode


def to_row(row: int, entry: Entry) -> tuple[Any, ...]:
    """The values of COLUMNS for an entry, and its dialogue; `id` and `trust` are settled later."""
    r, s = entry.record, entry.record.source
    heading = packed(r.heading)
    return (
        *(row, entry.length, r.scope, r.kind, r.category, r.trust, "", r.actor, r.time, entry.starts, entry.ends),
        *(r.id, r.id, s.path, s.line_start, s.line_end, s.byte_start, s.byte_end, s.digest, r.form, r.speaker),
        *(r.valid_from, r.valid_to, r.confidence, r.importance, r.trust, r.annotated),
        *(heading, packed(r.entities), packed(r.tags), packed(r.links), packed(r.triggers)),
        *(packed(r.supersedes), packed(r.sources), r.session, r.text, entry.text_digest, entry.tokens, entry.context),
        dialogue_of(r, heading),
    )


def said(record: Record) -> tuple[Any, ...]:
    """The values of SAID for a record as it was parsed."""
    r = record
    return (
        *(r.scope, r.kind, r.category, r.actor, r.time, r.id, r.source.path, r.source.digest, r.form, r.speaker),
        *(r.valid_from, r.valid_to, r.confidence, r.importance, r.trust, r.annotated),
        *map(packed, (r.heading, r.entities, r.tags, r.links, r.triggers, r.supersedes, r.sources)),
        *(r.session, r.text),
    )


def from_row(values: tuple[Any, ...]) -> Row:
    """What `to_row` made, as settled since, from the values of READ."""
    (row, rid, text, path, first, last, start, end, digest, form, kind, category, heading, entities, *rest) = values
    (speaker, tags, links, triggers, time, valid_from, valid_to, confidence, importance, trust, scope, *rest) = rest
    (supersedes, superseded_by, sources, annotated, session, actor, tokens, context, length) = rest
    record = Record(
        id=rid,
        text=text,
        source=Source(path, first, last, start, end, digest),
        form=form,
        kind=kind,
        category=category,
        heading=_unpack(heading) if heading else (),
        entities=_unpack(entities) if entities else (),
        speaker=speaker,
        tags=_unpack(tags) if tags else (),
        links=_unpack(links) if links else (),
        triggers=_unpack(triggers) if triggers else (),
        time=time,
        valid_from=valid_from,
        valid_to=valid_to,
        confidence=confidence,
        importance=importance,
        trust=trust,
        scope=scope,
        supersedes=_unpack(supersedes) if supersedes else (),
        superseded_by=superseded_by,
        sources=_unpack(sources) if sources else (),
        annotated=bool(annotated),
        session=session,
        actor=actor,
    )
    return Row(row, record, tokens, context, length)


def packed(texts: tuple[str, ...]) -> str:
    """Texts as a column keeps them; empty for none."""
    return _encode(texts).decode() if texts else ""
