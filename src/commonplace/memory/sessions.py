"""The working memory of a session, the working buffer, and resuming."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import structs

from commonplace import capture
from commonplace.errors import CommonplaceError
from commonplace.language import tokens
from commonplace.memory.capture import finish_retained, holds_back
from commonplace.memory.open_workspace import OpenWorkspace, find_records, shared_fields
from commonplace.memory.recall import require_budget
from commonplace.operations import parameters
from commonplace.retrieval import pack
from commonplace.upkeep import sessions


def start_session(workspace: OpenWorkspace, request: parameters.SessionStartRequest) -> sessions.SessionState:
    """Begin a task. A session with the same goal, or if none is given, continues with its content.

    A working buffer that is stale or too full is moved into the day's note first. Raises BadArgument.
    """
    context = workspace.write_context(request.now)
    notes = sessions.tidy_buffer(context)
    update = sessions.SessionUpdate(**shared_fields(request, sessions.SessionUpdate))
    update = _hold_update_back(workspace, context, request.session, update)
    return sessions.SessionState(sessions.edit_session(context, request.session, update, is_start=True), notes)


def step_session(workspace: OpenWorkspace, request: parameters.SessionStepRequest) -> sessions.SessionState:
    """Record the progress of a step: observations, facts (an empty value removes one), completed steps of the plan.

    `actor` is the observer. Raises NotFound for a session that was not started, BadArgument.
    """
    fields = shared_fields(request, sessions.SessionUpdate) | {"facts": tuple((request.facts or {}).items())}
    update = sessions.SessionUpdate(**fields, completed_steps=request.done)
    context = workspace.write_context(request.now)
    update = _hold_update_back(workspace, context, request.session, update)
    return sessions.SessionState(sessions.edit_session(context, request.session, update, is_start=False))


def _hold_update_back(
    workspace: OpenWorkspace, context: capture.WriteContext, session: str, update: sessions.SessionUpdate
) -> sessions.SessionUpdate:
    """The update, held back as a whole if something that an agent says in it is."""
    held = holds_back(workspace, context, update.texts, actor=update.actor, session=session)
    return structs.replace(update, held=held)


def finish_session(workspace: OpenWorkspace, request: parameters.SessionRequest) -> sessions.SessionState:
    """Clear a completed session; after the last one, the working buffer is moved into the day's note.

    Returns the working memory that it had; nothing if the session does not exist, with a note.
    """
    context = workspace.write_context(request.now)
    working = sessions.find_session(context, request.session)
    under_way = sessions.list_sessions(workspace.root)
    if working is None:
        others = ", ".join(repr(other.session) for other in under_way[:3])
        note = f"nothing to clear: no session of this name is under way{others and f', but {others}'}"
        return sessions.SessionState(sessions.end_session(context, request.session), (note,))
    if any(other.session != working.session for other in under_way):
        return sessions.SessionState(sessions.end_session(context, request.session))
    moved = sessions.rotate_buffer(context)  # first: what fails or is stopped here can be asked for again
    ended = sessions.end_session(context, request.session)
    notes = (f"moved {moved.lines} lines of the working buffer to {moved.path}",) if moved.path else ()
    return sessions.SessionState(ended, moved.notes + notes)


def add_buffer_note(workspace: OpenWorkspace, request: parameters.BufferNoteRequest) -> capture.RetainResult:
    """Add a decision, a correction or a fact to the working buffer before anything else is done with it.

    `kind` is decision, correction, fact or note; without `task` it goes to the session's goal, or below the task that
    the buffer ends with. Raises BadArgument.
    """
    records = find_records(workspace.synced_index(), request.sources) if request.sources else ()
    fields = shared_fields(request, sessions.BufferNote)
    context = workspace.write_context(request.now)
    said = [text for text in (request.text, request.task) if text]
    held = holds_back(workspace, context, said, actor=request.actor, session=request.session)
    note = sessions.BufferNote(**fields, basis=tuple(record.trust for record in records), held=held)
    note = structs.replace(note, task="") if held else note  # a title has no mark of its own
    return finish_retained(workspace, context, sessions.add_note(context, note), is_held=held)


def move_buffer(workspace: OpenWorkspace, request: parameters.ClockRequest) -> sessions.RotationResult:
    """Move the working buffer into the day's note, above its closure block."""
    return sessions.rotate_buffer(workspace.write_context(request.now))


def resume_work(workspace: OpenWorkspace, request: parameters.ResumeRequest) -> sessions.ResumeContext:
    """The sections that a restarted agent needs, within a budget: core, buffer, working memory, pending items, logs,
    learnings, and the newest captures of the session.

    Finishes a move of the buffer that broke off, and says in its header that it is at work, unless it is stale. Raises
    BadArgument.
    """
    settings = workspace.settings
    budget = sessions.DEFAULT_BUDGET_TOKENS if request.budget_tokens is None else request.budget_tokens
    require_budget(budget)
    context = workspace.write_context(request.now)
    count_tokens, note = tokens.load_tokenizer(pack.vocabulary_path(settings, workspace.root))
    notes = _attempt_optional(sessions.recover_buffer, context) + ((note,) if note else ())
    scopes = None if request.all_scopes else ("", settings.scope if request.scope is None else request.scope)
    index = workspace.synced_index()
    with index.snapshot():
        sources = sessions.ResumeSources(context, index, request.session, scopes, settings.files_max_bytes)
        resumed = sessions.build_resume_context(sources, budget, count_tokens)
    notes += _attempt_optional(sessions.refresh_heartbeat, context)
    return structs.replace(resumed, notes=(*notes, *workspace.notes, *resumed.notes))


def _attempt_optional(
    action: Callable[[capture.WriteContext], object], context: capture.WriteContext
) -> tuple[str, ...]:
    """The result of an optional action; its failure is noted, for reading must work where nothing can be written."""
    try:
        done = action(context)
    except CommonplaceError as error:
        return (error.message,)
    return done if isinstance(done, tuple) else ()
