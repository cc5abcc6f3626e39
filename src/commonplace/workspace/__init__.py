"""The Markdown files: how they are read and edited (pure, in this package), swept and written (`sweep`, `write`).

Names are imported when they are first asked for: a recall over unchanged files sweeps but parses nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from commonplace.workspace.document import parse
    from commonplace.workspace.edits import Splice, append_all, append_under, diff, remove_lines, replace_lines, revert
    from commonplace.workspace.render import render_annotation, render_entity, render_retain
    from commonplace.workspace.roles import is_conflict_copy, role_of

__all__ = [
    "Splice",
    "append_all",
    "append_under",
    "diff",
    "is_conflict_copy",
    "parse",
    "remove_lines",
    "render_annotation",
    "render_entity",
    "render_retain",
    "replace_lines",
    "revert",
    "role_of",
]

_HOMES = {"parse": "document", "is_conflict_copy": "roles", "role_of": "roles"}


def __getattr__(name: str) -> Any:
    """The module that holds a public name is imported with it."""
    if name not in __all__:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    home = _HOMES.get(name, "render" if name.startswith("render_") else "edits")
    return getattr(import_module(f"{__name__}.{home}"), name)
