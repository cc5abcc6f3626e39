"""Memory's verbs against secrets that are there already: find them, take them out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace import config
from commonplace.memory.opening import Opened

if TYPE_CHECKING:
    from commonplace.scrub import Eye, Scanned, Scrubbed


class Scrubbing(Opened):
    """What should never have been kept."""

    def scan(self, *, history: bool = True) -> Scanned:
        """Every secret in the files, journals and names of the workspace and in its git history, each once."""
        from commonplace.scrub import scan

        return scan(self._eye(), history=history)

    def scrub(self, *, apply: bool = False, all_devices: bool = False, now: str | None = None) -> Scrubbed:
        """What would be taken out, or with `apply` is, and what is left for a person to do.

        `all_devices` rewrites journals that other devices write too. Nothing of it can be undone. The index is made
        anew. Raises LockBusy, WriteConflict.
        """
        from commonplace.index import rebuild
        from commonplace.scrub import scrub
        from commonplace.sync import build

        notebook = self._notebook(now)
        done = scrub(self._eye(), notebook.journal, self._moment(now), apply=apply, all_devices=all_devices)
        if apply and done.replaced:
            self.close()
            rebuild(self._path, lambda index: build(index, notebook))
        return done

    def _eye(self) -> Eye:
        from commonplace.capture import workspace_key
        from commonplace.scrub import Eye

        exact = config.secret_values(self.root)
        return Eye(self.root, workspace_key(self.root), exact, self.settings.files_max_bytes)
