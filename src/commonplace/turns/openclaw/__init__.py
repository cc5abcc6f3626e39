"""Answers the hooks of OpenClaw: which turns are served, what a prompt gets, and what is captured."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from commonplace.capture.imports import parse_number, strip_envelope
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
CORE_PATH = "MEMORY.md"
SHOWN_FILES = {CORE_PATH: 20_000, "USER.md": 4_000}  # which the host shows, cut if they have more characters
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
    used = max(parse_number(hook_call.event.get(name)) or 0 for name in ("messageBytes", "requestBytes"))
    room = compute_pack_budget(most, conversation.window, used)
    scope = resolve_conversation_scope(conversation, options)
    cut_ms, shared = parse_number(hook_call.event.get("compactedMs")) or 0, sees_shared(conversation, options)
    heard, stable, is_private = "" if cut_ms else conversation.session, "", conversation.chat != "group"
    is_shown = conversation.workspace and os.path.realpath(conversation.workspace) == os.path.realpath(memory.root)
    paths = {name: os.path.join(memory.root, name) for name in SHOWN_FILES if is_shown and is_private}
    sizes = {name: os.path.getsize(path) for name, path in paths.items() if os.path.isfile(path)}
    shown: tuple[str, ...] = tuple(name for name, size in sizes.items() if size <= SHOWN_FILES[name])
    if shared and is_private:  # the core and what always holds, less what the host shows itself
        hidden = (CORE_PATH,) if is_shown or not memory.settings.pack_core else ()
        core = memory.core(budget_tokens=room, scope=scope, heard=heard, shown=(*shown, *hidden))
        stable, shown = core.text, (*shown, *(item.record_id for item in core.items))
    if not text:
        return PromptAnswer(stable=stable, skipped="nothing was asked in words")
    packed = memory.pack(
        text,
        budget_tokens=room,
        automatic=True,
        core=False,
        scope=scope,
        shared=shared,
        session=conversation.session if 0 < cut_ms <= RECENT_COMPACTION_MS else "",
        heard=heard,
        standing=is_private and not stable,
        shown=shown,
        reader=conversation.session,
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
