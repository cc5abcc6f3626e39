"""A floor: SQLite FTS5 with the porter stemmer; the words of the question without stop words, joined by OR."""

from __future__ import annotations

import sqlite3

from job import Hits, Job, work
from words import keywords


class Words:
    """One row a turn; the order is that of `bm25()`."""

    processes = ()

    def __init__(self, job: Job) -> None:
        self._job = job
        self._rows = sqlite3.connect(":memory:")

    def index(self) -> None:
        """Fill the table."""
        self._rows.execute("create virtual table turns using fts5(text, tokenize = 'porter unicode61')")
        texts = [(number, turn["text"]) for number, turn in enumerate(self._job.turns)]
        self._rows.executemany("insert into turns (rowid, text) values (?, ?)", texts)

    def ask(self, question: str, now: str) -> Hits:
        """The rows with any of the words."""
        words = " OR ".join(f'"{word}"' for word in keywords(question))
        query = "select rowid from turns where turns match ? order by rank limit ?"
        return [[self._job.turns[row]["id"]] for (row,) in self._rows.execute(query, (words, self._job.k))]

    def close(self) -> None:
        """Drop the table."""
        self._rows.close()


if __name__ == "__main__":
    work(Words)
