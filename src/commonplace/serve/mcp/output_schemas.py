"""Structured answers and their JSON Schemas, for `commonplace mcp --structured`: the documented shapes made lean."""

from __future__ import annotations

from typing import Any

from commonplace.operations.declarations import OPERATIONS, read_schemas
from commonplace.retrieval.pack import quote_line
from commonplace.shapes import PACK_SCHEMA, Json, repair_text

# Of an object that cites (a record, a line of a pack), what a caller reads; of other objects everything is kept.
LINE_FIELDS = frozenset(
    [
        *("schema", "id", "text", "trust", "scope", "time", "evidence", "citation", "path", "line_start", "line_end"),
        *("score", "included", "reason", "why", "tokens", "effect", "pending"),
        *("earlier", "later", "earlier_than", "until"),
    ]
)


def lean_answer(json_value: Any, *, trusted: bool = False) -> Any:
    """An answer, or an error, in which each object with a citation has only `LINE_FIELDS`.

    In its texts every opening of a frame, a role or a token is replaced, unless they are of a trusted record; the text
    of a pack is framed already. What is not text at all (a file's name of bytes that are not UTF-8) has U+FFFD in its
    place.
    """
    if isinstance(json_value, str):
        return repair_text(json_value if trusted else quote_line(json_value))
    if isinstance(json_value, list | tuple):
        return [lean_answer(one, trusted=trusted) for one in json_value]
    if not isinstance(json_value, dict):
        return json_value
    trusted = json_value["trust"] == "trusted" if "trust" in json_value else trusted
    is_line, is_pack = "citation" in json_value, json_value.get("schema") == PACK_SCHEMA
    return {
        key: lean_answer(value, trusted=trusted or (is_pack and key == "text"))
        for key, value in json_value.items()
        if not is_line or key in LINE_FIELDS
    }


def output_schema(operations: tuple[str, ...]) -> Json:
    """The schema of what `lean_answer` leaves of the answers of these operations; of several only that it is one."""
    shapes = {OPERATIONS[operation].shape for operation in operations}
    return {"type": "object"} if len(shapes) > 1 else dict(_lean_schema(read_schemas()[shapes.pop()]))


def _lean_schema(schema: Any) -> Any:
    """A schema with its references resolved, and fields left out as `lean_answer` does."""
    if isinstance(schema, list):
        return [_lean_schema(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _lean_schema(read_schemas()[schema["$ref"].replace("urn:commonplace:", "commonplace.")])
    lean = {key: _lean_schema(value) for key, value in schema.items() if key not in ("$id", "$schema")}
    if isinstance(schema.get("properties"), dict) and "citation" in schema["properties"]:
        lean["properties"] = {key: value for key, value in lean["properties"].items() if key in LINE_FIELDS}
        lean["required"] = [name for name in lean.get("required", ()) if name in LINE_FIELDS]
    return lean
