"""Forget: preview what a wish concerns, hide it, or erase it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from commonplace.errors import BadArgument
from commonplace.memory.open_workspace import shared_fields

if TYPE_CHECKING:
    from commonplace.memory.open_workspace import OpenWorkspace
    from commonplace.operations import parameters
    from commonplace.upkeep.forget import ForgetResult


def forget_records(workspace: OpenWorkspace, request: parameters.ForgetRequest) -> ForgetResult:
    """What a wish to forget concerns; with `apply` it is hidden from every answer, which `undo` with the id of the
    result takes back.

    Raises NotFound for what is not there, BadArgument for a wish that names nothing, LockBusy.
    """
    from commonplace.model import Query
    from commonplace.retrieval.recall import build_record_filter
    from commonplace.upkeep.forget import ForgetResult, ForgetWish, hide_records, select_records

    now = workspace.resolve_now(request.now)
    period = build_record_filter(Query(text="", now=now, since=request.since, until=request.until))
    wish = ForgetWish(**shared_fields(request, ForgetWish))
    wish = structs.replace(wish, since=period.since, until=period.until)
    selected = select_records(workspace.synced_index(), wish)
    if not request.apply or not selected:
        return ForgetResult("", selected)
    if workspace.notes:
        raise BadArgument(f"nothing can be forgotten while the index is behind: {workspace.notes[0]}")
    forgotten_id = hide_records(workspace.sync_source().journal, selected, now)
    workspace.index_after_write(now=request.now)
    return ForgetResult(forgotten_id, selected)
