"""The table of operations: name, parameters, answer schema and handler; used by stdio, HTTP and MCP."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import Struct, structs

from commonplace import shapes
from commonplace.errors import BadArgument
from commonplace.operations import parameters
from commonplace.serve.dispatch import serializers
from commonplace.turns import hook_calls
from commonplace.turns.hook_calls import HookCall

if TYPE_CHECKING:
    from commonplace.memory import Memory
    from commonplace.shapes import Json

__all__ = ["OPERATIONS", "Effect", "Operation", "decode_parameters", "find_operation", "run_operation"]

Effect = Literal["reads", "writes", "decides"]
DecodedRequest = Any  # an instance of the operation's Struct of parameters


class Operation(Struct, frozen=True):
    """One thing that can be asked.

    `params` is the Struct that its parameters make, `shape` the schema of its answer. `effect` says what it does to
    the files: `reads` (a pack's receipt and the index are no memory), `writes` (adds), `decides` (changes or takes back
    what stands: a person's right).
    """

    name: str
    summary: str
    params: type[Struct]
    shape: str
    handle: Callable[[Memory, DecodedRequest], Json]
    effect: Effect = "reads"


def _request_keywords(request: Struct, *omitted: str) -> dict[str, Any]:
    return {name: value for name, value in structs.asdict(request).items() if name not in omitted}


def _handle_recall(memory: Memory, request: parameters.RecallRequest) -> Json:
    return shapes.hits_json(memory.recall(**_request_keywords(request)))


def _handle_pack(memory: Memory, request: parameters.PackRequest) -> Json:
    return shapes.pack_json(memory.pack(**_request_keywords(request, "receipt")), receipt=request.receipt)


def _handle_retain(memory: Memory, request: parameters.RetainRequest) -> Json:
    return serializers.retained_json(memory.retain(**_request_keywords(request)))


def _handle_log(memory: Memory, request: parameters.LogRequest) -> Json:
    return serializers.retained_json(memory.log(**_request_keywords(request)))


def _handle_capture(memory: Memory, request: parameters.CaptureRequest) -> Json:
    return serializers.captured_json(memory.capture(**_request_keywords(request)))


def _handle_ingest(memory: Memory, request: parameters.IngestRequest) -> Json:
    if request.text and request.entries:
        raise BadArgument("`text` and `entries` are two ways to say the same", hint="send one of them")
    text = request.text.encode("utf-8", "replace")
    stream = BytesIO(text or b"".join(msgspec.json.encode(entry) + b"\n" for entry in request.entries))
    return serializers.ingest_sources_json(
        [(request.name, memory.ingest(stream, **_request_keywords(request, "text", "entries")))]
    )


def _handle_why(memory: Memory, request: parameters.WhyRequest) -> Json:
    return serializers.why_json(memory.receipt(request.receipt), request.record)


def _handle_show(memory: Memory, request: parameters.ShowRequest) -> Json:
    return serializers.view_json(memory.show(request.reference))


def _handle_entity(memory: Memory, request: parameters.EntityRequest) -> Json:
    return serializers.entity_json(memory.entity(request.name, at_most=request.at_most))


def _handle_entities(memory: Memory, _request: parameters.EmptyRequest) -> Json:
    return serializers.entities_json(memory.entities())


def _handle_timeline(memory: Memory, request: parameters.TimelineRequest) -> Json:
    return serializers.timeline_json(memory.timeline(**_request_keywords(request)))


def _handle_resume(memory: Memory, request: parameters.ResumeRequest) -> Json:
    return serializers.resume_json(memory.resume(**_request_keywords(request)))


def _handle_status(memory: Memory, _request: parameters.EmptyRequest) -> Json:
    return serializers.status_json(memory.status())


def _handle_check(memory: Memory, _request: parameters.EmptyRequest) -> Json:
    return serializers.health_json(memory.check())


def _handle_sync(memory: Memory, request: parameters.SyncRequest) -> Json:
    return serializers.changes_json(memory.sync(**_request_keywords(request)))


def _handle_consolidate(memory: Memory, request: parameters.ConsolidateRequest) -> Json:
    run = memory.consolidate(**_request_keywords(request))
    found = memory.findability(run, now=request.now) if request.apply else ()
    return serializers.consolidated_json(run, found, memory.notes, applied=request.apply)


def _handle_pending(memory: Memory, _request: parameters.EmptyRequest) -> Json:
    return serializers.pending_json(tuple((item, memory.evidence(item)) for item in memory.pending()))


def _handle_approve(memory: Memory, request: parameters.DecisionRequest) -> Json:
    return serializers.decided_json("approve", memory.approve(**_request_keywords(request)))


def _handle_reject(memory: Memory, request: parameters.DecisionRequest) -> Json:
    return serializers.decided_json("reject", memory.reject(**_request_keywords(request)))


def _handle_edit(memory: Memory, request: parameters.EditRequest) -> Json:
    return serializers.decided_json("edit", memory.edit(**_request_keywords(request)))


def _handle_undo(memory: Memory, request: parameters.UndoRequest) -> Json:
    return serializers.undone_json(request.change_id, memory.undo(**_request_keywords(request)))


def _handle_audit(memory: Memory, request: parameters.AuditRequest) -> Json:
    return serializers.audit_json(memory.audit(**_request_keywords(request)))


def _handle_prompt(memory: Memory, request: DecodedRequest) -> Json:
    from commonplace import turns

    return turns.prompt_json(turns.answer_prompt(memory, request))


def _handle_turn(memory: Memory, request: DecodedRequest) -> Json:
    from commonplace import turns

    return turns.turn_json(turns.capture_turn(memory, request))


def _handle_tool(memory: Memory, request: DecodedRequest) -> Json:
    from commonplace import turns

    return turns.tool_json(turns.call_tool(memory, request))


OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        Operation(
            "recall", "Find what bears on a question.", parameters.RecallRequest, shapes.HITS_SCHEMA, _handle_recall
        ),
        Operation(
            "pack", "Cited lines that fit a token budget.", parameters.PackRequest, shapes.PACK_SCHEMA, _handle_pack
        ),
        Operation("why", "Explain a pack from its receipt.", parameters.WhyRequest, shapes.RECEIPT_SCHEMA, _handle_why),
        Operation("show", "A record, or lines of a file.", parameters.ShowRequest, "commonplace.view.v1", _handle_show),
        Operation(
            "entity", "What is known of one name.", parameters.EntityRequest, "commonplace.entity.v1", _handle_entity
        ),
        Operation(
            "entities",
            "The names that are known.",
            parameters.EmptyRequest,
            "commonplace.entities.v1",
            _handle_entities,
        ),
        Operation(
            "timeline",
            "Records in order of time.",
            parameters.TimelineRequest,
            "commonplace.timeline.v1",
            _handle_timeline,
        ),
        Operation(
            "resume",
            "What a restarted agent should read.",
            parameters.ResumeRequest,
            "commonplace.resume.v1",
            _handle_resume,
        ),
        Operation(
            "status", "What the workspace holds.", parameters.EmptyRequest, "commonplace.status.v1", _handle_status
        ),
        Operation(
            "check",
            "Look for everything that is wrong.",
            parameters.EmptyRequest,
            "commonplace.health.v1",
            _handle_check,
        ),
        Operation(
            "pending", "What waits for a yes or no.", parameters.EmptyRequest, "commonplace.pending.v1", _handle_pending
        ),
        Operation("audit", "What was written lately.", parameters.AuditRequest, "commonplace.audit.v1", _handle_audit),
        Operation(
            "sync", "Bring the index up to date.", parameters.SyncRequest, "commonplace.changes.v1", _handle_sync
        ),
        Operation(
            "retain", "Keep a sentence.", parameters.RetainRequest, "commonplace.kept.v1", _handle_retain, "writes"
        ),
        Operation(
            "log", "Add a line to today's log.", parameters.LogRequest, "commonplace.kept.v1", _handle_log, "writes"
        ),
        Operation(
            "capture",
            "Capture one event.",
            parameters.CaptureRequest,
            "commonplace.taken.v1",
            _handle_capture,
            "writes",
        ),
        Operation(
            "ingest",
            "Capture a transcript.",
            parameters.IngestRequest,
            "commonplace.ingested.v1",
            _handle_ingest,
            "writes",
        ),
        Operation(
            "consolidate",
            "From what was captured to what is worth keeping.",
            parameters.ConsolidateRequest,
            "commonplace.consolidated.v1",
            _handle_consolidate,
            "writes",
        ),
        Operation(
            "prompt", "What a host's prompt gets from memory.", HookCall, hook_calls.PROMPT_SCHEMA, _handle_prompt
        ),
        Operation(
            "turn", "What memory takes from a host's turn.", HookCall, hook_calls.TURN_SCHEMA, _handle_turn, "writes"
        ),
        Operation(
            "tool", "What a tool of a host's model answers.", HookCall, hook_calls.TOOL_SCHEMA, _handle_tool, "writes"
        ),
        Operation(
            "approve",
            "Write what waits to its home.",
            parameters.DecisionRequest,
            "commonplace.decided.v1",
            _handle_approve,
            "decides",
        ),
        Operation(
            "reject",
            "Take something off the queue.",
            parameters.DecisionRequest,
            "commonplace.decided.v1",
            _handle_reject,
            "decides",
        ),
        Operation(
            "edit",
            "Change the words of what waits.",
            parameters.EditRequest,
            "commonplace.decided.v1",
            _handle_edit,
            "decides",
        ),
        Operation(
            "undo",
            "Take back an applied write.",
            parameters.UndoRequest,
            "commonplace.undone.v1",
            _handle_undo,
            "decides",
        ),
    )
}


def run_operation(memory: Memory, name: str, arguments: Any) -> Json:
    """Ask an open memory: the operation's answer in its documented shape. Raises CommonplaceError."""
    operation = find_operation(name)
    return operation.handle(memory, decode_parameters(operation, arguments))


def find_operation(name: str) -> Operation:
    """The operation of this name. Raises BadArgument with the nearest one."""
    operation = OPERATIONS.get(name)
    if operation is None:
        import difflib

        near = difflib.get_close_matches(name, OPERATIONS, 1)
        raise BadArgument(f"there is no operation {name!r}", hint=f"did you mean `{near[0]}`?" if near else "")
    return operation


def decode_parameters(operation: Operation, arguments: Any) -> Struct:
    """The parameters, decoded and checked. Raises BadArgument, which names the field and what it should be."""
    try:
        return msgspec.convert(arguments, operation.params)
    except msgspec.ValidationError as error:
        raise BadArgument(f"`{operation.name}`: {_validation_message(str(error))}", hint="see docs/reference") from None


def _validation_message(message: str) -> str:
    """Where a parameter is off, in front: `k: expected `int | null`, got `str``."""
    what, _, where = message.partition(" - at `$")
    field = where.rstrip("`").lstrip(".") if where else ""
    what = what[:1].lower() + what[1:]
    return f"{field}: {what}" if field else what
