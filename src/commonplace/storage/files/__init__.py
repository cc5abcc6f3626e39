"""The only package that opens paths in a workspace: bounded reads, atomic writes, fenced appends, moves and locks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.storage.files.atomic_replace import *
    from commonplace.storage.files.content import *
    from commonplace.storage.files.external_files import *
    from commonplace.storage.files.inotify import *
    from commonplace.storage.files.intent_log import *
    from commonplace.storage.files.paths import *
else:
    __getattr__ = lazy_names(
        __name__,
        atomic_replace="ConcurrentChange",
        content=(
            "MAX_FILE_BYTES append_lines create_file create_link create_missing_files create_private_file file_stamp"
            " list_file_sizes move_file random_hex read_file read_file_if_exists read_or_create_secret"
            " read_range remove_empty_file remove_file renew_secret stream_new_file write_atomic write_in_place"
            " write_sealed"
        ),
        external_files=(
            "ExternalFile ForeignFile access_by_others back_up_foreign_file describe_read_error list_folder_names"
            " list_write_leftovers open_in_directory open_user_file read_foreign_file remove_foreign_file"
            " walk_directory write_foreign_file"
        ),
        inotify="FolderWatcher",
        intent_log=(
            "INTENT_FOLDER LOCK_FOLDER LOCK_WAIT_S ROTATION_PLAN_PATH hold_file_lock hold_workspace_lock"
            " is_temporary_name log_intent path_lock_name remove_abandoned_files unfinished_intents"
        ),
        paths=(
            "clear_folder content_digest find_repository fsync_path is_missing make_folders normalize_path"
            " printable_path scan_folder text_digest walk_paths"
        ),
    )
