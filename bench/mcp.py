"""What an agent waits for over MCP: the start of the server to its greeting, and a warm call, at 10,000 records."""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.speed import write_notebook

STARTS, CALLS = 7, 200
GREETING = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


def run() -> None:
    """Print the median start and the median and 99th percentile of calls."""
    root = Path(tempfile.mkdtemp(prefix="commonplace-mcp-"))
    try:
        lines = write_notebook(root, files=200, lines=50)
        cpl = str(Path(sys.executable).parent / "commonplace")
        subprocess.run([cpl, "sync", "--workspace", str(root)], check=True, capture_output=True)
        command = [cpl, "mcp", "--workspace", str(root)]
        starts = [_started(command)[1] for _ in range(STARTS)]
        print(f"start to greeting: {statistics.median(starts):.0f} ms")
        for tool in ("recall", "pack"):
            took = _calls(command, tool, [" ".join(line.split(" ")[:4]) for line in lines[: CALLS * 50 : 50]])
            print(
                f"{tool}: median {statistics.median(took):.1f} ms, p99 {statistics.quantiles(took, n=100)[98]:.1f} ms"
            )
    finally:
        shutil.rmtree(root)


def _started(command: list[str], *, stay: bool = False) -> tuple[subprocess.Popen[bytes], float]:
    start = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    _ask(process, 0, "initialize", GREETING)
    took = (time.perf_counter() - start) * 1e3
    if not stay:
        process.communicate()
    return process, took


def _calls(command: list[str], tool: str, questions: list[str]) -> list[float]:
    process, _took = _started(command, stay=True)
    took = []
    for number, question in enumerate(questions, 1):
        start = time.perf_counter()
        answer = _ask(process, number, "tools/call", {"name": tool, "arguments": {"text": question}})
        took.append((time.perf_counter() - start) * 1e3)
        assert not answer["result"]["isError"], answer
    process.communicate()
    return took[5:]


def _ask(process: subprocess.Popen[bytes], number: int, method: str, params: Any) -> Any:
    assert process.stdin is not None
    assert process.stdout is not None
    asked = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    process.stdin.write(json.dumps(asked).encode() + b"\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())
