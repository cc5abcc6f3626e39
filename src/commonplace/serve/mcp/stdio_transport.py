"""The stdio transport: validates each line before the SDK sees it, and writes answers through a queue."""

from __future__ import annotations

from concurrent.futures import CancelledError
from functools import partial
from typing import cast

import anyio
import msgspec
from anyio.from_thread import run as run_in_loop
from anyio.lowlevel import EventLoopToken, current_token
from anyio.streams.memory import MemoryObjectSendStream
from mcp.server.stdio import stdio_server
from mcp.shared.dispatcher import as_request_id, coerce_request_id
from mcp_types import INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR, jsonrpc_message_adapter
from pydantic import ValidationError

from commonplace.errors import TooBusy
from commonplace.serve.mcp.handshake import MAX_MESSAGE_BYTES, OVERSIZED_MARK, StdinReader, request_id_of
from commonplace.serve.mcp.output_schemas import lean_answer
from commonplace.serve.mcp.pending_requests import AsyncDispatcher, PendingRequests
from commonplace.serve.mcp.rendering import error_text
from commonplace.serve.mcp.server import build_mcp_server
from commonplace.serve.mcp.start_options import ToolOptions
from commonplace.serve.stdio import Outbox
from commonplace.shapes import Json, problem_json, repair_json

LAST_ANSWER_TIMEOUT_S = 10.0  # how long the next answer is waited for when no more questions come
DRAIN_TIMEOUT_S = 5.0  # and then for somebody to take more of them
CANCELLED = "notifications/cancelled"


class SdkTextStream:
    """Stands for both text streams of the SDK's transport: lines come from the intake, answers go to the outbox.

    At the end of the input the lines end only once everything that was asked is answered, or for long nothing is
    that finds room among what is not taken yet.
    """

    def __init__(self, stdin_reader: StdinReader, outbox: Outbox) -> None:
        self._stdin_reader, self._outbox = stdin_reader, outbox
        sender, self._lines = anyio.create_memory_object_stream[bytes](0)
        stdin_reader.forward_to(partial(_hand_over_line, sender, current_token()))
        self._pending = PendingRequests(lambda: outbox.has_room(0))
        self._has_answered = False

    def __aiter__(self) -> SdkTextStream:
        return self

    async def __anext__(self) -> str:
        """The next line that is a message, once there is room for what it asks."""
        async for raw_line in self._lines:
            if not raw_line.strip():
                continue
            said = repair_json(raw_line)
            problem = _message_error(said) or await self._admit_request(said)
            if problem is None:
                return said.decode()
            self._outbox.put(msgspec.json.encode(problem) + b"\n")
        far = None
        while self._pending and far != (now := self._outbox.progress()):  # for what is taken others are begun
            far = now
            await self._pending.all_settled(LAST_ANSWER_TIMEOUT_S, lambda: self._outbox.has_room(0))
        raise StopAsyncIteration

    async def write(self, text: str) -> None:
        """Send one message of ours; the first answers a greeting, and not again where the intake has done so."""
        raw_line = text.encode("utf-8", "replace")
        if self._has_answered or not self._stdin_reader.is_greeted:
            self._outbox.put(raw_line)
        self._has_answered = True
        answer = msgspec.json.decode(raw_line, type=_RawMessageHead)
        if answer.method is msgspec.UNSET and answer.id is not msgspec.UNSET:
            self._pending.settle(_normalize_id(answer.id))

    async def flush(self) -> None:
        """Do nothing: what was sent is on its way already."""

    def close(self) -> bool:
        """Wait until everything that was sent is taken; False if nobody takes it."""
        return self._outbox.drain(DRAIN_TIMEOUT_S)

    async def _admit_request(self, raw_line: bytes) -> Json | None:
        """Note what a message asks or gives up, once there is room for it; the error where there will be none soon."""
        heads = msgspec.json.decode(raw_line, type=_RawMessageHead)
        if heads.method is msgspec.UNSET:
            return None
        if heads.id is msgspec.UNSET:
            if msgspec.json.decode(heads.method) == CANCELLED:
                self._pending.settle(_cancelled_request_key(raw_line))
            return None
        if not await self._pending.has_room(len(raw_line)):
            return _too_busy_error(heads.id)
        self._pending.add(_normalize_id(heads.id), len(raw_line))
        return None


