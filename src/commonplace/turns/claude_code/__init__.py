"""Answers the hooks of Claude Code: what a session and a prompt get from memory, and what is captured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.turns import PromptAnswer, TurnOutcome, cut_query
from commonplace.turns.claude_code.session import ENTRYPOINT_VARIABLE as ENTRYPOINT_VARIABLE
from commonplace.turns.claude_code.session import EVENT_OPERATIONS as EVENT_OPERATIONS
from commonplace.turns.claude_code.session import HOST as HOST
from commonplace.turns.claude_code.session import OPTION_VARIABLE_PREFIX as OPTION_VARIABLE_PREFIX
from commonplace.turns.claude_code.session import PROJECT_VARIABLE as PROJECT_VARIABLE
from commonplace.turns.claude_code.session import build_consolidation_arguments as build_consolidation_arguments
from commonplace.turns.claude_code.session import parse_hook_options, parse_hook_session, resolve_transcript_owner
from commonplace.turns.claude_code.session import render_hook_output as render_hook_output

if TYPE_CHECKING:
    from commonplace.memory import Memory
    from commonplace.operations.parameters import HookCall
    from commonplace.turns.claude_code.session import ClaudeCodeOptions, HookSession

MAX_SHOWN_CHARS = 10_000  # characters; the host puts a longer text into a file, and shows the model how it begins
START_TOKENS = 2_000
CONTINUED_SOURCES = ("resume", "fork")  # of a session that has its words before it


def prompt(memory: Memory, hook_call: HookCall) -> PromptAnswer:
    """The context for the start of a session, or the lines that are relevant to a prompt."""
    from commonplace.turns.claude_code import transcripts

    options, hook_session = parse_hook_options(hook_call.options), parse_hook_session(hook_call)
    if hook_session.is_headless and options.headless == "off":
        return PromptAnswer(skipped="a program's session, and the option `headless` is `off`")
    if hook_session.event == "SessionStart":
        budget = START_TOKENS if options.start_tokens is None else options.start_tokens
        while True:
            text, notes, record_ids = _render_session_text(memory, hook_session, budget)
            if len(text) <= MAX_SHOWN_CHARS:
                is_start = hook_session.source not in CONTINUED_SOURCES
                transcripts.note_shown(memory.root, hook_session.session, record_ids, is_start=is_start)
                return PromptAnswer(text, skipped="" if text else "there is nothing to tell yet", notes=notes)
            budget = _shrink_budget(budget, len(text))
    if hook_session.event == "UserPromptSubmit":
        return _answer_user_prompt(memory, hook_call, hook_session, options)
    return PromptAnswer(skipped=f"nothing is recalled at {hook_session.event!r}")


def turn(memory: Memory, hook_call: HookCall) -> TurnOutcome:
    """Capture the messages and tool calls since the last hook, once each, however often the host reports them."""
    from commonplace.turns.claude_code import transcripts

    options, hook_session = parse_hook_options(hook_call.options), parse_hook_session(hook_call)
    if hook_session.is_headless and options.headless == "off":
        return TurnOutcome(skipped="a program's session, and the option `headless` is `off`")
    if hook_session.event in transcripts.BOUNDARY_EVENTS:
        return transcripts.capture_transcripts(memory, hook_call.event, hook_session, options)
    stream = transcripts.render_event_lines(hook_call.event, hook_session, options)
    if isinstance(stream, str):
        return TurnOutcome(skipped=stream)
    owner = resolve_transcript_owner(options)
    done = memory.ingest(stream, format="claude-code", owner=owner, scope=hook_session.scope)
    return TurnOutcome(done.captured, done.known, notes=(*memory.notes, *(one.reason for one in done.examples)))


def _render_session_text(
    memory: Memory, hook_session: HookSession, budget: int
) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """The core and the state of the work, notes, and the ids of what is shown; a resumed session gets only the core."""
    if hook_session.source in CONTINUED_SOURCES:
        packed = memory.core(budget_tokens=budget, scope=hook_session.scope)
        return packed.text, packed.notes, tuple(item.record_id for item in packed.items)
    session = hook_session.session if hook_session.source == "compact" else ""
    resumed = memory.resume(session=session, budget_tokens=budget, scope=hook_session.scope)
    return resumed.text, memory.notes, resumed.core_ids


def _answer_user_prompt(
    memory: Memory, hook_call: HookCall, hook_session: HookSession, hook_options: ClaudeCodeOptions
) -> PromptAnswer:
    """The lines that are relevant to the prompt, without what the model has in its context: what was said in this
    session, the core as the start showed it, and the standing instructions of earlier prompts."""
    from commonplace.turns.claude_code import transcripts

    said = hook_call.event.get("prompt")
    text = cut_query(said.strip()) if isinstance(said, str) else ""
    if not text:
        return PromptAnswer(skipped="nothing was asked in words")
    progress = transcripts.read_progress(memory.root, hook_session.session)
    heard = "" if progress.compacted else hook_session.session
    budget = memory.settings.pack_budget_tokens if hook_options.budget_tokens is None else hook_options.budget_tokens
    while True:
        packed = memory.pack(
            text,
            budget_tokens=budget,
            automatic=True,
            core=False,
            scope=hook_session.scope,
            heard=heard,
            shown=progress.shown,
            reader=hook_session.session,
        )
        if len(packed.text) <= MAX_SHOWN_CHARS:
            always = tuple(item.record_id for item in packed.items if item.part == "standing")
            transcripts.note_shown(memory.root, hook_session.session, always)
            why = "" if packed.text else "nothing bears on it"
            return PromptAnswer(packed.text, "", packed.receipt_id, why, packed.notes)
        budget = _shrink_budget(budget, len(packed.text))


def _shrink_budget(budget: int, characters: int) -> int:
    """A budget whose text may be short enough for the host; smaller each time it is asked for."""
    return min(budget - 1, budget * MAX_SHOWN_CHARS // characters)
