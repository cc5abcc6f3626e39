"""Runs an operation on an open memory: decodes its parameters, calls the memory, returns the documented shape."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import TYPE_CHECKING, Any

import msgspec

from commonplace import shapes, turns
from commonplace.errors import BadArgument, closest_names
from commonplace.operations import serializers
from commonplace.operations.declarations import OPERATIONS, Operation
from commonplace.operations.parameters import StreamIngestRequest, TranscriptRequest

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
    return serializers.ingest_sources_json([(request.name, ingested)])


def _consolidate(memory: Memory, request: ConsolidateRequest) -> Json:
    run = memory.consolidate(request)
    findability = memory.findability(run, now=request.now) if request.apply else ()
    return serializers.consolidated_json(run, findability, memory.notes, applied=request.apply)


HANDLERS: dict[str, Handler] = {
    "recall": lambda memory, request: shapes.hits_json(memory.recall(request)),
    "pack": lambda memory, request: shapes.pack_json(memory.pack(request), receipt=request.receipt),
    "why": lambda memory, request: serializers.why_json(memory.receipt(request.receipt), request.record),
    "show": lambda memory, request: serializers.view_json(memory.show(request)),
    "entity": lambda memory, request: serializers.entity_json(memory.entity(request)),
    "entities": lambda memory, _request: serializers.entities_json(memory.entities()),
    "facts": lambda memory, request: serializers.facts_json(memory.facts(request)),
    "facts_lint": lambda memory, request: serializers.facts_lint_json(memory.facts_lint(request)),
    "timeline": lambda memory, request: serializers.timeline_json(memory.timeline(request)),
    "resume": lambda memory, request: serializers.resume_json(memory.resume(request)),
    "status": lambda memory, _request: serializers.status_json(memory.status()),
    "check": lambda memory, _request: serializers.health_json(memory.check()),
    "pending": lambda memory, _request: serializers.pending_json(
        tuple((item, memory.evidence(item)) for item in memory.pending())
    ),
    "audit": lambda memory, request: serializers.audit_json(memory.audit(request)),
    "sync": lambda memory, request: serializers.changes_json(memory.sync(request)),
    "retain": lambda memory, request: serializers.retained_json(memory.retain(request)),
    "log": lambda memory, request: serializers.retained_json(memory.log(request)),
    "capture": lambda memory, request: serializers.captured_json(memory.capture(request)),
    "ingest": _ingest,
    "consolidate": _consolidate,
    "prompt": lambda memory, request: turns.hook_answer_json(turns.answer_prompt(memory, request)),
    "turn": lambda memory, request: turns.hook_answer_json(turns.capture_turn(memory, request)),
    "tool": lambda memory, request: turns.hook_answer_json(turns.call_tool(memory, request)),
    "approve": lambda memory, request: serializers.decided_json("approve", memory.approve(request)),
    "reject": lambda memory, request: serializers.decided_json("reject", memory.reject(request)),
    "edit": lambda memory, request: serializers.decided_json("edit", memory.edit(request)),
    "undo": lambda memory, request: serializers.undone_json(request.change_id, memory.undo(request)),
}
