"""Memory's verb of consolidation: from what was captured to episodes and lines in their homes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.memory.asking import Asking
from commonplace.sync import synchronise

if TYPE_CHECKING:
    from commonplace.consolidate import Findable, Kept, Run
    from commonplace.index import Index

MOST_ASKED = 200  # lines of one run that are asked for; of a longer one so many, evenly spread


class Consolidating(Asking):
    """What turns captures into memory."""

    def consolidate(
        self, *, apply: bool = False, idle_minutes: int = 0, owner: str = "", now: str | None = None
    ) -> Run:
        """Plan what is worth keeping of what was captured since the last time, and with `apply` write it.

        Without it nothing is written. A session that went on within the last `idle_minutes` waits for the next time.
        `owner` is the name of who speaks where captures name nobody. It may be stopped at any point and run again.
        Raises LockBusy, SuspiciousLoss.
        """
        from commonplace.consolidate import Wish, minutes_before, run

        place = self._place(now)
        before = minutes_before(place.now, idle_minutes) if idle_minutes else ""
        done = run(place, self._current, Wish(apply, before, owner) if owner else Wish(apply, before))
        if done.written:
            self._after()
        return done

    def findability(self, run: Run, *, now: str | None = None) -> tuple[Findable, ...]:
        """At which rank a question about each line of a run that was applied brings it back.

        The questions are made of the entities and the attribute, not of the line's own words; the next is asked where
        one fails. A line that none of them brings among the first ten comes with a warning. Of very many lines some
        are asked for, evenly spread.
        """
        if self._notes:  # what the index does not have yet it cannot find
            return ()
        kept = [one for plan in run.plans for one in plan.kept if not one.is_over]
        some = kept[:: -(-len(kept) // MOST_ASKED) or 1]
        return tuple(found for one in some if (found := self._asked_for(one, now)) is not None)

    def _asked_for(self, kept: Kept, now: str | None) -> Findable | None:
        """The first question that brings a line back, else the first of all; None where there is nothing to ask."""
        from commonplace.consolidate import Findable, questions, rank_of, warning

        tried: list[Findable] = []
        for asked in questions(kept.draft.candidate):
            hits = self.recall(asked, k=10, evidence="none", scope=kept.draft.scope, now=now, sync=False).hits
            rank = rank_of(kept.draft.id, [hit.record.id for hit in hits])
            tried.append(Findable(kept.draft.id, asked, rank, warning(rank, asked, kept.home.path)))
            if rank:
                return tried[-1]
        return tried[0] if tried else None

    def _current(self) -> Index:
        """The index as the files are now; nothing is decided by one that is older. Raises LockBusy, SuspiciousLoss."""
        index = self._opened()
        synchronise(index, self._notebook())
        return index
