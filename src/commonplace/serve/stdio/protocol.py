"""The protocol `commonplace.stdio.v1`: a line to what it asks, an answer to a line; pure."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from commonplace import shapes
from commonplace.errors import BadArgument, CommonplaceError
from commonplace.serve.stdio.line_streams import OversizedLine
from commonplace.shapes import Json

PROTOCOL = "commonplace.stdio.v1"
REFERENCE = "see docs/reference/stdio.md"
CANCEL = "cancel"
MAX_ID = 2**53 - 1  # what every JSON reader tells apart
MAX_ID_CHARACTERS = 200  # characters
MAX_REASON_CHARACTERS = 300  # characters
MAX_DEPTH = 100  # lists and objects inside each other
MAX_DEADLINE_MS = 86_400_000

RequestId = int | str
BoundedId = (
    Annotated[int, Meta(ge=-MAX_ID, le=MAX_ID)] | Annotated[str, Meta(min_length=1, max_length=MAX_ID_CHARACTERS)]
)


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


class _Message(Struct, forbid_unknown_fields=True):
    """What a line may hold: a request, or a cancel, which has no id of its own."""

    method: str
    id: BoundedId | UnsetType = UNSET
    params: dict[str, Any] = {}
    deadline_ms: Annotated[float, Meta(ge=0, le=MAX_DEADLINE_MS)] | None = None


class _CancelParameters(Struct, forbid_unknown_fields=True):
    id: BoundedId


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
    number = _valid_id(found)
    if _is_too_deep(raw_line, found):
        return _invalid_request(number, TOO_DEEP)
    try:
        message = msgspec.convert(found, _Message)
        if message.method == CANCEL and (message.id is not UNSET or message.deadline_ms is not None):
            return _invalid_request(
                number, "`cancel` has no answer, so it takes no `id` and no `deadline_ms` of its own"
            )
        if message.method == CANCEL:
            return CancelRequest(msgspec.convert(message.params, _CancelParameters).id)
    except msgspec.ValidationError as error:
        return _invalid_request(number, f"the line is no request: {str(error)[:MAX_REASON_CHARACTERS]}")
    if message.id is UNSET:
        return _invalid_request(None, "a request needs an `id`")
    return StdioRequest(message.id, message.method, message.params, message.deadline_ms)


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


def _invalid_request(request_id: RequestId | None, message: str) -> InvalidRequest:
    return InvalidRequest(request_id, BadArgument(message, hint=REFERENCE))


def _valid_id(message: Any) -> RequestId | None:
    """The id where it is one: a whole number, or a short text."""
    try:
        return msgspec.convert(message["id"], BoundedId) if isinstance(message, dict) and "id" in message else None
    except msgspec.ValidationError:
        return None


def _is_too_deep(raw_line: bytes, message: Any) -> bool:
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
