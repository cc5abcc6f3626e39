"""MCP over HTTP where something ends before its time: the server, a session; what is open then gets its end."""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from commonplace.serve import shutdown_signals
from commonplace.serve.mcp.http_transport import SessionEndMiddleware
from tests.support.mcp_talk import HttpSession, over_http, request

pytestmark = pytest.mark.slow

Inner = Callable[[Any, Any, Any], Awaitable[None]]
BEGIN = {"type": "http.response.start", "status": 200, "headers": []}
MORE = {"type": "http.response.body", "body": b"some", "more_body": True}
LAST = {"type": "http.response.body", "body": b"all"}
CLOSE = {"type": "http.response.body"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "MEMORY.md").write_text("# Core\n- tea, never coffee\n", encoding="utf-8")
    return tmp_path


def saying(*messages: Any, then_wait: anyio.Event | None = None) -> Inner:
    """An application that says this, and ends once it need not wait any more."""

    async def said(_scope: Any, _receive: Any, send: Any) -> None:
        for message in messages:
            await send(message)
        if then_wait:
            await then_wait.wait()

    return said


def heard(make: Callable[[], SessionEndMiddleware], method: str, *, is_ending: bool = False) -> list[Any]:
    """What a client hears."""
    said: list[Any] = []

    async def noted(message: Any) -> None:
        said.append(message)

    async def ask() -> None:
        endings = make()
        with anyio.fail_after(60):
            async with anyio.create_task_group() as group:
                group.start_soon(endings, {"type": "http", "method": method}, None, noted)
                await anyio.wait_all_tasks_blocked()
                if is_ending:
                    endings.begin_shutdown()

    anyio.run(ask)
    return said


def test_an_answer_that_is_whole_stays_as_it_is() -> None:
    for method in ("GET", "POST", "DELETE"):
        for messages in ([BEGIN, LAST], [BEGIN, MORE, LAST]):
            assert heard(lambda said=messages: SessionEndMiddleware(saying(*said)), method) == messages


def test_an_answer_that_was_begun_is_closed_and_one_that_was_not_says_why() -> None:
    for messages in ([BEGIN], [BEGIN, MORE]):
        assert heard(lambda said=messages: SessionEndMiddleware(saying(*said)), "POST") == [*messages, CLOSE]
    begin, body = heard(lambda: SessionEndMiddleware(saying()), "POST")
    assert (begin["status"], json.loads(body["body"])["code"]) == (404, "no-session")


def test_who_only_listens_is_let_go_when_the_server_ends() -> None:
    assert heard(lambda: SessionEndMiddleware(saying(BEGIN, then_wait=anyio.Event())), "GET", is_ending=True) == [
        BEGIN,
        CLOSE,
    ]


def test_whoever_asked_is_answered_when_the_server_ends() -> None:
    async def answered(_scope: Any, _receive: Any, send: Any) -> None:
        await send(BEGIN)
        await is_ending.wait()
        await anyio.lowlevel.checkpoint()
        await send(LAST)

    is_ending = anyio.Event()

    class Noted(SessionEndMiddleware):
        def begin_shutdown(self) -> None:
            super().begin_shutdown()
            is_ending.set()

    assert heard(lambda: Noted(answered), "POST", is_ending=True) == [BEGIN, LAST]


@pytest.mark.parametrize("number", shutdown_signals())
def test_a_client_that_only_listens_does_not_keep_the_server(root: Path, number: int) -> None:
    with over_http(root) as serving:
        stream = HttpSession(serving).ask("GET")
        serving.process.send_signal(number)
        assert stream.read() == b""
        assert serving.process.wait(60) == 0
        assert serving.process.stderr is not None
        assert serving.process.stderr.read() == ""  # nobody was waited for until patience was over


SLOW = """
import sys
from pathlib import Path
from threading import Event
from commonplace.serve.dispatch import handlers

def wait(memory, asked):
    print("at work", file=sys.stderr, flush=True)
    while not Path(sys.argv[1]).exists():
        Event().wait(0.05)
    return {"text": "late, not lost"}

handlers.HANDLERS["pack"] = wait
from commonplace.cli import main
sys.exit(main(["mcp", "--http", "0"]))
"""


def test_a_call_that_is_at_work_is_answered_when_the_server_ends(root: Path) -> None:
    gate = root / "gate"
    with over_http(root, (sys.executable, "-c", SLOW, str(gate))) as serving:
        session = HttpSession(serving)
        stream = session.ask("GET")
        call = session.begin("POST", request(1, "prompts/get", {"name": "pack", "arguments": {"text": "tea"}}))
        assert serving.process.stderr is not None
        assert serving.process.stderr.readline() == "at work\n"
        serving.process.terminate()
        assert stream.read() == b""
        gate.touch()
        assert b"late, not lost" in call.getresponse().read()
        assert serving.process.wait(60) == 0
