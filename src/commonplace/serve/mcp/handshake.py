"""The first messages over stdio, answered by a thread before the SDK is loaded."""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType

from commonplace import __version__
from commonplace.errors import CommonplaceError
from commonplace.serve.mcp import tools
from commonplace.serve.mcp.start_options import ToolOptions
from commonplace.serve.stdio import LineSplitter, Outbox, OversizedLine, is_hung_up
from commonplace.shapes import Json

CAPABILITIES: dict[str, Json] = {
    "prompts": {"listChanged": False},
    "resources": {"listChanged": False, "subscribe": False},
    "tools": {"listChanged": False},
}
Message = TypeVar("Message")
UNREADABLE = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)


class Handshake:
    """Looks at what a client says first: its greeting, that it is ready, and `tools/list`.

    Whatever else comes, or comes in a form that is not met every day, ends the opening and is the SDK's to answer. The
    SDK is told of the greeting later, and what it answers to that is not sent.
    """

    def __init__(self, tool_options: ToolOptions) -> None:
        self._tool_options = tool_options
        self._is_ready = False
        self.is_greeted = False
        self.is_open = True

    def answer_line(self, raw_line: bytes) -> tuple[bytes, bytes]:
        """The response to a line, and the part of it for the SDK; either may be empty."""
        heads = _decode_message(raw_line, _MessageHead)
        step = _STEPS.get((heads.method, heads.id is not UNSET)) if heads else None
        taken = step(self, raw_line, heads) if step else None
        self.is_open = taken is not None
        return taken or (b"", raw_line)

    def _answer_initialize(self, raw_line: bytes, head: _MessageHead) -> tuple[bytes, bytes] | None:
        greeting = _decode_message(raw_line, _InitializeRequest)
        if self.is_greeted or greeting is None:
            return None
        self.is_greeted = True
        version = greeting.params.version
        result = {
            "capabilities": CAPABILITIES,
            "instructions": tools.INSTRUCTIONS,
            "protocolVersion": version,
            "serverInfo": {"name": tools.NAME, "title": tools.TITLE, "version": __version__},
        }
        plain: Json = {"protocolVersion": version, "capabilities": {}, "clientInfo": greeting.params.client}
        told = {"jsonrpc": "2.0", "id": head.id, "method": "initialize", "params": plain}
        return _encode_result(head, result), msgspec.json.encode(told)

    def _note_initialized(self, raw_line: bytes, _head: _MessageHead) -> tuple[bytes, bytes] | None:
        if self._is_ready:
            return None
        self._is_ready = True
        return b"", raw_line

    def _answer_tools_list(self, raw_line: bytes, head: _MessageHead) -> tuple[bytes, bytes] | None:
        if not self.is_greeted or _decode_message(raw_line, _ListToolsRequest) is None:
            return None
        return _encode_result(head, {"tools": tools.listed_tools_json(self._tool_options)}), b""


def request_id_of(raw_line: bytes) -> int | str | None:
    """The id of a request; None of what asks nothing, or is not a message."""
    heads = _decode_message(raw_line, _MessageHead)
    return None if heads is None or heads.id is UNSET else heads.id


class _MessageHead(Struct):
    jsonrpc: Literal["2.0"]
    method: str
    id: int | str | UnsetType = UNSET


class _RequestMeta(Struct, forbid_unknown_fields=True, rename="camel"):
    progress_token: str | int | None = None


class _ClientInfo(Struct):
    name: str
    version: str


