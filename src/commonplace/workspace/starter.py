"""What `init` writes where nothing is: a core to be filled in, and nothing else."""

from __future__ import annotations

STARTER: dict[str, str] = {
    "MEMORY.md": (
        "# Agent Memory\n#tags: \nlast_verified: {day}\nlast_updated: {day}\n\n"
        "<!-- What is always needed goes here, 60 lines at most; all else is recalled when a question needs it. -->\n"
    ),
    "memory/{day}.md": "# {day}\n\n## Retain\n",
}
