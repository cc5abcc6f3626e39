"""Faults from outside, by strace: what SQLite itself makes of an error, and an interruption in the middle of a call."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from crash.orders import Outcome
from crash.stage import surroundings

STRACE = shutil.which("strace")
LIMIT_S = 120


def works(folder: Path) -> str:
    """Why faults cannot be injected here; empty if they can."""
    if STRACE is None:
        return "there is no strace: errors inside SQLite were not tried"
    probe = subprocess.run(
        [STRACE, "-o", str(folder / "probe"), "-e", "trace=fsync", "-e", "inject=fsync:error=EIO", "true"],
        capture_output=True,
        check=False,
    )
    return "" if probe.returncode == 0 else "strace may not trace here: errors inside SQLite were not tried"


def counted(root: Path, command: tuple[str, ...], names: tuple[str, ...], folder: Path) -> list[tuple[str, int]]:
    """The calls of these names on the workspace, each by its name and number (from 1, as strace counts them all)."""
    log = folder / "strace.log"
    _run(root, command, ["-y", "-o", str(log), "-e", f"trace={','.join(names)}"])
    found: list[tuple[str, int]] = []
    before = dict.fromkeys(names, 0)
    for line in log.read_text(errors="replace").split("\n"):
        name = line.split("(")[0].split(" ")[-1]
        if name in before and "resumed" not in line:
            before[name] += 1
            if str(root) in line:
                found.append((name, before[name]))
    return found


def failed(root: Path, command: tuple[str, ...], call: tuple[str, int], error: str) -> Outcome:
    """A command one of whose calls fails."""
    name, number = call
    options = ["-o", "/dev/null", "-e", f"trace={name}", "-e", f"inject={name}:error={error}:when={number}"]
    run = _run(root, command, options)
    return Outcome(died=run.returncode < 0, codes=(run.returncode,), out=(run.stdout,), err=run.stderr)


def _run(root: Path, command: tuple[str, ...], options: list[str]) -> subprocess.CompletedProcess[str]:
    assert STRACE is not None
    whole = [STRACE, "-f", *options, sys.executable, "-m", "commonplace", "--workspace", str(root), *command]
    return subprocess.run(whole, env=surroundings(), capture_output=True, check=False, text=True, timeout=LIMIT_S)
