"""Memory's verbs of keeping: a sentence, or a line of the day's narrative."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from commonplace.errors import NotFound
from commonplace.memory.asking import Asking
from commonplace.memory.opening import NOT_NOW

if TYPE_CHECKING:
    from commonplace.capture import Kept
    from commonplace.model import Actor, Trust


class Keeping(Asking):
    """What goes in."""

    def retain(
        self,
        text: str,
        *,
        actor: Actor = "owner",
        scope: str = "",
        session: str = "",
        importance: float | None = None,
        valid: str = "",
        sources: tuple[str, ...] = (),
        supersedes: tuple[str, ...] = (),
        now: str | None = None,
    ) -> Kept:
        """Keep a sentence: redact, journal, write a bullet to today's log, index it.

        `text` is plain, or begins like a Retain bullet: `W @Peter: …`, `B …`, `O(c=0.9) …`, `S …`.
        `valid` is `2025-11-27..2025-12-01`, either end open. What an agent keeps of what it read is trusted no more
        than that. The answer tells at which rank a question about it finds it again. Raises BadArgument.
        """
        from commonplace import capture

        basis = (*self._basis(sources, supersedes), *self._read(text, actor))
        said = capture.Saying(text, actor, scope, session, importance, valid, sources, supersedes, basis)
        return self._findable(self._keep(capture.retain(self._place(now), said)))

    def _basis(self, sources: tuple[str, ...], supersedes: tuple[str, ...]) -> tuple[Trust, ...]:
        """The trust of those sources that are records. Raises NotFound for a superseded record that does not exist."""
        if not sources and not supersedes:
            return ()
        index = self._fresh()
        for record_id in supersedes:
            if index.find(record_id) is None:
                raise NotFound("record", record_id)
        return tuple(record.trust for source in sources if (record := index.find(source)) is not None)

    def _read(self, text: str, actor: Actor) -> tuple[Trust, ...]:
        """What it is worth that an agent takes its words from what tools and strangers said."""
        if actor != "agent":
            return ()
        from commonplace.index.standing import taken

        return ("untrusted",) if taken(self._fresh(), [text])[0] else ()

    def _findable(self, kept: Kept) -> Kept:
        """Ask for what was kept as somebody would who does not know its words; a warning if that does not find it."""
        if kept.record is None or self._notes:  # what the index does not have it cannot find
            return kept
        from commonplace.consolidate.findability import candidate_of, questions, rank_of, warning

        asked = next(iter(questions(candidate_of(kept.record))), "")
        if not asked:
            return kept
        try:
            found = self.recall(asked, evidence="none", sync=False, all_scopes=True).hits
        except NOT_NOW:
            return kept  # it stands, and that it could not be asked for now says nothing about it
        rank = rank_of(kept.record.id, [hit.record.id for hit in found])
        warned = warning(rank, asked, kept.record.source.citation)
        return structs.replace(kept, asked=asked, rank=rank, notes=(*kept.notes, *filter(None, (warned,))))

    def log(
        self, text: str, *, actor: Actor = "owner", scope: str = "", session: str = "", now: str | None = None
    ) -> Kept:
        """Add a line to the narrative of today's log, redacted and journalled."""
        from commonplace import capture

        return self._keep(capture.log(self._place(now), capture.Saying(text, actor, scope, session)))

    def _keep(self, kept: Kept) -> Kept:
        """The index after something was written; the record as it stands in the file."""
        if kept.record is None:
            return kept
        record = self._after(kept.record.id)
        return structs.replace(kept, record=record or kept.record, notes=(*kept.notes, *self._notes))
