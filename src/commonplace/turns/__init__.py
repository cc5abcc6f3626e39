"""The turns of an agent as its host's hooks tell them: what a prompt gets from memory, and memory from a turn."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from commonplace.errors import BadArgument
from commonplace.turns.nouns import Hooked, Prompted, Told, Turned, prompt_json, tool_json, turn_json

if TYPE_CHECKING:
    from commonplace.memory import Memory

__all__ = ["Hooked", "Prompted", "Told", "Turned", "prompt", "prompt_json", "tool", "tool_json", "turn", "turn_json"]


def prompt(memory: Memory, hooked: Hooked) -> Prompted:
    """What memory gives to a prompt before it goes to the model. Raises BadArgument."""
    found: Prompted = _host(hooked).prompt(memory, hooked)
    return found


def turn(memory: Memory, hooked: Hooked) -> Turned:
    """What memory takes from a turn that is over, or from a conversation that ends. Raises BadArgument."""
    taken: Turned = _host(hooked).turn(memory, hooked)
    return taken


def tool(memory: Memory, hooked: Hooked) -> Told:
    """What a tool answers that the host's model called. Raises BadArgument."""
    answer = getattr(_host(hooked), "tool", None)
    if answer is None:
        raise BadArgument(f"the host {hooked.host!r} has no tools of its own here", hint="ask `recall` or `retain`")
    told: Told = answer(memory, hooked)
    return told


def _host(hooked: Hooked) -> Any:
    """The module that knows the host's rules; the others are not loaded."""
    return import_module(f"{__name__}.{hooked.host.replace('-', '_')}")
