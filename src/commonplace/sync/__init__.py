"""Files (Markdown and journals) to index: what changed is decided as data first and applied second."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.sync.forgotten import *
    from commonplace.sync.journals import *
    from commonplace.sync.relations import *
    from commonplace.sync.synchronizer import *
else:
    __getattr__ = lazy_names(
        __name__,
        forgotten="ARTIFACT_FOLDER artifact_name detail_of find_forgotten_places is_forgotten_capture split_reason",
        journals="CORRECTED_OP FORGOTTEN_OP REJECTED_OP RESTORED_OP append_seen decode_spans own_words unread_key",
        relations="is_compared read_record_statements read_stated_lines",
        synchronizer="SyncResult SyncSource fill_index index_new_captures plan_sync synchronise",
    )
