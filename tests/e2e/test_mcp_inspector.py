"""The official inspector of MCP, in its mode for the command line: it needs npm and its registry."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.mcp_talk import CPL, surroundings

INSPECTOR = "@modelcontextprotocol/inspector@0.17"


@pytest.mark.e2e
def test_the_official_inspector_lists_and_calls_the_tools(tmp_path: Path) -> None:
    root = tmp_path
    (root / "MEMORY.md").write_text("# Core\n- tea, never coffee\n", encoding="utf-8")
    if shutil.which("npx") is None:
        pytest.skip("there is no npx: the inspector did not look at the server")
    tools = _inspected(root, "tools/list")["tools"]
    assert [tool["name"] for tool in tools] == ["recall", "retain", "show", "timeline", "forget"]
    answer = _inspected(root, "tools/call", "--tool-name", "recall", "--tool-arg", "text=tea or coffee?")
    assert "[MEMORY.md#L2]" in answer["content"][0]["text"]
    assert len(_inspected(root, "prompts/list")["prompts"]) == 2
    assert _inspected(root, "resources/read", "--uri", "commonplace://file/MEMORY.md")["contents"]


def _inspected(root: Path, method: str, *arguments: str) -> dict[str, list[dict[str, str]]]:
    command = ["npx", "-y", INSPECTOR, "--cli", CPL, "mcp", "--method", method, *arguments]
    surrounding = os.environ | surroundings(root)
    done = subprocess.run(command, env=surrounding, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert isinstance(answer, dict)
    return answer
