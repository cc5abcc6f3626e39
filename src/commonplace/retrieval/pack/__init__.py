"""Turn hits and a token budget into a pack of cited lines that never exceeds it, and a receipt that explains it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.retrieval.pack.basis import *
    from commonplace.retrieval.pack.build import *
    from commonplace.retrieval.pack.impact import *
    from commonplace.retrieval.pack.lines import *
    from commonplace.retrieval.pack.pipeline import *
    from commonplace.retrieval.pack.policy import *
    from commonplace.retrieval.pack.receipt import *
    from commonplace.retrieval.pack.replay import *
else:
    __getattr__ = lazy_names(
        __name__,
        basis="session_key",
        build="build_pack to_context_pack_v1",
        impact="DerivedLine Impact ImpactRole LedgerEvent PackImpact PackedLine SessionImpact find_impact",
        lines="date_prefix frame_lines make_pack_line quote_line record_prefix speaker_prefix",
        pipeline="ActiveTask CORRECTION_DAYS PackSpec make_basis make_pack preview_pack vocabulary_path",
        replay="ReceiptReplay ReplayCause compare_replay",
        policy="AUTOMATIC_TRUSTS PackOptions is_never_automatic",
        receipt=(
            "EntryLine ReceiptComparison RecordDifference compare_receipts explain_receipt find_entry_lines"
            " make_receipt query_digest"
        ),
    )
