"""Checks of the HOT core: it is packed into every prompt, so it must be short and say when it was last looked at."""

from __future__ import annotations

from commonplace import files
from commonplace.check.subject import Subject
from commonplace.model import Problem

CORE = "MEMORY.md"
MOST_LINES = 60


def header_and_length(subject: Subject) -> list[Problem]:
    """The core holds at most 60 lines; where it has our header (`# Agent Memory`), all four lines of it are there."""
    if CORE not in subject.index.files():
        return []
    lines = files.read(subject.root, CORE, subject.most_bytes).decode("utf-8", "replace").rstrip("\n").split("\n")
    found = []
    if len(lines) > MOST_LINES:
        message = f"the core has {len(lines)} lines; {MOST_LINES} fit into every prompt"
        found.append(Problem("core-too-long", message, CORE, MOST_LINES + 1, "move what is not always needed"))
    if lines[0].strip() == "# Agent Memory":
        for number, start in enumerate(("#tags:", "last_verified:", "last_updated:"), 2):
            line = lines[number - 1] if len(lines) >= number else ""
            if not line.lstrip("> ").startswith(start):
                message = f"line {number} of the core should begin with `{start}`"
                found.append(Problem("core-header", message, CORE, number))
    return found
