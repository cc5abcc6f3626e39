"""The interface as OpenAPI 3.1 has it, made from the table of operations and the schemas of the documented shapes."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from commonplace.operations.declarations import OPERATIONS, Operation, read_schemas
from commonplace.serve.http.auth import MAX_DEADLINE_MS
from commonplace.shapes import Json

OPENAPI = "3.1.0"
COMPONENT_PREFIX = "#/components/schemas/"
SCHEMA_URN = "urn:commonplace:"
ERROR = "commonplace.error.v1"
SCHEDULE = "commonplace.schedule.v1"
DAEMON = "commonplace.daemon.v1"
REQUEST_SUFFIX = "Request"
COMPONENT_NAMES = {  # of requests, where it is not the name of the Struct without its suffix; clients know them
    "DecisionRequest": "Decide",
    "EmptyRequest": "Nothing",
    "HookCall": "Hooked",
    "LogRequest": "Saying",
    "PackWithReceiptRequest": "Pack",
}
STATUS_DESCRIPTIONS = {
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
def openapi_document() -> Json:
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
        "paths": {**_get_paths(), **{f"/v1/{one.name}": {"post": _post_operation(one)} for one in OPERATIONS.values()}},
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {**_request_schemas(), **{k: _rewrite_references(one) for k, one in read_schemas().items()}},
        },
    }


def _get_paths() -> Json:
    text = {"description": "Text.", "content": {"text/plain": {"schema": {"type": "string"}}}}
    return {
        "/healthz": {"get": _get_operation("health", "Whether it is alive, and what it serves.", DAEMON)},
        "/v1/schedule": {"get": _get_operation("schedule", "When which job runs next.", SCHEDULE)},
        "/openapi.json": {"get": _get_operation("openapi", "This document.", "")},
        "/metrics": {
            "get": {
                "operationId": "metrics",
                "summary": "What was counted, for Prometheus.",
                "responses": {"200": text, **_error_responses()},
            }
        },
    }


def _get_operation(name: str, summary: str, shape: str) -> Json:
    responses = {"200": _success_response(shape), **_error_responses()}
    return {"operationId": name, "summary": summary, "responses": responses}


def _post_operation(operation: Operation) -> Json:
    reference = COMPONENT_PREFIX + _component_name(operation.request.__name__)
    return {
        "operationId": operation.name,
        "summary": operation.summary,
        "description": f"It {operation.effect}.",
        "parameters": [
            {
                "name": "Commonplace-Deadline-Ms",
                "in": "header",
                "description": "How long the answer is waited for, in milliseconds.",
                "schema": {"type": "integer", "minimum": 1, "maximum": MAX_DEADLINE_MS},
            }
        ],
        "requestBody": {"required": True, "content": {"application/json": {"schema": {"$ref": reference}}}},
        "responses": {"200": _success_response(operation.shape), **_error_responses()},
    }


def _success_response(shape: str) -> Json:
    schema: Json = {"$ref": COMPONENT_PREFIX + shape} if shape else {"type": "object"}
    return {"description": "The answer.", "content": {"application/json": {"schema": schema}}}


def _error_responses() -> Json:
    content = {"application/json": {"schema": {"$ref": COMPONENT_PREFIX + ERROR}}}
    return {status: {"description": told, "content": content} for status, told in STATUS_DESCRIPTIONS.items()}


def _request_schemas() -> Json:
    """The parameters of each operation, from the Structs that decode them."""
    kinds = {operation.request.__name__: operation.request for operation in OPERATIONS.values()}
    _, described = msgspec.json.schema_components(kinds.values(), ref_template=COMPONENT_PREFIX + "{name}")
    names = {name: _component_name(name) for name in described}
    return {names[name]: {**schema, "title": names[name]} for name, schema in described.items()}


def _component_name(struct_name: str) -> str:
    return COMPONENT_NAMES.get(struct_name, struct_name.removesuffix(REQUEST_SUFFIX))


def _rewrite_references(schema: Any) -> Any:
    """A documented shape, with the references to others as this document has them."""
    if isinstance(schema, list):
        return [_rewrite_references(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: _rewrite_references(value) for key, value in schema.items() if key not in ("$schema", "$id")}
    target = kept.get("$ref")
    if isinstance(target, str) and target.startswith(SCHEMA_URN):
        kept["$ref"] = f"{COMPONENT_PREFIX}commonplace.{target.removeprefix(SCHEMA_URN)}"
    return kept
