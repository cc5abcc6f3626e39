"""One question to the running daemon of a workspace, for processes too short to load an HTTP client."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING, Any

from commonplace import config, files
from commonplace.errors import CommonplaceError, Unreachable

if TYPE_CHECKING:
    from commonplace.shapes import Json

PIECE = 1 << 16
MOST_ANSWER = 64 << 20  # bytes
OFF = "off"  # of COMMONPLACE_DAEMON: ask nobody
FIRST = "{line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n"
REST = "Content-Type: application/json\r\nContent-Length: {length}\r\ncommonplace-deadline-ms: {deadline}\r\n\r\n"


def post(root: str, operation: str, given: Json, *, deadline_s: float) -> Json:
    """What the daemon of the workspace at `root` (an absolute path) answers.

    Raises Unreachable where none runs or it does not answer, else the CommonplaceError that is its answer.
    """
    import msgspec

    body = msgspec.json.encode(given)
    rest = REST.format(length=len(body), deadline=max(1, int(deadline_s * 1e3)))
    return _told(root, f"POST /v1/{operation}", rest.encode("ascii") + body, None)


def get(root: str, path: str, *, deadline_s: float) -> Json:
    """What can be got from the daemon of the workspace at `root`: `/healthz`, `/v1/schedule`. Raises as `post` does."""
    return _told(root, f"GET {path}", b"\r\n", deadline_s)


def _told(root: str, line: str, rest: bytes, patience_s: float | None) -> Json:
    import msgspec

    around = config.surroundings()
    if around.daemon == OFF:
        raise Unreachable("COMMONPLACE_DAEMON is `off`")
    path = config.socket_path(root, around)
    if not path:
        raise Unreachable("there is no place where a daemon could listen")
    first = FIRST.format(line=line, token=token_of(path)).encode("ascii")
    status, told = parted(_exchanged(path, first + rest, patience_s))
    try:
        answer = msgspec.json.decode(told)
    except (msgspec.DecodeError, RecursionError):
        raise Unreachable(f"what answers at {path!r} is no daemon of ours") from None
    if status == b"200":
        return dict(answer)
    from commonplace.client.asking import error_of

    raise error_of(answer)


def token_of(path: str) -> str:
    """The token beside the socket, which only its owner can read. Raises Unreachable."""
    folder, name = os.path.split(path.removesuffix(".sock") + ".token")
    try:
        found = files.find(folder, name, PIECE) or b""
    except CommonplaceError:
        found = b""
    if not found or not found.isalnum():
        raise Unreachable("no daemon runs for this workspace")
    return found.decode("ascii")


def _exchanged(path: str, request: bytes, patience_s: float | None) -> bytes:
    """All that comes back, to the end of the connection."""
    answer = bytearray()
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(patience_s)
            line.connect(path)
            line.sendall(request)
            while piece := line.recv(PIECE):
                answer += piece
                if len(answer) > MOST_ANSWER:
                    break
    except OSError as error:
        raise Unreachable(f"no daemon answers: {error.strerror or error}") from None
    return bytes(answer)


def parted(answer: bytes) -> tuple[bytes, Any]:
    """The status and the body. Raises Unreachable for what was cut short."""
    head, found, body = answer.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    lengths = [
        int(value) for name, _, value in (line.partition(b":") for line in lines) if name.lower() == b"content-length"
    ]
    if not found or lengths != [len(body)]:
        raise Unreachable("the daemon broke off its answer")
    return lines[0].split(b" ")[1], body
