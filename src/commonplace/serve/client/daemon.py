"""One HTTP request to the running daemon, without loading an HTTP client, and its errors as exceptions."""

from __future__ import annotations

import os
import select
import socket
import stat
from collections.abc import Callable, Iterator
from typing import Any

from commonplace.errors import CommonplaceError, DeadlinePassed, Unreachable
from commonplace.shapes import Json
from commonplace.storage import config, files

PIECE = 1 << 16
LENGTH_HEADER = b"content-length"
MAX_RESPONSE_BYTES = 64 << 20  # bytes
BEGIN_TIMEOUT_S = 0.3  # for the daemon to begin its answer, or to say that it reads; a hung one costs so much
CONTINUE_STATUS = b"HTTP/1.1 100"
NOT_OUR_DAEMON = "the answer is not from a Commonplace daemon"
OTHER_VERSION = "the daemon runs another version of Commonplace, or has another device name, index or time zone"
HEAD_END = b"\r\n\r\n"  # behind the head of an answer
DEADLINE_GRACE_S = 1.0  # how much later than its deadline an answer may come before the daemon counts as hung
WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
HEAD_TEMPLATE = "{line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n"
BUSY_NOTICE_S = 2.0  # until it is said that an answer is waited for


def render_head(request_line: str, path: str) -> bytes:
    """The head of a request to the daemon at a socket, but for its end. Raises Unreachable if there is none."""
    return HEAD_TEMPLATE.format(line=request_line, token=_read_daemon_token(path)).encode("ascii")


def render_body_head(body: bytes, header: str) -> bytes:
    """The end of the head of a request with a JSON body and one more header."""
    fields = ("Content-Type: application/json", f"Content-Length: {len(body)}", "Expect: 100-continue", header)
    return "\r\n".join((*fields, "", "")).encode("ascii")


def post(root: str, operation: str, arguments: Json, *, deadline_s: float) -> Json:
    """The daemon's answer to an operation on the workspace at `root` (an absolute path).

    Raises Unreachable if no daemon is running, if it does not begin to read or breaks off, DeadlinePassed if it does
    not answer in time, and the CommonplaceError that it answers with.
    """
    import msgspec

    body = msgspec.json.encode(arguments)
    rest = render_body_head(body, f"commonplace-deadline-ms: {max(1, int(deadline_s * 1e3))}")
    return _request_daemon(root, f"POST /v1/{operation}", rest, deadline_s + DEADLINE_GRACE_S, body=body)


def get(root: str, path: str, *, deadline_s: float) -> Json:
    """The daemon's answer to a GET request for a workspace: `/healthz`, `/v1/schedule`. Raises as `post` does."""
    return _request_daemon(root, f"GET {path}", b"\r\n", deadline_s)


