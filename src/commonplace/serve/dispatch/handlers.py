"""Runs an operation on an open memory: decodes its parameters, calls the memory, returns the documented shape."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any

import msgspec

from commonplace.errors import BadArgument, closest_names
from commonplace.operations.declarations import OPERATIONS, Operation
from commonplace.operations.parameters import StreamIngestRequest, TranscriptRequest
from commonplace.operations.serializers import answer_json
from commonplace.serve.dispatch.remote_methods import call_method
from commonplace.turns import answer_hook

if TYPE_CHECKING:
    from commonplace.memory import Memory
    from commonplace.operations.parameters import ConsolidateRequest, IngestRequest, Request
    from commonplace.shapes import Json

Handler = Callable[["Memory", Any], "Json"]  # takes an instance of the operation's `request`


def run_operation(memory: Memory, name: str, arguments: Any) -> Json:
    """The answer to an operation in its documented shape. Raises CommonplaceError."""
    operation = find_operation(name)
    return HANDLERS[name](memory, decode_parameters(operation, arguments))


def find_operation(name: str) -> Operation:
    """The operation of this name. Raises BadArgument with the nearest one."""
    operation = OPERATIONS.get(name)
    if operation is None:
        near = closest_names(name, OPERATIONS)
        raise BadArgument(f"there is no operation {name!r}", hint=f"did you mean `{near[0]}`?" if near else "")
    return operation


def decode_parameters(operation: Operation, arguments: Any) -> Request:
    """The parameters, decoded and checked. Raises BadArgument, which names the field and what it should be."""
    try:
        return msgspec.convert(arguments, operation.request)
    except msgspec.ValidationError as error:
        raise BadArgument(f"`{operation.name}`: {_validation_message(str(error))}", hint="see docs/reference") from None


def _validation_message(message: str) -> str:
    """The message with the wrong parameter in front: `k: expected `int | null`, got `str``."""
    what, _, where = message.partition(" - at `$")
    field = where.rstrip("`").lstrip(".") if where else ""
    what = what[:1].lower() + what[1:]
    return f"{field}: {what}" if field else what


def _ingest(memory: Memory, request: IngestRequest) -> Json:
    if request.text and request.entries:
        raise BadArgument("`text` and `entries` are two ways to say the same", hint="send one of them")
    text = request.text.encode("utf-8", "replace")
    stream = BytesIO(text or b"".join(msgspec.json.encode(entry) + b"\n" for entry in request.entries))
    options = {name: getattr(request, name) for name in TranscriptRequest.__struct_fields__}
    ingested = memory.ingest(StreamIngestRequest(stream, **options))
    return answer_json("ingested", [(request.name, ingested)])


def _consolidate(memory: Memory, request: ConsolidateRequest) -> Json:
    run = memory.consolidate(request)
    findability = memory.findability(run, now=request.now) if request.apply else ()
    return answer_json("consolidated", run, findability=findability, notes=memory.notes, applied=request.apply)


def _answer_with_method(memory: Memory, request: Request, *, operation: Operation, **more: Any) -> Json:
    """What the method of the operation's name returns."""
    return answer_json(operation.answer, call_method(memory, operation.name, request), **more)


HANDLERS: dict[str, Handler] = {
    **{one.name: partial(_answer_with_method, operation=one) for one in OPERATIONS.values()},
    **{
        name: partial(_answer_with_method, operation=OPERATIONS[name], deed=name)
        for name in ("approve", "reject", "edit")
    },
    "pack": lambda memory, request: answer_json("pack", memory.pack(request), receipt=request.receipt),
    "why": lambda memory, request: answer_json("receipt", memory.receipt(request.receipt), record_id=request.record),
    "pending": lambda memory, _request: answer_json(
        "pending", tuple((item, memory.evidence(item)) for item in memory.pending())
    ),
    "ingest": _ingest,
    "consolidate": _consolidate,
    "prompt": lambda memory, request: answer_json("prompt", answer_hook(memory, "prompt", request)),
    "turn": lambda memory, request: answer_json("turn", answer_hook(memory, "turn", request)),
    "tool": lambda memory, request: answer_json("tool", answer_hook(memory, "tool", request)),
    "undo": lambda memory, request: answer_json("undone", memory.undo(request), change=request.change_id),
}
