"""mem0: each turn is added as it is (`infer=False`, for without it a language model would be asked), then `search`.

The store is Qdrant in a folder, the default; a hit is told by the id of the turn in its metadata.
"""

from __future__ import annotations

import os

from job import Hits, Job, work

USER = "reader"


class Memories:
    """The library in this process."""

    processes = ()

    def __init__(self, job: Job) -> None:
        from mem0 import Memory

        os.environ |= {"OPENAI_API_KEY": "none", "MEM0_DIR": str(job.root / "mem0")}
        self._job = job
        model = {"model": job.model["name"], "openai_base_url": job.model["url"], "api_key": "none"}
        where = {"path": str(job.root / "qdrant"), "embedding_model_dims": job.model["dimensions"]}
        self._memory = Memory.from_config(
            {
                "embedder": {"provider": "openai", "config": model | {"embedding_dims": job.model["dimensions"]}},
                "vector_store": {"provider": "qdrant", "config": where},
                "history_db_path": str(job.root / "history.db"),
            }
        )

    def index(self) -> None:
        """Add the turns, one by one."""
        for turn in self._job.turns:
            said = [{"role": "user", "content": turn["text"]}]
            self._memory.add(said, user_id=USER, infer=False, metadata={"turn": turn["id"]})

    def ask(self, question: str, now: str) -> Hits:
        """The turns that the memories are of."""
        found = self._memory.search(question, top_k=self._job.k, filters={"user_id": USER})
        return [[memory["metadata"]["turn"]] for memory in found["results"]]

    def close(self) -> None:
        """Close the store."""
        self._memory.close()


if __name__ == "__main__":
    work(Memories)
