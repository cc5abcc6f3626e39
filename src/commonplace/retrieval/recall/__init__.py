"""A query becomes ranked hits, each with the reasons for its rank."""

from __future__ import annotations

from commonplace.retrieval.recall.pipeline import (
    RecallTrace,
    build_record_filter,
    complete_signals,
    deduplicate_hits,
    find_entity_records,
    list_timeline,
    recall,
    rows_by_named_speakers,
    trace_recall,
)

__all__ = [
    "RecallTrace",
    "build_record_filter",
    "complete_signals",
    "deduplicate_hits",
    "find_entity_records",
    "list_timeline",
    "recall",
    "rows_by_named_speakers",
    "trace_recall",
]