class _InitializeParams(Struct, rename={"version": "protocolVersion", "client": "clientInfo", "meta": "_meta"}):
    """The versions are those that the SDK answers with the same words; others it must judge itself."""

    version: Literal["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
    capabilities: dict[str, Json]
    client: _ClientInfo
    meta: _RequestMeta | None = None


class _InitializeRequest(Struct):
    params: _InitializeParams


class _ListParams(Struct, forbid_unknown_fields=True, rename={"meta": "_meta"}):
    """There is one page of each list, and no cursor that we could have given."""

    meta: _RequestMeta | None = None


class _ListToolsRequest(Struct):
    params: _ListParams | UnsetType = UNSET


def _decode_message(raw_line: bytes, message_type: type[Message]) -> Message | None:
    try:
        return msgspec.json.decode(raw_line, type=message_type)
    except UNREADABLE:
        return None


def _encode_result(head: _MessageHead, result: Json) -> bytes:
    return msgspec.json.encode({"jsonrpc": "2.0", "id": head.id, "result": result}) + b"\n"


_STEPS: dict[tuple[str, bool], Callable[..., tuple[bytes, bytes] | None]] = {  # by method, and whether it has an id
    ("initialize", True): Handshake._answer_initialize,
    ("notifications/initialized", False): Handshake._note_initialized,
    ("tools/list", True): Handshake._answer_tools_list,
}
READ_BYTES = 65_536
MAX_MESSAGE_BYTES = 4 << 20  # bytes, as over HTTP
ROOM_CHECK_S = 1.0  # how often a client that takes no answers is looked after
MAX_ROOM_CHECKS = 5  # at one who has hung up and takes none, before no more of what he asked is heard
OVERSIZED_MARK = b"\n\xff"  # before what is known of a line that was too long: no line holds the one, no JSON the other


class StdinReader:
    """Answers the opening and passes on what follows; reads no more while the answers are not taken."""

    def __init__(self, source: int, outbox: Outbox, handshake: Handshake) -> None:
        self._source, self._outbox, self._handshake = source, outbox, handshake
        self._forward_line: Callable[[bytes | None], bool] = lambda _line: False
        self._is_forwarding = threading.Event()
        self._failure: BaseException | None = None
        threading.Thread(target=self._run, name="commonplace-mcp-input", daemon=True).start()

    @property
    def is_greeted(self) -> bool:
        """Whether the client's greeting was answered here."""
        return self._handshake.is_greeted

    def forward_to(self, forward_line: Callable[[bytes | None], bool]) -> None:
        """From now on give each line to this, which may wait; None at the end; False ends it earlier."""
        self._forward_line = forward_line
        self._is_forwarding.set()

    def raise_failure(self) -> None:
        """Raises what ended the input before its end, once that was passed on as an end."""
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        try:
            self._read_lines()
        except OSError as error:
            self._failure = CommonplaceError(f"what the client says cannot be read: {error.strerror}")
        except BaseException as error:
            self._failure = error
            raise
        finally:
            self._forward([None])  # nobody waits for more, whatever happened

    def _read_lines(self) -> None:
        held: list[bytes] = []  # greeting and readiness: the SDK needs them with the first line that it must answer
        for raw_line in self._split_lines():
            if not self._has_room():
                break
            if self._handshake.is_open:
                answer, rest = self._handshake.answer_line(raw_line)
                held.extend([rest] if rest else [])
                if answer:
                    self._outbox.put(answer)
            else:
                held.append(raw_line)
            if not self._handshake.is_open:
                if not self._forward(held):
                    return
                held.clear()
        self._forward(held)

    def _forward(self, messages: Sequence[bytes | None]) -> bool:
        self._is_forwarding.wait()
        return all(self._forward_line(line) for line in messages)

    def _has_room(self) -> bool:
        """Wait until the answers are taken; False if who has hung up takes none of them."""
        looks, before = 0, (-1, 0)
        while not self._outbox.has_room(ROOM_CHECK_S):
            now = self._outbox.progress()
            looks, before = looks + 1 if now == before else 0, now
            if looks >= MAX_ROOM_CHECKS and is_hung_up(self._source):
                return False
        return True

    def _split_lines(self) -> Iterator[bytes]:
        """The lines without their ends; of a line that is too long, a mark and its outermost members."""
        lines = LineSplitter(MAX_MESSAGE_BYTES)
        while piece := self._read_bytes():
            yield from _mark_oversized(lines.feed(piece))
        yield from _mark_oversized(lines.finish())

    def _read_bytes(self) -> bytes:
        """What there is, once there is some, also where others have made the descriptor one that never waits."""
        poll = select.poll()
        poll.register(self._source, select.POLLIN)
        poll.poll()
        return os.read(self._source, READ_BYTES)


def _mark_oversized(split_lines: Iterator[bytes | OversizedLine]) -> Iterator[bytes]:
    return (line if isinstance(line, bytes) else OVERSIZED_MARK + line.outer_members() for line in split_lines)
