"""The opening of a session over stdio: what is constant is answered before the SDK is there, which loads for long.

Hosts wait for a server's greeting and its tools, and some go on without it after a second.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType

from commonplace import __version__
from commonplace.mcp_server import tools

if TYPE_CHECKING:
    from collections.abc import Callable

    from commonplace.shapes import Json

CAPABILITIES: dict[str, Json] = {
    "prompts": {"listChanged": False},
    "resources": {"listChanged": False, "subscribe": False},
    "tools": {"listChanged": False},
}
Message = TypeVar("Message")
UNREADABLE = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)


class Opening:
    """Looks at what a client says first: its greeting, that it is ready, and `tools/list`.

    Whatever else comes, or comes in a form that is not met every day, ends the opening and is the SDK's to answer. The
    SDK is told of the greeting later, and what it answers to that is not sent.
    """

    def __init__(self, *, decisions: bool) -> None:
        self._decisions = decisions
        self._is_ready = False
        self.is_greeted = False
        self.is_open = True

    def take(self, line: bytes) -> tuple[bytes, bytes]:
        """What to answer to a line, and what of it is for the SDK; either may be empty."""
        heads = _read(line, _Heads)
        step = _STEPS.get((heads.method, heads.id is not UNSET)) if heads else None
        taken = step(self, line, heads) if step else None
        self.is_open = taken is not None
        return taken or (b"", line)

    def _greet(self, line: bytes, heads: _Heads) -> tuple[bytes, bytes] | None:
        greeting = _read(line, _Greeting)
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
        told = {"jsonrpc": "2.0", "id": heads.id, "method": "initialize", "params": plain}
        return _answer(heads, result), msgspec.json.encode(told)

    def _hear(self, line: bytes, _heads: _Heads) -> tuple[bytes, bytes] | None:
        if self._is_ready:
            return None
        self._is_ready = True
        return b"", line

    def _list(self, line: bytes, heads: _Heads) -> tuple[bytes, bytes] | None:
        if not self.is_greeted or _read(line, _Listing) is None:
            return None
        return _answer(heads, {"tools": self._tools}), b""

    @cached_property
    def _tools(self) -> list[Json]:
        return [tools.listed(tool) for tool in tools.offered(decisions=self._decisions)]


def number_of(line: bytes) -> int | str | None:
    """The id of a request; None of what asks nothing, or is no message."""
    heads = _read(line, _Heads)
    return None if heads is None or heads.id is UNSET else heads.id


class _Heads(Struct):
    jsonrpc: Literal["2.0"]
    method: str
    id: int | str | UnsetType = UNSET


class _Meta(Struct, forbid_unknown_fields=True, rename="camel"):
    progress_token: str | int | None = None


class _Client(Struct):
    name: str
    version: str


class _About(Struct, rename={"version": "protocolVersion", "client": "clientInfo", "meta": "_meta"}):
    """The versions are those that the SDK answers with the same words; others it must judge itself."""

    version: Literal["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
    capabilities: dict[str, dict[str, Any]]
    client: _Client
    meta: _Meta | None = None


class _Greeting(Struct):
    params: _About


class _Page(Struct, forbid_unknown_fields=True, rename={"meta": "_meta"}):
    """There is one page of each list, and no cursor that we could have given."""

    meta: _Meta | None = None


class _Listing(Struct):
    params: _Page | UnsetType = UNSET


def _read(line: bytes, kind: type[Message]) -> Message | None:
    try:
        return msgspec.json.decode(line, type=kind)
    except UNREADABLE:
        return None


def _answer(heads: _Heads, result: Json) -> bytes:
    return msgspec.json.encode({"jsonrpc": "2.0", "id": heads.id, "result": result}) + b"\n"


_STEPS: dict[tuple[str, bool], Callable[..., tuple[bytes, bytes] | None]] = {  # by method, and whether it has an id
    ("initialize", True): Opening._greet,
    ("notifications/initialized", False): Opening._hear,
    ("tools/list", True): Opening._list,
}
