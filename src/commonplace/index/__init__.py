"""The derived index behind one Protocol: SQLite is the embedded default; all SQL lives in this package."""

from __future__ import annotations

from commonplace.index.database import is_same_index_file, open_index, rebuild_index, retry_on_disk
from commonplace.index.postings import name_marker, repeated_token_marker
from commonplace.index.protocol import (
    OPEN_END,
    OPEN_START,
    AllOf,
    AnyOf,
    Dialogue,
    EntityMention,
    FileEntries,
    FileRow,
    Filter,
    Index,
    IndexedRecord,
    IndexedTurn,
    IndexEntry,
    LedgerFacts,
    MentionRole,
    Stamp,
    TokenQuery,
)
from commonplace.index.rows import session_name

__all__ = [
    "OPEN_END",
    "OPEN_START",
    "AllOf",
    "AnyOf",
    "Dialogue",
    "EntityMention",
    "FileEntries",
    "FileRow",
    "Filter",
    "Index",
    "IndexEntry",
    "IndexedRecord",
    "IndexedTurn",
    "LedgerFacts",
    "MentionRole",
    "Stamp",
    "TokenQuery",
    "is_same_index_file",
    "name_marker",
    "open_index",
    "rebuild_index",
    "repeated_token_marker",
    "retry_on_disk",
    "session_name",
]
