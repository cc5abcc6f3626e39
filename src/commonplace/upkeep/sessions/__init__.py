"""Support for an agent at work: working memory, the working buffer, and what it reads after a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.upkeep.sessions.buffer import *
    from commonplace.upkeep.sessions.notes import *
    from commonplace.upkeep.sessions.resumption import *
    from commonplace.upkeep.sessions.working_memory import *
else:
    __getattr__ = lazy_names(
        __name__,
        buffer="BUFFER_PATH RotationResult is_buffer_active recover_buffer refresh_heartbeat rotate_buffer tidy_buffer",
        notes="BufferNote NOTE_KINDS add_note finish_note",
        resumption="DEFAULT_BUDGET_TOKENS ResumeContext ResumeSources ResumedPart build_resume_context",
        working_memory=(
            "AttributedText PlanStep SessionState SessionUpdate WorkingMemory edit_session end_session find_session"
            " list_sessions render_working_memory"
        ),
    )
