"""Copies of a workspace: back up, verify and restore."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from commonplace.memory.open_workspace import OpenWorkspace
    from commonplace.operations import parameters
    from commonplace.upkeep.backup import BackupResult, RestoreResult


def back_up_workspace(workspace: OpenWorkspace, request: parameters.BackupRequest) -> BackupResult:
    """Back up the workspace to a folder: only what changed since the last run is read and stored.

    The key of the machine and what can be made anew are left out. Raises BadArgument for a folder in the workspace, or
    with other files in it, LockBusy.
    """
    from commonplace.upkeep.backup import back_up

    workspace.finish_interrupted()
    folder = os.path.expanduser(request.folder)
    return back_up(workspace.root, folder, now=workspace.resolve_now(request.now), started_ns=time.time_ns())


def restore_workspace(request: parameters.RestoreRequest) -> RestoreResult:
    """Restore a snapshot of a backup as a new workspace, with the newest tombstones that the backup has.

    All of it or nothing is restored. Raises NotFound, BackupDamaged, BadArgument for a target that is not empty.
    """
    from commonplace.upkeep.backup import read_forget_manifest, restore_snapshot

    manifest = read_forget_manifest(os.path.expanduser(request.manifest)) if request.manifest else None
    folder, target = os.path.expanduser(request.folder), os.path.expanduser(request.target)
    return restore_snapshot(folder, target, time=request.snapshot, manifest=manifest)
