"""Memory's verb of consolidation: from what was captured to episodes and lines in their homes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.memory.asking import Asking

if TYPE_CHECKING:
    from commonplace.consolidate import Run


MOST_ASKED = 200  # lines of one run that are asked for; of a longer one so many, evenly spread


class Consolidating(Asking):
    """What turns captures into memory."""

    def consolidate(
        self, *, apply: bool = False, idle_minutes: int = 0, owner: str = "", now: str | None = None
    ) -> Run:
        """Plan what is worth keeping of what was captured since the last time, and with `apply` write it.

        Without it nothing is written. A session that went on within the last `idle_minutes` waits for the next time.
        `owner` is the name of who speaks where captures name nobody. It may be stopped at any point and run again.
        Raises LockBusy.
        """
        from commonplace.consolidate import Wish, run

        place = self._place(now)
        before = _minutes_before(place.now, idle_minutes) if idle_minutes else ""
        return run(place, self._fresh, Wish(apply, before, owner or "Owner"))

    def findability(self, run: Run) -> tuple[str, ...]:
        """A warning for each line of a run that a question about it does not find among the first ten.

        The questions are made of the entities and the attribute, not of the line's own words. Of very many lines some
        are asked for, evenly spread.
        """
        from commonplace.consolidate.findability import questions, rank_of, warning

        kept = [one for plan in run.plans for one in plan.kept]
        warnings = []
        for one in kept[:: max(1, len(kept) // MOST_ASKED)]:
            for asked in questions(one.draft.candidate)[:1]:
                found = [hit.record.id for hit in self.recall(asked, evidence="none").hits]
                warnings.append(warning(rank_of(one.draft.id, found), asked, one.home.path))
        return tuple(filter(None, warnings))


def _minutes_before(now: str, minutes: int) -> str:
    from datetime import datetime, timedelta

    return (datetime.fromisoformat(now) - timedelta(minutes=minutes)).isoformat(timespec="minutes")
