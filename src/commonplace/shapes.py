"""The documented JSON shapes of the nouns, ready to be encoded; their schemas are in `docs/reference/schemas`."""

from __future__ import annotations

from typing import Any

from msgspec import DecodeError, json

from commonplace.errors import CommonplaceError
from commonplace.lazy import lazy_pattern
from commonplace.model import Capture, Change, Hit, Hits, Pack, PackItem, Problem, Reason, Receipt, Record

HITS_SCHEMA = "commonplace.hits.v1"
PACK_SCHEMA = "commonplace.pack.v1"
RECEIPT_SCHEMA = "commonplace.receipt.v1"
RECORD_SCHEMA = "commonplace.record.v1"
CAPTURE_VERSION = 1
# Each escape of a string; halves of a surrogate pair that stand alone are group 1.
_HIGH, _LOW = rb"u[dD][89abAB][0-9a-fA-F]{2}", rb"u[dD][c-fC-F][0-9a-fA-F]{2}"
_SURROGATE_ESCAPE = lazy_pattern(rb"(?s)\\(?:" + _HIGH + rb"\\" + _LOW + rb"|(" + _HIGH + rb"|" + _LOW + rb")|.)")

Json = dict[str, Any]


def hits_json(hits: Hits) -> Json:
    """`commonplace.hits.v1`; holds no clock, so that equal files give equal bytes."""
    return {
        "schema": HITS_SCHEMA,
        "query": hits.query.text,
        "hits": [hit_json(hit) for hit in hits.hits],
        **pick_fields(hits, "confident confidence notes"),
    }


def pick_fields(value: object, names: str) -> Json:
    """The named fields of a value as JSON has them, a list for a tuple; `from:sources` names `sources` `from`."""
    picked: Json = {}
    for name, _, attribute in (one.partition(":") for one in names.split()):
        field = getattr(value, attribute or name)
        picked[name] = list(field) if isinstance(field, tuple) else field
    return picked


def shape_json(name: str, value: object, names: str, **more: Any) -> Json:
    """The shape `commonplace.NAME.v1`: the named fields of a value, and more."""
    return {"schema": f"commonplace.{name}.v1", **pick_fields(value, names), **more}


def hit_json(hit: Hit) -> Json:
    """One hit of `commonplace.hits.v1`."""
    record = hit.record
    return {
        **pick_fields(record, "id text kind category trust scope heading entities time evidence:is_evidence"),
        **pick_fields(record.source, "citation path line_start line_end"),
        **({"sources": list(hit.sources), "source_count": len(hit.sources)} if hit.sources else {}),
        "score": hit.score,
        "reasons": reasons_json(hit.reasons),
        **_values_json(hit),
        **({"until": hit.until} if hit.until else {}),
    }


def _values_json(holder: Hit | PackItem) -> Json:
    """The values before and after that of a hit or of a line of a pack, as far as there are any."""
    shape: Json = {}
    if holder.earlier:
        shape["earlier"] = [pick_fields(one, "value until:day id") for one in holder.earlier]
    if holder.later:
        shape["later"] = pick_fields(holder.later, "value since:day id")
    return shape | ({"earlier_than": holder.earlier_than} if holder.earlier_than else {})


def record_json(record: Record) -> Json:
    """`commonplace.record.v1`."""
    return {
        "schema": RECORD_SCHEMA,
        **pick_fields(record, "id text kind category form trust scope heading entities speaker tags links triggers"),
        **pick_fields(record, "time recorded valid_from valid_to confidence believed days_for days_against"),
        **pick_fields(record, "importance supersedes superseded_by"),
        **pick_fields(record, "from:sources evidence:is_evidence actor session"),
        **pick_fields(record.source, "citation path line_start line_end digest"),
    }


def pack_json(pack: Pack, *, receipt: bool = False) -> Json:
    """`commonplace.pack.v1`; names its receipt only if asked to, for a receipt's id depends on the clock."""
    shape: Json = {
        "schema": PACK_SCHEMA,
        **pick_fields(pack, "query text tokens budget_tokens"),
        "items": [
            pick_fields(one, "id:record_id citation text layer tokens kind trust part score") | _values_json(one)
            for one in pack.items
        ],
    }
    return {**shape, "receipt": pack.receipt_id} if receipt else shape


def receipt_json(receipt: Receipt) -> Json:
    """`commonplace.receipt.v1`: one line of `.memory/receipts/`."""
    return {
        "schema": RECEIPT_SCHEMA,
        **pick_fields(receipt, "id ts query_digest query scope budget_tokens tokens lanes"),
        "considered": [
            pick_fields(entry, "id:record_id citation included reason score tokens")
            | {"reasons": reasons_json(entry.reasons)}
            for entry in receipt.considered
        ],
        "timings_ms": dict(receipt.timings_ms),
        "notes": list(receipt.notes),
    }


def capture_json(capture: Capture) -> Json:
    """`commonplace.capture.v1`: one line of a capture journal, but for its checksum."""
    return {
        "v": CAPTURE_VERSION,
        **pick_fields(capture, "id ts type actor text session agent scope origin detail from:from_"),
        **({"keys": list(capture.keys)} if capture.keys else {}),
        **({"recorded": capture.recorded} if capture.recorded else {}),
    }


def problem_json(problem: Problem | CommonplaceError) -> Json:
    """`commonplace.error.v1`: a problem, or why something could not be done."""
    return pick_fields(problem, "code message path line hint")


def change_json(change: Change) -> Json:
    """The change that a sync found for one file."""
    return pick_fields(change, "kind path path_before")


def reasons_json(reasons: tuple[Reason, ...]) -> list[Json]:
    """The parts of a score."""
    return [{"name": reason.name, "value": reason.value} for reason in reasons]


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
    if b"\\ud" not in data and b"\\uD" not in data:
        return data
    return _SURROGATE_ESCAPE.sub(lambda escape: rb"\ufffd" if escape[1] else escape[0], data)


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
