"""Memory's verbs against secrets that are there already: find them, take them out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.memory.opening import Opened

if TYPE_CHECKING:
    from commonplace.scrub import Scanned, Scrubbed


class Scrubbing(Opened):
    """What should never have been kept."""

    def scan(self, *, history: bool = True) -> Scanned:
        """Every secret in the files, journals and names of the workspace and in its git history, each once."""
        from commonplace.scrub import scan

        return scan(self._eye(writes=False), history=history)

    def scrub(self, *, apply: bool = False, all_devices: bool = False, now: str | None = None) -> Scrubbed:
        """What would be taken out, or with `apply` is, and what is left for a person to do.

        `all_devices` rewrites journals that other devices write too. Nothing of it can be undone. The index is made
        anew. One that breaks off is finished at the next start. Raises LockBusy, WriteConflict.
        """
        from commonplace.scrub import promised, scrub

        notebook, moment = self._notebook(now), self._moment(now)
        if not apply:
            return scrub(self._eye(writes=False), notebook.journal, moment, all_devices=all_devices)
        self._finish()
        eye = self._eye(writes=True)
        with promised(eye, notebook.device, moment, all_devices=all_devices):
            done = scrub(eye, notebook.journal, moment, apply=True, all_devices=all_devices)
            if done.replaced:
                self._anew()
        return done
