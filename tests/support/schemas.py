"""The published JSON Schemas, with what they refer to."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

SCHEMAS = Path(__file__).parents[2] / "docs" / "reference" / "schemas"


@cache
def schema(name: str) -> dict[str, Any]:
    """The schema of a shape, such as `commonplace.hits.v1`."""
    return json.loads((SCHEMAS / f"{name}.schema.json").read_text("utf-8"))


@cache
def validator(name: str) -> Draft202012Validator:
    """What validates values against the schema of a shape."""
    schemas = [schema(path.name.removesuffix(".schema.json")) for path in SCHEMAS.glob("*.json")]
    registry = Registry().with_resources((one["$id"], Resource.from_contents(one)) for one in schemas)
    return Draft202012Validator(schema(name), registry=registry)
