"""The log of who serves, on standard error: real pipes that nobody reads hold nothing up."""

from __future__ import annotations

import json
import os
import pty
import select
import socket
import sys
import termios
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from commonplace.cli import serve
from commonplace.cli.serve import DroppingLogStream
from tests.support.mcp_talk import Json, Talk, request

pytestmark = pytest.mark.slow

LONG_S = 60.0
LOGS = """
import os, sys
os.dup2({full}, 2)
from commonplace.cli import main
sys.exit(main({command!r}))
"""


@pytest.fixture
def full() -> Iterator[int]:
    """A pipe that takes nothing more, and that nobody reads."""
    unread, into = os.pipe()
    os.set_blocking(into, False)
    for piece in (b"x" * 65_536, b"x"):
        try:
            while True:
                os.write(into, piece)
        except BlockingIOError:
            continue
    os.set_blocking(into, True)
    yield into
    os.close(into)
    os.close(unread)


def answer(talk: Talk, asked: Json) -> str:
    talk.send(asked)
    assert talk.process.stdout is not None
    assert select.select([talk.process.stdout], [], [], LONG_S)[0], "it hangs"
    return json.dumps(talk.read())


@pytest.mark.parametrize("command", [["serve", "--stdio"], ["mcp"]], ids=["stdio", "mcp"])
def test_a_log_that_nobody_reads_holds_up_no_answer(command: list[str], full: int, tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("# Core\n- tea, never coffee\n", encoding="utf-8")
    script = LOGS.format(full=full, command=command)
    over_mcp = command == ["mcp"]
    with Talk(tmp_path, greet=over_mcp, command=(sys.executable, "-c", script), inherited=(full,)) as talk:
        if not over_mcp:
            assert "ready" in talk.read()
        (tmp_path / "commonplace.toml").write_text("[recall]\nk = 'many'\n", "utf-8")  # of which the log would tell
        odd = {"jsonrpc": "2.0", "method": "notifications/progress", "params": 7}  # and the SDK's of this
        for _ in range(3 if over_mcp else 0):
            talk.send(odd | {"params": {"progressToken": []}})
        recall = {"name": "recall", "arguments": {"text": "tea"}} if over_mcp else {"text": "tea"}
        asked = request(1, "tools/call" if over_mcp else "recall", recall)
        assert "settings of before" in answer(
            talk, asked if over_mcp else {k: asked[k] for k in asked if k != "jsonrpc"}
        )


def lines_of(descriptor: int, pause: Event | None = None) -> list[bytes]:
    """What is read until the other side lets go; with a pause, slowly."""
    data = b""
    with suppress(OSError):  # of a terminal that nobody holds any more
        while piece := os.read(descriptor, 4096):
            data += piece
            if pause is not None:
                pause.wait(0.001)
    return data.replace(b"\r\n", b"\n").splitlines(keepends=True)


LINES = [b"line %d %s end\n" % (number, b"x" * (number % 6_000)) for number in range(0, 90_000, 450)]


@pytest.mark.parametrize("kind", [os.pipe, socket.socketpair, pty.openpty], ids=["pipe", "socket", "terminal"])
def test_whoever_reads_slowly_gets_all_of_it(kind: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "LOG_PATIENCE_S", LONG_S)
    reader, writer = (one if isinstance(one, int) else one.detach() for one in kind())
    log = DroppingLogStream(writer)
    assert log.isatty() == (kind is pty.openpty)

    def write() -> None:
        for line in LINES:
            log.write(line)
        if log.isatty():
            termios.tcdrain(writer)
        os.close(writer)

    thread = Thread(target=write)
    thread.start()
    heard = lines_of(reader, Event())
    thread.join()
    os.close(reader)
    assert heard == LINES


@pytest.mark.parametrize("lines", [LINES, [b"x" * 9_000 + b"\n"] * 30], ids=["lines", "one that is begun"])
def test_a_pipe_that_nobody_reads_loses_whole_lines_and_says_how_many(
    lines: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "LOG_PATIENCE_S", 0.01)
    unread, into = os.pipe()
    log = DroppingLogStream(into)
    for line in lines:
        assert log.write(line) == len(line)
    first = os.read(unread, 1 << 20)
    assert log.write(b"once more\n") == 10
    *whole, told, last = (first + os.read(unread, 4096)).splitlines(keepends=True)
    if whole[-1] not in lines:  # what was begun is ended before the next
        whole.pop()
    assert whole == lines[: len(whole)]
    assert told.decode() == serve.LOG_LINES_DROPPED.format(len(lines) - len(whole))
    assert last == b"once more\n"
    log.write(b"and more\n")
    assert os.read(unread, 4096) == b"and more\n"
    os.close(unread)
    assert log.write(b"nobody") == 6
    os.close(into)


def test_who_reads_none_of_it_is_waited_for_once(full: int, monkeypatch: pytest.MonkeyPatch) -> None:
    patience = []

    def never(_read: list[int], _write: list[int], _wrong: list[int], patience_s: float) -> Any:
        patience.append(patience_s)
        return [], [], []

    monkeypatch.setattr(serve.select, "select", never)
    log = DroppingLogStream(full)
    assert [log.write(b"x\n") for _ in range(3)] == [2, 2, 2]
    assert patience == [serve.LOG_PATIENCE_S, 0, 0]
