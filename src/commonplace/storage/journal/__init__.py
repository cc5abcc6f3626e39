"""Append-only journals: captures and the ledger as JSON Lines with checksums, one file per device and month."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.storage.journal.chains import *
    from commonplace.storage.journal.entries import *
    from commonplace.storage.journal.search import *
    from commonplace.storage.journal.writer import *
else:
    __getattr__ = lazy_names(
        __name__,
        chains=(
            "CHAIN_FOLDERS Chain ChainedStream append_links list_chained_files lock_name read_tail renew_head"
            " replace_digests require_device_name seal_link stream_device verify_chains verify_heads"
        ),
        entries=(
            "JOURNAL_FOLDER JOURNAL_REWRITTEN JOURNAL_SHRANK JournalBatch JournalEntry STREAMS Stream"
            " decode_journal_line decode_position decode_with_checksum device_in_file_name encode_journal_line"
            " RECEIPT_FOLDER has_valid_checksum is_iso_day is_iso_month is_stub line_digest list_stream_sizes"
            " make_entry_id parse_capture parse_json_line torn_line_problem"
        ),
        search="MatchingLine find_lines read_ledger_lines",
        writer="EntryLocation Journal",
    )
