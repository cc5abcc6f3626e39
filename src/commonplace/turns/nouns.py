"""What a host's hooks hand over, and what they get back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from commonplace.shapes import Json

PROMPT = "commonplace.prompt.v1"
TURN = "commonplace.turn.v1"
TOOL = "commonplace.tool.v1"

Host = Literal["openclaw", "claude-code"]


class Hooked(Struct, kw_only=True, forbid_unknown_fields=True):
    """What a host tells: the event of its hook as it is, the context around it, what its user chose (`options`)."""

    host: Host
    event: dict[str, Any] = {}
    context: dict[str, Any] = {}
    options: dict[str, Any] = {}


class Prompted(Struct, frozen=True):
    """What goes into a prompt: text before the user's words, text at the end of the system prompt (`stable`: the same
    from turn to turn); the pack's receipt. `skipped` says why there is nothing, `notes` what a person should know."""

    inject: str = ""
    stable: str = ""
    receipt: str = ""
    skipped: str = ""
    notes: tuple[str, ...] = ()


class Turned(Struct, frozen=True):
    """What became of what was said: how much of it was captured, how much was known; `skipped` says why nothing was."""

    captured: int = 0
    known: int = 0
    skipped: str = ""
    notes: tuple[str, ...] = ()


class Told(Struct, frozen=True):
    """What a tool of the host answers: a text for the model, and the same as data. `refused` says why it did not."""

    text: str
    details: dict[str, Any] = {}
    refused: str = ""


def prompt_json(prompted: Prompted) -> Json:
    """`commonplace.prompt.v1`."""
    return {
        "schema": PROMPT,
        "inject": prompted.inject,
        "stable": prompted.stable,
        "receipt": prompted.receipt,
        "skipped": prompted.skipped,
        "notes": list(prompted.notes),
    }


def turn_json(turned: Turned) -> Json:
    """`commonplace.turn.v1`."""
    return {
        "schema": TURN,
        "captured": turned.captured,
        "known": turned.known,
        "skipped": turned.skipped,
        "notes": list(turned.notes),
    }


def tool_json(told: Told) -> Json:
    """`commonplace.tool.v1`."""
    return {"schema": TOOL, "text": told.text, "details": dict(told.details), "refused": told.refused}
