"""Messages over two descriptors, a line each: what is no message is answered here, before the SDK would drop it."""

from __future__ import annotations

from concurrent.futures import CancelledError
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import msgspec
from anyio.from_thread import run as run_in_loop
from anyio.lowlevel import current_token
from mcp.shared.dispatcher import as_request_id, coerce_request_id
from mcp_types import INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR, jsonrpc_message_adapter
from pydantic import ValidationError

from commonplace.errors import TooBusy
from commonplace.mcp_server.guarding import guarded
from commonplace.mcp_server.intake import MOST_LINE, TOO_LONG
from commonplace.mcp_server.opening import number_of
from commonplace.mcp_server.unanswered import Unanswered
from commonplace.mcp_server.wording import told
from commonplace.shapes import error_json, repaired_json

if TYPE_CHECKING:
    from anyio.lowlevel import EventLoopToken
    from anyio.streams.memory import MemoryObjectSendStream

    from commonplace.mcp_server.intake import Intake
    from commonplace.stdio.outbox import Outbox

LINGER_S = 10.0  # how long the next answer is waited for when no more questions come
TAKE_S = 5.0  # and then for somebody to take more of them
CANCELLED = "notifications/cancelled"


class Wire:
    """Stands for both text streams of the SDK's transport: lines come from the intake, answers go to the outbox.

    At the end of the input the lines end only once everything that was asked is answered, or for long nothing is
    that finds room among what is not taken yet.
    """

    def __init__(self, intake: Intake, outbox: Outbox) -> None:
        self._intake, self._outbox = intake, outbox
        sender, self._lines = anyio.create_memory_object_stream[bytes](0)
        intake.pass_on(partial(_handed_over, sender, current_token()))
        self._open = Unanswered(lambda: outbox.has_room(0))
        self._has_answered = False

    def __aiter__(self) -> Wire:
        return self

    async def __anext__(self) -> str:
        """The next line that is a message, once there is room for what it asks."""
        async for line in self._lines:
            if not line.strip():
                continue
            said = repaired_json(line)
            problem = _problem(said) or await self._no_room(said)
            if problem is None:
                return said.decode()
            self._outbox.put(msgspec.json.encode(problem) + b"\n")
        far = None
        while self._open and far != (now := self._outbox.how_far()):  # for what is taken others are begun
            far = now
            await self._open.all_settled(LINGER_S, lambda: self._outbox.has_room(0))
        raise StopAsyncIteration

    async def write(self, text: str) -> None:
        """Send one message of ours; the first answers a greeting, and not again where the intake has done so."""
        line = text.encode("utf-8", "replace")
        if self._has_answered or not self._intake.is_greeted:
            self._outbox.put(line)
        self._has_answered = True
        answer = msgspec.json.decode(line, type=_Heads)
        if answer.method is msgspec.UNSET and answer.id is not msgspec.UNSET:
            self._open.settle(_key(answer.id))

    async def flush(self) -> None:
        """What was sent is on its way already."""

    def close(self) -> bool:
        """Wait until everything that was sent is taken; False where nobody takes it."""
        return self._outbox.drain(TAKE_S)

    async def _no_room(self, line: bytes) -> dict[str, Any] | None:
        """Note what a message asks or gives up, once there is room for it; the error where there will be none soon."""
        heads = msgspec.json.decode(line, type=_Heads)
        if heads.method is msgspec.UNSET:
            return None
        if heads.id is msgspec.UNSET:
            if msgspec.json.decode(heads.method) == CANCELLED:
                self._open.settle(_cancelled(line))
            return None
        if not await self._open.has_room(len(line)):
            return _too_busy(heads.id)
        self._open.add(_key(heads.id), len(line))
        return None


class _Heads(msgspec.Struct):
    method: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    id: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class _Cancelled(msgspec.Struct):
    params: dict[str, msgspec.Raw]


def _cancelled(line: bytes) -> bytes:
    """The id of the request that a client gives up; empty where it names none."""
    try:
        found = msgspec.json.decode(line, type=_Cancelled).params.get("requestId")
    except msgspec.ValidationError:
        return b""
    return b"" if found is None else _key(found)


def _key(number: msgspec.Raw) -> bytes:
    """An id in the one way in which we write it: a client may escape what need not be, and to the SDK "7" is 7."""
    value = msgspec.json.decode(number)
    known = as_request_id(value)
    return msgspec.json.encode(value if known is None else coerce_request_id(known))


def _problem(line: bytes) -> dict[str, Any] | None:
    """The error that answers a line which is no message; None for one that is."""
    if line.startswith(TOO_LONG):
        return _error(INVALID_REQUEST, f"a message has at most {MOST_LINE} bytes", number_of(line[len(TOO_LONG) :]))
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


def _too_busy(number: msgspec.Raw) -> dict[str, Any]:
    error = TooBusy("as many requests wait already as there is room for, and none of them is answered")
    problem = _error(INTERNAL_ERROR, told(error), number)
    problem["error"]["data"] = guarded(error_json(error))
    return problem


def _is_id(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))


def _error(code: int, message: str, number: object = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}


def _handed_over(sender: MemoryObjectSendStream[bytes], loop: EventLoopToken, line: bytes | None) -> bool:
    """Wait until the loop has taken a line, or has heard that there are no more; False where it has ended."""
    try:
        if line is None:
            run_in_loop(sender.aclose, token=loop)
        else:
            run_in_loop(sender.send, line, token=loop)
    except (anyio.RunFinishedError, anyio.BrokenResourceError, CancelledError):
        return False  # nobody listens any more
    return True
