"""The sweep of a workspace that is asked for again and again: repeated only where something may have happened since."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from commonplace.workspace.sweep import Sweep, look_again, sweep

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commonplace.files.notices import Notices

SELDOM = 3  # sweeps; who asks for no more, as one command, is not worth the trouble
SURE_S = 1.0  # so long the word of the system is enough; then the files are looked at whatever it says
AGAIN_S = 60.0  # before a system that would not watch is asked again: until it says no, it takes watches from others


class Lookout:
    """The Markdown files of one workspace, as `sweep` finds them; `close` it at the end.

    After the first few times the system is asked to tell of changes in the folders, where it can. As long as it tells
    of none, what was found last still stands, and where it tells of files alone, only those are looked at. Folders are
    watched before they are looked at, and what was told is forgotten before that too: what happens meanwhile counts as
    happening after.
    """

    def __init__(self, root: str, ignore: tuple[str, ...] = ()) -> None:
        self._root, self._ignore = root, ignore
        self._sweeps = 0
        self._folders: frozenset[str] = frozenset()  # that were swept last
        self._notices: Notices | None = None
        self._stands: Sweep | None = None
        self._place: tuple[int, ...] = ()  # of the root: a folder above it may be moved, and then nothing in it happens
        self._until = 0.0  # what was found stands
        self._again = 0.0  # not before that watching is tried

    def sweep(self) -> Sweep:
        """What there is now. Raises WorkspaceNotFound."""
        now, place = time.monotonic(), _place(self._root)
        stands, self._stands = self._stands, None  # whatever breaks this off: what is told here is not told again
        told = self._notices.told() if self._notices is not None else None
        if stands and told is not None and now < self._until and place and place == self._place:
            self._stands = self._again_seen(stands, told) if told else stands
            if self._stands is not None:
                return self._stands
        is_watched = self._is_watched(now)
        self._place = place
        self._sweeps += 1
        seen = sweep(self._root, self._ignore)
        if seen.folders != self._folders:
            self._folders = seen.folders
        elif is_watched and not seen.is_linked and not any(one.code == "unreadable" for one in seen.problems):
            self._stands, self._until = seen, now + SURE_S
        return seen

    def close(self) -> None:
        """Watch no more."""
        if self._notices is not None:
            self._notices.close()
        self._notices = self._stands = None

    def _again_seen(self, stands: Sweep, told: Mapping[str, bool]) -> Sweep | None:
        """What there is, where something happened to these files since the sweep that stood; None if that is unsure."""
        above = len(self._root) + 1
        seen = look_again(self._root, stands, {path[above:]: is_new for path, is_new in told.items()}, self._ignore)
        is_quiet = self._notices is not None and self._notices.told() == {}  # else there is more, or it came meanwhile
        return seen if is_quiet else None

    def _is_watched(self, now: float) -> bool:
        """Have the folders watched in which files were found last, also those that are there anew."""
        if self._sweeps < SELDOM or now < self._again:
            return False
        try:
            from commonplace.files.notices import Notices  # where there are no descriptors left it cannot be read

            self._notices = self._notices or Notices()
            return self._notices.watch({f"{self._root}/{folder}" for folder in self._folders})
        except OSError:
            self.close()
            self._again = now + AGAIN_S
            return False


def _place(root: str) -> tuple[int, ...]:
    try:
        found = os.stat(root)
    except OSError:
        return ()
    return found.st_dev, found.st_ino
