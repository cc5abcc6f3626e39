"""Captures to the index as evidence: verbatim, with who said it, where, and how far it can be trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commonplace import text
from commonplace.files import digest
from commonplace.index import Entry, Index
from commonplace.journal import REWRITTEN, SHRANK, is_position
from commonplace.model import ACTORS, TRUSTS, Record, Source
from commonplace.sync.entries import spaced
from commonplace.sync.events import told
from commonplace.sync.taints import tainting
from commonplace.workspace.times import moment

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commonplace.index import MentionRole
    from commonplace.journal import Entry as Line
    from commonplace.journal import Journal


def witness(index: Index, journal: Journal, language: str) -> None:
    """Read what was captured since the index last looked, in pieces; anew where one was cut or rewritten."""
    since = index.recalled("captures")
    if not is_position(since):
        index.forget_evidence()
    for reading in journal.batches("captures", since):
        if any(problem.code in (SHRANK, REWRITTEN) for problem in reading.problems):
            index.remember("captures", "")
            return witness(index, journal, language)
        _take_in(index, reading.entries, language)
        index.taint({one for line in reading.entries for one in tainting(line.fields, journal.root)})
        index.remember("captures", reading.position)
        for problem in reading.problems:
            index.note(f"captures:{problem.path}#{problem.line}", (problem,))
    return None


def _take_in(index: Index, lines: Iterable[Line], language: str) -> None:
    lines = tuple(lines)
    entries = tuple(entry for line in lines if (entry := _entry(line, language)) is not None)
    index.witness(entries, tuple(key for line in lines for key in keys_of(line.fields)))


def keys_of(fields: dict[str, Any]) -> tuple[str, ...]:
    """The keys under which the source of a capture knows it."""
    keys = fields.get("keys")
    return tuple(key for key in keys if isinstance(key, str)) if isinstance(keys, list) else ()


def is_evidence(fields: dict[str, Any]) -> bool:
    """Whether a capture is to be found: not what its author keeps private, what stands in Markdown already, or what
    is nothing but an echo of what was kept before."""
    detail = fields.get("detail")
    detail = detail if isinstance(detail, dict) else {}
    told = bool(detail.get("private") or detail.get("kept") or detail.get("echo"))
    return not told and bool(text.one_line(str(fields.get("text") or "")))


def _entry(line: Line, language: str) -> Entry | None:
    fields = line.fields
    if not is_evidence(fields) or fields.get("actor") not in ACTORS or fields.get("origin") not in TRUSTS:
        return None
    record = record_of(line)
    spoken = text.language(record.text) if language == "auto" else language
    tokens = text.tokens(record.text, spoken)
    key = text.name_key(record.speaker)
    mentions: tuple[tuple[str, MentionRole, str], ...] = ((key, "speaker", record.speaker),) if key else ()
    said = f"e:{record.source.digest}"  # unlike any key of the ledger, which knows captures by their ids
    return Entry(record, spaced(tokens), "", len(tokens), said, mentions=mentions, events=told(record))


def record_of(line: Line) -> Record:
    """A line of a capture journal as a record of form `capture`."""
    fields = line.fields
    detail = fields.get("detail") or {}
    ends = line.offset + line.size
    return Record(
        id=fields["id"],
        text=str(fields["text"]),
        source=Source(line.path, line.line, line.line, line.offset, ends, digest(str(fields["text"]).encode())),
        form="capture",
        kind="experience" if fields["actor"] == "agent" else "world",
        speaker=text.one_line(str(detail.get("speaker") or "")),
        time=moment(fields["ts"]),
        trust=fields["origin"],
        scope=str(fields.get("scope") or ""),
        sources=tuple(str(name) for name in fields.get("from") or ()),
        session=str(fields.get("session") or ""),
        actor=fields["actor"],
    )
