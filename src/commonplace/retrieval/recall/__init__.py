"""A query becomes ranked hits, each with the reasons for its rank."""

from __future__ import annotations

from commonplace.retrieval.recall.filters import build_record_filter
from commonplace.retrieval.recall.lookup import find_entity_records, list_timeline
from commonplace.retrieval.recall.pipeline import RecallTrace, recall, trace_recall

__all__ = ["RecallTrace", "build_record_filter", "find_entity_records", "list_timeline", "recall", "trace_recall"]
