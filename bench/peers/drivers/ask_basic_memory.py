"""basic-memory: a note for each session, an observation for each turn, asked by its MCP tool `search_notes`.

`kind` says what is asked for: `observation` (a hit is a turn, told by its text) or `entity` (a hit is a note, told by
its file name). Both are what the tool's own filter `entity_types` knows. With a model it is asked for `hybrid`, for by
itself it leaves vectors out, without a word, where Python cannot load them.
"""

from __future__ import annotations

import asyncio
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

from job import Hits, Job, Turn, sessions, work

CATEGORY = "said"


class Notes:
    """The server's tool in this process, its files indexed by its own command."""

    processes = ()

    def __init__(self, job: Job) -> None:
        if job.model and not hasattr(sqlite3.Connection, "enable_load_extension"):
            raise RuntimeError("its vectors need a Python whose SQLite loads extensions, and this one does not")
        self._job = job
        self._notes: dict[str, list[str]] = {}  # file name -> turns
        self._texts = {turn["text"]: turn["id"] for turn in reversed(job.turns)}  # of equal texts the first
        for number, turns in enumerate(sessions(job.turns).values(), 1):
            name = f"{turns[0]['day']}-session-{number}.md"
            self._notes[name] = [turn["id"] for turn in turns]
            (job.root / name).write_text(_note(number, turns), encoding="utf-8")
        os.environ |= {"BASIC_MEMORY_HOME": job.folder, "BASIC_MEMORY_LOG_LEVEL": "ERROR"} | _search(job)
        self._loop = asyncio.new_event_loop()
        self._client = None  # once it is started

    def index(self) -> None:
        """Run the command that reads the files, then start the server."""
        command = [str(Path(sys.executable).with_name("basic-memory")), "reindex"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            said = " ".join((done.stdout + done.stderr).split())
            errors = re.findall(r"\w*Error: [^(]{,140}", said)
            raise RuntimeError(errors[-1].strip() if errors else f"error {done.returncode} of its index")
        self._loop.run_until_complete(self._start())

    async def _start(self) -> None:
        import basic_memory.mcp.tools  # noqa: F401 — this import gives the server its tools
        from basic_memory.mcp.server import mcp
        from fastmcp import Client
        from loguru import logger

        logger.remove()
        self._client = Client(mcp)
        await self._client.__aenter__()

    def ask(self, question: str, now: str) -> Hits:
        """The hits of the tool; it knows no time of asking."""
        asked = {"query": question, "page_size": self._job.k, "output_format": "json"}
        asked |= {"entity_types": [self._job.options["kind"]], "search_type": "hybrid" if self._job.model else "text"}
        found = self._loop.run_until_complete(self._client.call_tool("search_notes", asked)).data
        if "results" not in found:
            raise RuntimeError(f"a search error: {found[:150]}")
        return [self._turns(hit) for hit in found["results"]]

    def _turns(self, hit: dict) -> list[str]:
        if hit["type"] == "entity":
            return self._notes[Path(hit["file_path"]).name]
        text = hit["content"].removeprefix(f"- [{CATEGORY}] ").removeprefix(f"{CATEGORY}: ")
        return [self._texts[text]]

    def close(self) -> None:
        """Stop the server, if it came to that."""
        if self._client:
            self._loop.run_until_complete(self._client.__aexit__(None, None, None))


def _note(number: int, turns: list[Turn]) -> str:
    head = (
        f"---\ntitle: Session {number}, {turns[0]['day']}\ntype: note\n---\n\n# Session {number}, {turns[0]['day']}\n"
    )
    return "\n".join([head, *(f"- [{CATEGORY}] {turn['text']}" for turn in turns), ""])


def _search(job: Job) -> dict[str, str]:
    """Full text alone, or with vectors of the model."""
    if not job.model:
        return {"BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false"}
    return {
        "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "true",
        "BASIC_MEMORY_SEMANTIC_EMBEDDING_PROVIDER": "openai",
        "BASIC_MEMORY_SEMANTIC_EMBEDDING_MODEL": job.model["name"],
        "BASIC_MEMORY_SEMANTIC_EMBEDDING_DIMENSIONS": str(job.model["dimensions"]),
        "OPENAI_BASE_URL": job.model["url"],
        "OPENAI_API_KEY": "none",
    }


if __name__ == "__main__":
    work(Notes)
