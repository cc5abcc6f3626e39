"""What an agent waits for over MCP: greeting, tools and first answer of a server, a warm call; 10,000 records."""

from __future__ import annotations

import compileall
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import commonplace
from bench.speed import write_notebook

STARTS, CALLS = 15, 200
FIRST = ("greeting", "tools", "first answer")
GREETING = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
TEXT = {"text": "what is there to know?"}


def run() -> None:
    """Print medians of the start, wall and CPU, and the median and 99th percentile of calls."""
    root = Path(tempfile.mkdtemp(prefix="commonplace-mcp-"))
    try:
        compileall.compile_dir(str(Path(commonplace.__file__).parent), quiet=1)  # as every installed wheel is
        lines = write_notebook(root, files=200, lines=50)
        cpl = str(Path(sys.executable).parent / "commonplace")
        subprocess.run([cpl, "sync", "--workspace", str(root)], check=True, capture_output=True)
        command = [cpl, "mcp", "--workspace", str(root)]
        starts = [_start(command) for _ in range(STARTS)]
        for name, took in zip(FIRST, zip(*starts, strict=True), strict=True):
            wall, cpu = (statistics.median(one) for one in zip(*took, strict=True))
            print(f"start to {name}: wall {wall:.0f} ms, CPU {cpu:.0f} ms")
        for tool in ("recall", "pack"):
            took = _calls(command, tool, [" ".join(line.split(" ")[:4]) for line in lines[: CALLS * 50 : 50]])
            print(
                f"{tool}: median {statistics.median(took):.1f} ms, p99 {statistics.quantiles(took, n=100)[98]:.1f} ms"
            )
    finally:
        shutil.rmtree(root)


def _start(command: list[str]) -> list[tuple[float, float]]:
    """Wall and CPU milliseconds from the start to each of the first answers."""
    start = time.perf_counter()
    with _process(command) as process:
        costs = []
        asked = (("initialize", GREETING), ("tools/list", {}), ("tools/call", {"name": "recall", "arguments": TEXT}))
        for number, (method, params) in enumerate(asked):
            _ask(process, number, method, params)
            costs.append(((time.perf_counter() - start) * 1e3, _cpu_ms(process.pid)))
        process.communicate()
    return costs


def _process(command: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def _cpu_ms(pid: int) -> float:
    """What all threads of a process have had, as Linux counts it."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((one / "schedstat").read_text("ascii").split()[0]) for one in threads) / 1e6


def _calls(command: list[str], tool: str, questions: list[str]) -> list[float]:
    process = _process(command)
    _ask(process, 0, "initialize", GREETING)
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
