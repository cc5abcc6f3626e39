"""The journal package."""

from __future__ import annotations

from commonplace.storage.journal.writer import (
    JOURNAL_FOLDER,
    JOURNAL_REWRITTEN,
    JOURNAL_SHRANK,
    STREAMS,
    EntryLocation,
    Journal,
    JournalBatch,
    JournalEntry,
    Stream,
    decode_journal_line,
    decode_with_checksum,
    encode_journal_line,
    has_valid_checksum,
    is_valid_position,
    make_entry_id,
    parse_json_line,
    read_journals,
    verify_chain,
)

__all__ = [
    "JOURNAL_FOLDER",
    "JOURNAL_REWRITTEN",
    "JOURNAL_SHRANK",
    "STREAMS",
    "EntryLocation",
    "Journal",
    "JournalBatch",
    "JournalEntry",
    "Stream",
    "decode_journal_line",
    "decode_with_checksum",
    "encode_journal_line",
    "has_valid_checksum",
    "is_valid_position",
    "make_entry_id",
    "parse_json_line",
    "read_journals",
    "verify_chain",
]
