"""The table of operations: what every face can ask of a memory, and in which shape it is answered."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import Struct, structs

from commonplace import shapes
from commonplace.errors import BadArgument
from commonplace.operations import answers, deeds, params
from commonplace.turns import nouns
from commonplace.turns.nouns import Hooked

if TYPE_CHECKING:
    from commonplace.memory import Memory
    from commonplace.shapes import Json

Effect = Literal["reads", "writes", "decides"]
Asked = Any  # an instance of the operation's Struct of parameters


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
    run: Callable[[Memory, Asked], Json]
    effect: Effect = "reads"


def _given(asked: Struct, *without: str) -> dict[str, Any]:
    return {name: value for name, value in structs.asdict(asked).items() if name not in without}


def _recall(memory: Memory, asked: params.Recall) -> Json:
    return shapes.hits_json(memory.recall(**_given(asked)))


def _pack(memory: Memory, asked: params.Pack) -> Json:
    return shapes.pack_json(memory.pack(**_given(asked, "receipt")), receipt=asked.receipt)


def _retain(memory: Memory, asked: params.Retain) -> Json:
    return answers.kept_json(memory.retain(**_given(asked)))


def _log(memory: Memory, asked: params.Saying) -> Json:
    return answers.kept_json(memory.log(**_given(asked)))


def _capture(memory: Memory, asked: params.Capture) -> Json:
    return deeds.taken_json(memory.capture(**_given(asked)))


def _ingest(memory: Memory, asked: params.Ingest) -> Json:
    if asked.text and asked.entries:
        raise BadArgument("`text` and `entries` are two ways to say the same", hint="send one of them")
    text = asked.text.encode("utf-8", "replace")
    stream = BytesIO(text or b"".join(msgspec.json.encode(entry) + b"\n" for entry in asked.entries))
    return deeds.sources_json([(asked.name, memory.ingest(stream, **_given(asked, "text", "entries")))])


def _why(memory: Memory, asked: params.Why) -> Json:
    return answers.why_json(memory.receipt(asked.receipt), asked.record)


def _show(memory: Memory, asked: params.Show) -> Json:
    return answers.view_json(memory.show(asked.reference))


def _entity(memory: Memory, asked: params.Entity) -> Json:
    return answers.entity_json(memory.entity(asked.name, at_most=asked.at_most))


def _entities(memory: Memory, _asked: params.Nothing) -> Json:
    return answers.entities_json(memory.entities())


def _timeline(memory: Memory, asked: params.Timeline) -> Json:
    return answers.timeline_json(memory.timeline(**_given(asked)))


def _resume(memory: Memory, asked: params.Resume) -> Json:
    return deeds.resume_json(memory.resume(**_given(asked)))


def _status(memory: Memory, _asked: params.Nothing) -> Json:
    return answers.status_json(memory.status())


def _check(memory: Memory, _asked: params.Nothing) -> Json:
    return answers.health_json(memory.check())


def _sync(memory: Memory, asked: params.Sync) -> Json:
    return answers.changes_json(memory.sync(**_given(asked)))


def _consolidate(memory: Memory, asked: params.Consolidate) -> Json:
    run = memory.consolidate(**_given(asked))
    found = memory.findability(run, now=asked.now) if asked.apply else ()
    return deeds.run_json(run, found, memory.notes, applied=asked.apply)


def _pending(memory: Memory, _asked: params.Nothing) -> Json:
    return deeds.pending_json(tuple((item, memory.evidence(item)) for item in memory.pending()))


def _approve(memory: Memory, asked: params.Decide) -> Json:
    return deeds.decided_json("approve", memory.approve(**_given(asked)))


def _reject(memory: Memory, asked: params.Decide) -> Json:
    return deeds.decided_json("reject", memory.reject(**_given(asked)))


def _edit(memory: Memory, asked: params.Edit) -> Json:
    return deeds.decided_json("edit", memory.edit(**_given(asked)))


def _undo(memory: Memory, asked: params.Undo) -> Json:
    return deeds.undone_json(asked.change_id, memory.undo(**_given(asked)))


def _audit(memory: Memory, asked: params.Audit) -> Json:
    return deeds.audit_json(memory.audit(**_given(asked)))


def _prompt(memory: Memory, asked: Asked) -> Json:
    from commonplace import turns

    return turns.prompt_json(turns.prompt(memory, asked))


def _turn(memory: Memory, asked: Asked) -> Json:
    from commonplace import turns

    return turns.turn_json(turns.turn(memory, asked))


def _tool(memory: Memory, asked: Asked) -> Json:
    from commonplace import turns

    return turns.tool_json(turns.tool(memory, asked))


OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        Operation("recall", "Find what bears on a question.", params.Recall, shapes.HITS, _recall),
        Operation("pack", "Cited lines that fit a token budget.", params.Pack, shapes.PACK, _pack),
        Operation("why", "Explain a pack from its receipt.", params.Why, shapes.RECEIPT, _why),
        Operation("show", "A record, or lines of a file.", params.Show, "commonplace.view.v1", _show),
        Operation("entity", "What is known of one name.", params.Entity, "commonplace.entity.v1", _entity),
        Operation("entities", "The names that are known.", params.Nothing, "commonplace.entities.v1", _entities),
        Operation("timeline", "Records in order of time.", params.Timeline, "commonplace.timeline.v1", _timeline),
        Operation("resume", "What a restarted agent should read.", params.Resume, "commonplace.resume.v1", _resume),
        Operation("status", "What the workspace holds.", params.Nothing, "commonplace.status.v1", _status),
        Operation("check", "Look for everything that is wrong.", params.Nothing, "commonplace.health.v1", _check),
        Operation("pending", "What waits for a yes or no.", params.Nothing, "commonplace.pending.v1", _pending),
        Operation("audit", "What was written lately.", params.Audit, "commonplace.audit.v1", _audit),
        Operation("sync", "Bring the index up to date.", params.Sync, "commonplace.changes.v1", _sync),
        Operation("retain", "Keep a sentence.", params.Retain, "commonplace.kept.v1", _retain, "writes"),
        Operation("log", "Add a line to today's log.", params.Saying, "commonplace.kept.v1", _log, "writes"),
        Operation("capture", "Capture one event.", params.Capture, "commonplace.taken.v1", _capture, "writes"),
        Operation("ingest", "Capture a transcript.", params.Ingest, "commonplace.ingested.v1", _ingest, "writes"),
        Operation(
            "consolidate",
            "From what was captured to what is worth keeping.",
            params.Consolidate,
            "commonplace.consolidated.v1",
            _consolidate,
            "writes",
        ),
        Operation("prompt", "What a host's prompt gets from memory.", Hooked, nouns.PROMPT, _prompt),
        Operation("turn", "What memory takes from a host's turn.", Hooked, nouns.TURN, _turn, "writes"),
        Operation("tool", "What a tool of a host's model answers.", Hooked, nouns.TOOL, _tool, "writes"),
        Operation(
            "approve", "Write what waits to its home.", params.Decide, "commonplace.decided.v1", _approve, "decides"
        ),
        Operation(
            "reject", "Take something off the queue.", params.Decide, "commonplace.decided.v1", _reject, "decides"
        ),
        Operation("edit", "Change the words of what waits.", params.Edit, "commonplace.decided.v1", _edit, "decides"),
        Operation("undo", "Take back an applied write.", params.Undo, "commonplace.undone.v1", _undo, "decides"),
    )
}
