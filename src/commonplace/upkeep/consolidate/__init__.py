"""From captures to records and episodes: propose claims, compare and judge them, plan the edits, write."""

from __future__ import annotations

from commonplace.upkeep.consolidate.claim_record import ClaimRecord
from commonplace.upkeep.consolidate.findability import (
    FindabilityResult,
    findability_warning,
    make_questions,
    rank_in_hits,
)
from commonplace.upkeep.consolidate.planning import SKIP_REASON_SENTENCES, ConsolidationPlan
from commonplace.upkeep.consolidate.runs import ConsolidateOptions, ConsolidationRun, minutes_before, run_consolidation

__all__ = [
    "SKIP_REASON_SENTENCES",
    "ClaimRecord",
    "ConsolidateOptions",
    "ConsolidationPlan",
    "ConsolidationRun",
    "FindabilityResult",
    "findability_warning",
    "make_questions",
    "minutes_before",
    "rank_in_hits",
    "run_consolidation",
]
