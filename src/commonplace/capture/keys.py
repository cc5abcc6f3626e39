"""Where something is captured; the workspace's secret key for placeholders, and the key under which a text is known."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec import Struct

from commonplace import files
from commonplace.errors import OutsideWorkspace, WorkspaceUnusable

if TYPE_CHECKING:
    from commonplace.redact import Known

KEY = ".memory/key"
KEY_BYTES = 32
KEPT_FROM_GIT = ".memory/.gitignore"

_KEPT = """# Made by Commonplace: the key of this machine, and what can be made anew; the journals are yours to keep.
/key
/index.sqlite*
/vectors.sqlite*
/locks/
/doing/
"""


class Place(Struct, frozen=True):
    """Where and when something is kept: the workspace, the device that writes, the ISO minute.

    `exact` are secrets known word for word, to be masked wherever they are said.
    """

    root: str
    device: str
    now: str
    exact: tuple[Known, ...] = ()

    @property
    def log(self) -> str:
        """The log of the day."""
        return f"memory/{self.now[:10]}.md"


def text_key(written: str) -> str:
    """The key under which the ledger knows a text wherever it stands: a digest, white space aside."""
    return "t:" + files.digest(" ".join(written.split()).encode("utf-8", "surrogatepass"))


def workspace_key(root: str) -> bytes:
    """The workspace's own key for the suffixes of placeholders, made at first use; it never leaves `.memory`."""
    if files.is_missing(root, KEPT_FROM_GIT):  # who pushes the notebook must not push what tells a guess of a secret
        with suppress(OutsideWorkspace, WorkspaceUnusable):  # where nothing can be written there may be a key already
            files.create_missing(root, {KEPT_FROM_GIT: _KEPT})
    found = files.secret(root, KEY, KEY_BYTES)
    if len(found) < KEY_BYTES:  # a suffix without a key could be guessed
        raise WorkspaceUnusable(KEY, f"it has {len(found)} bytes, not {KEY_BYTES}; remove it, and a new one is made")
    return found
