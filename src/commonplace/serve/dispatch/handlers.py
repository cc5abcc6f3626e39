"""Runs an operation on an open memory: decodes its parameters, calls the memory, returns the documented shape."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from io import BytesIO
from typing import Any

import msgspec

from commonplace.errors import BadArgument, NotFound, closest_names
from commonplace.memory import Memory
from commonplace.operations import parameters
from commonplace.operations.declarations import OPERATIONS, Operation
from commonplace.operations.serializers import answer_json
from commonplace.serve.dispatch.remote_methods import call_method
from commonplace.shapes import Json
from commonplace.storage.workspace import parse_document
from commonplace.turns import answer_hook

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


def decode_parameters(operation: Operation, arguments: Any) -> parameters.Request:
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


# What a client can ask that is pinned to a scope; everything else shows or changes what is in other scopes too.
PINNED_OPERATIONS = frozenset(
    ("recall", "pack", "why", "show", "entity", "facts", "timeline", "status", "audit", "retain", "log", "capture")
)


def pin_request(operation: Operation, request: Any, scope: str) -> Any:
    """The request of a client that is pinned to a scope. Raises BadArgument for what leads out of it."""
    if operation.name not in PINNED_OPERATIONS:
        message = f"`{operation.name}` is not for a client that is pinned to a scope"
        raise BadArgument(message, hint="use the command line of the workspace")
    wide = any(getattr(request, name, False) for name in ("all_scopes", "words"))
    if wide or getattr(request, "scope", None) not in (None, "", scope):
        message = "this client is pinned to its scope, and reads and writes no other"
        raise BadArgument(message, hint="leave out `scope`, `all_scopes` and `words`")
    return msgspec.structs.replace(request, scope=scope) if hasattr(request, "scope") else request


def run_pinned(memory: Memory, operation: Operation, request: Any, scope: str) -> Json:
    """The answer without what is in other scopes than this one and the shared one, nor their names.

    Raises NotFound for what is only there, as if it were nowhere.
    """
    try:
        answer = HANDLERS[operation.name](memory, request)
    except NotFound as error:
        error.suggestions, error.hint = (), ""  # which may be of another scope
        raise
    visible = ("", scope)
    if operation.name == "why" and answer["scope"] != scope:
        raise NotFound("receipt", request.receipt)
    if operation.name == "audit":
        answer["writes"] = [one for one in answer["writes"] if _is_visible_write(memory, one, visible)]
    names = ("records", "mentions", "page")
    lists = [name for name in names if isinstance(answer.get(name), list)]
    hidden = [one for name in lists for one in answer[name] if one["scope"] not in visible]
    if operation.name == "show":
        lines = answer["text"].split("\n")
        for record in hidden:
            first, last = (max(record[name] - answer["line_start"], 0) for name in ("line_start", "line_end"))
            lines[first : last + 1] = [""] * len(lines[first : last + 1])
        answer["text"] = "\n".join(lines)
    answer |= {name: [one for one in answer[name] if one["scope"] in visible] for name in lists}
    if "unlinked" in answer:
        shown = {one["id"] for one in answer["mentions"]}
        answer["unlinked"] = [one for one in answer["unlinked"] if one in shown]
    is_resolved = "status" in answer and operation.name == "show"  # what it meant earlier is shown too
    if operation.name in ("show", "entity") and ((hidden and is_resolved) or not any(map(answer.get, names))):
        raise NotFound("record", request.reference) if operation.name == "show" else NotFound("entity", request.name)
    others = [one for one in memory.workspace.open_index().scopes() if one not in visible]
    if "notes" in answer:
        answer["notes"] = [note for note in answer["notes"] if not any(one in note for one in others)]
    return answer


def _is_visible_write(memory: Memory, write: Json, visible: tuple[str, str]) -> bool:
    """Whether all lines of a write are in these scopes, by their own words or those of the file."""
    texts = (write["before"], write["after"])
    own = {one.scope for text in texts for one in parse_document(write["path"], text.encode()).records}
    index = memory.workspace.open_index()
    of_file = {one.record.scope for one in index.fetch(index.rows_of_file(write["path"])).values()}
    return own <= set(visible) and (visible[1] in own or of_file <= set(visible))


def _why(memory: Memory, request: parameters.WhyRequest) -> Json:
    receipt = memory.receipt(request.receipt)
    lines = memory.receipt_lines(receipt.id) if request.words else ()
    return answer_json("receipt", receipt, record_id=request.record, entry_lines=lines)


def _ingest(memory: Memory, request: parameters.IngestRequest) -> Json:
    if request.text and request.entries:
        raise BadArgument("`text` and `entries` are two ways to say the same", hint="send one of them")
    text = request.text.encode("utf-8", "replace")
    stream = BytesIO(text or b"".join(msgspec.json.encode(entry) + b"\n" for entry in request.entries))
    options = {name: getattr(request, name) for name in parameters.TranscriptRequest.__struct_fields__}
    ingested = memory.ingest(parameters.StreamIngestRequest(stream, **options))
    return answer_json("ingested", [(request.name, ingested)])


def _consolidate(memory: Memory, request: parameters.ConsolidateRequest) -> Json:
    run = memory.consolidate(request)
    findability = memory.findability(run, now=request.now) if request.apply else ()
    return answer_json("consolidated", run, findability=findability, notes=memory.notes, applied=request.apply)


def _answer_with_method(memory: Memory, request: parameters.Request, *, operation: Operation, **more: Any) -> Json:
    """What the method of the operation's name returns."""
    return answer_json(operation.answer, call_method(memory, operation.name, request), **more)


HANDLERS: dict[str, Handler] = {
    **{one.name: partial(_answer_with_method, operation=one) for one in OPERATIONS.values()},
    **{
        name: partial(_answer_with_method, operation=OPERATIONS[name], deed=name)
        for name in ("approve", "reject", "edit")
    },
    "pack": lambda memory, request: answer_json("pack", memory.pack(request), receipt=request.receipt),
    "why": _why,
    "pending": lambda memory, request: answer_json("pending", memory.explain_pending(request)),
    "ingest": _ingest,
    "consolidate": _consolidate,
    "prompt": lambda memory, request: answer_json("prompt", answer_hook(memory, "prompt", request)),
    "turn": lambda memory, request: answer_json("turn", answer_hook(memory, "turn", request)),
    "tool": lambda memory, request: answer_json("tool", answer_hook(memory, "tool", request)),
    "undo": lambda memory, request: answer_json("undone", memory.undo(request), change=request.change_id),
}
