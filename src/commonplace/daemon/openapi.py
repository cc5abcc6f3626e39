"""The interface as OpenAPI 3.1 has it, made from the table of operations and the schemas of the documented shapes."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from commonplace.daemon.door import MOST_DEADLINE_MS
from commonplace.operations import OPERATIONS
from commonplace.operations.schemas import schemas

if TYPE_CHECKING:
    from commonplace.operations import Operation
    from commonplace.shapes import Json

OPENAPI = "3.1.0"
HERE = "#/components/schemas/"
URN = "urn:commonplace:"
ERROR = "commonplace.error.v1"
SCHEDULE = "commonplace.schedule.v1"
DAEMON = "commonplace.daemon.v1"
REFUSED = {
    "400": "The request makes no sense; the message says why.",
    "401": "The token is missing or is not the one of this start.",
    "403": "A page in a browser asked, or a path leads out of the workspace.",
    "404": "There is nothing of this name.",
    "405": "The path has another method.",
    "408": "The body did not arrive in time.",
    "409": "What was to be changed is not as it was believed to be.",
    "413": "The body is too large.",
    "415": "The body is not JSON.",
    "421": "The header `Host` names another server.",
    "431": "There are too many headers.",
    "500": "A bug.",
    "503": "It cannot be done now; try again.",
    "504": "The deadline passed.",
}


@cache
def document() -> Json:
    """The whole document. Not to be changed."""
    from importlib.metadata import version

    return {
        "openapi": OPENAPI,
        "info": {
            "title": "Commonplace",
            "version": version("commonplace"),
            "summary": "The memory of AI agents, over a Unix socket or loopback.",
        },
        "security": [{"token": []}],
        "paths": {**_gets(), **{f"/v1/{one.name}": {"post": _post(one)} for one in OPERATIONS.values()}},
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {**_asked(), **_answered()},
        },
    }


def _gets() -> Json:
    return {
        "/healthz": {"get": _got("health", "Whether it is alive, and what it serves.", DAEMON)},
        "/v1/schedule": {"get": _got("schedule", "When which job runs next.", SCHEDULE)},
        "/openapi.json": {"get": _got("openapi", "This document.", "")},
        "/metrics": {
            "get": {
                "operationId": "metrics",
                "summary": "What was counted, for Prometheus.",
                "responses": {
                    "200": {"description": "Text.", "content": {"text/plain": {"schema": {"type": "string"}}}},
                    **_refusals(),
                },
            }
        },
    }


def _got(name: str, summary: str, shape: str) -> Json:
    return {"operationId": name, "summary": summary, "responses": {"200": _reply(shape), **_refusals()}}


def _post(operation: Operation) -> Json:
    return {
        "operationId": operation.name,
        "summary": operation.summary,
        "description": f"It {operation.effect}.",
        "parameters": [
            {
                "name": "Commonplace-Deadline-Ms",
                "in": "header",
                "description": "How long the answer is waited for, in milliseconds.",
                "schema": {"type": "integer", "minimum": 1, "maximum": MOST_DEADLINE_MS},
            }
        ],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": {"$ref": HERE + operation.params.__name__}}},
        },
        "responses": {"200": _reply(operation.shape), **_refusals()},
    }


def _reply(shape: str) -> Json:
    schema: Json = {"$ref": HERE + shape} if shape else {"type": "object"}
    return {"description": "The answer.", "content": {"application/json": {"schema": schema}}}


def _refusals() -> Json:
    content = {"application/json": {"schema": {"$ref": HERE + ERROR}}}
    return {status: {"description": told, "content": content} for status, told in REFUSED.items()}


def _asked() -> dict[str, Any]:
    """The parameters of each operation, from the Structs that decode them."""
    kinds = {operation.params.__name__: operation.params for operation in OPERATIONS.values()}
    _, described = msgspec.json.schema_components(kinds.values(), ref_template=HERE + "{name}")
    return dict(described)


def _answered() -> dict[str, Any]:
    """The documented shapes, with the references between them as this document has them."""
    read = schemas()
    return {name: _referring(schema) for name, schema in read.items()}


def _referring(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_referring(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: _referring(value) for key, value in schema.items() if key not in ("$schema", "$id")}
    target = kept.get("$ref")
    if isinstance(target, str) and target.startswith(URN):
        kept["$ref"] = f"{HERE}commonplace.{target.removeprefix(URN)}"
    return kept
