"""The answers that the hooks of a host get."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from commonplace.shapes import Json
PROMPT_SCHEMA = "commonplace.prompt.v1"
TURN_SCHEMA = "commonplace.turn.v1"
TOOL_SCHEMA = "commonplace.tool.v1"


class PromptAnswer(Struct, frozen=True):
    """What goes into a prompt: text before the user's words, text at the end of the system prompt (`stable`: the same
    from turn to turn); the pack's receipt. `skipped` says why there is nothing, `notes` what a person should know."""

    inject: str = ""
    stable: str = ""
    receipt: str = ""
    skipped: str = ""
    notes: tuple[str, ...] = ()


class TurnOutcome(Struct, frozen=True):
    """What became of what was said: how much of it was captured, how much was known; `skipped` says why nothing was."""

    captured: int = 0
    known: int = 0
    skipped: str = ""
    notes: tuple[str, ...] = ()


class ToolAnswer(Struct, frozen=True):
    """What a tool of the host answers: a text for the model, and the same as data. `refused` says why it did not."""

    text: str
    details: dict[str, Any] = {}
    refused: str = ""


def prompt_json(prompt_answer: PromptAnswer) -> Json:
    """`commonplace.prompt.v1`."""
    return {
        "schema": PROMPT_SCHEMA,
        "inject": prompt_answer.inject,
        "stable": prompt_answer.stable,
        "receipt": prompt_answer.receipt,
        "skipped": prompt_answer.skipped,
        "notes": list(prompt_answer.notes),
    }


def turn_json(turn_outcome: TurnOutcome) -> Json:
    """`commonplace.turn.v1`."""
    return {
        "schema": TURN_SCHEMA,
        "captured": turn_outcome.captured,
        "known": turn_outcome.known,
        "skipped": turn_outcome.skipped,
        "notes": list(turn_outcome.notes),
    }


def tool_json(tool_answer: ToolAnswer) -> Json:
    """`commonplace.tool.v1`."""
    return {
        "schema": TOOL_SCHEMA,
        "text": tool_answer.text,
        "details": dict(tool_answer.details),
        "refused": tool_answer.refused,
    }
