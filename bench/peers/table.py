"""The tables of the peers as Markdown, and what they were made with."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Mapping
from pathlib import Path

from bench.peers.catalog import NOT_ASKED, Peer
from bench.peers.figures import Figures, Middle

HEADS = (
    "memory",
    "a hit is a",
    "r@10",
    "session hit@5",
    "in 1,000 tokens",
    "no hit",
    "wall ms p50 / p95",
    "CPU ms p50 / p95",
    "index CPU s",
    "memory MB",
    "installed MB",
)
FAILED = "could not be asked"


def tables(found: Mapping[Peer, Figures | str]) -> list[str]:
    """The lines of the page: those that are given no model, those that are, and who was not asked, and why."""
    lines = rows({peer: value for peer, value in found.items() if not peer.model})
    asking = {peer: value for peer, value in found.items() if peer.model}
    if asking:
        lines += ["", "With the same local model, MiniLM, which comes as a package:", "", *rows(asking)]
    return [*lines, "", "Not asked:", "", *(f"* {name}: {reason}." for name, reason in NOT_ASKED.items())]


def rows(found: Mapping[Peer, Figures | str]) -> list[str]:
    """A table with a row for each peer; one that failed has the reason where the others have figures."""
    lines = [_row(HEADS), "|---" * len(HEADS) + "|"]
    return [*lines, *(_row(_cells(peer, value)) for peer, value in found.items())]


def made_with(questions: tuple[int, int], conversations: tuple[int, int]) -> str:
    """The line below the tables: the command, the data and the machine; of both so many of so many were taken."""
    given = {"conversations": conversations, "questions": questions}
    flags = " ".join(f"--{name}={asked}" for name, (asked, of) in given.items() if asked < of)
    command = f'make peers ARGS="{flags}"' if flags else "make peers"
    data = f"{questions[0]} of {questions[1]} questions about {conversations[0]} of {conversations[1]} conversations"
    return f"Made by `{command}` with {data}, on {machine()}."


def machine() -> str:
    """What figures were measured on."""
    return f"{_processor()}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


def _cells(peer: Peer, value: Figures | str) -> Iterable[str]:
    if isinstance(value, str):
        reason = value.replace("|", "/")
        return (peer.label, peer.unit, f"{FAILED}: {reason}", *[""] * (len(HEADS) - 3))
    shares = (f"{share:.1f}" for share in value[:4])
    times = (_times(value.wall), _times(value.cpu))
    return (peer.label, peer.unit, *shares, *times, f"{value.index:.1f}", f"{value.peak:.0f}", f"{value.size:.0f}")


def _times(value: Middle) -> str:
    return " / ".join(f"{one:.1f}" for one in value)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").split("\n")
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
