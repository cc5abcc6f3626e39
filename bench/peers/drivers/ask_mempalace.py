"""MemPalace: each turn is filed as a drawer by its tool `add_drawer`, a room a session; then `search_memories`.

A hit is told by the name of the source file, which is made of the number of the turn.
"""

from __future__ import annotations

import os

from job import Hits, Job, sessions, work


class Drawers:
    """The tools of its server in this process, on Chroma, which is its default."""

    processes = ()

    def __init__(self, job: Job) -> None:
        os.environ |= {
            "MEMPALACE_PALACE_PATH": str(job.root / "palace"),
            "MEMPALACE_CONFIG_DIR": str(job.root / "config"),
            "MEMPALACE_EMBEDDING_MODEL": "openai-compat",
            "MEMPALACE_EMBEDDING_API_URL": job.model["url"],
            "MEMPALACE_EMBEDDING_API_MODEL": job.model["name"],
        }
        from mempalace.mcp_server import tool_add_drawer
        from mempalace.searcher import search_memories

        self._job, self._add, self._search = job, tool_add_drawer, search_memories
        self._palace = str(job.root / "palace")
        self._turns = {f"turn-{number}.md": turn["id"] for number, turn in enumerate(job.turns)}

    def index(self) -> None:
        """File the turns; RuntimeError if one is refused."""
        names = dict(zip(self._turns.values(), self._turns, strict=True))
        for number, turns in enumerate(sessions(self._job.turns).values(), 1):
            for turn in turns:
                done = self._add("talks", f"session-{number}", turn["text"], names[turn["id"]])
                if not done.get("success"):
                    raise RuntimeError(f"a turn was not filed: {done}")

    def ask(self, question: str, now: str) -> Hits:
        """The turns that the drawers are of."""
        found = self._search(question, self._palace, n_results=self._job.k)
        if "results" not in found:
            raise RuntimeError(f"a search failed: {found}")
        return [[self._turns[hit["source_file"].rpartition("/")[2]]] for hit in found["results"]]

    def close(self) -> None:
        """There is nothing to close."""


if __name__ == "__main__":
    work(Drawers)
