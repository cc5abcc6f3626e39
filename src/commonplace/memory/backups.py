"""Copies of a workspace: back up, restore and export."""

from __future__ import annotations

import os
from time import time_ns
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from commonplace.errors import BadArgument
from commonplace.memory.open_workspace import shared_fields
from commonplace.shapes import Json
from commonplace.storage.archives import ArchivedFile

if TYPE_CHECKING:
    from commonplace.memory.open_workspace import OpenWorkspace
    from commonplace.operations import parameters
    from commonplace.upkeep.backup import BackupResult, RestoreResult


class ExportResult(Struct, frozen=True):
    """What was exported: the archive and its members, or, where none was written, the records and captures."""

    path: str
    filters: dict[str, str]
    files: tuple[ArchivedFile, ...] = ()
    records: tuple[Json, ...] = ()
    captures: tuple[Json, ...] = ()


def back_up_workspace(workspace: OpenWorkspace, request: parameters.BackupRequest) -> BackupResult:
    """Back up the workspace to a folder: only what changed since the last run is read and stored.

    The key of the machine and what can be made anew are left out. Raises BadArgument for a folder in the workspace, or
    with other files in it, LockBusy.
    """
    from commonplace.upkeep.backup import back_up

    workspace.finish_interrupted()
    folder = os.path.expanduser(request.folder)
    return back_up(workspace.root, folder, now=workspace.resolve_now(request.now), started_ns=time_ns())


def restore_workspace(folder: str, target: str, time: str, manifest_path: str) -> RestoreResult:
    """Restore a snapshot of a backup as a new workspace, with the newest tombstones that the backup has.

    All of it or nothing is restored. Raises NotFound, BackupDamaged, BadArgument for a target that is not empty.
    """
    from commonplace.upkeep.backup import read_forget_manifest, restore_snapshot

    manifest = read_forget_manifest(os.path.expanduser(manifest_path)) if manifest_path else None
    folder, target = os.path.expanduser(folder), os.path.expanduser(target)
    return restore_snapshot(folder, target, time=time, manifest=manifest)


def export_memory(workspace: OpenWorkspace, request: parameters.ExportRequest) -> ExportResult:
    """Export all files and journals to an archive, or the records that are named with the captures they rest on.

    What is forgotten is left out. Without a path the records and captures are returned. Raises BadArgument for a file
    that exists, and while the index is behind; WriteConflict, NotFound.
    """
    from commonplace.model import Query
    from commonplace.retrieval.recall import build_record_filter
    from commonplace.upkeep.backup import export_parts, export_whole, select_exported
    from commonplace.upkeep.forget import ForgetWish

    now, path, index = workspace.resolve_now(request.now), os.path.expanduser(request.path), workspace.synced_index()
    if workspace.notes:
        raise BadArgument(f"nothing can be exported while the index is behind: {workspace.notes[0]}")
    filters = {name: getattr(request, name) for name in ("scope", "entity", "since", "until") if getattr(request, name)}
    if path and not filters:
        return ExportResult(path, filters, export_whole(path, workspace.root, index, now).files)
    period = build_record_filter(Query(text="", now=now, since=request.since, until=request.until))
    wish = structs.replace(ForgetWish(**shared_fields(request, ForgetWish)), since=period.since, until=period.until)
    parts = select_exported(index, workspace.sync_source().journal, wish if filters else None)
    if path:
        return ExportResult(path, filters, export_parts(path, parts, filters).files)
    return ExportResult("", filters, (), parts.records, parts.captures)
