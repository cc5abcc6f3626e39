"""The JSON shapes are what the documented schemas say, hold everything, and hold no clock."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from msgspec import DecodeError, structs

from commonplace import errors, model, shapes
from commonplace.model import (
    Capture,
    Change,
    Hit,
    Hits,
    Pack,
    PackItem,
    Problem,
    Query,
    Reason,
    Receipt,
    ReceiptEntry,
    Record,
    Source,
)
from tests.support.schemas import SCHEMAS, schema, validator

RECORD = Record(
    "7f3k9q",
    "In Marrakech for Andy's birthday.",
    Source("memory/2025-11-27.md", 12, 13, 100, 140, "ab12"),
    form="retain",
    kind="opinion",
    category="event",
    heading=("2025-11-27", "Retain"),
    entities=("Peter",),
    speaker="Ana",
    tags=("travel",),
    links=("Andy",),
    triggers=("trip",),
    time="2025-11-27T10:00",
    recorded="2025-11-27T10:02",
    valid_from="2025-11-27",
    valid_to="2025-12-01",
    confidence=0.85,
    importance=0.9,
    scope="home",
    supersedes=("0ld",),
    superseded_by="n3w",
    sources=("obs:1",),
)
REASONS = (Reason("lexical", 1.0), Reason("trust×", 0.98))
HITS = Hits(Query(text="where?", now="2026-01-02T03:04"), (Hit(RECORD, 0.98, REASONS),), True, ("read as a question",))
ITEM = PackItem(
    "7f3k9q",
    RECORD.source.citation,
    "- In Marrakech. [a.md#L1]",
    "L1",
    9,
    "opinion",
    "trusted",
    "core",
    0.5,
    source=RECORD.source,
)
PACK = Pack("where?", "<memory>…</memory>", (ITEM,), 30, 100, "r-0123456789ab")
CONSIDERED = ReceiptEntry("7f3k9q", RECORD.source.citation, True, "taken L1", 0.98, REASONS, 9)
RECEIPT = Receipt(
    "r-0123456789ab",
    "2026-01-02T03:04",
    "00ff" * 4,
    100,
    30,
    ("lexical",),
    (CONSIDERED,),
    {"recall": 1.5},
    ("n",),
    "q",
    "s",
)
CAPTURE = Capture("c1", "2026-01-02T03:04", "message", "owner", "hello", "s", "a", "p", "unknown", {"k": 1}, ("c0",))
PROBLEM = Problem("bad-front-matter", "it is not closed", "a.md", 3, "close it")
SHAPES: dict[str, list[Callable[[], dict[str, Any]]]] = {
    "commonplace.hits.v1": [lambda: shapes.hits_json(HITS), lambda: shapes.hits_json(Hits(HITS.query, ()))],
    "commonplace.pack.v1": [lambda: shapes.pack_json(PACK), lambda: shapes.pack_json(PACK, receipt=True)],
    "commonplace.receipt.v1": [lambda: shapes.receipt_json(RECEIPT)],
    "commonplace.capture.v1": [lambda: shapes.capture_json(CAPTURE)],
    "commonplace.record.v1": [lambda: shapes.record_json(RECORD)],
    "commonplace.error.v1": [
        lambda: shapes.problem_json(errors.WriteConflict("a.md", line=3)),
        lambda: shapes.problem_json(errors.NotFound("record", "x")),
        lambda: shapes.problem_json(PROBLEM),
    ],
}
CASES = [(name, number) for name, makers in SHAPES.items() for number in range(len(makers))]


def assert_nothing_undocumented(value: Any, described: dict[str, Any], where: str = "") -> None:
    """Schemas leave room for later fields; what is written today is all in them."""
    if described.get("type") == "object" and "properties" in described:
        assert set(value) <= set(described["properties"]), where
        for key, inner in value.items():
            assert_nothing_undocumented(inner, described["properties"][key], f"{where}/{key}")
    elif described.get("type") == "array":
        for inner in value:
            assert_nothing_undocumented(inner, described["items"], where)


@pytest.mark.parametrize(("name", "number"), CASES)
def test_every_shape_is_what_its_schema_says(name: str, number: int) -> None:
    value = json.loads(json.dumps(SHAPES[name][number]()))
    validator(name).validate(value)
    assert_nothing_undocumented(value, schema(name))


def test_there_is_a_valid_schema_for_each_shape() -> None:
    assert {path.name for path in SCHEMAS.iterdir()} >= {f"{name}.schema.json" for name in SHAPES}
    for name in SHAPES:
        Draft202012Validator.check_schema(schema(name))
        assert schema(name)["$id"] == f"urn:commonplace:{name.removeprefix('commonplace.')}"


@pytest.mark.parametrize("name", SHAPES)
def test_a_schema_refuses_a_shape_that_lacks_any_of_its_fields(name: str) -> None:
    value = SHAPES[name][0]()
    for key in value:
        less = {k: v for k, v in value.items() if k != key}
        assert not validator(name).is_valid(less), key


def test_the_closed_sets_of_the_schemas_are_those_of_the_model() -> None:
    record = schema("commonplace.record.v1")["properties"]
    capture = schema("commonplace.capture.v1")["properties"]
    for described, closed in (
        (record["kind"], model.KINDS),
        (record["category"], model.CATEGORIES),
        (record["trust"], model.TRUSTS),
        (record["form"], model.Form.__args__),
        (capture["type"], model.CaptureType.__args__),
        (capture["actor"], model.ACTORS),
    ):
        assert sorted(described["enum"]) == sorted(closed)


def test_a_record_and_its_shape_say_the_same() -> None:
    shape = shapes.record_json(RECORD)
    known = structs.asdict(RECORD)
    for field, value in known.items():
        if field not in ("source", "annotated", "sources", "speech_act"):
            assert shape[field] == (list(value) if isinstance(value, tuple) else value), field
    assert shape["from"] == ["obs:1"]
    assert (shape["path"], shape["line_start"], shape["line_end"]) == ("memory/2025-11-27.md", 12, 13)
    assert shape["citation"] == "memory/2025-11-27.md#L12-L13"


def test_a_capture_and_its_shape_say_the_same() -> None:
    shape = shapes.capture_json(CAPTURE)
    assert shape.pop("v") == 1
    assert shape.pop("from") == ["c0"]
    bare = ("from_", "keys", "recorded")
    assert shape == {key: value for key, value in structs.asdict(CAPTURE).items() if key not in bare}
    late = structs.replace(CAPTURE, recorded="2026-01-03T04:05")
    assert list(shapes.capture_json(late).items())[-1] == ("recorded", "2026-01-03T04:05")
    assert list(shapes.capture_json(structs.replace(CAPTURE, keys=("k1",))).items())[-1] == ("keys", ["k1"])


def test_output_holds_no_clock_and_no_receipt_unless_asked_for() -> None:
    later = structs.replace(HITS, query=structs.replace(HITS.query, now="2027-01-01T00:00"))
    assert shapes.hits_json(HITS) == shapes.hits_json(later)
    assert "receipt" not in shapes.pack_json(PACK)
    assert shapes.pack_json(PACK, receipt=True)["receipt"] == "r-0123456789ab"


def test_an_error_and_a_problem_have_one_shape() -> None:
    error = shapes.problem_json(errors.BadArgument("k must be positive", path="a.md", line=2, hint="pass 1"))
    assert error == {
        "code": "bad-argument",
        "message": "k must be positive",
        "path": "a.md",
        "line": 2,
        "hint": "pass 1",
    }
    assert shapes.problem_json(PROBLEM).keys() == error.keys()


def test_a_change_says_what_moved_where_from() -> None:
    assert shapes.change_json(Change("moved", "b.md", "a.md")) == {
        "kind": "moved",
        "path": "b.md",
        "path_before": "a.md",
    }


def test_half_characters_of_javascript_are_repaired_and_nothing_else_is() -> None:
    data = rb'{"a": "\\ud83d \ud83d\ude00 \ude00\ud83d \uD83D"}'
    assert shapes.decode_json(data) == {"a": "\\ud83d \U0001f600 \ufffd\ufffd \ufffd"}
    assert shapes.repair_json(whole := rb'{"a": "\\ud83d \ud83d\ude00"}') == whole
    for broken in (b"{", rb'"\ud83d', b""):
        with pytest.raises(DecodeError):
            shapes.decode_json(broken)
    with pytest.raises(UnicodeDecodeError):
        shapes.decode_json(b'"\xff"')
