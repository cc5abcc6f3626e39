"""A memory for the command line that uses the running daemon, or opens the workspace if there is none."""

from __future__ import annotations

import select
import socket
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import msgspec
from msgspec import structs

from commonplace.errors import CommonplaceError, Unreachable
from commonplace.serve.client import daemon
from commonplace.serve.dispatch import REMOTE_METHODS, compatibility_key, decode_result
from commonplace.storage import config

if TYPE_CHECKING:
    from collections.abc import Callable

    from commonplace.memory import Memory
    from commonplace.operations.parameters import Request
BUSY_NOTICE_S = 2.0  # until it is said that its answer is waited for
BUSY_NOTICE = "the daemon is busy; this waits for its answer"
READ_TIMEOUT_S = 15.0  # for an answer that can be had here as well
WRITE_TIMEOUT_S = 120.0
RETRY_LOCALLY_CODES = ("too-busy", "internal-error", "deadline-passed", "cancelled")  # of a read: it is asked here
HEAD = (
    "POST /nouns/{verb} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n"
    "Content-Type: application/json\r\nContent-Length: {length}\r\nExpect: 100-continue\r\n"
    "commonplace-likeness: {likeness}\r\n\r\n"
)


class DaemonMemory:
    """`Memory` with its verbs: those of the daemon's go there first; everything else is the memory's."""

    def __init__(self, memory: Memory, path: str) -> None:
        self._memory, self._path = memory, path

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._memory.close()

    def __getattr__(self, name: str) -> Any:
        return partial(self._ask, name) if name in REMOTE_METHODS and self._path else getattr(self._memory, name)

    def _ask(self, name: str, *positional: Any, **keywords: Any) -> Any:
        method, now = REMOTE_METHODS[name], self._memory.environment.now
        is_request = len(positional) == 1 and not keywords and isinstance(positional[0], method.request)
        request: Any = positional[0] if is_request else method.request(*positional, **keywords)
        if now and getattr(request, "now", now) is None:
            request = structs.replace(request, now=now)
        try:
            if method.writes:
                text = "\n".join(map(str, structs.astuple(request)))
                if any(secret.value in text for secret in config.read_secret_values(self._memory.root)):
                    raise Unreachable("what this process knows to be a secret is for it to mask")
            return self._ask_daemon_for(name, request, writes=method.writes)
        except Unreachable:
            self._path = ""  # once is enough
            return getattr(self._memory, name)(*positional, **keywords)

    def _ask_daemon_for(self, name: str, request: Request, *, writes: bool) -> Any:
        """The daemon's answer. Raises Unreachable where it surely did nothing, else the error that is its answer."""
        memory = self._memory
        try:
            body = msgspec.json.encode(request)
        except UnicodeEncodeError:
            raise Unreachable("this cannot be sent as text") from None
        alike = compatibility_key(memory.root, memory.settings, memory.environment)
        head = HEAD.format(verb=name, token=daemon.read_daemon_token(self._path), length=len(body), likeness=alike)
        answer = self._exchange(head.encode("ascii"), body, writes=writes)
        try:
            status, told = daemon.split_response(answer)
            if status == b"200":
                return decode_result(name, told)
            error = daemon.decode_error(told)
        except Unreachable as cut:
            raise _unknown_outcome_error(cut.message) if writes else cut from None
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            make_error = _unknown_outcome_error if writes else Unreachable
            raise make_error(daemon.NOT_OUR_DAEMON) from None
        if error.code in RETRY_LOCALLY_CODES and (not writes or error.code == "too-busy"):
            raise Unreachable(error.message)
        raise error

    def _exchange(self, head: bytes, body: bytes, *, writes: bool) -> bytes:
        """All that comes back. Raises Unreachable where the body was not sent, or asked only for reading."""
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
                line.settimeout(daemon.BEGIN_TIMEOUT_S)
                line.connect(self._path)
                line.sendall(head)
                head = daemon.read_response_head(line)
                if head.startswith(daemon.MISDIRECTED_STATUS):
                    raise Unreachable(daemon.OTHER_VERSION)
                if not head.startswith(daemon.CONTINUE_STATUS):
                    raise Unreachable("the daemon does not take this on")
                line.settimeout(WRITE_TIMEOUT_S if writes else READ_TIMEOUT_S)
                return _send_body(line, body, self._memory.workspace.report_wait, writes=writes)
        except OSError as error:
            raise Unreachable(f"no daemon answers: {error.strerror or error}") from None


def _send_body(connection: socket.socket, body: bytes, notify: Callable[[str], None], *, writes: bool) -> bytes:
    answer = bytearray()
    try:
        connection.sendall(body)
        if not select.select([connection], [], [], BUSY_NOTICE_S)[0]:
            notify(BUSY_NOTICE)
        while piece := connection.recv(daemon.PIECE):
            answer += piece
    except OSError as error:
        if not writes:
            raise
        raise _unknown_outcome_error(error.strerror or str(error)) from None
    return bytes(answer)


def _unknown_outcome_error(reason: str) -> CommonplaceError:
    return CommonplaceError(
        f"the daemon took this on and did not answer: {reason}",
        hint="it may be done: look with `commonplace recall` before you repeat it",
    )
