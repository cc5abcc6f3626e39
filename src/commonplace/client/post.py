"""One question to the running daemon of a workspace, for processes too short to load an HTTP client."""

from __future__ import annotations

import os
import socket
import stat
from typing import TYPE_CHECKING, Any

from commonplace import config, files
from commonplace.errors import CommonplaceError, DeadlinePassed, Unreachable

if TYPE_CHECKING:
    from commonplace.shapes import Json

PIECE = 1 << 16
LENGTH = b"content-length"
MOST_ANSWER = 64 << 20  # bytes
BEGIN_S = 0.3  # for the daemon to begin its answer, or to say that it reads; a hung one costs so much
GO_ON = b"HTTP/1.1 100"
BLANK = b"\r\n\r\n"  # behind the head of an answer
LATE_S = 1.0  # how much later than its deadline an answer may come before the daemon counts as hung
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
FIRST = "{line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n"
REST = (
    "Content-Type: application/json\r\nContent-Length: {length}\r\nExpect: 100-continue\r\n"
    "commonplace-deadline-ms: {deadline}\r\n\r\n"
)


def post(root: str, operation: str, given: Json, *, deadline_s: float) -> Json:
    """What the daemon of the workspace at `root` (an absolute path) answers.

    Raises Unreachable where none runs, none begins to read or it breaks off, DeadlinePassed where it hangs behind that,
    else the CommonplaceError that is its answer.
    """
    import msgspec

    body = msgspec.json.encode(given)
    rest = REST.format(length=len(body), deadline=max(1, int(deadline_s * 1e3)))
    return _told(root, f"POST /v1/{operation}", rest.encode("ascii"), deadline_s + LATE_S, body=body)


def get(root: str, path: str, *, deadline_s: float) -> Json:
    """What can be got from the daemon of the workspace at `root`: `/healthz`, `/v1/schedule`. Raises as `post` does."""
    return _told(root, f"GET {path}", b"\r\n", deadline_s)


def _told(root: str, line: str, rest: bytes, patience_s: float, *, body: bytes = b"") -> Json:
    import msgspec

    around = config.surroundings()
    if not around.asks_daemon:
        raise Unreachable("COMMONPLACE_DAEMON is `off`")
    path = config.socket_path(root, around)
    if not path:
        raise Unreachable("there is no place where a daemon could listen")
    first = FIRST.format(line=line, token=token_of(path)).encode("ascii")
    status, told = parted(_exchanged(path, first + rest, body, patience_s))
    if status == b"401":
        raise Unreachable("the daemon was started anew meanwhile", hint="ask again")
    if status != b"200":
        from commonplace.client.asking import error_in

        raise error_in(told)
    try:
        return msgspec.json.decode(told, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise Unreachable(f"what answers at {path!r} is no daemon of ours") from None


def token_of(path: str) -> str:
    """The token beside the socket, which only its owner can read. Raises Unreachable."""
    folder, name = os.path.split(path.removesuffix(".sock") + ".token")
    try:
        found = files.find(folder, name, PIECE) or b"" if _is_ours(folder) else b""
    except CommonplaceError:
        found = b""
    if not found or not found.isalnum():
        raise Unreachable("no daemon runs for this workspace", hint="`commonplace serve` starts one")
    return found.decode("ascii")


def _is_ours(folder: str) -> bool:
    """Whether nobody else can have put a socket there, to be asked in the daemon's place."""
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & OTHERS_WRITE


def _exchanged(path: str, head: bytes, body: bytes, patience_s: float) -> bytes:
    """All that comes back, to the end of the connection; the body is sent to who says that it reads."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(BEGIN_S)
            line.connect(path)
            line.sendall(head)
            answer = bytearray(_begun(line))
            line.settimeout(patience_s)
            if body and answer.startswith(GO_ON):
                line.sendall(body)
                answer = answer.partition(BLANK)[2]
            while piece := line.recv(PIECE):
                answer += piece
                if len(answer) > MOST_ANSWER:
                    break
    except TimeoutError:
        raise DeadlinePassed("the daemon does not answer, not even that it is late", hint="it may hang") from None
    except OSError as error:
        raise Unreachable(f"no daemon answers: {error.strerror or error}") from None
    return bytes(answer)


def _begun(line: socket.socket) -> bytes:
    """What the daemon says first. Raises Unreachable where it says nothing: then it has read nothing either."""
    try:
        return first_of(line)
    except TimeoutError:
        raise Unreachable("the daemon does not begin to answer", hint="if it hangs, end it and start it anew") from None


def first_of(line: socket.socket) -> bytes:
    """The head of an answer, in however many pieces it comes, and what came with the last of them."""
    said = b""
    while BLANK not in said and len(said) < PIECE and (piece := line.recv(PIECE)):
        said += piece
    return said


def parted(answer: bytes) -> tuple[bytes, bytes]:
    """The status and the body. Raises Unreachable for what was cut short, or is no answer of HTTP."""
    head, found, body = answer.partition(BLANK)
    first, *lines = head.split(b"\r\n")
    lengths = [value.strip() for name, _, value in (line.partition(b":") for line in lines) if name.lower() == LENGTH]
    if not found or lengths != [b"%d" % len(body)]:
        raise Unreachable("the daemon broke off its answer")
    return first[9:12], body
