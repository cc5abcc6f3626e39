"""The protocol `commonplace.stdio.v1`: a line to what it asks, an answer to a line; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from commonplace import shapes
from commonplace.errors import BadArgument, CommonplaceError
from commonplace.stdio.lines import Ends

if TYPE_CHECKING:
    from commonplace.shapes import Json

PROTOCOL = "commonplace.stdio.v1"
REFERENCE = "see docs/reference/stdio.md"
FIELDS = ("id", "method", "params", "deadline_ms")
CANCEL = "cancel"
MOST_ID = 2**53 - 1  # what every JSON reader tells apart
MOST_ID_TEXT = 200  # characters
MOST_DEPTH = 100  # lists and objects inside each other
MOST_DEADLINE_MS = 86_400_000

Id = int | str


class Request(Struct, frozen=True):
    """A question to be answered under its id."""

    id: Id
    method: str
    params: Any
    deadline_ms: float | None = None


class Cancel(Struct, frozen=True):
    """The wish to give up a question; it has no answer of its own."""

    id: Id


class NoRequest(Struct, frozen=True):
    """A line that asks nothing that can be done: why, and the id where one could be read."""

    id: Id | None
    error: CommonplaceError


def read_line(line: bytes | Ends, most: int = 0) -> Request | Cancel | NoRequest:
    """What a line asks; of one that had more than `most` bytes there are the ends."""
    if isinstance(line, Ends):
        ends = msgspec.json.decode(line.outermost(), type=dict[str, Any])
        number = None if ends.get("method", CANCEL) == CANCEL else _id_of(ends)
        return _no_request(number, f"the line has more than {most} bytes")
    try:
        found = shapes.decoded(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return _no_request(None, f"the line is no JSON in UTF-8: {error}")
    except RecursionError:
        return _no_request(None, TOO_DEEP)
    if not isinstance(found, dict):
        return _no_request(None, f"a request is a JSON object, not {_kind(found)}")
    if _is_deep(line, found):
        return _no_request(_id_of(found), TOO_DEEP)
    return _cancel(found) if found.get("method") == CANCEL else _request(found)


def ready_line(version: str, workspace: str) -> bytes:
    """The first line: who is there, and which protocol it speaks."""
    return shapes.line_of({"ready": True, "protocol": PROTOCOL, "version": version, "workspace": workspace})


def answer_line(number: Id, answer: Json) -> bytes:
    """The answer to a request. Raises what cannot be encoded."""
    return shapes.line_of({"id": number, "result": answer})


def error_line(number: Id | None, error: CommonplaceError) -> bytes:
    """Why there is no answer."""
    return shapes.line_of({"id": number, "error": shapes.error_json(error)})


TOO_DEEP = f"lists and objects lie more than {MOST_DEPTH} deep in each other"


def _request(found: Json) -> Request | NoRequest:
    number, method, deadline = _id_of(found), found.get("method"), found.get("deadline_ms")
    wrong = _wrong_id(found) or _wrong_field(found)
    if wrong:
        return _no_request(number, wrong)
    if number is None or not isinstance(method, str):
        return _no_request(
            number, "`method` must name an operation" if number is not None else "a request needs an `id`"
        )
    return Request(number, method, found.get("params", {}), deadline)


def _cancel(found: Json) -> Cancel | NoRequest:
    wrong = _wrong_id(found) or _wrong_field(found)
    if wrong or "id" in found or "deadline_ms" in found:
        wrong = wrong or "`cancel` has no answer, so it takes no `id` and no `deadline_ms` of its own"
        return _no_request(_id_of(found), wrong)
    given = found.get("params")
    number = _id_of(given) if isinstance(given, dict) and given.keys() == {"id"} else None
    if number is None:
        return _no_request(None, '`cancel` takes `params` with the `id` of a request: {"id":7}')
    return Cancel(number)


def _no_request(number: Id | None, message: str) -> NoRequest:
    return NoRequest(number, BadArgument(message, hint=REFERENCE))


def _id_of(found: Json) -> Id | None:
    """The id where it is one: a whole number, or a short text."""
    given = found.get("id")
    if isinstance(given, str):
        return given if 0 < len(given) <= MOST_ID_TEXT else None
    if isinstance(given, int) and not isinstance(given, bool):
        return given if -MOST_ID <= given <= MOST_ID else None
    return None


def _wrong_id(found: Json) -> str:
    if "id" not in found or _id_of(found) is not None:
        return ""
    return f"`id` must be a whole number within ±{MOST_ID}, or a text of 1 to {MOST_ID_TEXT} characters"


def _wrong_field(found: Json) -> str:
    """What is wrong with the other fields; empty if nothing is."""
    unknown = [name for name in found if name not in FIELDS]
    if unknown:
        return f"unknown field {unknown[0][:MOST_ID_TEXT]!r}; a request has {', '.join(FIELDS)}"
    if not isinstance(found.get("params", {}), dict):
        return f"`params` must be an object, not {_kind(found['params'])}"
    if "method" in found and not isinstance(found["method"], str):
        return f"`method` must be text, not {_kind(found['method'])}"
    deadline = found.get("deadline_ms")
    if deadline is None:
        return ""
    if isinstance(deadline, bool) or not isinstance(deadline, int | float) or not 0 <= deadline <= MOST_DEADLINE_MS:
        return f"`deadline_ms` must be a number from 0 to {MOST_DEADLINE_MS}"
    return ""


def _kind(value: object) -> str:
    """What JSON calls a value of this type."""
    names = {"NoneType": "null", "bool": "true or false", "int": "a number", "float": "a number"}
    return names.get(type(value).__name__, {"str": "a text", "list": "a list"}.get(type(value).__name__, "an object"))


def _is_deep(line: bytes, found: Json) -> bool:
    """Whether there is more nesting than any parameters have; what walks through them need not fear it then."""
    if line.count(b"[") + line.count(b"{") <= MOST_DEPTH:
        return False
    level: list[Any] = [found]
    for _ in range(MOST_DEPTH):
        level = [inner for outer in level for inner in (outer.values() if isinstance(outer, dict) else outer)]
        level = [inner for inner in level if isinstance(inner, dict | list)]
        if not level:
            return False
    return True
