"""Memory's verbs of review: the queue, what was written lately, undo, tags, lessons that repeat."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.memory.opening import Opened, at_least_one

if TYPE_CHECKING:
    from commonplace.consolidate.pending import Item
    from commonplace.model import Record
    from commonplace.review.audit import Written
    from commonplace.review.learnings import Learning
    from commonplace.review.queue import Decided
    from commonplace.review.tags import Tag


LAST = "last"


class Reviewing(Opened):
    """What a person decides and looks over."""

    def pending(self) -> tuple[Item, ...]:
        """What waits for a yes or no, in the order of the queue."""
        from commonplace.review import queue

        return queue.items(self.root)

    def evidence(self, item: Item) -> tuple[Record, ...]:
        """What was said where an item of the queue comes from, as far as it can be found."""
        index = self._fresh()
        return tuple(record for source in item.sources if (record := index.find(source)) is not None)

    def approve(self, item_id: str, *, now: str | None = None) -> Decided:
        """Write what waits to its home, as the owner's own. Raises NotFound."""
        from commonplace.review import queue

        decided = queue.approve(self._place(now), item_id, self._fresh())
        self._after()
        return decided

    def reject(self, item_id: str, *, now: str | None = None) -> Decided:
        """Take something off the queue for good: the same words are not proposed again. Raises NotFound."""
        from commonplace.review import queue

        self._finish()
        decided = queue.reject(self._place(now), item_id)
        self._after()
        return decided

    def edit(self, item_id: str, text: str, *, now: str | None = None) -> Decided:
        """Change the words of what waits; it goes on waiting. Raises NotFound, BadArgument."""
        from commonplace.review import queue

        self._finish()
        return queue.edit(self._place(now), item_id, text)

    def undo(self, change_id: str, *, now: str | None = None) -> str:
        """Put back what a change replaced, if its lines are as it left them; returns the path. `last` is the newest.

        Raises NotFound, and WriteConflict with the lines as they are now.
        """
        from commonplace.review import undoing

        self._finish()
        path = undoing.undo(self.root, self._change(change_id), now=self._moment(now)).path
        self._after()
        return path

    def difference(self, change_id: str) -> tuple[str, ...]:
        """What the lines of a change were when it left them (`-`), and what stands there now (`+`). Raises NotFound."""
        from commonplace.review import undoing

        return undoing.difference(self.root, self._change(change_id))

    def _change(self, change_id: str) -> str:
        if change_id != LAST:
            return change_id
        return next((one.change_id for one in self.audit(at_most=1)), LAST)

    def audit(self, *, since: str = "", at_most: int = 20, now: str | None = None) -> tuple[Written, ...]:
        """What was written lately, newest first, by whom and from what; `since` is a time. Raises BadArgument."""
        from commonplace.model import Query
        from commonplace.recall.understand import visible
        from commonplace.review.audit import audit

        start = visible(Query(text="", now=self._moment(now), since=since)).since
        return audit(self._notebook().journal, since=start, at_most=at_least_one(at_most))

    def tags(self) -> tuple[Tag, ...]:
        """Every tag, most borne first."""
        from commonplace.review.tags import tags

        return tags(self._fresh())

    def tagged(self, name: str, *, at_most: int = 50) -> tuple[Record, ...]:
        """The newest records that bear a tag. Raises NotFound."""
        from commonplace.review.tags import tagged

        return tagged(self._fresh(), name, at_least_one(at_most))

    def learnings(self) -> tuple[Learning, ...]:
        """The lines of `.learnings/`, most repeated first."""
        from commonplace.review.learnings import learnings

        return learnings(self.root)
