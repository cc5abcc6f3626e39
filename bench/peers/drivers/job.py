"""What every driver does: read a job, index the turns, ask the questions, write down the hits and what they cost.

A driver runs in the interpreter of its peer, so this file needs nothing but the standard library of Python 3.11.
Memory is the peak of resident pages, CPU the time of all threads; the processes that a peer starts and that of the
model are counted in.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

MILLISECONDS, KILOBYTES = 1e3, 1024
Turn = dict[str, str]  # id, session, day, time, speaker, words, and text: "speaker: words", on one line
Hits = list[list[str]]  # best first; the ids of the turns that each hit shows


@dataclass(frozen=True)
class Job:
    """What a driver is given: a folder of its own, which is empty, and perhaps a model behind OpenAI's interface."""

    folder: str
    turns: list[Turn]
    questions: list[dict[str, str]]  # question, now
    k: int
    options: dict[str, Any]
    model: dict[str, Any] | None  # url, name, dimensions, process, folder

    @property
    def root(self) -> Path:
        """The folder as a path."""
        return Path(self.folder)


class Asked(Protocol):
    """A memory that holds the turns of a job once `index` was called."""

    processes: tuple[int, ...]  # that it started and that live on

    def index(self) -> None:
        """Take in the turns; what this costs is the cost of the index."""

    def ask(self, question: str, now: str) -> Hits:
        """The hits, at most `k`."""

    def close(self) -> None:
        """Stop what was started."""


def work(make: Callable[[Job], Asked]) -> None:
    """Do the job named on the command line, and write the answers to the file named behind it."""
    job = Job(**json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    memory = make(job)
    try:
        answers = answer(memory, job)
    finally:
        memory.close()
    answers["index"]["peak"] = max(answers["index"]["peak"], _peak_of_children())
    Path(sys.argv[2]).write_text(json.dumps(answers), encoding="utf-8")


def answer(memory: Asked, job: Job) -> dict[str, Any]:
    """The hits of every question, with wall and CPU milliseconds, and the same for the index in seconds."""
    processes = (*memory.processes, *([job.model["process"]] if job.model else []))
    spent = _measured(memory.index, processes)
    hits, wall, cpu = [], [], []
    for asked in job.questions:
        found: list[Hits] = []
        took = _measured(lambda asked=asked, found=found: found.append(memory.ask(**asked)), processes)
        hits.append(found[0][: job.k])
        wall.append(took[0] * MILLISECONDS)
        cpu.append(took[1] * MILLISECONDS)
    peak = sum(most_held(process) for process in (os.getpid(), *processes))
    return {"hits": hits, "wall": wall, "cpu": cpu, "index": {"wall": spent[0], "cpu": spent[1], "peak": peak}}


def sessions(turns: list[Turn]) -> dict[str, list[Turn]]:
    """The turns of each session, in the order of the conversation."""
    found: dict[str, list[Turn]] = {}
    for turn in turns:
        found.setdefault(turn["session"], []).append(turn)
    return found


def _measured(call: Callable[[], object], processes: tuple[int, ...]) -> tuple[float, float]:
    """Seconds on the clock and of the processor that a call takes, here and in these processes."""
    before = time.perf_counter(), _cpu(processes)
    call()
    return time.perf_counter() - before[0], _cpu(processes) - before[1]


def _cpu(processes: tuple[int, ...]) -> float:
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime + sum(map(_cpu_of, processes))


def _cpu_of(process: int) -> float:
    """Seconds that a living process has spent, by its own clock: see `clock_getcpuclockid(3)` for its number."""
    return time.clock_gettime(~process << 3 | 2)


def most_held(process: int) -> float:
    """Megabytes that a process had resident at most."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return next(int(line.split()[1]) for line in status.split("\n") if line.startswith("VmHWM")) / KILOBYTES


def _peak_of_children() -> float:
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / KILOBYTES
