"""Answers the hooks of OpenClaw: which turns are served, what a prompt gets, and what is captured."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from commonplace.capture.imports import strip_envelope
from commonplace.turns import PromptAnswer, TurnOutcome, cut_query
from commonplace.turns.openclaw import messages
from commonplace.turns.openclaw.conversation import classify_agent as classify_agent
from commonplace.turns.openclaw.conversation import (
    compute_pack_budget,
    find_display_refusal,
    find_turn_refusal,
    parse_conversation,
    parse_plugin_options,
    resolve_conversation_scope,
    sees_shared,
)
from commonplace.turns.openclaw.tools import tool

if TYPE_CHECKING:
    from commonplace.memory import Memory
    from commonplace.operations.parameters import HookCall
    from commonplace.shapes import Json

__all__ = ["prompt", "tool", "turn"]

RECENT_COMPACTION_MS = 600_000  # after a compaction, in which a pack ends with the newest turns
END_EVENTS = ("before_reset", "session_end")


def prompt(memory: Memory, hook_call: HookCall) -> PromptAnswer:
    """The answer to `before_prompt_build`: a pack of trusted lines, if a person asks something where he may see it."""
    options = parse_plugin_options(hook_call.options)
    conversation = parse_conversation(hook_call.context, memory.root)
    if not options.recall:
        return PromptAnswer(skipped="the setting `recall` is off")
    why = find_turn_refusal(conversation, options) or find_display_refusal(conversation, options)
    if why:
        return PromptAnswer(skipped=why)
    text = extract_prompt_query(hook_call.event)
    most = memory.settings.pack_budget_tokens if options.budget_tokens is None else options.budget_tokens
    used = max(_read_number_field(hook_call.event, name) for name in ("messageBytes", "requestBytes"))
    room = compute_pack_budget(most, conversation.window, used)
    scope = resolve_conversation_scope(conversation, options)
    stable, shared = "", sees_shared(conversation, options)
    # The core, unless the host shows it itself: it does where its workspace is the notebook.
    is_shown = conversation.workspace and os.path.realpath(conversation.workspace) == os.path.realpath(memory.root)
    if shared and not is_shown and conversation.chat != "group" and memory.settings.pack_core:
        stable = memory.core(budget_tokens=room, scope=scope).text
    if not text:
        return PromptAnswer(stable=stable, skipped="nothing was asked in words")
    cut_ms = _read_number_field(hook_call.event, "compactedMs")
    packed = memory.pack(
        text,
        budget_tokens=room,
        automatic=True,
        core=False,
        scope=scope,
        shared=shared,
        session=conversation.session if 0 < cut_ms <= RECENT_COMPACTION_MS else "",
        heard="" if cut_ms else conversation.session,
    )
    why = "" if packed.text else "nothing bears on it"
    return PromptAnswer(packed.text, stable, packed.receipt_id, why, packed.notes)


def turn(memory: Memory, hook_call: HookCall) -> TurnOutcome:
    """The answer to `agent_end`, `after_tool_call`, `before_reset` and compactions: what was said is captured, once."""
    options = parse_plugin_options(hook_call.options)
    conversation = parse_conversation(hook_call.context, memory.root)
    if hook_call.event.get("name") in END_EVENTS:
        messages.remove_tool_call_note(memory.root, conversation)
    if not options.capture:
        messages.note_tool_call(memory.root, conversation, hook_call.event)
        return TurnOutcome(skipped="the setting `capture` is off")
    why = find_turn_refusal(conversation, options)
    if why:
        return TurnOutcome(skipped=why)
    if hook_call.event.get("name") == messages.TOOL_CALL_EVENT:
        stream = messages.render_tool_call_line(hook_call.event, conversation)
    else:
        stream = messages.render_message_lines(hook_call.event, conversation, options)
    if not stream.getbuffer().nbytes:
        return TurnOutcome(skipped="nothing was said")
    scope = resolve_conversation_scope(conversation, options)
    done = memory.ingest(stream, format="openclaw", scope=scope, name="openclaw")
    aside = (f"{done.set_aside} messages could not be read; they lie in {done.kept_in}",) if done.set_aside else ()
    return TurnOutcome(done.captured, done.known, notes=(*memory.notes, *aside))


def extract_prompt_query(event_fields: Json) -> str:
    """The user's message as it came in; of a long one its two ends."""
    said = event_fields.get("currentUserMessage")
    if not isinstance(said, str):
        said = event_fields.get("prompt")
    return cut_query(strip_envelope(said).strip()) if isinstance(said, str) else ""


def _read_number_field(event_fields: Json, name: str) -> float:
    value = event_fields.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0
