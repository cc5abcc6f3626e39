"""The log of who serves, on standard error: real pipes that nobody reads hold nothing up."""

from __future__ import annotations

import json
import os
import select
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from commonplace.cli.serving import Overflowing
from tests.mcp_talk import Json, Talk, request

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


def test_what_there_is_room_for_is_written(tmp_path: Path) -> None:
    unread, into = os.pipe()
    log = Overflowing(into)
    assert log.write(b"x" * 100_000) == 100_000
    assert log.write(b"y") == 1
    assert os.read(unread, 100_000).strip(b"x") == b""
    assert log.write(b"z") == 1
    assert os.read(unread, 100_000) == b"z"
    os.close(unread)
    assert log.write(b"nobody") == 6
    os.close(into)
