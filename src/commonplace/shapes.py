"""The documented JSON shapes of the nouns, ready to be encoded; their schemas are in `docs/reference/schemas`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from operator import attrgetter
from typing import Any

from msgspec import DecodeError, json, to_builtins

from commonplace.errors import CommonplaceError
from commonplace.lazy import lazy_pattern
from commonplace.model import Capture, Change, Hit, Hits, Pack, Problem, Reason, Receipt, ReceiptEntry, Record

HITS_SCHEMA = "commonplace.hits.v1"
PACK_SCHEMA = "commonplace.pack.v1"
RECEIPT_SCHEMA = "commonplace.receipt.v1"
RECORD_SCHEMA = "commonplace.record.v1"
CAPTURE_VERSION = 1
VALUE_FIELDS = "earlier(value until:day id) later(value since:day id) earlier_than"  # before and after that of a line
# Each escape of a string; halves of a surrogate pair that stand alone are group 1.
_HIGH, _LOW = rb"u[dD][89abAB][0-9a-fA-F]{2}", rb"u[dD][c-fC-F][0-9a-fA-F]{2}"
_SURROGATE_ESCAPE = lazy_pattern(rb"(?s)\\(?:" + _HIGH + rb"\\" + _LOW + rb"|(" + _HIGH + rb"|" + _LOW + rb")|.)")

Json = dict[str, Any]


def pick_fields(value: Any, names: str) -> Json:
    """The named fields of a value as JSON has them: a list for a tuple, its documented shape for a record.

    `from:sources` names `sources` `from`, `path:source.path` is a field of a field, `all:.` the value itself, and
    `facts(key value)` has these fields of each fact, or of the only one; null where there is none.
    """
    return {name: _pick_value(read(value) if read else value, inner) for name, read, inner in _parse_fields(names)}


def _pick_given(value: Any, names: str) -> Json:
    """The same of those fields that say something: no empty text or list, no zero."""
    return {name: field for name, field in pick_fields(value, names).items() if field}


def _pick_value(value: Any, inner_names: str) -> Any:
    if isinstance(value, (tuple, list)):
        return [_pick_value(one, inner_names) for one in value]
    if inner_names:
        return None if value is None else pick_fields(value, inner_names)
    serialize = JSON_BY_TYPE.get(type(value))
    return serialize(value) if serialize else value


@cache
def _parse_fields(names: str) -> tuple[tuple[str, attrgetter[Any] | None, str], ...]:
    """The name of each field, what reads it (None: it is the value itself), and the names of the fields in it."""
    words: list[str] = []
    for word in names.split():
        if words and words[-1].count("(") > words[-1].count(")"):
            words[-1] += f" {word}"
        else:
            words.append(word)
    fields = []
    for head, _, inner in (word.partition("(") for word in words):
        name, _, attribute = head.partition(":")
        fields.append((name, None if attribute == "." else attrgetter(attribute or name), inner[:-1]))
    return tuple(fields)


def hits_json(hits: Hits) -> Json:
    """`commonplace.hits.v1`; holds no clock, so that equal files give equal bytes."""
    fields = pick_fields(hits, "query:query.text hits confident confidence notes")
    return {"schema": HITS_SCHEMA, **fields, **_pick_given(hits, "not_confident")}


def hit_json(hit: Hit) -> Json:
    """One hit of `commonplace.hits.v1`."""
    return {
        **pick_fields(hit.record, "id text kind category trust scope heading entities time evidence:is_evidence"),
        **pick_fields(hit.record.source, "citation path line_start line_end"),
        **({"sources": list(hit.sources), "source_count": len(hit.sources)} if hit.sources else {}),
        **pick_fields(hit, "score reasons"),
        **_pick_given(hit, f"rules_rank {VALUE_FIELDS} until speaker:record.speaker mark:record.mark"),
    }


def record_json(record: Record) -> Json:
    """`commonplace.record.v1`."""
    return {
        "schema": RECORD_SCHEMA,
        **pick_fields(record, "id text kind category form trust scope heading entities speaker tags links triggers"),
        **pick_fields(record, "time recorded valid_from valid_to confidence believed days_for days_against"),
        **pick_fields(record, "importance supersedes superseded_by"),
        **pick_fields(record, "from:sources evidence:is_evidence actor session"),
        **pick_fields(record.source, "citation path line_start line_end digest"),
        **_pick_given(record, "mark"),
    }


def pack_json(pack: Pack, *, receipt: bool = False) -> Json:
    """`commonplace.pack.v1`; names its receipt only if asked to, for a receipt's id depends on the clock."""
    item_fields = (
        "id:record_id citation path:source.path line_start:source.line_start line_end:source.line_end"
        " text layer tokens kind trust part score"
    )
    return {
        "schema": PACK_SCHEMA,
        **pick_fields(pack, "query text tokens budget_tokens"),
        "items": [pick_fields(one, item_fields) | _pick_given(one, VALUE_FIELDS) for one in pack.items],
        **({"receipt": pack.receipt_id} if receipt else {}),
    }


def receipt_json(receipt: Receipt) -> Json:
    """`commonplace.receipt.v1`: one line of `.memory/receipts/`."""
    fields = "id ts query_digest query scope budget_tokens tokens lanes considered timings_ms notes"
    basis = {"basis": to_builtins(receipt.basis)} if receipt.basis else {}
    return {"schema": RECEIPT_SCHEMA, **pick_fields(receipt, fields), **basis}


def capture_json(capture: Capture) -> Json:
    """`commonplace.capture.v1`: one line of a capture journal, but for its salt, link and checksum."""
    return {
        "v": CAPTURE_VERSION,
        **pick_fields(capture, "id ts type actor text session agent scope origin detail from:from_"),
        **_pick_given(capture, "keys recorded"),
    }


def problem_json(problem: Problem | CommonplaceError) -> Json:
    """`commonplace.error.v1`: a problem, or why something could not be done."""
    return pick_fields(problem, "code message path line hint")


def change_json(change: Change) -> Json:
    """The change that a sync found for one file."""
    return pick_fields(change, "kind path path_before")


def _entry_json(entry: ReceiptEntry) -> Json:
    fields: Json = to_builtins(entry)
    digest = fields.pop("digest")
    return fields | {"reasons": fields.pop("reasons")} | ({"digest": digest} if digest else {})


JSON_BY_TYPE: dict[type, Callable[[Any], Json]] = {
    Record: record_json,
    Hit: hit_json,
    Problem: problem_json,
    Change: change_json,
    Reason: to_builtins,
    ReceiptEntry: _entry_json,
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


def iter_texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield str(key)
            yield from iter_texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from iter_texts(one)
