"""Copies of a workspace: back up, restore, export and import."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from time import time_ns

from msgspec import Struct, json, structs

from commonplace import capture
from commonplace.capture import imports
from commonplace.errors import BadArgument
from commonplace.memory import forgetting
from commonplace.memory.open_workspace import OpenWorkspace, shared_fields
from commonplace.model import Query
from commonplace.operations import parameters
from commonplace.retrieval import recall
from commonplace.shapes import Json
from commonplace.storage import config, files, tombstones
from commonplace.storage.archives import ArchivedFile, open_archive, write_archive
from commonplace.upkeep import backup, forget


class ExportResult(Struct, frozen=True):
    """What was exported: the archive and its members, or, where none was written, the records and captures."""

    path: str
    filters: dict[str, str]
    files: tuple[ArchivedFile, ...] = ()
    records: tuple[Json, ...] = ()
    captures: tuple[Json, ...] = ()


def back_up_workspace(workspace: OpenWorkspace, request: parameters.BackupRequest) -> backup.BackupResult:
    """Back up the workspace to a folder: only what changed since the last run is read and stored. Raises BadArgument
    for a folder in the workspace, or with other files in it, LockBusy."""
    workspace.finish_interrupted()
    folder = os.path.expanduser(request.folder)
    return backup.back_up(workspace.root, folder, now=workspace.resolve_now(request.now), started_ns=time_ns())


def restore_workspace(folder: str, target: str, *, snapshot: str = "", manifest: str = "") -> backup.RestoreResult:
    """Restore a snapshot of a backup as the folder `target`, which is empty or does not exist, all of it or nothing,
    and erase from it what was forgotten since. Raises NotFound, BackupDamaged, BadArgument."""
    folder, target = os.path.expanduser(folder), os.path.expanduser(target)
    manifest = os.path.abspath(os.path.expanduser(manifest)) if manifest else ""
    newest = forgetting.read_manifest(manifest).ts if manifest else ""
    restored = backup.restore_snapshot(folder, target, time=snapshot, manifest_time=newest)
    workspace = OpenWorkspace(restored.workspace, config.read_environment(), None)
    try:
        if manifest:
            forgetting.apply_manifest(workspace, manifest)
        if tombstones.read_tombstones(restored.workspace):
            forgetting.erase_due(workspace, parameters.ForgetRequest(apply=True), also_returned=True)
    finally:
        workspace.close()
    return restored


def export_memory(workspace: OpenWorkspace, request: parameters.ExportRequest) -> ExportResult:
    """Export all files and journals to an archive, or the records that are named with the captures they rest on;
    without a path these are returned. Raises BadArgument for a file that exists, and while the index is behind;
    WriteConflict, NotFound."""
    now, path, index = workspace.resolve_now(request.now), os.path.expanduser(request.path), workspace.synced_index()
    if workspace.notes:
        raise BadArgument(f"nothing can be exported while the index is behind: {workspace.notes[0]}")
    filters = {name: getattr(request, name) for name in ("scope", "entity", "since", "until") if getattr(request, name)}
    if path and not filters:
        return ExportResult(path, filters, backup.export_whole(path, workspace.root, index, now).files)
    period = recall.build_record_filter(Query(text="", now=now, since=request.since, until=request.until))
    wish = structs.replace(
        forget.ForgetWish(**shared_fields(request, forget.ForgetWish)), since=period.since, until=period.until
    )
    records, captures = backup.select_exported(index, workspace.sync_source().journal, wish if filters else None)
    if not path:
        return ExportResult("", filters, (), records, captures)
    encode = json.Encoder().encode_lines
    members = (("records.jsonl", encode(records)), ("captures.jsonl", encode(captures)))
    return ExportResult(path, filters, write_archive(path, members, filters).files)


def is_whole_export(path: str) -> bool:
    """Whether an archive has the files of a memory. Raises NotFound, BackupDamaged, BadArgument for what is none."""
    with open_archive(path) as archive:
        return not archive.manifest.filters


def skip_known_items(workspace: OpenWorkspace, items: Iterable[imports.StreamItem]) -> Iterator[imports.StreamItem]:
    """The items of an archive, without those that the workspace has under their id; no index is made for one that was
    never used."""
    index = None if files.is_missing(workspace.root, ".memory") else workspace.synced_index()
    for item in items:
        known = index and isinstance(item, imports.ImportedEvent) and index.find(item.import_detail["id"])
        yield imports.Blank(item.offset, item.line, "there already", item.part) if known else item


def import_whole(workspace: OpenWorkspace, request: parameters.ImportRequest) -> capture.ImportResult:
    """Preview an archive of a whole memory, or with `apply` add what the workspace lacks; nothing is changed.

    Files are trusted as the owner's, and journals keep the trust that they say: that is only for who vouches for it
    with `mine`. Raises BadArgument.
    """
    if request.apply and not request.mine:
        message = f"{request.path!r} has files, which would be trusted as yours"
        raise BadArgument(message, path=request.path, hint="if it is your export, use --mine")
    now, journal = workspace.resolve_now(request.now), workspace.sync_source().journal
    changes = backup.import_archive(journal, request.path, now, apply=request.apply)
    tally = capture.Tally()
    for change, count in changes.items():
        (tally.passed_over if change in ("there already", "left out") else tally.kinds)[change] = count
    added = sum(tally.kinds.values())
    if added:
        tally.trusts["trusted" if request.mine else "untrusted"] = added
    return capture.ImportResult(
        "commonplace", request.apply, tally, capture.IngestResult(added, changes["there already"])
    )
