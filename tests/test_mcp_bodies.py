"""What MCP takes in over HTTP: bodies that are whole, in time, and together no more than there is room for."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest

from commonplace.serve.http import auth
from commonplace.serve.mcp import pending_requests
from commonplace.serve.mcp.handshake import MAX_MESSAGE_BYTES
from commonplace.serve.mcp.http_transport import BodyLimitMiddleware

Inner = Callable[[Any, Any, Any], Awaitable[None]]
GONE = None  # in place of a piece: whoever sends it has hung up
NEVER = "never"  # in place of a piece: it never comes


@pytest.fixture(autouse=True)
def _narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Room for ten bytes, and patience that is over at once."""
    monkeypatch.setattr(pending_requests, "MAX_PENDING_BYTES", 10)
    monkeypatch.setattr(pending_requests, "MIN_REQUEST_BYTES", 1)
    monkeypatch.setattr(pending_requests, "ROOM_TIMEOUT_S", 0.0)


def run(said: Callable[[], Awaitable[None]]) -> None:
    async def in_time() -> None:
        with anyio.fail_after(60):
            await said()

    anyio.run(in_time)


class Sent:
    """What one request is answered: status, error code, headers."""

    def __init__(self) -> None:
        self.status, self.body, self.headers = 0, b"", dict[bytes, bytes]()

    async def __call__(self, message: Any) -> None:
        self.status = message.get("status", self.status)
        self.headers.update(message.get("headers", ()))
        self.body += message.get("body", b"")

    @property
    def code(self) -> str:
        return str(json.loads(self.body)["code"])


async def post(
    door: BodyLimitMiddleware, *pieces: bytes | str | None, size: int | None = None, method: str = "POST"
) -> Sent:
    left = list(pieces)

    async def receive() -> Any:
        piece = left.pop(0)
        if piece == NEVER:
            await anyio.sleep_forever()
        return (
            {"type": "http.disconnect"} if piece is GONE else {"type": "http.request", "body": piece, "more_body": left}
        )

    told = sum(len(piece) for piece in pieces if isinstance(piece, bytes)) if size is None else size
    headers = [(b"content-length", b"%d" % told)] if told >= 0 else []
    sent = Sent()
    await door({"type": "http", "method": method, "headers": headers}, receive, sent)
    return sent


class Inside:
    """The application behind: notes what it is given, and answers once the gate is open."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []
        self.gate = anyio.Event()

    async def __call__(self, _scope: Any, receive: Any, send: Any) -> None:
        message = await receive()
        self.heard.append(message["body"])
        assert not message["more_body"]
        await self.gate.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})


def test_a_body_comes_in_one_piece_and_half_characters_are_repaired() -> None:
    async def said() -> None:
        inside = Inside()
        inside.gate.set()
        assert (await post(BodyLimitMiddleware(inside), b'["a', rb"\ud83d", b'"]')).status == 200
        assert inside.heard == [rb'["a\ufffd"]']

    run(said)


def test_what_finds_no_room_waits_until_there_is_some(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending_requests, "ROOM_TIMEOUT_S", 60.0)

    async def said() -> None:
        inside = Inside()
        door = BodyLimitMiddleware(inside)
        async with anyio.create_task_group() as group:
            for piece in (b"aaaa", b"bbbb", b"cccc", b"dddd"):
                group.start_soon(post, door, piece)
            await anyio.wait_all_tasks_blocked()
            assert inside.heard == [b"aaaa", b"bbbb"]
            inside.gate.set()
        assert sorted(inside.heard) == [b"aaaa", b"bbbb", b"cccc", b"dddd"]

    run(said)


def test_what_finds_no_room_for_long_is_refused_and_may_come_again() -> None:
    async def said() -> None:
        inside = Inside()
        door = BodyLimitMiddleware(inside)
        async with anyio.create_task_group() as group:
            group.start_soon(post, door, b"x" * 10)
            await anyio.wait_all_tasks_blocked()
            refused = await post(door, b"y")
            assert (refused.status, refused.code, refused.headers[b"retry-after"]) == (503, "too-busy", b"1")
            inside.gate.set()
        assert (await post(door, b"z")).status == 200
        assert inside.heard == [b"x" * 10, b"z"]

    run(said)


def test_a_request_that_nobody_says_the_size_of_counts_as_the_largest() -> None:
    async def said() -> None:
        inside = Inside()
        door = BodyLimitMiddleware(inside)
        async with anyio.create_task_group() as group:
            group.start_soon(lambda: post(door, b"x", size=-1))
            await anyio.wait_all_tasks_blocked()
            assert (await post(door, b"y")).status == 503
            inside.gate.set()

    run(said)


def test_what_is_too_long_too_slow_or_cut_short_is_refused_and_makes_room_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(auth, "BODY_TIMEOUT_S", 0.01)

    async def said() -> None:
        inside = Inside()
        inside.gate.set()
        door = BodyLimitMiddleware(inside)
        for pieces, status, code in (
            ((b"x" * MAX_MESSAGE_BYTES, b"x"), 413, "too-large"),
            ((b"x" * (MAX_MESSAGE_BYTES + 1), NEVER), 413, "too-large"),
            ((b"x", NEVER), 408, "too-slow"),
            ((b"x", GONE), 400, "cut-short"),
        ):
            told = await post(door, *pieces)
            assert (told.status, told.code) == (status, code)
        assert inside.heard == []
        assert (await post(door, b"z" * 10)).status == 200

    run(said)


def test_who_only_listens_takes_no_room() -> None:
    async def said() -> None:
        inside = Inside()
        door = BodyLimitMiddleware(inside)
        async with anyio.create_task_group() as group:
            for _ in range(3):
                group.start_soon(lambda: post(door, b"", size=-1, method="GET"))
            await anyio.wait_all_tasks_blocked()
            assert len(inside.heard) == 3
            inside.gate.set()

    run(said)
