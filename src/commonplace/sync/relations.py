"""Signatures of the lines that may replace each other, and what is derived among the lines of one signature."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from commonplace import truth
from commonplace.capture import text_key
from commonplace.index import Index, Relations, scoped_signature
from commonplace.lazy import lazy_pattern
from commonplace.model import CAPTURE_PREFIX, TRUSTS, Document, Record
from commonplace.shapes import Json
from commonplace.storage.workspace import is_conflict_copy, path_role
from commonplace.truth import read_statements

COMPARED_FORMS = ("retain", "item", "keyvalue", "row", "paragraph")
_TIME_OF_DAY = lazy_pattern(r"\A\d\d?:\d\d\s+")  # of a line of a log, which is no part of what it says
AGENT_FILES = frozenset(("AGENTS.md", "IDENTITY.md", "SOUL.md"))  # in which *I* is the agent
MAX_CACHED_LINES = 2_000  # lines; a new line is read several times, and so are those that are near to it
_cached_statements: dict[tuple[object, ...], tuple[truth.Statement, ...]] = {}
UNCOMPARED_ROLES = ("episode", "pending", "buffer")
MAX_GROUP_LINES = 64  # lines; what more lines share is a template of a log
MAX_SENTENCE_WORDS = 24  # words; of 5,035 statements of facts that were counted the longest has 17
MAX_CAPTURE_CHARS, MAX_CAPTURE_WORDS = 400, 40  # what is longer has no signatures


def find_signatures(record: Record, vocabulary: truth.Vocabulary) -> tuple[int, ...]:
    """The signatures of a record, sorted; none of one that is not compared at sync. A capture that is not one sentence
    about somebody else has those of its numbers with a unit."""
    if record.is_evidence and (len(record.text) > MAX_CAPTURE_CHARS or record.text.count(" ") >= MAX_CAPTURE_WORDS):
        return ()
    if not is_compared(record) and not (record.is_evidence and any(map(str.isdigit, record.text))):
        return ()
    statements = read_record_statements(record, vocabulary)
    if not record.is_evidence or (len(statements) == 1 and is_compared(record)):
        return tuple(sorted({signature for statement in statements for signature in statement.signatures}))
    return tuple(sorted({signature for statement in statements for signature in statement.measure_signatures()}))


def is_compared(record: Record) -> bool:
    """Whether a record is a written line, or a capture that may be one sentence about somebody else."""
    if not record.is_evidence:
        path = record.source.path
        is_line = record.form in COMPARED_FORMS and path_role(path) not in UNCOMPARED_ROLES
        if not is_line or is_conflict_copy(path) or record.text.count(" ") < MAX_SENTENCE_WORDS:
            return is_line and not is_conflict_copy(path)
        return all(part.count(" ") <= MAX_SENTENCE_WORDS for part in _SENTENCE_END.split(record.text))
    return len(record.text) <= MAX_CAPTURE_CHARS and not truth.has_personal_words(record.text)


_SENTENCE_END = lazy_pattern(r"[.!?;][ \n]")


def read_record_statements(record: Record, vocabulary: truth.Vocabulary) -> tuple[truth.Statement, ...]:
    """The statements of a record in its surroundings."""
    is_talk = any(source.startswith(CAPTURE_PREFIX) for source in record.sources)  # it was made of what was said
    if record.is_evidence:
        is_talk = not truth.is_written_statement(record.text)
    context = truth.LineContext(
        language="" if vocabulary.language == "auto" else vocabulary.language,
        speaker=vocabulary.names.speaker_name("agent" if record.source.path in AGENT_FILES else record.speaker),
        entities=record.entities,
        heading=record.heading,
        is_talk=is_talk,
        names=vocabulary.names,
        registry=vocabulary.registry,
    )
    text = _TIME_OF_DAY.sub("", record.text, count=1) if record.form == "item" else record.text
    if not vocabulary.fingerprint:
        return read_statements(text, context)
    surroundings = (context.language, context.speaker, context.entities, context.heading, context.is_talk)
    cache_key = (vocabulary.fingerprint, text, *surroundings)
    if cache_key not in _cached_statements:
        if len(_cached_statements) >= MAX_CACHED_LINES:
            _cached_statements.clear()
        _cached_statements[cache_key] = read_statements(text, context)
    return _cached_statements[cache_key]


def read_stated_lines(index: Index, records: Sequence[Record], vocabulary: truth.Vocabulary) -> list[truth.StatedLine]:
    """Records as a new line is compared with them; the time is that of the newest capture behind each, if any."""
    rows = {record.id: index.row_of_record(record.id) for record in records}
    sources = index.newest_sources(frozenset(rows.values()))
    lines = []
    for record in records:
        time = truth.said_order(record, sources.get(rows[record.id])).time
        statements = read_record_statements(record, vocabulary)
        lines.append(truth.StatedLine(statements, time, record.scope, record.trust))
    return lines


def update_relations(index: Index, vocabulary: truth.Vocabulary) -> None:
    """Derive again what holds among the lines of the signatures that the transaction touched; after `reconcile`."""
    groups = index.touched_groups(MAX_GROUP_LINES)
    if not groups:
        return index.put_relations({})
    row_ids = {row_id for rows in groups.values() for row_id in rows}
    records = {row_id: found.record for row_id, found in index.fetch(row_ids).items()}
    sources, held_pairs = index.newest_sources(row_ids), index.pairs_held(row_ids)
    statements = {row_id: read_record_statements(record, vocabulary) for row_id, record in records.items()}

    def compared_line(row_id: int, signature: int) -> truth.ComparedLine:
        record = records[row_id]
        signature = scoped_signature(signature, record.scope)
        return truth.ComparedLine(
            row_id,
            tuple(statement for statement in statements[row_id] if signature in statement.signatures),
            truth.said_order(record, sources.get(row_id)),
            record.valid_from,
            TRUSTS.index(record.trust),
            is_evidence=record.is_evidence,
        )

    derived: dict[tuple[truth.ComparedLine, ...], Relations] = {}  # two lines share several signatures as a rule
    relations: dict[int, Relations] = {}
    for signature, rows in groups.items():
        lines = tuple(compared_line(row_id, signature) for row_id in rows)
        if lines not in derived:
            derived[lines] = truth.derive_relations(lines, held_pairs)
        relations[signature] = derived[lines]
    return index.put_relations(relations)


EDITED_OP: Literal["edited"] = "edited"  # these state what a line said before it was edited, and are superseded by it
FACT_ROLES = ("core", "warm", "bank", "entity")  # where a line is a fact; what was noted down of a day stays so
MIN_KEPT_SHARE = 0.4  # of the words of the shorter wording, which both have


def find_edits(index: Index, document: Document, now: str) -> Iterator[Json]:
    """Ledger lines that supersede what states the old values of lines edited since this file of facts was indexed."""
    indexed = {digest: row for row, digest in index.text_digests(index.rows_of_file(document.path)).items()}
    records = {text_key(one.text): one for one in document.records if one.form != "heading"}
    removed = index.fetch([row for key, row in indexed.items() if key not in records]).values()
    gone = [one.record for one in removed if one.record.form != "heading"]
    for new in (one for key, one in records.items() if gone and key not in indexed):
        words = frozenset(truth.content_tokens(new.text))
        old = max(gone, key=lambda one: len(words.intersection(truth.content_tokens(one.text))))
        own = frozenset(truth.content_tokens(old.text))
        if len(words & own) >= MIN_KEPT_SHARE * max(1, min(len(words), len(own))):
            echoes = [one.id for one in truth.find_echoes(index, (old,), new.text) if one.scope == new.scope]
            yield {"op": EDITED_OP, "ts": now, "record": new.id, "records": echoes}
