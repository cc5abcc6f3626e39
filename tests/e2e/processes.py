"""The processes that belong to a run, told by the run's folder in their command or environment."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event
from time import monotonic
from typing import NamedTuple

STEP = 0.05  # seconds between two looks
ENGINE = "--stdio"  # in the command of every engine
ZOMBIE = "Z"


class Process(NamedTuple):
    """One living process."""

    number: int
    command: str

    @property
    def is_engine(self) -> bool:
        """Whether it is Commonplace over stdio."""
        return ENGINE in self.command


def of(folder: Path) -> list[Process]:
    """The living processes whose command or environment names the folder, this one left out."""
    found = _from_proc(str(folder)) if Path("/proc/self/environ").exists() else _from_ps(str(folder))
    return [one for one in found if one.number != os.getpid()]


def engines(folder: Path) -> list[Process]:
    """Those of them that are engines."""
    return [one for one in of(folder) if one.is_engine]


def wait_until(holds: Callable[[], object], seconds: float) -> bool:
    """Look again and again until it holds; False if it does not within so many seconds."""
    ends, nothing = monotonic() + seconds, Event()
    while not holds():
        if monotonic() > ends:
            return False
        nothing.wait(STEP)
    return True


def kill(number: int, how: signal.Signals = signal.SIGKILL) -> None:
    """Send a signal; a process that is gone already is fine."""
    try:
        os.kill(number, how)
    except ProcessLookupError:
        return


def peak(number: int) -> float:
    """Megabytes that a process had resident at most; what it has now where the system keeps no peak."""
    status = Path(f"/proc/{number}/status")
    if status.exists():
        lines = status.read_text(encoding="utf-8").split("\n")
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
    return float(_ps("-o", "rss=", "-p", str(number)).strip()) / 1024


def _from_proc(folder: str) -> list[Process]:
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            around = (entry / "environ").read_bytes().decode(errors="replace")
            state = (entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        except OSError:  # it ended meanwhile, or is another user's
            continue
        if folder in command + around and state != ZOMBIE:
            found.append(Process(int(entry.name), command.strip()))
    return found


def _from_ps(folder: str) -> list[Process]:
    found = []
    for line in _ps("-Eww", "-A", "-o", "pid=,stat=,command=").split("\n"):
        number, _, rest = line.strip().partition(" ")
        state, _, command = rest.strip().partition(" ")
        if folder in command and not state.startswith(ZOMBIE):
            found.append(Process(int(number), command))
    return found


def _ps(*arguments: str) -> str:
    if sys.platform == "win32":
        raise OSError("there is no ps on this system")
    return subprocess.run(["ps", *arguments], capture_output=True, text=True, check=False).stdout
