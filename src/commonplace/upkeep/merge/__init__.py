"""Merge two copies of a workspace: pure merges of files by their kind, the driver for git, and copies of sync tools."""

from __future__ import annotations

from commonplace.upkeep.merge.journals import merge_journal as merge_journal
from commonplace.upkeep.merge.journals import merge_state as merge_state
from commonplace.upkeep.merge.journals import merge_tombstones as merge_tombstones
from commonplace.upkeep.merge.journals import split_forks as split_forks
from commonplace.upkeep.merge.markdown import MergedPage as MergedPage
from commonplace.upkeep.merge.markdown import RewordedLine as RewordedLine
from commonplace.upkeep.merge.markdown import merge_entries as merge_entries
from commonplace.upkeep.merge.markdown import merge_markdown as merge_markdown
