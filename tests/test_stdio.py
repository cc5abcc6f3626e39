"""`commonplace serve --stdio`: real processes with real pipes, asked well and badly."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import commonplace

ROOT = Path(__file__).parents[1]
SERVE = (sys.executable, "-m", "commonplace", "serve", "--stdio")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small workspace, and an environment of its own."""
    for name, value in (
        ("HOME", f"{tmp_path}/home"),
        ("XDG_STATE_HOME", f"{tmp_path}/state"),
        ("COMMONPLACE_NOW", "2025-11-30T09:00"),
        ("COMMONPLACE_DEVICE", "desk"),
    ):
        monkeypatch.setenv(name, value)
    folder = tmp_path / "notes"
    (folder / "memory").mkdir(parents=True)
    lines = (
        "# 2025-11-27",
        "",
        "## Retain",
        "- W @Peter: In Marrakech for Andy's birthday.",
        "- W @Ana: Plays the harp.",
    )
    (folder / "memory/2025-11-27.md").write_text("\n".join((*lines, "")), "utf-8")
    monkeypatch.setenv("COMMONPLACE_WORKSPACE", str(folder))
    return folder


def told(*lines: bytes | dict[str, Any]) -> bytes:
    """Lines as they are sent."""
    return b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines)


def served(*lines: bytes | dict[str, Any], **choices: Any) -> list[dict[str, Any]]:
    """What is answered, after the ready line, to a process that is sent the lines and then the end."""
    done = subprocess.run(SERVE, input=told(*lines), capture_output=True, timeout=60, check=True, **choices)
    ready, *answers = [json.loads(line) for line in done.stdout.decode().removesuffix("\n").split("\n")]
    assert ready == {
        "ready": True,
        "protocol": "commonplace.stdio.v1",
        "version": commonplace.__version__,
        "workspace": os.environ["COMMONPLACE_WORKSPACE"],
    }
    return answers


def test_the_version_is_that_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert commonplace.__version__ == project["version"]


def test_what_is_asked_is_answered_under_its_id(root: Path) -> None:
    answers = served(
        {"id": 1, "method": "recall", "params": {"text": "who is in Marrakech?"}},
        {"id": "two", "method": "recall", "params": {"text": "harp"}, "deadline_ms": 60_000},
    )
    found = {answer["id"]: answer["result"]["hits"][0]["citation"] for answer in answers}
    assert found == {1: "memory/2025-11-27.md#L4", "two": "memory/2025-11-27.md#L5"}
