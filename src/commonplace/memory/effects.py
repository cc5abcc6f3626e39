"""Trace what a record or capture took part in, correct it where it was read, and make a pack again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.memory import recall as outputs
from commonplace.operations.parameters import ImpactRequest, ShowRequest

if TYPE_CHECKING:
    from commonplace.memory.open_workspace import OpenWorkspace
    from commonplace.retrieval.pack import Impact


def trace_impact(workspace: OpenWorkspace, request: ImpactRequest) -> Impact:
    """Every pack that had a record or capture, or lines of a file, in it, also by what it rests on and what was made of
    it; the sessions that read these packs; and all that was made of it. Writes nothing.

    What is hidden or erased is found by its id alone. Raises NotFound for what is not known, BadArgument.
    """
    from commonplace.retrieval.pack import find_impact

    reference = request.reference
    if "~" in reference.rpartition("#L")[2]:  # a citation with an anchor
        view = outputs.show_lines(workspace, ShowRequest(reference))
        reference = f"{view.path}#L{view.line_start}-L{view.line_end}"
    return find_impact(workspace.synced_index(), workspace.root, reference)
