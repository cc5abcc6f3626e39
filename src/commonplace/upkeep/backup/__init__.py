"""Keep copies of a workspace: incremental backups that can be verified and restored, and archives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.upkeep.backup.backups import *
    from commonplace.upkeep.backup.exports import *
    from commonplace.upkeep.backup.importing import *
    from commonplace.upkeep.backup.restoring import *
    from commonplace.upkeep.backup.snapshots import *
else:
    __getattr__ = lazy_names(
        __name__,
        backups="BackupResult back_up read_registered_backups register_backup update_backup_tombstones",
        exports="ExportDifference ExportedParts compare_archives export_parts export_whole select_exported",
        importing="ImportedPart import_archive",
        restoring="RestoreResult restore_snapshot",
        snapshots="VerifyResult verify_backup",
    )
