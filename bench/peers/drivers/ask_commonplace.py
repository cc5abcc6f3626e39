"""Ours: a workspace of daily logs, one line a turn, asked through the library in a warm process.

A model is run by the library itself, from the folder, and not asked at an address. `embeds` says that the encoder of
the extra `semantic` is installed, which needs no settings; without it `embed` fails, and so does the row.
"""

from __future__ import annotations

import os

from job import Hits, Job, work

from bench.adapter import write_logs
from commonplace import Memory


class Commonplace:
    """The logs are written by `write_logs`, so a hit is a line, and the line is a turn."""

    processes = ()

    def __init__(self, job: Job) -> None:
        self._job = job
        docs = [turn | {"timestamp": f"{turn['day']}T{turn['time']}", "text": turn["words"]} for turn in job.turns]
        self._turns = write_logs(job.root, docs)
        if job.model:
            settings = f'[vectors]\nmode = "hybrid"\nprovider = "minilm"\nmodel = "{job.model["folder"]}"\n'
            (job.root / "commonplace.toml").write_text(settings, encoding="utf-8")
        if job.options.get("embeds"):
            del os.environ["COMMONPLACE_VECTORS"]  # `bench` turns vectors off
        self._memory = Memory.open(job.root)

    def index(self) -> None:
        """Read the files, and give their texts vectors if there is a model or an encoder."""
        self._memory.sync()
        if self._job.model or self._job.options.get("embeds"):
            self._memory.embed()

    def ask(self, question: str, now: str) -> Hits:
        """The turns that the hits are."""
        found = self._memory.recall(question, k=self._job.k, now=now, sync=False)
        places = [(hit.record.source.path, hit.record.source.line_start) for hit in found.hits]
        return [[self._turns[place]] for place in places if place in self._turns]

    def close(self) -> None:
        """Close the index."""
        self._memory.close()


if __name__ == "__main__":
    work(Commonplace)
