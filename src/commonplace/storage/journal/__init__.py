"""The journal package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.storage.journal.writer import *
else:
    __getattr__ = lazy_names(
        __name__,
        writer=(
            "EntryLocation JOURNAL_FOLDER JOURNAL_REWRITTEN JOURNAL_SHRANK Journal JournalBatch JournalEntry STREAMS"
            " Stream decode_journal_line decode_with_checksum encode_journal_line has_valid_checksum is_valid_position"
            " make_entry_id parse_json_line read_journals verify_chain"
        ),
    )
