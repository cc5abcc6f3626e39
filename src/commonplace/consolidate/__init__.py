"""Turn captures into what is worth keeping: the gate, what it is asked about, and where what passes it is written."""

from __future__ import annotations

from commonplace.consolidate.findability import Findable, questions, rank_of, warning
from commonplace.consolidate.planning import Plan
from commonplace.consolidate.running import Run, Wish, minutes_before, run
from commonplace.consolidate.sorting import Kept, Skipped

__all__ = [
    "Findable",
    "Kept",
    "Plan",
    "Run",
    "Skipped",
    "Wish",
    "minutes_before",
    "questions",
    "rank_of",
    "run",
    "warning",
]
