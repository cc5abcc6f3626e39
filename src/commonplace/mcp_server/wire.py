"""Messages over two descriptors, a line each: what is no message is answered here, before the SDK would drop it."""

from __future__ import annotations

import os
import threading
from collections import Counter
from typing import TYPE_CHECKING, Any

import anyio
import msgspec
from anyio.from_thread import run as run_in_loop
from anyio.lowlevel import current_token
from mcp_types import INVALID_REQUEST, PARSE_ERROR, jsonrpc_message_adapter
from pydantic import ValidationError

from commonplace.stdio.lines import Lines
from commonplace.stdio.outbox import Outbox

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anyio.lowlevel import EventLoopToken
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

PIECE = 65_536
MOST_LINE = 4 << 20  # bytes, as over HTTP
LINGER_S = 10.0  # how long answers are waited for when no more questions come
TAKE_S = 10.0  # and then until somebody takes them
CANCELLED = b'"notifications/cancelled"'
TOO_LONG = b"\xff"  # stands for a line that was too long: no JSON begins so


class Wire:
    """Stands for both text streams of the SDK's transport: lines come from one descriptor, answers go to another.

    At the end of the input the lines end only once everything that was asked is answered.
    """

    def __init__(self, source: int, sink: int) -> None:
        self._source, self._outbox = source, Outbox(sink, lambda: None)
        self._lines = self._opened()
        self._open: Counter[bytes] = Counter()
        self._quiet = anyio.Event()

    def _opened(self) -> MemoryObjectReceiveStream[bytes]:
        sender, receiver = anyio.create_memory_object_stream[bytes](0)
        arguments = (self._source, sender, current_token())
        threading.Thread(target=_read, args=arguments, name="commonplace-mcp-input", daemon=True).start()
        return receiver

    def __aiter__(self) -> Wire:
        return self

    async def __anext__(self) -> str:
        """The next line that is a message."""
        async for line in self._lines:
            if not line.strip():
                continue
            problem = _problem(line)
            if problem is None:
                self._note(line)
                return line.decode()
            self._outbox.put(msgspec.json.encode(problem) + b"\n")
        with anyio.move_on_after(LINGER_S):
            await self._all_answered()
        raise StopAsyncIteration

    async def write(self, text: str) -> None:
        """Send one message of ours."""
        line = text.encode("utf-8", "replace")
        self._outbox.put(line)
        answer = msgspec.json.decode(line, type=_Heads)
        if answer.method is msgspec.UNSET and answer.id is not msgspec.UNSET:
            self._settle(bytes(answer.id))

    async def flush(self) -> None:
        """What was sent is on its way already."""

    def close(self) -> bool:
        """Wait until everything that was sent is taken; False where nobody takes it in time."""
        return self._outbox.close(TAKE_S)

    def _note(self, line: bytes) -> None:
        heads = msgspec.json.decode(line, type=_Heads)
        if heads.method is msgspec.UNSET:
            return
        if heads.id is not msgspec.UNSET:
            self._open[bytes(heads.id)] += 1
        elif bytes(heads.method) == CANCELLED:
            self._settle(_cancelled(line))

    def _settle(self, key: bytes) -> None:
        if self._open[key] > 1:
            self._open[key] -= 1
        else:
            del self._open[key]
        self._quiet.set()

    async def _all_answered(self) -> None:
        while self._open:
            self._quiet = anyio.Event()
            await self._quiet.wait()


class _Heads(msgspec.Struct):
    method: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    id: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class _Cancelled(msgspec.Struct):
    params: dict[str, msgspec.Raw]


def _cancelled(line: bytes) -> bytes:
    """The id of the request that a client gives up, as it is written; empty where it names none."""
    try:
        return bytes(msgspec.json.decode(line, type=_Cancelled).params.get("requestId", b""))
    except msgspec.ValidationError:
        return b""


def _problem(line: bytes) -> dict[str, Any] | None:
    """The error that answers a line which is no message; None for one that is."""
    if line == TOO_LONG:
        return _error(INVALID_REQUEST, f"a message has at most {MOST_LINE} bytes")
    try:
        message = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        return _error(PARSE_ERROR, f"this line is no JSON: {error}")
    asks = isinstance(message, dict) and "method" in message and "id" in message
    if asks and not _is_id(message["id"]):
        return _error(INVALID_REQUEST, "the id of a request is a text or a whole number")
    try:
        jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        number = message["id"] if isinstance(message, dict) and _is_id(message.get("id")) else None
        return _error(INVALID_REQUEST, "this is no message of JSON-RPC 2.0", number)
    return None


def _is_id(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))


def _error(code: int, message: str, number: object = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}


def _read(source: int, sender: MemoryObjectSendStream[bytes], loop: EventLoopToken) -> None:
    """Read lines and hand them over, one at a time, until there are no more or the loop has ended."""
    try:
        for line in _split(source):
            run_in_loop(sender.send, line, token=loop)
        run_in_loop(sender.aclose, token=loop)
    except (anyio.RunFinishedError, anyio.BrokenResourceError):
        return  # nobody listens any more


def _split(source: int) -> Iterator[bytes]:
    """The lines of a descriptor without their ends; of one that is too long, a sign that stands for it."""
    lines = Lines(MOST_LINE)
    while piece := os.read(source, PIECE):
        yield from _signed(lines.feed(piece))
    yield from _signed(lines.finish())


def _signed(lines: Iterator[bytes | None]) -> Iterator[bytes]:
    return (TOO_LONG if line is None else line for line in lines)
