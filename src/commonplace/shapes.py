"""The documented JSON shapes of the nouns, ready to be encoded; their schemas are in `docs/reference/schemas`."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from msgspec import DecodeError, json

from commonplace.errors import CommonplaceError
from commonplace.model import Capture, Change, Hit, Hits, Pack, PackItem, Problem, Reason, Receipt, ReceiptEntry, Record

HITS_SCHEMA = "commonplace.hits.v1"
PACK_SCHEMA = "commonplace.pack.v1"
RECEIPT_SCHEMA = "commonplace.receipt.v1"
RECORD_SCHEMA = "commonplace.record.v1"
CAPTURE_VERSION = 1

Json = dict[str, Any]


def hits_json(hits: Hits) -> Json:
    """`commonplace.hits.v1`; holds no clock, so that equal files give equal bytes."""
    return {
        "schema": HITS_SCHEMA,
        "query": hits.query.text,
        "hits": [hit_json(hit) for hit in hits.hits],
        "confident": hits.confident,
        "confidence": hits.confidence,
        "notes": list(hits.notes),
    }


def hit_json(hit: Hit) -> Json:
    """One hit of `commonplace.hits.v1`."""
    record = hit.record
    return {
        "id": record.id,
        "text": record.text,
        "kind": record.kind,
        "category": record.category,
        "trust": record.trust,
        "scope": record.scope,
        "heading": list(record.heading),
        "entities": list(record.entities),
        "time": record.time,
        "evidence": record.is_evidence,
        **_source_json(record),
        "score": hit.score,
        "reasons": _reasons_json(hit.reasons),
    }


def record_json(record: Record) -> Json:
    """`commonplace.record.v1`."""
    return {
        "schema": RECORD_SCHEMA,
        "id": record.id,
        "text": record.text,
        "kind": record.kind,
        "category": record.category,
        "form": record.form,
        "trust": record.trust,
        "scope": record.scope,
        "heading": list(record.heading),
        "entities": list(record.entities),
        "speaker": record.speaker,
        "tags": list(record.tags),
        "links": list(record.links),
        "triggers": list(record.triggers),
        "time": record.time,
        "valid_from": record.valid_from,
        "valid_to": record.valid_to,
        "confidence": record.confidence,
        "importance": record.importance,
        "supersedes": list(record.supersedes),
        "superseded_by": record.superseded_by,
        "from": list(record.sources),
        "evidence": record.is_evidence,
        "actor": record.actor,
        "session": record.session,
        **_source_json(record),
        "digest": record.source.digest,
    }


def pack_json(pack: Pack, *, receipt: bool = False) -> Json:
    """`commonplace.pack.v1`; names its receipt only if asked to, for a receipt's id depends on the clock."""
    shape: Json = {
        "schema": PACK_SCHEMA,
        "query": pack.query,
        "text": pack.text,
        "tokens": pack.tokens,
        "budget_tokens": pack.budget_tokens,
        "items": [_pack_item_json(item) for item in pack.items],
    }
    return {**shape, "receipt": pack.receipt_id} if receipt else shape


def receipt_json(receipt: Receipt) -> Json:
    """`commonplace.receipt.v1`: one line of `.memory/receipts/`."""
    return {
        "schema": RECEIPT_SCHEMA,
        "id": receipt.id,
        "ts": receipt.ts,
        "query_digest": receipt.query_digest,
        "query": receipt.query,
        "scope": receipt.scope,
        "budget_tokens": receipt.budget_tokens,
        "tokens": receipt.tokens,
        "lanes": list(receipt.lanes),
        "considered": [_receipt_candidate_json(entry) for entry in receipt.considered],
        "timings_ms": dict(receipt.timings_ms),
        "notes": list(receipt.notes),
    }


