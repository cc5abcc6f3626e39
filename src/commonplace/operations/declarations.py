"""The operations that can be asked of a memory: name, summary, parameters, shape of the answer and effect."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal

from msgspec import Meta, Struct, structs

from commonplace.operations import parameters

if TYPE_CHECKING:
    from commonplace.operations.parameters import Request
Effect = Literal["reads", "writes", "decides"]


class Operation(Struct, frozen=True):
    """One operation.

    `shape` is the schema of its answer. `effect` says what it does to the files: `reads` (a pack's receipt and the
    index are no memory), `writes` (adds), `decides` (changes or takes back what stands: a person's right).
    """

    name: str
    summary: str
    request: type[Request]
    shape: str
    effect: Effect = "reads"


class Field(Struct, frozen=True):
    """One parameter of an operation; `default` is `msgspec.NODEFAULT` where it must be given."""

    name: str
    type: object
    default: object
    help: str


OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        Operation("recall", "Find what bears on a question.", parameters.RecallRequest, "commonplace.hits.v1"),
        Operation(
            "pack", "Cited lines that fit a token budget.", parameters.PackWithReceiptRequest, "commonplace.pack.v1"
        ),
        Operation("why", "Explain a pack from its receipt.", parameters.WhyRequest, "commonplace.receipt.v1"),
        Operation("show", "A record, or lines of a file.", parameters.ShowRequest, "commonplace.view.v1"),
        Operation("entity", "What is known of one name.", parameters.EntityRequest, "commonplace.entity.v1"),
        Operation("entities", "The names that are known.", parameters.EmptyRequest, "commonplace.entities.v1"),
        Operation("timeline", "Records in order of time.", parameters.TimelineRequest, "commonplace.timeline.v1"),
        Operation("resume", "What a restarted agent should read.", parameters.ResumeRequest, "commonplace.resume.v1"),
        Operation("status", "What the workspace holds.", parameters.EmptyRequest, "commonplace.status.v1"),
        Operation("check", "Look for everything that is wrong.", parameters.EmptyRequest, "commonplace.health.v1"),
        Operation("pending", "What waits for a yes or no.", parameters.EmptyRequest, "commonplace.pending.v1"),
        Operation("audit", "What was written lately.", parameters.AuditRequest, "commonplace.audit.v1"),
        Operation("sync", "Bring the index up to date.", parameters.SyncRequest, "commonplace.changes.v1"),
        Operation("retain", "Keep a sentence.", parameters.RetainRequest, "commonplace.kept.v1", "writes"),
        Operation("log", "Add a line to today's log.", parameters.LogRequest, "commonplace.kept.v1", "writes"),
        Operation("capture", "Capture one event.", parameters.CaptureRequest, "commonplace.taken.v1", "writes"),
        Operation("ingest", "Capture a transcript.", parameters.IngestRequest, "commonplace.ingested.v1", "writes"),
        Operation(
            "consolidate",
            "From what was captured to what is worth keeping.",
            parameters.ConsolidateRequest,
            "commonplace.consolidated.v1",
            "writes",
        ),
        Operation("prompt", "What a host's prompt gets from memory.", parameters.HookCall, "commonplace.prompt.v1"),
        Operation(
            "turn", "What memory takes from a host's turn.", parameters.HookCall, "commonplace.turn.v1", "writes"
        ),
        Operation(
            "tool", "What a tool of a host's model answers.", parameters.HookCall, "commonplace.tool.v1", "writes"
        ),
        Operation(
            "approve", "Write what waits to its home.", parameters.DecisionRequest, "commonplace.decided.v1", "decides"
        ),
        Operation(
            "reject", "Take something off the queue.", parameters.DecisionRequest, "commonplace.decided.v1", "decides"
        ),
        Operation(
            "edit", "Change the words of what waits.", parameters.EditRequest, "commonplace.decided.v1", "decides"
        ),
        Operation("undo", "Take back an applied write.", parameters.UndoRequest, "commonplace.undone.v1", "decides"),
    )
}


@cache
def request_fields(request: type[Request]) -> dict[str, Field]:
    """The parameters of a request by name, in the order in which they are declared."""
    fields: dict[str, Field] = {}
    for info in structs.fields(request):
        metadata = getattr(info.type, "__metadata__", ())
        description = next((one.description for one in metadata if isinstance(one, Meta) and one.description), "")
        value_type = info.type.__origin__ if metadata else info.type
        fields[info.name] = Field(info.name, value_type, info.default, description)
    return fields


def subject_parameter(operation_name: str) -> str:
    """The parameter that may be given by position; `text` of what has none."""
    operation = OPERATIONS.get(operation_name)
    return next(iter(operation.request.__match_args__), "text") if operation else "text"
