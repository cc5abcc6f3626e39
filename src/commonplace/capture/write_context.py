"""The workspace, device and time of a write, the key of a text in the ledger, and the secret key of a workspace."""

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
    """The workspace of a write, the device that writes, and the ISO minute; `exact` are known secrets to be masked."""

    root: str
    device: str
    now: str
    exact: tuple[KnownSecret, ...] = ()

    @property
    def log_path(self) -> str:
        """The path of the log of the day."""
        return f"memory/{self.now[:10]}.md"


def text_key(text: str) -> str:
    """Return the key of a text in the ledger: a digest that ignores white space."""
    return "t:" + files.text_digest(" ".join(text.split()))


def workspace_key(root: str) -> bytes:
    """Return the secret key of a workspace for the suffixes of placeholders, made at first use; it stays in `.memory`.
    Raises WorkspaceUnusable for a key that is too short."""
    if files.is_missing(
        root, GITIGNORE_PATH
    ):  # whoever pushes the workspace must not push the key, with which a secret can be guessed
        with suppress(OutsideWorkspace, WorkspaceUnusable):  # where nothing can be written there may be a key already
            files.create_missing_files(root, {GITIGNORE_PATH: _GITIGNORE_TEXT})
    found = files.read_or_create_secret(root, KEY_PATH, KEY_BYTES)
    if len(found) < KEY_BYTES:  # a suffix without a key could be guessed
        raise WorkspaceUnusable(
            KEY_PATH, f"it has {len(found)} bytes, not {KEY_BYTES}; remove it, and a new one is made"
        )
    return found