def capture_json(capture: Capture) -> Json:
    """`commonplace.capture.v1`: one line of a capture journal, but for its checksum."""
    return {
        "v": CAPTURE_VERSION,
        "id": capture.id,
        "ts": capture.ts,
        "type": capture.type,
        "actor": capture.actor,
        "text": capture.text,
        "session": capture.session,
        "agent": capture.agent,
        "scope": capture.scope,
        "origin": capture.origin,
        "detail": capture.detail,
        "from": list(capture.from_),
        **({"keys": list(capture.keys)} if capture.keys else {}),
    }


def problem_json(problem: Problem) -> Json:
    """A problem, in the shape of an error."""
    return {
        "code": problem.code,
        "message": problem.message,
        "path": problem.path,
        "line": problem.line,
        "hint": problem.hint,
    }


def change_json(change: Change) -> Json:
    """What sync found for one file."""
    return {"kind": change.kind, "path": change.path, "path_before": change.path_before}


def error_json(error: CommonplaceError) -> Json:
    """`commonplace.error.v1`: what every face shows when something could not be done."""
    return {
        "code": error.code,
        "message": error.message,
        "path": error.path,
        "line": error.line,
        "hint": error.hint,
    }


def encode_json_line(json_value: Any) -> bytes:
    """One JSON document on one line, with U+FFFD for what cannot be encoded: names of files that are not UTF-8."""
    try:
        return json.encode(json_value) + b"\n"
    except UnicodeEncodeError:
        return json.encode(replace_surrogates(json_value)) + b"\n"


def decode_json(data: bytes) -> Any:
    """The value of a JSON document, repaired where only that makes it one. Raises DecodeError, UnicodeDecodeError,
    RecursionError.
    """
    try:
        return json.decode(data)
    except DecodeError:
        repaired = repair_json(data)
        if repaired == data:
            raise
    return json.decode(repaired)


def repair_json(data: bytes) -> bytes:
    """JSON with U+FFFD for each half of a surrogate pair that stands alone: JavaScript writes what it cut in two so."""
    return _surrogate_escape_pattern().sub(_replace_lone_escape, data) if b"\\ud" in data or b"\\uD" in data else data


def repair_text(text: str) -> str:
    """The text with one character for each pair of surrogates, and U+FFFD for each that stands alone."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def replace_surrogates(json_value: Any) -> Any:
    """The value with its texts repaired, so that it can be encoded."""
    if isinstance(json_value, str):
        return repair_text(json_value)
    if isinstance(json_value, dict):
        return {replace_surrogates(key): replace_surrogates(inner) for key, inner in json_value.items()}
    return [replace_surrogates(inner) for inner in json_value] if isinstance(json_value, list | tuple) else json_value


def _source_json(record: Record) -> Json:
    source = record.source
    return {
        "citation": source.citation,
        "path": source.path,
        "line_start": source.line_start,
        "line_end": source.line_end,
    }


def _reasons_json(reasons: tuple[Reason, ...]) -> list[Json]:
    return [{"name": reason.name, "value": reason.value} for reason in reasons]


def _pack_item_json(item: PackItem) -> Json:
    return {
        "id": item.record_id,
        "citation": item.citation,
        "text": item.text,
        "layer": item.layer,
        "tokens": item.tokens,
        "kind": item.kind,
        "trust": item.trust,
        "part": item.part,
        "score": item.score,
    }


def _receipt_candidate_json(entry: ReceiptEntry) -> Json:
    return {
        "id": entry.record_id,
        "citation": entry.citation,
        "included": entry.included,
        "reason": entry.reason,
        "score": entry.score,
        "tokens": entry.tokens,
        "reasons": _reasons_json(entry.reasons),
    }


def _replace_lone_escape(escape: re.Match[bytes]) -> bytes:
    return rb"\ufffd" if escape[1] else escape[0]


@cache
def _surrogate_escape_pattern() -> re.Pattern[bytes]:
    """Each escape of a string, halves of a surrogate pair that stand alone as group 1."""
    high, low = rb"u[dD][89abAB][0-9a-fA-F]{2}", rb"u[dD][c-fC-F][0-9a-fA-F]{2}"
    return re.compile(rb"\\(?:" + high + rb"\\" + low + rb"|(" + high + rb"|" + low + rb")|.)", re.DOTALL)
