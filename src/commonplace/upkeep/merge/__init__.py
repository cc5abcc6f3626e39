"""Merge two copies of a workspace: pure merges of files by their kind, the driver for git, and copies of sync tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.upkeep.merge.copies import *
    from commonplace.upkeep.merge.journals import *
    from commonplace.upkeep.merge.markdown import *
else:
    __getattr__ = lazy_names(
        __name__,
        copies=(
            "CopyMerge SHARED_NAME_CODE find_copies find_shared_names finish_merge merge_copy note_shared_names"
            " run_merge_driver"
        ),
        journals="merge_journal merge_state merge_tombstones split_forks",
        markdown="MergedPage merge_entries merge_markdown",
    )
