"""Processes that use one workspace at the same time: writers, readers, and a person's editor that knows no locks.

As a script: `python -m crash.crowd ROLE ROOT NUMBER TIMES`; each prints one JSON object a line.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from crash.stage import surroundings


def started(role: str, root: Path, number: int, times: int) -> subprocess.Popen[str]:
    """One member of the crowd; it begins when a line comes in."""
    command = [sys.executable, "-m", "crash.crowd", role, str(root), str(number), str(times)]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=surroundings(), text=True
    )


def told(process: subprocess.Popen[str], limit_s: float) -> list[dict[str, Any]]:
    """What it had to say; whatever it said on stderr is a failure."""
    out, err = process.communicate(timeout=limit_s)
    assert not err, err
    return [json.loads(line) for line in out.split("\n") if line]


def tell(**said: Any) -> None:
    """One line; when this returns, the line has left the process."""
    sys.stdout.write(json.dumps(said) + "\n")
    sys.stdout.flush()


def write(root: str, number: int, times: int) -> None:
    """Keep sentences, odd ones as lines of the log; each acknowledged with its id and how long it took."""
    from commonplace import Memory

    with Memory.open(root) as memory:
        sys.stdin.readline()
        for turn in range(times):
            text = f"Writer {number} says {turn}."
            begun = time.perf_counter()
            kept = memory.log(text) if turn % 2 else memory.retain(text)
            assert kept.record is not None
            tell(id=kept.record.id, text=text, ms=(time.perf_counter() - begun) * 1000, notes=kept.notes)


def read(root: str, number: int, times: int) -> None:
    """Ask again and again."""
    from commonplace import Memory

    with Memory.open(root) as memory:
        sys.stdin.readline()
        for turn in range(times):
            hits = memory.recall(f"what does writer {(number + turn) % 8} say?")
            tell(hits=len(hits.hits), notes=hits.notes)


def edit(root: str, _number: int, times: int) -> None:
    """Add a line to the day's log as editors do: read, write beside, look whether it changed, rename."""
    from crash.bases import DAY

    path, beside = f"{root}/{DAY}", f"{root}/memory/.editing~"
    sys.stdin.readline()
    for turn in range(times):
        again = 0
        while not _saved(path, beside, f"A person adds {turn}."):
            again += 1
        tell(text=f"A person adds {turn}.", again=again)


def _saved(path: str, beside: str, line: str) -> bool:
    """Whether the file held still while the editor wrote."""
    with open(path, encoding="utf-8") as file:
        text, before = file.read(), os.fstat(file.fileno())
    title, rest = text.split("\n", 1)
    with open(beside, "w", encoding="utf-8") as file:
        file.write(f"{title}\n\n{line}\n{rest}")
        file.flush()
        os.fsync(file.fileno())
    now = os.stat(path)
    if (now.st_ino, now.st_mtime_ns, now.st_size) != (before.st_ino, before.st_mtime_ns, before.st_size):
        return False
    os.rename(beside, path)
    return True


if __name__ == "__main__":
    {"write": write, "read": read, "edit": edit}[sys.argv[1]](sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
