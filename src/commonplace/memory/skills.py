"""Memory's verbs of skills: list, look, approve, reject, match, and what a skill would do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.memory.opening import Opened

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commonplace.skills import Filled, Match, Shelf, Skill


class Skills(Opened):
    """What the agent knows how to do."""

    def skills(self) -> Shelf:
        """Every skill with its standing, and what is wrong with those that cannot be read."""
        from commonplace.skills import open_shelf

        return open_shelf(self._notebook().journal)

    def approve_skill(self, name: str, *, now: str | None = None) -> Skill:
        """Make a draft, as it stands with all edits, an active skill. Raises NotFound, BadArgument."""
        from commonplace.skills import approve

        self._finish()
        return approve(self._notebook().journal, name, self._moment(now))

    def reject_skill(self, name: str, *, now: str | None = None) -> str:
        """Put a skill into the archive for good; returns where it is now. Raises NotFound."""
        from commonplace.skills import reject

        self._finish()
        return reject(self._notebook().journal, name, self._moment(now))

    def match_skills(self, text: str, *, now: str | None = None) -> tuple[Match, ...]:
        """The active skills that a request calls for, best first, with reasons."""
        from commonplace.skills import match

        return match(self.skills(), text, self._moment(now))

    def dry_run_skill(self, name: str, values: Mapping[str, str]) -> Filled:
        """The steps of a skill with parameters filled in; runs nothing. Raises NotFound, BadArgument."""
        from commonplace.skills import fill

        return fill(self.skills().find(name), values)
