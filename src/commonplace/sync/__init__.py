"""Files (Markdown and journals) to index: what changed is decided as data first and applied second."""

from __future__ import annotations

from commonplace.sync.synchronizer import SyncResult, SyncSource, fill_index, index_new_captures, plan_sync, synchronise

__all__ = ["SyncResult", "SyncSource", "fill_index", "index_new_captures", "plan_sync", "synchronise"]
