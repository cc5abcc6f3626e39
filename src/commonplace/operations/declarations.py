"""The operations of a memory: name, summary, parameters, effect, and the schema of the answer."""

from __future__ import annotations

import os
from functools import cache
from typing import Literal

from msgspec import Meta, Struct, json, structs

from commonplace.operations import parameters
from commonplace.operations.parameters import Request
from commonplace.shapes import Json
from commonplace.storage import files

SCHEMA_SUFFIX = ".schema.json"
PACKAGE = os.path.dirname(os.path.dirname(__file__))
INSTALLED_FOLDER = os.path.join(PACKAGE, "data", "schemas")
REPOSITORY_FOLDER = os.path.join(os.path.dirname(os.path.dirname(PACKAGE)), "docs", "reference", "schemas")
Effect = Literal["reads", "writes", "decides"]


class Operation(Struct, frozen=True):
    """One operation.

    `answer` names the shape of its answer: `hits` for `commonplace.hits.v1`. `effect` says what it does to the files:
    `reads` (a pack's receipt and the index are no memory), `writes` (adds), `decides` (changes or takes back what
    stands: a person's right).
    """

    name: str
    summary: str
    request: type[Request]
    answer: str
    effect: Effect = "reads"

    @property
    def shape(self) -> str:
        """The schema of its answer."""
        return f"commonplace.{self.answer}.v1"


class Field(Struct, frozen=True):
    """One parameter of an operation; `default` is `msgspec.NODEFAULT` where it must be given."""

    name: str
    type: object
    default: object
    help: str


OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        Operation("recall", "Find the records that answer a question.", parameters.RecallRequest, "hits"),
        Operation("search", "Take filters out of the words of a search.", parameters.SearchRequest, "search"),
        Operation("pack", "Cited lines that fit a token budget.", parameters.PackWithReceiptRequest, "pack"),
        Operation("why", "Explain a pack from its receipt.", parameters.WhyRequest, "receipt"),
        Operation("why_not", "Why a line is not among the hits.", parameters.WhyNotRequest, "why-not"),
        Operation("receipts", "List the receipts of packs.", parameters.ReceiptsRequest, "receipts"),
        Operation("impact", "What a record or capture took part in.", parameters.ShowRequest, "impact"),
        Operation("replay", "Make a pack again, and compare it.", parameters.ReplayRequest, "replay"),
        Operation("show", "A record, or lines of a file.", parameters.ShowRequest, "view"),
        Operation("entity", "Everything known about one name.", parameters.EntityRequest, "entity"),
        Operation("entities", "The names of all entities.", parameters.EntitiesRequest, "entities"),
        Operation("related", "The names that share lines with a name.", parameters.RelatedRequest, "related"),
        Operation("files", "The files of the workspace.", parameters.FilesRequest, "files"),
        Operation("read_file", "Lines of a file, to be edited.", parameters.ReadFileRequest, "file"),
        Operation("facts", "The values of one name by key, on a day.", parameters.FactsRequest, "facts"),
        Operation("facts_lint", "Faults of the facts of all names.", parameters.ClockRequest, "facts-lint"),
        Operation("timeline", "Records in order of time.", parameters.TimelineRequest, "timeline"),
        Operation("activity", "What came in and was kept, by day.", parameters.ActivityRequest, "activity"),
        Operation("resume", "What a restarted agent should read.", parameters.ResumeRequest, "resume"),
        Operation("status", "What the workspace contains.", parameters.EmptyRequest, "status"),
        Operation("check", "Check the workspace and its index.", parameters.EmptyRequest, "health"),
        Operation("list_settings", "The settings and their values.", parameters.EmptyRequest, "settings"),
        Operation("pending", "The items that need a decision.", parameters.PendingRequest, "pending"),
        Operation("audit", "List recent writes.", parameters.AuditRequest, "audit"),
        Operation("forgettings", "List what was hidden or erased.", parameters.ForgettingsRequest, "forgettings"),
        Operation("sync", "Update the index.", parameters.SyncRequest, "changes"),
        Operation("retain", "Store a sentence.", parameters.RetainRequest, "kept", "writes"),
        Operation("log", "Add a line to today's log.", parameters.LogRequest, "kept", "writes"),
        Operation("capture", "Capture one event.", parameters.CaptureRequest, "taken", "writes"),
        Operation("ingest", "Capture a transcript.", parameters.IngestRequest, "ingested", "writes"),
        Operation(
            "consolidate",
            "Turn captures into lasting records: plan, or write.",
            parameters.ConsolidateRequest,
            "consolidated",
            "writes",
        ),
        Operation("order", "What an agent needs to consolidate a session.", parameters.OrderRequest, "order"),
        Operation("prompt", "The text that is added to a prompt of a host.", parameters.HookCall, "prompt"),
        Operation("turn", "Capture a turn of a host.", parameters.HookCall, "turn", "writes"),
        Operation("tool", "The answer of a tool to the model of a host.", parameters.HookCall, "tool", "writes"),
        Operation(
            "approve", "Write an item of the review queue to its file.", parameters.ApproveRequest, "decided", "decides"
        ),
        Operation("reject", "Remove an item from the review queue.", parameters.DecisionRequest, "decided", "decides"),
        Operation(
            "edit", "Change the words of an item of the review queue.", parameters.EditRequest, "decided", "decides"
        ),
        Operation(
            "correct",
            "Tell the sessions that read a mistake what is right.",
            parameters.CorrectionRequest,
            "correction",
            "decides",
        ),
        Operation("edit_file", "Replace lines of a file.", parameters.EditFileRequest, "edited", "decides"),
        Operation("undo", "Undo a write.", parameters.UndoRequest, "undone", "decides"),
        Operation(
            "propose_forget", "Hide what the owner asks for.", parameters.ProposeForgetRequest, "forgotten", "writes"
        ),
        Operation(
            "forget", "Hide what is to be forgotten, or erase it.", parameters.ForgetRequest, "forgotten", "decides"
        ),
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


@cache
def read_schemas() -> dict[str, Json]:
    """Every schema by the name of its shape (`commonplace.hits.v1`). Not to be changed."""
    folder = INSTALLED_FOLDER if os.path.isdir(INSTALLED_FOLDER) else REPOSITORY_FOLDER
    names = [name for name in files.list_folder_names(folder) if name.endswith(SCHEMA_SUFFIX)]
    return {name.removesuffix(SCHEMA_SUFFIX): json.decode(files.read_file(folder, name)) for name in names}
