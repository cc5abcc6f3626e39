"""What each hook of Claude Code costs: the whole process, alone and through a running daemon, at 10,000 records."""

from __future__ import annotations

import compileall
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import commonplace
from bench.speed import write_notebook

RUNS = 21
SESSION = "00893aaf-19fa-41d2-8238-13269b9b3ca0"
TURNS = 2_000  # of the transcript, when the first boundary is met


def run() -> None:
    """Print wall and CPU medians of each event, and of a Python that only starts."""
    root = Path(tempfile.mkdtemp(prefix="commonplace-hooks-"))
    try:
        compileall.compile_dir(str(Path(commonplace.__file__).parent), quiet=1)  # as every installed wheel is
        lines = write_notebook(root / "notes", files=200, lines=50)
        desk = _Desk(root, " ".join(lines[5_000].split(" ")[:6]))
        desk.cost("SessionStart")
        _print("bare python", [desk.bare() for _ in range(RUNS)])
        for name in ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop"):
            _print(f"{name}, memory opened by the hook", [desk.cost(name) for _ in range(RUNS)])
        _print(f"Stop with {TURNS} new messages", [desk.boundary(number) for number in range(3)])
        with desk.daemon() as runs:
            for name in ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop") if runs else ():
                desk.cost(name)
                _print(f"{name}, through the running daemon", [desk.cost(name) for _ in range(RUNS)])
    finally:
        shutil.rmtree(root)


class _Desk:
    def __init__(self, root: Path, question: str) -> None:
        self._root, self._question = root, question
        self._transcript = root / f"{SESSION}.jsonl"
        self._number = 0
        self._environment = os.environ | {"COMMONPLACE_WORKSPACE": f"{root}/notes", "HOME": str(root)}

    def bare(self) -> tuple[float, float]:
        return self._timed([sys.executable, "-c", "import apsw, argparse, msgspec"], b"")

    def cost(self, name: str) -> tuple[float, float]:
        """One hook, each time with something new to it."""
        self._number += 1
        if name == "Stop":
            self._write(1, "turn")
        return self._timed(self._command(), json.dumps(self._event(name)).encode())

    def boundary(self, number: int) -> tuple[float, float]:
        """A hook that finds a long new stretch of transcript."""
        self._write(TURNS, f"stretch {number}")
        return self._timed(self._command(), json.dumps(self._event("Stop")).encode())

    @contextmanager
    def daemon(self) -> Iterator[bool]:
        """A daemon that runs; False if this installation has none."""
        command = [str(Path(sys.executable).parent / "commonplace"), "serve"]
        process = subprocess.Popen(command, env=self._environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        line = process.stderr.readline().decode() if process.stderr else ""
        if "serving" not in line:
            print(f"no daemon, so it was not measured: {line.strip()}")
        try:
            yield "serving" in line
        finally:
            process.terminate()
            process.wait()

    def _command(self) -> list[str]:
        return [str(Path(sys.executable).parent / "commonplace"), "hook", "claude-code"]

    def _event(self, name: str) -> dict[str, Any]:
        about: dict[str, dict[str, Any]] = {
            "SessionStart": {"source": "startup"},
            "UserPromptSubmit": {"prompt": self._question, "prompt_id": f"p{self._number}"},
            "PostToolUse": {
                "tool_name": "Bash",
                "tool_use_id": f"toolu_{self._number}",
                "tool_input": {"command": "make test"},
                "tool_response": {"stdout": f"run {self._number}\n" + "ok\n" * 200, "stderr": ""},
            },
        }
        common = {"session_id": SESSION, "transcript_path": str(self._transcript), "cwd": str(self._root)}
        return {**common, "hook_event_name": name, **about.get(name, {})}

    def _write(self, count: int, word: str) -> None:
        with self._transcript.open("a", encoding="utf-8") as file:
            for number in range(count):
                file.write(json.dumps(_line(f"{word} {self._number} {number}: the tests of the harbour page pass.")))
                file.write("\n")

    def _timed(self, command: list[str], data: bytes) -> tuple[float, float]:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        subprocess.run(command, input=data, check=True, capture_output=True, env=self._environment)
        wall = time.perf_counter() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return wall * 1e3, (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3


def _line(text: str) -> dict[str, Any]:
    return {
        "type": "user",
        "isSidechain": False,
        "sessionId": SESSION,
        "uuid": f"{abs(hash(text)):032x}"[:36],
        "timestamp": "2025-11-27T10:00:01.000Z",
        "message": {"role": "user", "content": text},
    }


def _print(name: str, costs: list[tuple[float, float]]) -> None:
    wall, cpu = (statistics.median(column) for column in zip(*costs, strict=True))
    print(f"{name}: wall {wall:.0f} ms, cpu {cpu:.0f} ms", flush=True)