class _RawMessageHead(msgspec.Struct):
    method: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    id: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class _CancelNotification(msgspec.Struct):
    params: dict[str, msgspec.Raw]


def _cancelled_request_key(raw_line: bytes) -> bytes:
    """The id of the request that a client gives up; empty if it names none."""
    try:
        found = msgspec.json.decode(raw_line, type=_CancelNotification).params.get("requestId")
    except msgspec.ValidationError:
        return b""
    return b"" if found is None else _normalize_id(found)


def _normalize_id(raw_id: msgspec.Raw) -> bytes:
    """An id in the one way in which we write it: a client may escape what need not be, and to the SDK "7" is 7."""
    value = msgspec.json.decode(raw_id)
    known = as_request_id(value)
    return msgspec.json.encode(value if known is None else coerce_request_id(known))


def _message_error(raw_line: bytes) -> Json | None:
    """The error response for a line that is not a valid message; None for a valid one."""
    if raw_line.startswith(OVERSIZED_MARK):
        request_id = request_id_of(raw_line[len(OVERSIZED_MARK) :])
        return _json_rpc_error(INVALID_REQUEST, f"a message has at most {MAX_MESSAGE_BYTES} bytes", request_id)
    try:
        message = msgspec.json.decode(raw_line)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        return _json_rpc_error(PARSE_ERROR, f"this line is no JSON: {error}")
    asks = isinstance(message, dict) and "method" in message and "id" in message
    if asks and not _is_request_id(message["id"]):
        return _json_rpc_error(INVALID_REQUEST, "the id of a request is a text or a whole number")
    try:
        jsonrpc_message_adapter.validate_json(raw_line, by_name=False)
    except ValidationError:
        number = message["id"] if isinstance(message, dict) and _is_request_id(message.get("id")) else None
        return _json_rpc_error(INVALID_REQUEST, "this is no message of JSON-RPC 2.0", number)
    return None


def _too_busy_error(raw_id: msgspec.Raw) -> Json:
    error = TooBusy("as many requests wait already as there is room for, and none of them is answered")
    problem = _json_rpc_error(INTERNAL_ERROR, error_text(error), raw_id)
    problem["error"]["data"] = lean_answer(problem_json(error))
    return problem


def _is_request_id(request_id: object) -> bool:
    return isinstance(request_id, str) or (isinstance(request_id, int) and not isinstance(request_id, bool))


def _json_rpc_error(code: int, message: str, request_id: object = None) -> Json:
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}}


def _hand_over_line(sender: MemoryObjectSendStream[bytes], loop: EventLoopToken, raw_line: bytes | None) -> bool:
    """Wait until the loop has taken a line, or been notified that there are no more; False if it has ended."""
    try:
        if raw_line is None:
            run_in_loop(sender.aclose, token=loop)
        else:
            run_in_loop(sender.send, raw_line, token=loop)
    except (anyio.RunFinishedError, anyio.BrokenResourceError, CancelledError):
        return False  # nobody listens any more
    return True


async def run_over_stdio(
    dispatcher: AsyncDispatcher, stdin_reader: StdinReader, outbox: Outbox, tool_options: ToolOptions
) -> bool:
    """The one client that the intake hears, until it hangs up and everything that it asked is answered.

    False where it did not take the answers.
    """
    server = build_mcp_server(dispatcher, tool_options)
    wire = SdkTextStream(stdin_reader, outbox)
    streams = cast("anyio.AsyncFile[str]", wire)  # the transport reads its lines, writes and flushes
    async with stdio_server(streams, streams) as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
    return wire.close()
