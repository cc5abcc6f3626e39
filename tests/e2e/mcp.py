"""OpenClaw as a client of `commonplace mcp`, without the plugin."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from e2e.companion import ROTATION, furnish
from e2e.host import Host
from e2e.model_server import text
from e2e.report import Stage
from e2e.scene import Lab, Scene, opened

SERVER = "commonplace"
MOST_TOOLS = 5


@contextmanager
def scene(lab: Lab) -> Iterator[Scene]:
    """A furnished host that knows our server, and shows the model every tool by its name."""

    def prepare(host: Host) -> None:
        furnish(host)
        command = str(Path(sys.executable).with_name("commonplace"))
        server = {"command": command, "args": ["--workspace", str(host.workspace), "mcp"]}
        host.command("mcp", "set", SERVER, json.dumps(server))
        host.write_settings(host.read_settings() | {"tools": {"toolSearch": False}})

    with opened(lab, "mcp", prepare) as made:
        yield made


def probe_lists_our_tools(scene: Scene) -> str:
    """`openclaw mcp probe` connects to `commonplace mcp` and lists at most five tools"""
    said = scene.host.command("mcp", "probe", SERVER, "--json").stdout
    found = json.loads(said[said.index("{") :])
    assert not found["diagnostics"], found["diagnostics"]
    assert 0 < found["servers"][SERVER]["tools"] <= MOST_TOOLS, found["servers"]
    return ", ".join(found["tools"])


def model_calls_it(scene: Scene) -> str:
    """The model calls our MCP tool, and the cited line comes back"""
    tool = f"{SERVER}__recall"
    scene.host.turn(f'CALL {tool} {{"text": "When is the staging database rotated?"}}', "mcp")
    results = [text(one) for one in scene.model.requests[-1]["messages"] if one["role"] == "tool"]
    assert results, "the tool gave nothing"
    assert ROTATION in results[-1], results[-1][:400]
    assert "memory/2026-11-01.md#L5" in results[-1], results[-1][:400]
    return ""


STAGE = Stage("MCP", scene, (probe_lists_our_tools, model_calls_it))
