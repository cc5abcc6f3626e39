"""The turns of an agent as its host's hooks report them: what a prompt gets from memory, and memory from a turn."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from msgspec import Struct

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


def cut_query(text: str) -> str:
    """A prompt as a query: of a long one its two ends."""
    most = MAX_QUERY_END_CHARS
    return text if len(text) <= 2 * most else f"{text[:most]}\n{text[-most:]}"


def answer_hook(memory: Memory, operation: str, hook_call: HookCall) -> HookAnswer:
    """The answer of a host's module to an operation (`prompt`, `turn` or `tool`). Raises BadArgument."""
    from commonplace.capture import off_record_since

    module = import_module(f"{__name__}.{hook_call.host.replace('-', '_')}")  # those of other hosts are not loaded
    if not hasattr(module, operation):
        raise BadArgument(f"the host {hook_call.host!r} has no tools of its own here", hint="ask `recall` or `retain`")
    if operation != "tool" and not memory.environment.runs_hooks:
        return (PromptAnswer if operation == "prompt" else TurnOutcome)(skipped="COMMONPLACE_HOOKS is `off`")
    if operation == "turn" and off_record_since(memory.root):
        return TurnOutcome(skipped="off the record")
    answer: HookAnswer = getattr(module, operation)(memory, hook_call)
    return answer
