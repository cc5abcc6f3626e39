"""What an agent works with before anything is settled: working memory, the working buffer, and how it resumes.

Names are imported when they are first asked for: a step of a session loads no parser of Markdown.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from commonplace.sessions.buffer import BUFFER
    from commonplace.sessions.noting import KINDS, Note, finish, note
    from commonplace.sessions.resuming import BUDGET, Resumed, Shown, resume
    from commonplace.sessions.rotation import Rotated, beat, is_at_work, recover, rotate, tidy
    from commonplace.sessions.sources import Shelf
    from commonplace.sessions.store import done, find, sessions, start, step
    from commonplace.sessions.working import Progress, Said, Session, Step, Working, render

__all__ = [
    "BUDGET",
    "BUFFER",
    "KINDS",
    "Note",
    "Progress",
    "Resumed",
    "Rotated",
    "Said",
    "Session",
    "Shelf",
    "Shown",
    "Step",
    "Working",
    "beat",
    "done",
    "find",
    "finish",
    "is_at_work",
    "note",
    "recover",
    "render",
    "resume",
    "rotate",
    "sessions",
    "start",
    "step",
    "tidy",
]

_HOMES = {
    "buffer": ("BUFFER",),
    "noting": ("KINDS", "Note", "finish", "note"),
    "resuming": ("BUDGET", "Resumed", "Shown", "resume"),
    "rotation": ("Rotated", "beat", "is_at_work", "recover", "rotate", "tidy"),
    "sources": ("Shelf",),
    "store": ("done", "find", "sessions", "start", "step"),
    "working": ("Progress", "Said", "Session", "Step", "Working", "render"),
}


def __getattr__(name: str) -> Any:
    """The module that holds a public name is imported with it."""
    if name not in __all__:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    home = next(home for home, names in _HOMES.items() if name in names)
    return getattr(import_module(f"commonplace.sessions.{home}"), name)
