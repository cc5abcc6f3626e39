"""From captures to records and episodes: draft claims, judge them, resolve conflicts, plan, write."""

from __future__ import annotations

from commonplace.upkeep.consolidate.findability import (
    FindabilityResult,
    findability_warning,
    make_questions,
    rank_in_hits,
)
from commonplace.upkeep.consolidate.planning import ConsolidationPlan, PlannedLine, SkippedClaim
from commonplace.upkeep.consolidate.runs import ConsolidateOptions, ConsolidationRun, minutes_before, run_consolidation

__all__ = [
    "ConsolidateOptions",
    "ConsolidationPlan",
    "ConsolidationRun",
    "FindabilityResult",
    "PlannedLine",
    "SkippedClaim",
    "findability_warning",
    "make_questions",
    "minutes_before",
    "rank_in_hits",
    "run_consolidation",
]