def _request_daemon(
    root: str, request_line: str, further_headers: bytes, timeout_s: float, *, body: bytes = b""
) -> Json:
    import msgspec

    environment = config.read_environment()
    if not environment.asks_daemon:
        raise Unreachable("COMMONPLACE_DAEMON is `off`")
    path = config.socket_path(root, environment)
    if not path:
        raise Unreachable("there is no place where a daemon could listen")
    head = render_head(request_line, path) + further_headers
    try:
        answer, _is_sent = exchange(path, head, body, timeout_s)
    except TimeoutError:
        raise DeadlinePassed("the daemon does not answer, not even that it is late", hint="it may hang") from None
    except OSError as error:
        raise Unreachable(f"no daemon answers: {error.strerror or error}") from None
    status, told = split_response(answer)
    if status == b"401":
        raise Unreachable("the daemon was restarted in the meantime", hint="ask again")
    if status != b"200":
        raise decode_error(told)
    try:
        return msgspec.json.decode(told, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise Unreachable(f"the program that answers at {path!r} is not a Commonplace daemon") from None


def _read_daemon_token(path: str) -> str:
    """The token beside the socket, which only its owner can read. Raises Unreachable."""
    folder, name = os.path.split(path.removesuffix(".sock") + ".token")
    try:
        found = files.read_file_if_exists(folder, name, PIECE) or b"" if _is_private_folder(folder) else b""
    except CommonplaceError:
        found = b""
    if not found or not found.isalnum():
        raise Unreachable("no daemon runs for this workspace", hint="`commonplace serve` starts one")
    return found.decode("ascii")


def _is_private_folder(folder: str) -> bool:
    """Whether only we can have put a socket into the folder, so that it is really the daemon's."""
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & WRITABLE_BY_OTHERS


def exchange(
    path: str, head: bytes, body: bytes, timeout_s: float, *, report_wait: Callable[[], object] | None = None
) -> tuple[bytes, bool]:
    """All that comes back, to the end of the connection, and whether the body was sent: to who says that it reads.

    `report_wait` is called where the answer takes long. Raises Unreachable where no daemon begins to answer, OSError
    where the connection breaks later, TimeoutError where nothing comes for `timeout_s`.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        try:
            line.settimeout(BEGIN_TIMEOUT_S)
            line.connect(path)
            line.sendall(head)
            answer = bytearray(_read_response_head(line))
        except TimeoutError:  # then it has read nothing either
            hint = "if it does not respond, stop and restart it"
            raise Unreachable("the daemon does not begin to answer", hint=hint) from None
        except OSError as error:
            raise Unreachable(f"no daemon answers: {error.strerror or error}") from None
        line.settimeout(timeout_s)
        is_sent = bool(body) and answer.startswith(CONTINUE_STATUS)
        if is_sent:
            line.sendall(body)
            answer = answer.partition(HEAD_END)[2]
            if report_wait is not None and not select.select([line], [], [], BUSY_NOTICE_S)[0]:
                report_wait()
        while len(answer) <= MAX_RESPONSE_BYTES and (piece := line.recv(PIECE)):
            answer += piece
    return bytes(answer), is_sent


def _read_response_head(connection: socket.socket) -> bytes:
    """The head of an answer, in however many pieces it comes, and what came with the last of them."""
    said = b""
    while HEAD_END not in said and len(said) < PIECE and (piece := connection.recv(PIECE)):
        said += piece
    return said


def split_response(response: bytes) -> tuple[bytes, bytes]:
    """The status and the body. Raises Unreachable if the response is cut off or is not HTTP."""
    head, found, body = response.partition(HEAD_END)
    first, *lines = head.split(b"\r\n")
    headers = (raw_line.partition(b":") for raw_line in lines)
    lengths = [raw_value.strip() for name, _, raw_value in headers if name.lower() == LENGTH_HEADER]
    if not found or lengths != [b"%d" % len(body)]:
        raise Unreachable("the daemon broke off its answer")
    return first[9:12], body


def error_from_json(error_shape: Json) -> CommonplaceError:
    """A `commonplace.error.v1` as the exception that it was; of a code that is not known here the base of all."""
    known = {kind.code_of(): kind for kind in _error_types(CommonplaceError)}
    code, message = str(error_shape.get("code", "")), str(error_shape.get("message", ""))
    kind = known.get(code)
    error = CommonplaceError.__new__(kind or CommonplaceError)
    path, hint = str(error_shape.get("path", "")), str(error_shape.get("hint", ""))
    line = int(error_shape.get("line", 0))
    CommonplaceError.__init__(error, message if kind else f"{code}: {message}", path=path, line=line, hint=hint)
    return error


def decode_error(body: bytes) -> CommonplaceError:
    """The error in the body of a reply. Raises Unreachable if it is not an error of ours, and so not the daemon's."""
    import msgspec

    from commonplace.model import Problem

    try:
        failure = msgspec.json.decode(body, type=Problem)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise Unreachable(NOT_OUR_DAEMON) from None
    return error_from_json(msgspec.structs.asdict(failure))


def _error_types(error_type: type[CommonplaceError]) -> Iterator[type[CommonplaceError]]:
    yield error_type
    for below in error_type.__subclasses__():
        yield from _error_types(below)
