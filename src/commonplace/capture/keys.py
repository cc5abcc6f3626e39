"""The keys of capturing: the workspace's secret one for placeholders, and the one under which a text is known."""

from __future__ import annotations

from commonplace import files
from commonplace.errors import WorkspaceUnusable

KEY = ".memory/key"
KEY_BYTES = 32


def text_key(written: str) -> str:
    """The key under which the ledger knows a text wherever it stands: a digest, white space aside."""
    return "t:" + files.digest(" ".join(written.split()).encode("utf-8", "surrogatepass"))


def workspace_key(root: str) -> bytes:
    """The workspace's own key for the suffixes of placeholders, made at first use; it never leaves `.memory`."""
    found = files.secret(root, KEY, KEY_BYTES)
    if len(found) < KEY_BYTES:  # a suffix without a key could be guessed
        raise WorkspaceUnusable(KEY, f"it has {len(found)} bytes, not {KEY_BYTES}; remove it, and a new one is made")
    return found
