"""What the SDK complains of: one line in our log, and a traceback only of what went through us."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import anyio
import pytest
from msgspec import DecodeError
from pydantic import BaseModel

from commonplace.serve.http import server
from commonplace.shapes import decode_json
from tests.support.mcp_talk import HttpSession, over_http, request

pytestmark = pytest.mark.slow

ENDED = "the session or the connection was ended before the answer was there"


@pytest.fixture
def said() -> Iterator[list[str]]:
    lines: list[str] = []
    loggers = [logging.getLogger(name) for name in server.LIBRARY_LOGGERS]
    before = [(logger.handlers, logger.propagate) for logger in loggers]
    server.redirect_library_logs(lines.append)
    yield lines
    for logger, (handlers, propagate) in zip(loggers, before, strict=True):
        logger.handlers, logger.propagate = handlers, propagate


def complain_of(fail: Callable[[], object], name: str = "mcp.server.streamable_http") -> None:
    try:
        fail()
    except BaseException:
        logging.getLogger(name).exception("it went\nwrong")


def fail_with(error: BaseException) -> Callable[[], object]:
    def fail() -> None:
        raise error

    return fail


@pytest.mark.parametrize(
    "error",
    [
        anyio.ClosedResourceError(),
        anyio.BrokenResourceError(),
        anyio.EndOfStream(),
        asyncio.CancelledError(),
        BaseExceptionGroup("", [anyio.ClosedResourceError(), ExceptionGroup("", [anyio.EndOfStream()])]),
    ],
)
def test_what_ends_before_its_time_is_told_in_one_line(error: BaseException, said: list[str]) -> None:
    complain_of(fail_with(error))
    assert said == [f"mcp: it went wrong: {ENDED}"]


def test_what_others_did_wrong_is_told_with_its_causes(said: list[str]) -> None:
    complain_of(fail_with(ExceptionGroup("", [anyio.ClosedResourceError(), KeyError("a")])), "uvicorn.error")
    assert said == ["uvicorn: it went wrong: ClosedResourceError: ; KeyError: 'a'"]


def test_what_was_asked_or_answered_is_not_repeated_in_the_log(said: list[str]) -> None:
    class Answer(BaseModel):
        number: int

    complain_of(lambda: Answer.model_validate({"number": "my secret"}), "mcp.server.runner")
    assert said == ["mcp: it went wrong: ValidationError: 1 validation error for Answer"]


def test_what_went_through_us_keeps_its_traceback(said: list[str]) -> None:
    complain_of(lambda: decode_json(b"{"))
    assert said[0].startswith("mcp: it went wrong\nTraceback")
    assert "in decode_json" in said[0]


def test_what_went_through_us_is_found_in_a_group(said: list[str]) -> None:
    def fail() -> None:
        try:
            decode_json(b"{")
        except DecodeError as error:
            raise ExceptionGroup("", [error]) from None

    complain_of(fail)
    assert "in decode_json" in said[0]


def test_a_warning_is_told_and_what_is_less_is_not(said: list[str]) -> None:
    logging.getLogger("mcp.server").warning("%d sessions are open", 3)
    logging.getLogger("mcp.server").info("started")
    assert said == ["mcp: 3 sessions are open"]


def test_a_session_that_is_deleted_under_its_calls_leaves_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("# Core\n- tea, never coffee\n", encoding="utf-8")
    with over_http(tmp_path) as serving:
        session = HttpSession(serving)
        asked = {"name": "recall", "arguments": {"text": "tea " * 2_000}}
        calls = [session.begin("POST", request(number, "tools/call", asked)) for number in range(16)]
        assert session.ask("DELETE").status == 200
        for call in calls:
            answer = call.getresponse()
            assert answer.status in (200, 404)
            answer.read()
        serving.process.terminate()
        assert serving.process.wait(60) == 0
        assert serving.process.stderr is not None
        lines = serving.process.stderr.read().splitlines()
    assert {line.partition(": ")[0] for line in lines} <= {"commonplace"}
    assert all(line.endswith(ENDED) for line in lines)
