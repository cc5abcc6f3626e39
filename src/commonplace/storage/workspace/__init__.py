"""The Markdown files: how they are read and edited (pure, in this package), swept and written (`sweep`, `edits`).

Names are imported when they are first asked for: a recall over unchanged files sweeps but parses nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.storage.workspace.annotations import *
    from commonplace.storage.workspace.edits import *
    from commonplace.storage.workspace.parser import *
    from commonplace.storage.workspace.paths import *
else:
    __getattr__ = lazy_names(
        __name__,
        annotations="render_annotation render_entity render_retain",
        edits="Splice append_under_heading append_under_headings diff_lines remove_lines replace_lines revert_splice",
        parser="parse_document",
        paths="is_conflict_copy path_role",
    )
