"""A memory with the running daemon before it: what that answers is what this would answer, and without it this does.

A write is sent only to a daemon that has begun to read it, and what has been sent is never done here as well.
"""

from __future__ import annotations

import select
import socket
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import msgspec

from commonplace import config
from commonplace.client.asking import NO_DAEMON, error_in
from commonplace.client.post import BEGIN_S, GO_ON, PIECE, first_of, parted, token_of
from commonplace.errors import CommonplaceError, Unreachable
from commonplace.operations.nouns import VERBS, heard, likeness

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from commonplace.memory import Memory

TELL_S = 2.0  # until it is said that its answer is waited for
BUSY = "the daemon is busy; this waits for its answer"
READ_S = 15.0  # for an answer that can be had here as well
WRITE_S = 120.0
NOT_DONE = ("too-busy", "internal-error", "deadline-passed", "cancelled")  # of a read: it is asked here
HEAD = (
    "POST /nouns/{verb} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n"
    "Content-Type: application/json\r\nContent-Length: {length}\r\nExpect: 100-continue\r\n"
    "commonplace-likeness: {likeness}\r\n\r\n"
)


class Nearby:
    """`Memory` with its verbs: those of the daemon's go there first; everything else is the memory's."""

    def __init__(self, memory: Memory, path: str) -> None:
        self._memory, self._path = memory, path

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._memory.close()

    def __getattr__(self, name: str) -> Any:
        return partial(self._ask, name) if name in VERBS and self._path else getattr(self._memory, name)

    def _ask(self, name: str, *places: Any, **choices: Any) -> Any:
        verb = VERBS[name]
        given = dict(zip(verb.places, places, strict=False)) | choices
        if self._memory.around.now and "now" in verb.params.__struct_fields__:
            given = {"now": self._memory.around.now} | given
        try:
            if verb.writes and self._holds_secret(given):
                raise Unreachable("what this process knows to be a secret is for it to mask")
            return self._there(name, given, writes=verb.writes)
        except Unreachable:
            self._path = ""  # once is enough
            return getattr(self._memory, name)(*places, **choices)

    def _holds_secret(self, given: dict[str, Any]) -> bool:
        """Whether the text holds a secret that the environment of this process knows, and the daemon's may not."""
        said = "\n".join(map(str, given.values()))
        return any(known.value in said for known in config.secret_values(self._memory.root))

    def _there(self, name: str, given: dict[str, Any], *, writes: bool) -> Any:
        """The daemon's answer. Raises Unreachable where it surely did nothing, else the error that is its answer."""
        memory = self._memory
        try:
            body = msgspec.json.encode(given)
        except UnicodeEncodeError:
            raise Unreachable("this cannot be sent as text") from None
        alike = likeness(memory.root, memory.settings, memory.around)
        head = HEAD.format(verb=name, token=token_of(self._path), length=len(body), likeness=alike)
        answer = self._sent(head.encode("ascii"), body, writes=writes)
        try:
            status, told = parted(answer)
            if status == b"200":
                return heard(name, told)
            error = error_in(told)
        except Unreachable as cut:
            raise _unsure(cut.message) if writes else cut from None
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise _unsure(NO_DAEMON) if writes else Unreachable(NO_DAEMON) from None
        if error.code in NOT_DONE and (not writes or error.code == "too-busy"):
            raise Unreachable(error.message)
        raise error

    def _sent(self, head: bytes, body: bytes, *, writes: bool) -> bytes:
        """All that comes back. Raises Unreachable where the body was not sent, or asked only for reading."""
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
                line.settimeout(BEGIN_S)
                line.connect(self._path)
                line.sendall(head)
                if not first_of(line).startswith(GO_ON):
                    raise Unreachable("the daemon does not take this on")
                line.settimeout(WRITE_S if writes else READ_S)
                return _answered(line, body, self._memory.tell, writes=writes)
        except OSError as error:
            raise Unreachable(f"no daemon answers: {error.strerror or error}") from None


def _answered(line: socket.socket, body: bytes, tell: Callable[[str], None], *, writes: bool) -> bytes:
    answer = bytearray()
    try:
        line.sendall(body)
        if not select.select([line], [], [], TELL_S)[0]:
            tell(BUSY)
        while piece := line.recv(PIECE):
            answer += piece
    except OSError as error:
        if not writes:
            raise
        raise _unsure(error.strerror or str(error)) from None
    return bytes(answer)


def _unsure(why: str) -> CommonplaceError:
    return CommonplaceError(
        f"the daemon took this on and did not answer: {why}",
        hint="it may be done: look with `commonplace recall` before you repeat it",
    )
