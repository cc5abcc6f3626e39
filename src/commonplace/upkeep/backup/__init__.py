"""Keep copies of a workspace: incremental backups that can be verified and restored, and archives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.upkeep.backup.backups import *
    from commonplace.upkeep.backup.exports import *
    from commonplace.upkeep.backup.snapshots import *
else:
    __getattr__ = lazy_names(
        __name__,
        backups="BackupResult back_up read_registered_backups update_backup_tombstones",
        exports="ExportDifference compare_archives export_whole import_archive select_exported",
        snapshots="RestoreResult VerifyResult restore_snapshot verify_backup",
    )
