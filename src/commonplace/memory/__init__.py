"""Memory: open a workspace and retain, recall, pack, explain and check; the library that every interface calls."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from commonplace.errors import WorkspaceNotFound, WorkspaceUnusable
from commonplace.memory.capture import ImportMixin, RetainMixin
from commonplace.memory.diagnostics import ExplainMixin, GoldenMixin
from commonplace.memory.recall import BrowseMixin, RecallMixin
from commonplace.memory.sessions import SessionMixin
from commonplace.memory.upkeep import ConsolidateMixin, IndexMixin, ReviewMixin, ScrubMixin, SkillMixin
from commonplace.model import InitResult
from commonplace.storage import config, files

if TYPE_CHECKING:
    from collections.abc import Callable
NOT_A_FOLDER = "it is a file, and no folder"


class Memory(
    ImportMixin,
    ConsolidateMixin,
    ExplainMixin,
    RetainMixin,
    GoldenMixin,
    RecallMixin,
    BrowseMixin,
    ReviewMixin,
    ScrubMixin,
    SessionMixin,
    SkillMixin,
    IndexMixin,
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
        environment = config.read_environment()
        root = os.path.realpath(os.path.expanduser(folder or config.default_workspace(environment)))
        if os.path.isfile(root):
            raise WorkspaceUnusable(str(folder or root), NOT_A_FOLDER)
        if not os.path.isdir(root):
            raise WorkspaceNotFound(str(folder or root))
        return cls(root, environment, progress)

    @staticmethod
    def init(folder: str | os.PathLike[str] | None = None) -> InitResult:
        """Make a workspace, or add what an existing folder lacks; nothing that is there is changed."""
        from commonplace.storage.workspace.paths import STARTER_FILES

        environment = config.read_environment()
        root = os.path.realpath(os.path.expanduser(folder or config.default_workspace(environment)))
        try:
            os.makedirs(root, 0o700, exist_ok=True)
        except FileExistsError:
            raise WorkspaceUnusable(str(folder or root), NOT_A_FOLDER) from None
        except OSError as error:
            raise WorkspaceUnusable(str(folder or root), (error.strerror or str(error)).lower()) from None
        day = config.current_minute(config.read_settings(root), environment)[:10]
        texts = {path.format(day=day): text.format(day=day) for path, text in STARTER_FILES.items()}
        return InitResult(root, files.create_missing_files(root, texts))
