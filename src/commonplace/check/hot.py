"""Checks of the HOT core: it is packed into every prompt, so it must be short and say when it was last looked at."""

from __future__ import annotations

from commonplace import files
from commonplace.check.subject import Subject
from commonplace.model import Problem

CORE = "MEMORY.md"
TITLE = "# Agent Memory"
HEADER = ("#tags:", "last_verified:", "last_updated:")
MOST_LINES = 60


def header_and_length(subject: Subject) -> list[Problem]:
    """The core holds at most 60 lines; where it begins with our title, the other three lines of our header follow."""
    row = subject.index.files().get(CORE)
    data = files.find(subject.root, CORE, subject.most_bytes) if row and row.digest else None
    if data is None:
        return []
    lines = data.decode("utf-8-sig", "replace").rstrip().split("\n")
    found = []
    if len(lines) > MOST_LINES:
        message = f"the core has {len(lines)} lines; {MOST_LINES} fit into every prompt"
        found.append(Problem("core-too-long", message, CORE, MOST_LINES + 1, "move what is not always needed"))
    if lines[0].strip() == TITLE:
        for number, start in enumerate(HEADER, 2):
            line = lines[number - 1] if len(lines) >= number else ""
            if not line.lstrip("> ").startswith(start):
                message = f"line {number} of the core should begin with `{start}`"
                found.append(Problem("core-header", message, CORE, number, "write it, as `init` does"))
    return found
