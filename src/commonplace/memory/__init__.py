"""Memory: open a workspace and retain, recall, pack, explain and check; the one face that every other face calls."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from commonplace import config, files
from commonplace.errors import WorkspaceNotFound, WorkspaceUnusable
from commonplace.memory.asking import Asking
from commonplace.memory.consolidating import Consolidating
from commonplace.memory.explaining import Explaining
from commonplace.memory.importing import Importing
from commonplace.memory.keeping import Keeping
from commonplace.memory.looking import Looking
from commonplace.memory.reviewing import Reviewing
from commonplace.memory.scrubbing import Scrubbing
from commonplace.memory.sessions import Sessions
from commonplace.memory.skills import Skills
from commonplace.memory.testing import Testing
from commonplace.memory.upkeep import Upkeep
from commonplace.model import Made

if TYPE_CHECKING:
    from collections.abc import Callable

NO_FOLDER = "it is a file, and no folder"


class Memory(
    Importing,
    Consolidating,
    Explaining,
    Keeping,
    Testing,
    Asking,
    Looking,
    Reviewing,
    Scrubbing,
    Sessions,
    Skills,
    Upkeep,
):
    """An open workspace; use it with `with`, or close it.

    >>> import tempfile
    >>> with Memory.open(tempfile.mkdtemp()) as memory:
    ...     kept = memory.retain("W @Peter: In Marrakech for Andy's birthday.")
    ...     hits = memory.recall("who is in Marrakech?").hits
    >>> hits[0].record.text
    "@Peter: In Marrakech for Andy's birthday."
    """

    @classmethod
    def open(
        cls, folder: str | os.PathLike[str] | None = None, *, progress: Callable[[int, int], None] | None = None
    ) -> Memory:
        """Open a workspace: any folder of Markdown, also an empty one.

        Without `folder`: COMMONPLACE_WORKSPACE, else OpenClaw's workspace, else `~/commonplace`.
        Raises WorkspaceNotFound, WorkspaceUnusable for what is no folder, BadSettings.
        """
        around = config.surroundings()
        root = os.path.realpath(os.path.expanduser(folder or config.default_workspace(around)))
        if os.path.isfile(root):
            raise WorkspaceUnusable(str(folder or root), NO_FOLDER)
        if not os.path.isdir(root):
            raise WorkspaceNotFound(str(folder or root))
        return cls(root, around, progress)

    @staticmethod
    def init(folder: str | os.PathLike[str] | None = None) -> Made:
        """Make a workspace, or add what an existing folder lacks; nothing that is there is changed."""
        from commonplace.workspace.starter import STARTER

        around = config.surroundings()
        root = os.path.realpath(os.path.expanduser(folder or config.default_workspace(around)))
        try:
            os.makedirs(root, 0o700, exist_ok=True)
        except FileExistsError:
            raise WorkspaceUnusable(str(folder or root), NO_FOLDER) from None
        except OSError as error:
            raise WorkspaceUnusable(str(folder or root), (error.strerror or str(error)).lower()) from None
        day = config.clock(config.read_settings(root), around)[:10]
        texts = {path.format(day=day): text.format(day=day) for path, text in STARTER.items()}
        return Made(root, files.create_missing(root, texts))
