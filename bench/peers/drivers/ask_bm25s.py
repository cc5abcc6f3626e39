"""A floor: bm25s with its English stop words and the Snowball stemmer, as its README has it."""

from __future__ import annotations

import bm25s
import Stemmer
from job import Hits, Job, work


class Ranked:
    """One document a turn; what has none of the words has the score 0 and is no hit."""

    processes = ()

    def __init__(self, job: Job) -> None:
        self._job = job
        self._stemmer = Stemmer.Stemmer("english")
        self._ranker = bm25s.BM25()

    def index(self) -> None:
        """Count the words."""
        self._ranker.index(self._words([turn["text"] for turn in self._job.turns]), show_progress=False)

    def ask(self, question: str, now: str) -> Hits:
        """The documents with a score."""
        k = min(self._job.k, len(self._job.turns))
        rows, scores = self._ranker.retrieve(self._words([question]), k=k, show_progress=False)
        return [[self._job.turns[row]["id"]] for row, score in zip(rows[0], scores[0], strict=True) if score > 0]

    def _words(self, texts: list[str]) -> object:
        return bm25s.tokenize(texts, stopwords="en", stemmer=self._stemmer, show_progress=False)

    def close(self) -> None:
        """There is nothing to close."""


if __name__ == "__main__":
    work(Ranked)
