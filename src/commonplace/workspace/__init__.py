"""The Markdown files: how they are read and edited (pure, in this package), swept and written (`sweep`, `write`)."""

from __future__ import annotations

from commonplace.workspace.edits import Splice, append_under, diff, remove_lines, replace_lines, revert
from commonplace.workspace.parse import parse
from commonplace.workspace.render import render_annotation, render_entity, render_retain
from commonplace.workspace.roles import is_conflict_copy, role_of

__all__ = [
    "Splice",
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
