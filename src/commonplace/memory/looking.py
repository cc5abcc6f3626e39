"""Memory's verbs of looking: from a line to its surroundings, to a name, to a stretch of time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from msgspec import structs

from commonplace import files
from commonplace.errors import NotFound
from commonplace.memory.opening import Opened, at_least_one
from commonplace.model import EntityView, Evidence, Query, Record, View
from commonplace.recall import entity_records, timeline
from commonplace.recall.browse import surroundings
from commonplace.recall.citations import anchored, citation
from commonplace.recall.show import JOURNALS, show


class Looking(Opened):
    """What is there."""

    def show(self, reference: str) -> View:
        """A record by id, or lines of a file by `PATH`, `PATH#L12` or `PATH#L12-L15`, as they stand on disk.

        A citation with an anchor, as `cite` makes it, gives a `Resolved`: the lines that it means today, which may
        stand elsewhere or say something else by now; it says so. Raises NotFound, BadArgument, OutsideWorkspace.
        """
        return show(self._fresh(), self._notebook().read, reference, earlier=self._stood)

    def cite(self, reference: str) -> str:
        """A citation that lasts: where the lines stand, and an anchor made of their words. Raises as `show`."""
        view = self.show(reference)
        return citation(view) if view.path.startswith(JOURNALS) else anchored(view)

    def _stood(self, path: str) -> Iterator[str]:
        """Lines that were written to a file by us, or replaced there, as far as the changes are still kept."""
        from commonplace.workspace.write import CHANGES, find_change

        for name in files.sizes(self.root, CHANGES):
            if name.endswith(".json"):
                with suppress(NotFound):  # a note that is being written, or one that `check` complains about
                    change = find_change(self.root, name.removesuffix(".json"))
                    if change.path == path:
                        yield from (*change.before.split("\n"), *change.after.split("\n"))

    def entity(self, name: str, *, at_most: int = 50) -> EntityView:
        """The page of an entity and the records that name it. Raises NotFound with near names."""
        index = self._fresh()
        with index.snapshot():
            found = entity_records(index, name, at_least_one(at_most))
        if found is None:
            import difflib

            names = [known for _key, known, _records in index.entities()]
            raise NotFound("entity", name, tuple(difflib.get_close_matches(name, names, 3)))
        return EntityView(*found)

    def entities(self) -> tuple[tuple[str, int], ...]:
        """Every entity with the number of records that name it, most named first."""
        return tuple((name, records) for _key, name, records in self._fresh().entities())

    def timeline(
        self,
        *,
        since: str = "",
        until: str = "",
        around: str = "",
        scope: str | None = None,
        all_scopes: bool = False,
        evidence: Evidence = "none",
        at_most: int = 50,
        now: str | None = None,
    ) -> tuple[Record, ...]:
        """Dated records in order of time, the newest `at_most` of the stretch. Raises BadArgument.

        `around` is a time, or the id of a record or capture: then what stands or was said around it.
        """
        query = Query(
            text="",
            now=self._moment(now),
            since=since,
            until=until,
            scope=self.settings.scope if scope is None else scope,
            all_scopes=all_scopes,
            evidence=evidence,
        )
        with (index := self._fresh()).snapshot():
            if around and index.row_of(around):
                return surroundings(index, query, around, at_least_one(at_most))
            query = structs.replace(query, around=around)
            return timeline(index, query, at_least_one(at_most))
