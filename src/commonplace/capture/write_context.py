"""Where and when something is written, and the keys made from a text and of the workspace."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec import Struct

from commonplace.errors import OutsideWorkspace, WorkspaceUnusable
from commonplace.storage import files

if TYPE_CHECKING:
    from commonplace.redact import KnownSecret
KEY_PATH = ".memory/key"
KEY_BYTES = 32
GITIGNORE_PATH = ".memory/.gitignore"

_GITIGNORE_TEXT = """\
# Made by Commonplace: the key of this machine, and what can be made anew; the journals are yours to keep.
/key
/index.sqlite*
/vectors.sqlite*
/locks/
/doing/
"""


class WriteContext(Struct, frozen=True):
    """Where and when something is kept: the workspace, the device that writes, the ISO minute.

    `exact` are secrets known word for word, to be masked wherever they are said.
    """

    root: str
    device: str
    now: str
    exact: tuple[KnownSecret, ...] = ()

    @property
    def log_path(self) -> str:
        """The log of the day."""
        return f"memory/{self.now[:10]}.md"


def text_key(text: str) -> str:
    """The key under which the ledger knows a text wherever it stands: a digest, white space aside."""
    return "t:" + files.content_digest(" ".join(text.split()).encode("utf-8", "surrogatepass"))


def workspace_key(root: str) -> bytes:
    """The workspace's own key for the suffixes of placeholders, made at first use; it never leaves `.memory`."""
    if files.is_missing(root, GITIGNORE_PATH):  # who pushes the notebook must not push what tells a guess of a secret
        with suppress(OutsideWorkspace, WorkspaceUnusable):  # where nothing can be written there may be a key already
            files.create_missing_files(root, {GITIGNORE_PATH: _GITIGNORE_TEXT})
    found = files.read_or_create_secret(root, KEY_PATH, KEY_BYTES)
    if len(found) < KEY_BYTES:  # a suffix without a key could be guessed
        raise WorkspaceUnusable(
            KEY_PATH, f"it has {len(found)} bytes, not {KEY_BYTES}; remove it, and a new one is made"
        )
    return found
