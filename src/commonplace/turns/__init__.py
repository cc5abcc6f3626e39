"""The turns of an agent as its host's hooks tell them: what a prompt gets from memory, and memory from a turn."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from commonplace.errors import BadArgument
from commonplace.operations.parameters import HookCall
from commonplace.turns.hook_calls import (
    PromptAnswer,
    ToolAnswer,
    TurnOutcome,
    prompt_json,
    tool_json,
    turn_json,
)

if TYPE_CHECKING:
    from commonplace.memory import Memory

__all__ = [
    "HookCall",
    "PromptAnswer",
    "ToolAnswer",
    "TurnOutcome",
    "answer_prompt",
    "call_tool",
    "capture_turn",
    "prompt_json",
    "tool_json",
    "turn_json",
]


def answer_prompt(memory: Memory, hook_call: HookCall) -> PromptAnswer:
    """What memory gives to a prompt before it goes to the model. Raises BadArgument."""
    found: PromptAnswer = _load_host_module(hook_call).prompt(memory, hook_call)
    return found


def capture_turn(memory: Memory, hook_call: HookCall) -> TurnOutcome:
    """What memory takes from a turn that is over, or from a conversation that ends. Raises BadArgument."""
    taken: TurnOutcome = _load_host_module(hook_call).turn(memory, hook_call)
    return taken


def call_tool(memory: Memory, hook_call: HookCall) -> ToolAnswer:
    """What a tool answers that the host's model called. Raises BadArgument."""
    answer = getattr(_load_host_module(hook_call), "tool", None)
    if answer is None:
        raise BadArgument(f"the host {hook_call.host!r} has no tools of its own here", hint="ask `recall` or `retain`")
    told: ToolAnswer = answer(memory, hook_call)
    return told


def _load_host_module(hook_call: HookCall) -> Any:
    """The module that knows the host's rules; the others are not loaded."""
    return import_module(f"{__name__}.{hook_call.host.replace('-', '_')}")
