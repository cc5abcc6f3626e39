"""Speed of sync and recall at size, beside a plain FTS5 OR query on the same lines in the same run."""

from __future__ import annotations

import itertools
import random
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import apsw

from commonplace import Memory

VOCABULARY = 40_000
T = TypeVar("T")
PEOPLE = ("Alice", "Bruno", "Chiara", "Dmitri", "Elif", "Farid", "Greta", "Hugo")


def run() -> None:
    """Print sync and recall figures at 100,000 records, and a no-change sync of 10,000 files."""
    root = Path(tempfile.mkdtemp(prefix="commonplace-speed-"))
    try:
        lines = write_notebook(root / "large", files=1_000, lines=100)
        large(root / "large", lines)
        write_notebook(root / "many", files=10_000, lines=1)
        unchanged(root / "many")
    finally:
        shutil.rmtree(root)


def large(root: Path, lines: list[str]) -> None:
    """100,000 records in 1,000 files: sync, then recall against a plain FTS5 OR query."""
    memory, seconds = timed(lambda: _opened(root))
    print(f"first sync: {len(lines)} records in {seconds:.2f} s, {len(lines) / seconds:,.0f} records/s")
    plain = plain_fts(root.parent / "plain.sqlite", lines)
    rng = random.Random(2)
    queries = [" ".join(rng.sample(rng.choice(lines).split(" "), 4)) for _ in range(200)]
    ours = [milliseconds(partial(memory.recall, query, now="2025-06-01")) for query in queries]
    swept = [milliseconds(partial(memory.recall, query, now="2025-06-01", sync=False)) for query in queries]
    theirs = [milliseconds(partial(plain, query)) for query in queries]
    for name, times in (("recall", ours), ("recall, no sweep", swept), ("plain FTS5 OR, bm25 top 10", theirs)):
        times.sort()
        print(f"{name}: p50 {statistics.median(times):.1f} ms, p95 {times[int(len(times) * 0.95)]:.1f} ms")
    print(f"recall / plain at p50: {statistics.median(ours) / statistics.median(theirs):.2f}")
    memory.close()


def unchanged(root: Path) -> None:
    """A sync of 10,000 files of which none changed."""
    memory = _opened(root)
    memory.sync()
    times = [timed(memory.sync)[1] for _ in range(5)]
    print(f"sync of 10,000 unchanged files: {statistics.median(times):.3f} s")
    memory.close()


def plain_fts(path: Path, lines: list[str]) -> Callable[[str], list[int]]:
    """What one gets without us: FTS5 on the lines, the query's words joined by OR, its own bm25."""
    db = apsw.Connection(str(path))
    db.execute("create virtual table plain using fts5(text, tokenize='porter unicode61')")
    with db:
        db.executemany("insert into plain (text) values (?)", ((line,) for line in lines))

    def search(query: str) -> list[int]:
        match = " OR ".join('"' + word.replace('"', '""') + '"' for word in query.split(" "))
        found = db.execute("select rowid from plain where plain match ? order by rank limit 10", (match,))
        return [row for (row,) in found]

    return search


def write_notebook(root: Path, *, files: int, lines: int) -> list[str]:
    """Daily logs of seeded, Zipf-like sentences of about 30 words with names, dates and identifiers."""
    rng = random.Random(1)
    words = [_word(number) for number in range(VOCABULARY)]
    weights = list(itertools.accumulate(1 / (n + 3) for n in range(VOCABULARY)))
    written: list[str] = []
    for number in range(files):
        day = f"{2000 + number // 336}-{number // 28 % 12 + 1:02d}-{number % 28 + 1:02d}"
        body = [f"# {day}", "", "## Retain", ""]
        for _ in range(lines):
            text = " ".join(rng.choices(words, cum_weights=weights, k=rng.randint(20, 40)))
            line = f"{rng.choice('WB')} @{rng.choice(PEOPLE)}: {text}"
            body.append(f"- {line}")
            written.append(text)
        path = root / "memory" / f"{number // 336:02d}" / f"{day}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(body) + "\n", encoding="utf-8")
    return written


def _word(number: int) -> str:
    """A pronounceable word of its own for each number, shorter for the commoner ones."""
    letters = ""
    while number or len(letters) < 4:
        number, rest = divmod(number, 60)
        letters += "bcdfglmnprst"[rest // 5] + "aeiou"[rest % 5]
    return letters


def _opened(root: Path) -> Memory:
    memory = Memory.open(root)
    memory.sync()
    return memory


def timed(call: Callable[[], T]) -> tuple[T, float]:
    """What a call returns and the seconds it took."""
    start = time.perf_counter()
    value = call()
    return value, time.perf_counter() - start


def milliseconds(call: Callable[[], object]) -> float:
    """How long a call took."""
    return timed(call)[1] * 1e3
