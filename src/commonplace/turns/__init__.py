"""The turns of an agent as its host's hooks report them: what a prompt gets from memory, and memory from a turn."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from msgspec import Struct, to_builtins

from commonplace.errors import BadArgument
from commonplace.operations.parameters import HookCall
from commonplace.shapes import Json

if TYPE_CHECKING:
    from commonplace.memory import Memory

MAX_QUERY_END_CHARS = 2_000  # at each end of a long prompt: the question stands before or after what was pasted


class PromptAnswer(Struct, frozen=True):
    """The additions to a prompt: text before the user's words, text at the end of the system prompt (`stable`: the same
    from turn to turn), and the pack's receipt. `skipped` says why there is nothing; `notes` are for a person."""

    inject: str = ""
    stable: str = ""
    receipt: str = ""
    skipped: str = ""
    notes: tuple[str, ...] = ()


class TurnOutcome(Struct, frozen=True):
    """The numbers of messages that were captured or already known; `skipped` says why nothing was captured."""

    captured: int = 0
    known: int = 0
    skipped: str = ""
    notes: tuple[str, ...] = ()


class ToolAnswer(Struct, frozen=True):
    """The answer of a host's tool: a text for the model, and the same as data. `refused` says why there is none."""

    text: str
    details: Json = {}
    refused: str = ""


HookAnswer = PromptAnswer | TurnOutcome | ToolAnswer
SCHEMA_BY_ANSWER: dict[type[HookAnswer], str] = {
    PromptAnswer: "commonplace.prompt.v1",
    TurnOutcome: "commonplace.turn.v1",
    ToolAnswer: "commonplace.tool.v1",
}


def hook_answer_json(answer: HookAnswer) -> Json:
    """An answer in its published shape."""
    return {"schema": SCHEMA_BY_ANSWER[type(answer)], **to_builtins(answer)}


def cut_query(text: str) -> str:
    """A prompt as a query: of a long one its two ends."""
    most = MAX_QUERY_END_CHARS
    return text if len(text) <= 2 * most else f"{text[:most]}\n{text[-most:]}"


def answer_prompt(memory: Memory, hook_call: HookCall) -> PromptAnswer:
    """The additions to a prompt before it goes to the model. Raises BadArgument."""
    found: PromptAnswer = _load_host_module(hook_call).prompt(memory, hook_call)
    return found


def capture_turn(memory: Memory, hook_call: HookCall) -> TurnOutcome:
    """Capture a turn that is over, or a conversation that ends. Raises BadArgument."""
    taken: TurnOutcome = _load_host_module(hook_call).turn(memory, hook_call)
    return taken


def call_tool(memory: Memory, hook_call: HookCall) -> ToolAnswer:
    """Answer a tool that the host's model called. Raises BadArgument."""
    answer = getattr(_load_host_module(hook_call), "tool", None)
    if answer is None:
        raise BadArgument(f"the host {hook_call.host!r} has no tools of its own here", hint="ask `recall` or `retain`")
    told: ToolAnswer = answer(memory, hook_call)
    return told


def _load_host_module(hook_call: HookCall) -> Any:
    """The module for the host; the others are not loaded."""
    return import_module(f"{__name__}.{hook_call.host.replace('-', '_')}")
