"""The derived index behind one Protocol: SQLite is the embedded default; all SQL lives in this room."""

from __future__ import annotations

from commonplace.index.database import is_same_file, open_index, rebuild
from commonplace.index.protocol import (
    Dialogue,
    Entry,
    FileEntries,
    FileRow,
    Filter,
    Index,
    LedgerFacts,
    MentionRole,
    Row,
    Stamp,
    Turn,
)

__all__ = [
    "Dialogue",
    "Entry",
    "FileEntries",
    "FileRow",
    "Filter",
    "Index",
    "LedgerFacts",
    "MentionRole",
    "Row",
    "Stamp",
    "Turn",
    "is_same_file",
    "open_index",
    "rebuild",
]
