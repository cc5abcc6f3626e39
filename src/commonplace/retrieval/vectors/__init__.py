"""The vectors of a workspace: embed the texts of the index, cache the vectors, search them for recall."""

from __future__ import annotations

from commonplace.retrieval.vectors.search import (
    EmbeddingSummary,
    QuestionSpace,
    VectorSearch,
    drop_unused,
    embed_missing_texts,
)

__all__ = ["EmbeddingSummary", "QuestionSpace", "VectorSearch", "drop_unused", "embed_missing_texts"]
