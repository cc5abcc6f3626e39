"""What an agent works with during a task: working memory, the working buffer, and what it reads after a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from commonplace.upkeep.sessions.buffer import (
        BUFFER_PATH,
        RotationResult,
        is_buffer_active,
        recover_buffer,
        refresh_heartbeat,
        rotate_buffer,
        tidy_buffer,
    )
    from commonplace.upkeep.sessions.notes import NOTE_KINDS, BufferNote, add_note, finish_note
    from commonplace.upkeep.sessions.resumption import (
        DEFAULT_BUDGET_TOKENS,
        ResumeContext,
        ResumedPart,
        ResumeSources,
        build_resume_context,
    )
    from commonplace.upkeep.sessions.working_memory import (
        AttributedText,
        PlanStep,
        SessionState,
        SessionUpdate,
        WorkingMemory,
        end_session,
        find_session,
        list_sessions,
        record_step,
        render_working_memory,
        start_session,
    )

__all__ = [
    "BUFFER_PATH",
    "DEFAULT_BUDGET_TOKENS",
    "NOTE_KINDS",
    "AttributedText",
    "BufferNote",
    "PlanStep",
    "ResumeContext",
    "ResumeSources",
    "ResumedPart",
    "RotationResult",
    "SessionState",
    "SessionUpdate",
    "WorkingMemory",
    "add_note",
    "build_resume_context",
    "end_session",
    "find_session",
    "finish_note",
    "is_buffer_active",
    "list_sessions",
    "record_step",
    "recover_buffer",
    "refresh_heartbeat",
    "render_working_memory",
    "rotate_buffer",
    "start_session",
    "tidy_buffer",
]

_MODULES = {
    "commonplace.upkeep.sessions.buffer": (
        "BUFFER_PATH",
        "RotationResult",
        "is_buffer_active",
        "recover_buffer",
        "refresh_heartbeat",
        "rotate_buffer",
        "tidy_buffer",
    ),
    "commonplace.upkeep.sessions.notes": (
        "BufferNote",
        "NOTE_KINDS",
        "add_note",
        "finish_note",
    ),
    "commonplace.upkeep.sessions.resumption": (
        "DEFAULT_BUDGET_TOKENS",
        "ResumeContext",
        "ResumeSources",
        "ResumedPart",
        "build_resume_context",
    ),
    "commonplace.upkeep.sessions.working_memory": (
        "AttributedText",
        "PlanStep",
        "SessionState",
        "SessionUpdate",
        "WorkingMemory",
        "end_session",
        "find_session",
        "list_sessions",
        "record_step",
        "render_working_memory",
        "start_session",
    ),
}


def __getattr__(name: str) -> Any:
    """The module that holds a public name is imported with it."""
    from importlib import import_module

    module = next((module for module, names in _MODULES.items() if name in names), None)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, getattr(import_module(module), name))
