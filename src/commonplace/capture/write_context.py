"""The workspace, device and time of a write, whether anything may be written, and the keys of texts and workspaces."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from commonplace.errors import BadArgument, OutsideWorkspace, WorkspaceUnusable
from commonplace.storage import files

if TYPE_CHECKING:
    from collections.abc import Sequence

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


OFF_RECORD_PATH = ".memory/off-record.json"
OFF_RECORD_LOCK = "off-record"
OffPeriod = tuple[str, str]  # its first and its last ISO minute, the latter empty as long as it lasts


def read_off_periods(root: str) -> tuple[OffPeriod, ...]:
    """Return the periods off the record, oldest first; a file that cannot be read stands for one that has no end."""
    data = files.read_file_if_exists(root, OFF_RECORD_PATH)
    try:
        return msgspec.json.decode(data, type=tuple[OffPeriod, ...]) if data else ()
    except msgspec.DecodeError:
        return (("0000-01-01T00:00", ""),)


def off_record_since(root: str) -> str:
    """Return the minute since when nothing is captured; empty if things are."""
    return next((start for start, end in read_off_periods(root) if not end), "")


def set_off_record(context: WriteContext, *, off: bool) -> None:
    """Begin or end a period off the record; nothing changes if that is so already."""
    with files.hold_workspace_lock(context.root, OFF_RECORD_LOCK):
        periods = read_off_periods(context.root)
        if off != any(not end for _start, end in periods):
            ended = tuple((start, end or context.now) for start, end in periods)
            periods = (*ended, (context.now, "")) if off else ended
            files.write_atomic(context.root, OFF_RECORD_PATH, msgspec.json.encode(periods))


def is_off_record(periods: Sequence[OffPeriod], ts: str) -> bool:
    """Whether nothing is captured now, or an event of the time `ts` belongs to a period in which nothing was: it may
    arrive later, in a transcript. Without a time it is of now."""
    return any(not end or (ts and start[:16] <= ts[:16] <= end[:16]) for start, end in periods)


def require_on_record(root: str) -> None:
    """Raise BadArgument if nothing is to be kept now."""
    if since := off_record_since(root):
        message = f"you are off the record since {since.replace('T', ' ')}: nothing is stored"
        raise BadArgument(message, hint="`commonplace session --on` ends that")
