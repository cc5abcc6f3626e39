"""The protocol `commonplace.stdio.v1`: a line to what it asks, an answer to a line; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from commonplace import shapes
from commonplace.errors import BadArgument, CommonplaceError
from commonplace.serve.stdio.line_streams import OversizedLine

if TYPE_CHECKING:
    from commonplace.shapes import Json
PROTOCOL = "commonplace.stdio.v1"
REFERENCE = "see docs/reference/stdio.md"
FIELDS = ("id", "method", "params", "deadline_ms")
CANCEL = "cancel"
MAX_ID = 2**53 - 1  # what every JSON reader tells apart
MAX_ID_CHARACTERS = 200  # characters
MAX_DEPTH = 100  # lists and objects inside each other
MAX_DEADLINE_MS = 86_400_000

RequestId = int | str


class StdioRequest(Struct, frozen=True):
    """A question to be answered under its id."""

    id: RequestId
    method: str
    params: Any
    deadline_ms: float | None = None


class CancelRequest(Struct, frozen=True):
    """The wish to give up a question; it has no answer of its own."""

    id: RequestId


class InvalidRequest(Struct, frozen=True):
    """A line that asks nothing that can be done: why, and the id where one could be read."""

    id: RequestId | None
    error: CommonplaceError


def parse_line(raw_line: bytes | OversizedLine, max_bytes: int = 0) -> StdioRequest | CancelRequest | InvalidRequest:
    """The request in a line; of a line of more than `max_bytes` bytes, only its two ends are given."""
    if isinstance(raw_line, OversizedLine):
        ends = msgspec.json.decode(raw_line.outer_members(), type=dict[str, Any])
        number = None if ends.get("method", CANCEL) == CANCEL else _valid_id(ends)
        return _invalid_request(number, f"the line has more than {max_bytes} bytes")
    try:
        found = shapes.decode_json(raw_line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return _invalid_request(None, f"the line is no JSON in UTF-8: {error}")
    except RecursionError:
        return _invalid_request(None, TOO_DEEP)
    if not isinstance(found, dict):
        return _invalid_request(None, f"a request is a JSON object, not {_json_type_name(found)}")
    if _is_too_deep(raw_line, found):
        return _invalid_request(_valid_id(found), TOO_DEEP)
    return _parse_cancel(found) if found.get("method") == CANCEL else _parse_request(found)


def ready_line(version: str, workspace: str) -> bytes:
    """The first line: the program, and the protocol that it speaks."""
    return shapes.encode_json_line({"ready": True, "protocol": PROTOCOL, "version": version, "workspace": workspace})


def answer_line(request_id: RequestId, answer: Json) -> bytes:
    """The answer to a request. Raises what cannot be encoded."""
    return shapes.encode_json_line({"id": request_id, "result": answer})


def error_line(request_id: RequestId | None, error: CommonplaceError) -> bytes:
    """The response line that reports an error."""
    return shapes.encode_json_line({"id": request_id, "error": shapes.problem_json(error)})


TOO_DEEP = f"lists and objects lie more than {MAX_DEPTH} deep in each other"


def _parse_request(message: Json) -> StdioRequest | InvalidRequest:
    number, method, deadline = _valid_id(message), message.get("method"), message.get("deadline_ms")
    wrong = _id_problem(message) or _field_problem(message)
    if wrong:
        return _invalid_request(number, wrong)
    if number is None or not isinstance(method, str):
        missing = "a request needs an `id`" if number is None else "`method` must name an operation"
        return _invalid_request(number, missing)
    return StdioRequest(number, method, message.get("params", {}), deadline)


def _parse_cancel(message: Json) -> CancelRequest | InvalidRequest:
    wrong = _id_problem(message) or _field_problem(message)
    if wrong or "id" in message or "deadline_ms" in message:
        wrong = wrong or "`cancel` has no answer, so it takes no `id` and no `deadline_ms` of its own"
        return _invalid_request(_valid_id(message), wrong)
    given = message.get("params")
    number = _valid_id(given) if isinstance(given, dict) and given.keys() == {"id"} else None
    if number is None:
        return _invalid_request(None, '`cancel` takes `params` with the `id` of a request: {"id":7}')
    return CancelRequest(number)


def _invalid_request(request_id: RequestId | None, message: str) -> InvalidRequest:
    return InvalidRequest(request_id, BadArgument(message, hint=REFERENCE))


def _valid_id(message: Json) -> RequestId | None:
    """The id where it is one: a whole number, or a short text."""
    given = message.get("id")
    if isinstance(given, str):
        return given if 0 < len(given) <= MAX_ID_CHARACTERS else None
    if isinstance(given, int) and not isinstance(given, bool):
        return given if -MAX_ID <= given <= MAX_ID else None
    return None


def _id_problem(message: Json) -> str:
    if "id" not in message or _valid_id(message) is not None:
        return ""
    return f"`id` must be a whole number within ±{MAX_ID}, or a text of 1 to {MAX_ID_CHARACTERS} characters"


def _field_problem(message: Json) -> str:
    """The problem with the other fields; empty if there is none."""
    unknown = [name for name in message if name not in FIELDS]
    if unknown:
        return f"unknown field {unknown[0][:MAX_ID_CHARACTERS]!r}; a request has {', '.join(FIELDS)}"
    if not isinstance(message.get("params", {}), dict):
        return f"`params` must be an object, not {_json_type_name(message['params'])}"
    if "method" in message and not isinstance(message["method"], str):
        return f"`method` must be text, not {_json_type_name(message['method'])}"
    deadline = message.get("deadline_ms")
    if deadline is None:
        return ""
    if isinstance(deadline, bool) or not isinstance(deadline, int | float) or not 0 <= deadline <= MAX_DEADLINE_MS:
        return f"`deadline_ms` must be a number from 0 to {MAX_DEADLINE_MS}"
    return ""


def _json_type_name(json_value: object) -> str:
    """The JSON name of the type of a value."""
    names = {"NoneType": "null", "bool": "true or false", "int": "a number", "float": "a number"}
    return (names | {"str": "a text", "list": "a list"}).get(type(json_value).__name__, "an object")


def _is_too_deep(raw_line: bytes, message: Json) -> bool:
    """Whether there is more nesting than any parameters have; what walks through them need not fear it then."""
    if raw_line.count(b"[") + raw_line.count(b"{") <= MAX_DEPTH:
        return False
    level: list[Any] = [message]
    for _ in range(MAX_DEPTH):
        level = [inner for outer in level for inner in (outer.values() if isinstance(outer, dict) else outer)]
        level = [inner for inner in level if isinstance(inner, dict | list)]
        if not level:
            return False
    return True
