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

        return scan(self._eye(writes=False), history=history)

    def scrub(self, *, apply: bool = False, all_devices: bool = False, now: str | None = None) -> Scrubbed:
        """What would be taken out, or with `apply` is, and what is left for a person to do.

        `all_devices` rewrites journals that other devices write too. Nothing of it can be undone. The index is made
        anew. Raises LockBusy, WriteConflict.
        """
        from commonplace.index import rebuild
        from commonplace.scrub import scrub
        from commonplace.sync import build

        notebook = self._notebook(now)
        done = scrub(self._eye(writes=apply), notebook.journal, self._moment(now), apply=apply, all_devices=all_devices)
        if apply and done.replaced:
            self.close()
            rebuild(self._path, lambda index: build(index, notebook))
        return done

    def _eye(self, *, writes: bool) -> Eye:
        """What looks for secrets; who only looks makes no key: one that is not there is stood in for."""
        from commonplace import files
        from commonplace.capture.keys import KEY, KEY_BYTES, workspace_key
        from commonplace.scrub import Eye

        key = workspace_key(self.root) if writes else files.find(self.root, KEY) or bytes(KEY_BYTES)
        return Eye(self.root, key, config.secret_values(self.root), self.settings.files_max_bytes)
