"""Memory's verbs of upkeep: sync, rebuild, status, check."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from commonplace.index import Index, open_index, rebuild
from commonplace.memory.opening import Opened
from commonplace.model import Change
from commonplace.sync import Synced, build, plan, synchronise

if TYPE_CHECKING:
    from commonplace.model import Health


class Upkeep(Opened):
    """What keeps the index in step and proves the promises."""

    def sync(self, *, force: bool = False, dry_run: bool = False) -> Synced:
        """Bring the index up to date with the files. Raises SuspiciousLoss (unless `force`), LockBusy,
        WorkspaceUnusable.

        What is forced, or only tried, looks at every file, whatever the system tells of changes.
        """
        was_there = self._index is not None or os.path.exists(self._path)
        index = self._opened()
        if index.unkept and not dry_run:
            index = self._kept(index)
        if index.unkept and not dry_run:
            raise index.unkept
        notebook = self._notebook(look=None if force or dry_run else self._lookout.sweep)
        changes = plan(index, notebook).changes if dry_run else synchronise(index, notebook, force=force)
        if not was_there:  # opening it read everything
            changes = tuple(Change("added", path) for path in index.files())
        return self._synced(index, changes)

    def rebuild(self) -> Synced:
        """Make the index anew from the files and journals, beside the old one, and swap it in."""
        self.close()
        notebook = self._notebook()
        rebuild(self._path, lambda index: build(index, notebook))
        index = self._opened()
        return self._synced(index, tuple(Change("added", path) for path in index.files()))

    def status(self) -> dict[str, str | int]:
        """What the workspace holds, by name."""
        index = self._fresh()
        at, size = ("in memory", 0) if index.unkept else (self._path, os.stat(self._path).st_size)
        return {"workspace": self.root, "index": at, "index_bytes": size, **index.counts()}

    def check(self) -> Health:
        """Run the health checks; what they find are values, never errors."""
        from commonplace.check import Subject, check

        index = self._fresh()
        return check(
            Subject(
                self.root,
                index,
                self._notebook().journal,
                self._rebuilt,
                self.settings.files_max_bytes,
                self._notes,
                self._path,
            )
        )

    def dump(self) -> list[str]:
        """The index in a canonical form, one line an item: equal notebooks dump equally."""
        return self._fresh().dump()

    def _rebuilt(self) -> list[str]:
        """The canonical dump of an index made anew, which is thrown away."""
        import tempfile

        notebook = self._notebook()
        with tempfile.TemporaryDirectory(prefix="commonplace-") as folder:
            fresh = open_index(f"{folder}/index.sqlite", lambda index: build(index, notebook))
            dump = fresh.dump()
            fresh.close()
        return dump

    def _synced(self, index: Index, changes: tuple[Change, ...]) -> Synced:
        records = index.size()[0] - index.evidence()
        return Synced(changes, len(index.files()), records, index.problems())
