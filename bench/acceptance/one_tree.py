"""One source tree that does what it is told on a workspace, and tells the CPU time of it; `cpu_ratios` starts it.

Nothing but the public `Memory` is used, so that a tree of any version can be measured.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from commonplace import Memory


def measured(memory: Memory, task: dict[str, Any]) -> float:
    """The milliseconds of CPU that a task takes."""
    root, now, number = Path(memory.root), task["now"], task["number"]
    texts: list[str] = task["texts"]
    path = root / task["path"]
    begun = time.process_time()
    if task["name"] == "recall":
        for text in texts:
            memory.recall(text, now=now)
    elif task["name"] == "pack":
        for text in texts:
            memory.pack(text, now=now)
    elif task["name"] == "sync":
        for text in texts:
            with path.open("a", encoding="utf-8") as file:
                file.write(f"- W {text} {number}\n")
            memory.sync(force=True)
    elif task["name"] == "capture":
        for text in texts:
            memory.capture(f"{text} {number}", ts=now, session=f"s{number}")
    elif task["name"] == "retain":
        for text in texts:
            memory.retain(f"W {text} {number}", now=now)
    elif task["name"] == "rebuild":
        memory.rebuild()
    return (time.process_time() - begun) * 1e3


def main() -> None:
    """Read a task a line, write its milliseconds."""
    os.fsync = lambda _descriptor: None
    with Memory.open(sys.argv[1]) as memory:
        memory.sync()
        for line in sys.stdin:
            print(measured(memory, json.loads(line)), flush=True)


if __name__ == "__main__":
    main()
