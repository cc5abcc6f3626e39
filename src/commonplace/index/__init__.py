"""The derived index behind one Protocol: SQLite is the embedded default; all SQL lives in this room."""

from __future__ import annotations

from commonplace.index.database import is_same_file, look_again, open_index, rebuild
from commonplace.index.marks import again, naming
from commonplace.index.protocol import (
    OPEN_END,
    OPEN_START,
    Dialogue,
    Entry,
    FileEntries,
    FileRow,
    Filter,
    Index,
    LedgerFacts,
    Mention,
    MentionRole,
    Row,
    Stamp,
    Turn,
)
from commonplace.index.sessions import session_of
from commonplace.index.wanted import All, Either, Wanted

__all__ = [
    "OPEN_END",
    "OPEN_START",
    "All",
    "Dialogue",
    "Either",
    "Entry",
    "FileEntries",
    "FileRow",
    "Filter",
    "Index",
    "LedgerFacts",
    "Mention",
    "MentionRole",
    "Row",
    "Stamp",
    "Turn",
    "Wanted",
    "again",
    "is_same_file",
    "look_again",
    "naming",
    "open_index",
    "rebuild",
    "session_of",
]
