"""What is brought in from other memories: their databases, folders and exports as the tests make them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.behaviour_parts.asking import Desk, read
from tests.support import foreign_memories as foreign

VAULT = {
    ".obsidian/app.json": "{}",
    "Boats.md": "---\ntags: [sea]\n---\n# Boats\n\nThe boat lies in [[Trieste]].\n",
}
MEMORIES: dict[str, Callable[[Path], Path]] = {
    "memory-core": lambda at: foreign.memory_core(at / "openclaw-agent.sqlite"),
    "memory-lancedb": lambda at: foreign.export(at / "ltm.json", foreign.LANCE_ROWS),
    "memoria": lambda at: foreign.memoria(at / "memoria.db"),
    "openclaw-mem": lambda at: foreign.openclaw_mem(at / "openclaw-mem.sqlite"),
    "memoryclaw": lambda at: foreign.memoryclaw(at / "claw"),
    "basic-memory": lambda at: foreign.basic_memory(at / "notes"),
    "obsidian": lambda at: foreign.tree(at / "vault", VAULT),
    "mem0": lambda at: foreign.export(at / "mem0.json", foreign.MEM0_EXPORT, indent=2),
}
WRITTEN = 1_764_236_400  # when the files of the other memory were written, in seconds since 1970
IN_SAMPLE = ("memoria",)
STEPS = (
    ("import", "{}"),
    ("import", "{}", "--apply", "--scope", "sea"),
    ("import", "{}", "--mine", "--apply"),
    ("consolidate", "--apply"),
    ("timeline", "--evidence", "auto"),
)


def run(desk: Desk, quick: bool) -> Iterator[tuple[str, Any]]:
    """For each memory what a preview says, what is captured, and all files after it was consolidated."""
    for name, make in MEMORIES.items():
        if quick and name not in IN_SAMPLE:
            continue
        root = desk.workspace(f"from {name}")
        there = desk.folder / f"at {name}"
        there.mkdir()
        place = str(make(there))
        for path in there.rglob("*"):
            os.utime(path, (WRITTEN, WRITTEN))
        for number, step in enumerate(STEPS):
            ran = desk.command(root, "--json", *(word.format(place) for word in step))
            yield f"{name} {number} {step[0]}", {"exit": ran.code, "out": read(ran.out), "err": read(ran.err)}
        for path, text in desk.files(root).items():
            yield f"{name}, file {path}", text
