"""memsearch: a Markdown log for each session, a heading for each turn as its plugins write them, asked by `search`.

Its chunks are cut at headings, so a chunk is a turn or a part of a long one, told by its file and its first line.
"""

from __future__ import annotations

import asyncio
import os

from job import Hits, Job, sessions, work


class Logs:
    """The library in this process, on Milvus Lite, which is its default."""

    processes = ()

    def __init__(self, job: Job) -> None:
        from memsearch import MemSearch

        os.environ["OPENAI_API_KEY"] = "none"
        self._job = job
        self._starts: dict[tuple[str, int], str] = {}  # (file, line of a heading) -> turn
        notes = job.root / "memory"
        notes.mkdir()
        for number, turns in enumerate(sessions(job.turns).values(), 1):
            name = f"{turns[0]['day']}-{number}.md"
            lines = [f"# {turns[0]['day']}", ""]
            for turn in turns:
                self._starts[name, len(lines) + 1] = turn["id"]
                lines += [f"### {turn['time']}", turn["text"], ""]
            (notes / name).write_text("\n".join(lines), encoding="utf-8")
        self._loop = asyncio.new_event_loop()
        self._library = MemSearch(
            [str(notes)],
            embedding_provider="openai",
            embedding_model=job.model["name"],
            embedding_base_url=job.model["url"],
            milvus_uri=str(job.root / "milvus.db"),
        )

    def index(self) -> None:
        """Read the files."""
        self._loop.run_until_complete(self._library.index())

    def ask(self, question: str, now: str) -> Hits:
        """The turns that the chunks are of."""
        found = self._loop.run_until_complete(self._library.search(question, top_k=self._job.k))
        return [turns for turns in map(self._turns, found) if turns]

    def _turns(self, chunk: dict) -> list[str]:
        """The turn under the last heading at or above the first line; none for a chunk that is the day's heading."""
        name = chunk["source"].rpartition("/")[2]
        above = [line for file, line in self._starts if file == name and line <= chunk["start_line"]]
        return [self._starts[name, max(above)]] if above else []

    def close(self) -> None:
        """Close the store."""
        self._library.close()


if __name__ == "__main__":
    work(Logs)
