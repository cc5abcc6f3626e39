"""The sockets: one of Unix for each workspace, owned by who holds its lock, and TCP on loopback when asked for."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from commonplace import files
from commonplace.errors import AlreadyServed, BadArgument, LockBusy, WorkspaceUnusable

TOKEN_BYTES = 32
LOOPBACK = {"127.0.0.1": socket.AF_INET, "localhost": socket.AF_INET, "::1": socket.AF_INET6}
BACKLOG = 128


def token_path(path: str) -> str:
    """Where the token of the socket at `path` lies."""
    return path.removesuffix(".sock") + ".token"


@contextmanager
def occupied(path: str) -> Iterator[str]:
    """Own the place of a socket: a new token beside it, which is yielded; both are gone afterwards.

    What a daemon that died has left is replaced. Raises AlreadyServed where one lives, WorkspaceUnusable for a
    folder that is not ours.
    """
    folder = os.path.dirname(path)
    _make_own(folder)
    try:
        with files.lock(f"{path.removesuffix('.sock')}.lock", 0):
            token = files.renewed_secret(folder, os.path.basename(token_path(path)), TOKEN_BYTES)
            try:
                yield token
            finally:
                for left in (path, token_path(path)):
                    with suppress(FileNotFoundError):
                        os.unlink(left)
    except LockBusy:
        raise AlreadyServed(path) from None


def listen(path: str) -> socket.socket:
    """A Unix socket that only its owner can reach; the caller occupies its place."""
    with suppress(FileNotFoundError):
        os.unlink(path)
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        made.bind(path)
        os.chmod(path, 0o600)
        made.listen(BACKLOG)
    except OSError as error:
        made.close()
        raise WorkspaceUnusable(path, f"it cannot be listened at: {(error.strerror or str(error)).lower()}") from None
    return made


def listen_tcp(host: str, port: int) -> socket.socket:
    """A socket on loopback; port 0 takes any that is free. Raises BadArgument for any other address."""
    family = LOOPBACK.get(host)
    if family is None:
        told = f"the daemon listens on loopback only, not on {host!r}"
        raise BadArgument(told, hint="say 127.0.0.1 or ::1; for other machines, tunnel the Unix socket by ssh")
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(("127.0.0.1" if family == socket.AF_INET else host, port))
        made.listen(BACKLOG)
    except (OSError, OverflowError) as error:
        made.close()
        why = "ports are numbers from 0 to 65535" if isinstance(error, OverflowError) else error.strerror or error
        told = f"port {port} cannot be listened at: {why}"
        raise BadArgument(told, hint="take another port; 0 takes any that is free") from None
    return made


def _make_own(folder: str) -> None:
    """The folder of sockets, for its owner only. Raises WorkspaceUnusable for one that is somebody else's."""
    files.make_folders(folder)
    status = os.lstat(folder)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
        raise WorkspaceUnusable(folder, "it is not a folder of yours")
    if stat.S_IMODE(status.st_mode) != 0o700:
        os.chmod(folder, 0o700)
