"""The rules of OpenClaw's turns: which are served, what a prompt gets, whose words are captured, what tools show."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from commonplace.imports.envelopes import bare
from commonplace.turns.budget import budget
from commonplace.turns.nouns import Prompted, Turned
from commonplace.turns.openclaw import place as places
from commonplace.turns.openclaw import unseen
from commonplace.turns.openclaw.messages import stream_of, stream_of_call
from commonplace.turns.openclaw.tools import tool

if TYPE_CHECKING:
    from io import BytesIO

    from commonplace.memory import Memory
    from commonplace.turns.nouns import Hooked
    from commonplace.turns.openclaw.place import Options, Place

__all__ = ["prompt", "tool", "turn"]

AFTER_CUT_MS = 600_000  # after a compaction, in which a pack ends with the newest turns
ENDS = ("before_reset", "session_end")
MOST_ASKED = 2_000  # characters at each end of a long message; the question stands before or after what was pasted


def prompt(memory: Memory, hooked: Hooked) -> Prompted:
    """The answer to `before_prompt_build`: a pack of trusted lines, if a person asks something where he may see it."""
    options, place = places.options_of(hooked.options), places.place_of(hooked.context)
    why = _not_recalled(place, options)
    if why:
        return Prompted(skipped=why)
    text = asked(hooked.event)
    room = _room(memory, hooked.event, place, options)
    scope = places.scope_of(place, options)
    stable = _stable(memory, place, room, scope)
    if not text:
        return Prompted(stable=stable, skipped="nothing was asked in words")
    cut_ms = _number(hooked.event, "compactedMs")
    packed = memory.pack(
        text,
        budget_tokens=room,
        automatic=True,
        core=False,
        scope=scope,
        session=place.session if 0 < cut_ms <= AFTER_CUT_MS else "",
        heard="" if cut_ms else place.session,
    )
    return Prompted(packed.text, stable, packed.receipt_id, "" if packed.text else "nothing bears on it", packed.notes)


def turn(memory: Memory, hooked: Hooked) -> Turned:
    """The answer to `agent_end`, `after_tool_call`, `before_reset` and compactions: what was said is captured, once."""
    options, place = places.options_of(hooked.options), places.place_of(hooked.context)
    if hooked.event.get("name") in ENDS:
        unseen.drop(memory.root, place)
    if not options.capture:
        unseen.note(memory.root, place, hooked.event)
        return Turned(skipped="the setting `capture` is off")
    why = places.not_served(place, options)
    if why:
        return Turned(skipped=why)
    stream = _said(hooked.event, place, options)
    if not stream.getbuffer().nbytes:
        return Turned(skipped="nothing was said")
    scope = places.scope_of(place, options)
    done = memory.ingest(stream, format="openclaw", scope=scope, name="openclaw")
    aside = (f"{done.set_aside} messages could not be read; they lie in {done.kept_in}",) if done.set_aside else ()
    return Turned(done.captured, done.known, notes=(*memory.notes, *aside))


def _said(event: dict[str, Any], place: Place, options: Options) -> BytesIO:
    if event.get("name") == unseen.CALLED:
        return stream_of_call(event, place)
    return stream_of(event, place, options)


def asked(event: dict[str, Any]) -> str:
    """What the user asks: his message as it came in; of a long one its two ends. An empty one asks nothing."""
    said = event.get("currentUserMessage")
    if not isinstance(said, str):
        said = event.get("prompt")
    text = bare(said).strip() if isinstance(said, str) else ""
    return text if len(text) <= 2 * MOST_ASKED else f"{text[:MOST_ASKED]}\n{text[-MOST_ASKED:]}"


def _not_recalled(place: Place, options: Options) -> str:
    if not options.recall:
        return "the setting `recall` is off"
    return places.not_served(place, options) or places.not_shown(place, options)


def _room(memory: Memory, event: dict[str, Any], place: Place, options: Options) -> int:
    """The tokens that the pack may have now."""
    most = options.budget_tokens
    most = memory.settings.pack_budget_tokens if most is None else most
    return budget(most, place.window, max(_number(event, "messageBytes"), _number(event, "requestBytes")))


def _stable(memory: Memory, place: Place, room: int, scope: str) -> str:
    """The core, unless the host shows it itself: it does where its workspace is the notebook."""
    is_shown = place.workspace and os.path.realpath(place.workspace) == memory.root
    if is_shown or place.chat == "group" or not memory.settings.pack_core:
        return ""
    return memory.core(budget_tokens=room, scope=scope).text


def _number(event: dict[str, Any], name: str) -> float:
    value = event.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0
