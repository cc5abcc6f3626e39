"""The Markdown files: how they are read and edited (pure, in this package), swept and written (`sweep`, `edits`).

Names are imported when they are first asked for: a recall over unchanged files sweeps but parses nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from commonplace.storage.workspace.annotations import render_annotation, render_entity, render_retain
    from commonplace.storage.workspace.edits import (
        Splice,
        append_under_heading,
        append_under_headings,
        diff_lines,
        remove_lines,
        replace_lines,
        revert_splice,
    )
    from commonplace.storage.workspace.parser import parse_document
    from commonplace.storage.workspace.paths import is_conflict_copy, path_role

__all__ = [
    "Splice",
    "append_under_heading",
    "append_under_headings",
    "diff_lines",
    "is_conflict_copy",
    "parse_document",
    "path_role",
    "remove_lines",
    "render_annotation",
    "render_entity",
    "render_retain",
    "replace_lines",
    "revert_splice",
]

_MODULES = {
    "commonplace.storage.workspace.parser": ("parse_document",),
    "commonplace.storage.workspace.edits": (
        "Splice",
        "append_under_heading",
        "append_under_headings",
        "diff_lines",
        "remove_lines",
        "replace_lines",
        "revert_splice",
    ),
    "commonplace.storage.workspace.annotations": (
        "render_annotation",
        "render_entity",
        "render_retain",
    ),
    "commonplace.storage.workspace.paths": (
        "is_conflict_copy",
        "path_role",
    ),
}


def __getattr__(name: str) -> Any:
    """The module that holds a public name is imported with it."""
    from importlib import import_module

    module = next((module for module, names in _MODULES.items() if name in names), None)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, getattr(import_module(module), name))
