"""A memory held open for long: its settings may change meanwhile, and its folder may go and come back."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from commonplace import config
from commonplace.errors import BadSettings, WorkspaceNotFound

if TYPE_CHECKING:
    from collections.abc import Callable

    from commonplace.memory import Memory
    from commonplace.shapes import Json

Stamp = tuple[int, ...]  # of a file or folder; empty where there is none
MOUNTED = "is it mounted? this goes on when it is back"


class Held:
    """An open memory that is looked after before each question; one thread asks it, `stop` is for any."""

    def __init__(self, memory: Memory, say: Callable[[str], None]) -> None:
        self._memory, self._say = memory, say
        self._folder = _folder(memory.root)
        self._settings = memory.settings_stamp
        self._note = ""

    def ask(self, run: Callable[[Memory], Json]) -> Json:
        """What `run` answers, with a note where the settings cannot be read. Raises what it raises."""
        self._look()
        answer = run(self._memory)
        if self._note and "notes" in answer:
            answer = answer | {"notes": [*answer["notes"], self._note]}
        return answer

    def stop(self) -> None:
        """Break off what is being read."""
        self._memory.stop()

    def go_on(self) -> None:
        """Answer again."""
        self._memory.go_on()

    def close(self) -> None:
        """Let go of the memory."""
        self._memory.close()

    def _look(self) -> None:
        """See whether the folder is there, and is the one it was. Raises WorkspaceNotFound."""
        root = self._memory.root
        folder = _folder(root)
        if not folder or (folder != self._folder and not _holds_anything(root)):
            self._memory.close()  # it must not keep a folder busy that is to be unmounted
            raise WorkspaceNotFound(root, hint=MOUNTED)
        settings = config.settings_stamp(root)
        if (folder, settings) != (self._folder, self._settings):
            self._open_again()
            self._folder, self._settings = folder, settings

    def _open_again(self) -> None:
        """Take over the settings as they are now; those that cannot be read leave the old ones in force."""
        before = self._memory
        before.close()
        try:
            self._memory, self._note = type(before).open(before.root, progress=before.progress), ""
        except BadSettings as error:
            self._note = f"the settings of before are in force: {error.message}"
            self._say(self._note)


def _folder(root: str) -> Stamp:
    try:
        found = os.stat(root)
    except (FileNotFoundError, NotADirectoryError):
        return ()
    return (found.st_dev, found.st_ino)


def _holds_anything(root: str) -> bool:
    with os.scandir(root) as entries:
        return next(entries, None) is not None
