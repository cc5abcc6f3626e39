"""Turn captures into what is worth keeping: the gate, what it is asked about, and where what passes it is written."""

from __future__ import annotations

from commonplace.consolidate.planning import Kept, Plan, Skipped
from commonplace.consolidate.running import Run, Wish, run

__all__ = ["Kept", "Plan", "Run", "Skipped", "Wish", "run"]
