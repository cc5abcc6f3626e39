"""Where the derived index lies, and where the daemon of a workspace listens."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from commonplace.errors import OutsideWorkspace

if TYPE_CHECKING:
    from commonplace.config.values import Settings, Surroundings

SYNCED = ("dropbox", "onedrive", "google drive", "googledrive", "icloud", "mobile documents", "nextcloud", "syncthing")
MOUNTS = "/proc/mounts"
MOST_SOCKET = 100  # bytes; of the name of a socket some systems take no more than 103
NETWORK = ("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "fuse.sshfs", "fuse.rclone", "ceph", "glusterfs")


def index_path(root: str, settings: Settings, around: Surroundings) -> str:
    """Where the derived index lies: as set, else in `.memory`, else in the state directory for a folder that is on a
    network, kept by a sync tool, or not writable (SQLite's locks and its log do not survive such places)."""
    if settings.index_path:
        return os.path.join(root, os.path.expanduser(settings.index_path))
    state = f"{root}/.memory"
    if not f"{os.path.realpath(state)}/".startswith(f"{root.rstrip('/')}/"):
        raise OutsideWorkspace(state, "it is a link that leads out of the workspace")
    if _is_local(root) and os.access(state if os.path.isdir(state) else root, os.W_OK):
        return f"{state}/index.sqlite"
    from hashlib import blake2b

    name = blake2b(root.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
    return f"{around.state_home}/commonplace/{name}/index.sqlite"


def socket_path(root: str, around: Surroundings) -> str:
    """Where the daemon of a workspace listens: in the runtime directory, else the state directory, else that for
    temporary files, which is the only one that is always short enough for a socket's name.

    The folder is the daemon's own; its token lies beside the socket. Empty where no name is short enough: then no
    daemon can listen, and nobody needs to look for one.
    """
    from zlib import crc32  # hashlib would load OpenSSL, 2 ms at each start

    named = root.encode("utf-8", "surrogateescape")
    name = f"{crc32(named):08x}{crc32(named[::-1]):08x}.sock"
    folders = [f"{around.runtime}/commonplace"] if around.runtime else []
    folders += [f"{around.state_home}/commonplace/run"] if around.state_home else []
    paths = (f"{folder}/{name}" for folder in (*folders, f"{around.temporary}/commonplace-{os.getuid()}"))
    return next((path for path in paths if len(os.fsencode(path)) < MOST_SOCKET), "")


def _is_local(root: str) -> bool:
    if any(part.startswith(SYNCED) for part in root.lower().split("/")) or _is_below_syncthing(root):
        return False
    return _filesystem(root) not in NETWORK


def _is_below_syncthing(root: str) -> bool:
    """Syncthing marks the folder that it keeps; the workspace may be that or lie anywhere below it."""
    folder = root
    while folder not in ("", "/"):
        if os.path.lexists(f"{folder}/.stfolder"):
            return True
        folder = os.path.dirname(folder)
    return False


def _filesystem(root: str) -> str:
    """The type of the file system that holds `root`, as the kernel's mount table says; empty where there is none."""
    kind, length = "", 0
    for at, its_kind in _mounts():
        if len(at) >= length and (root == at or root.startswith(at.rstrip("/") + "/")):
            kind, length = its_kind, len(at)  # of two mounts at one place the later one is seen
    return kind


def _mounts() -> list[tuple[str, str]]:
    """(mount point, type of file system) in the order of mounting; blanks stand as `\\040` in the table."""
    try:
        with open(MOUNTS, encoding="utf-8", errors="surrogateescape") as file:
            rows = [line.split(" ") for line in file]
    except OSError:
        return []
    return [(row[1].replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\"), row[2]) for row in rows]
