"""Speed at size: recall, its lexical lane alone, and plain FTS5 OR on the same lines, asked the same in the same run.

`python -m bench speed --records=1000000 --cache=FOLDER` measures one size and keeps what it built in the folder, so
that it can be measured again.
"""

from __future__ import annotations

import gc
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

import apsw

from bench import notebook
from commonplace import Memory
from commonplace.model import Query
from commonplace.retrieval.recall.lexical import Bm25Scorer, SearchLimits, search_bm25
from commonplace.retrieval.recall.query import parse_query

NOW = "2031-01-01T00:00"
QUESTIONS = 180
ROUNDS = 9  # of what is measured once in each
UPDATES = 40  # files, each of which gets a line more
SIZES = (10_000, 100_000)
KILOBYTES = 1024
ONE_MORE = "- W One line more.\n"
T = TypeVar("T")


def run() -> None:
    """Print the figures of one size (`--records=N`) or of two, and a sync of 10,000 files of which none changed."""
    sizes = [int(size) for size in _options("records")] or SIZES
    for folder in _options("cache"):
        for records in sizes:
            measure(Path(folder), records)
        return
    with tempfile.TemporaryDirectory(prefix="commonplace-speed-") as folder:
        for records in sizes:
            measure(Path(folder), records)
        write_notebook(Path(folder) / "many", files=10_000, lines=1)
        unchanged(Path(folder) / "many")


def measure(folder: Path, records: int) -> None:
    """All figures of one size; the notebook and both indexes are built first, by another process, where missing."""
    root = folder / str(records)
    if not (root / "plain.sqlite").exists():
        subprocess.run([sys.executable, "-m", "bench.speed", str(root), str(records)], check=True)
    print(f"### {records:,} records", flush=True)
    opened, memory = _opening(root)
    print(f"opening the index: p50 {statistics.median(opened):.1f} ms")
    questions = notebook.questions(root, QUESTIONS, seed=2)
    for question in questions[: QUESTIONS // 3]:
        memory.recall(question, now=NOW)
    full = _times(lambda asked: memory.recall(asked, now=NOW), questions)
    unswept = _times(lambda asked: memory.recall(asked, now=NOW, sync=False), questions)
    lexical = _times(*_lexical_lane(memory, questions))
    print(f"memory of the process without pages of files: {anonymous_memory():.0f} MB")
    plain = _times(plain_search(root / "plain.sqlite"), questions)
    named = {"recall": full, "recall, no sweep": unswept, "lexical lane": lexical, "plain FTS5 OR": plain}
    for name, times in named.items():
        print(f"{name}: {summary(times)}")
    ratios = [statistics.median(plain[1]) / statistics.median(times[1]) for times in (unswept, lexical)]
    print(f"plain FTS5 OR / recall at p50: {ratios[0]:.1f}, / lexical lane: {ratios[1]:.1f} (CPU)")
    for name, times in _updates(memory, root, questions).items():
        print(f"{name}: {summary(times)}")
    memory.close()


Times = tuple[list[float], list[float]]  # wall and CPU milliseconds, sorted


def summary(times: Times) -> str:
    """Median and 95th percentile, on the clock and of the processor."""
    (wall, wall95), (cpu, cpu95) = ((statistics.median(one), one[int(len(one) * 0.95)]) for one in times)
    return f"p50 {wall:.1f} ms, p95 {wall95:.1f} ms (CPU {cpu:.1f}, {cpu95:.1f})"


def _times(call: Callable[[T], object], asked: Iterable[T]) -> Times:
    wall: list[float] = []
    cpu: list[float] = []
    for one in asked:
        start = time.perf_counter(), time.process_time()
        call(one)
        wall.append((time.perf_counter() - start[0]) * 1e3)
        cpu.append((time.process_time() - start[1]) * 1e3)
    return sorted(wall), sorted(cpu)


def _opening(root: Path) -> tuple[list[float], Memory]:
    """Milliseconds to open the workspace and its index and to ask it something, and the last that was opened."""
    took: list[float] = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        memory = Memory.open(root)
        memory.recall("", now=NOW, sync=False)
        took.append((time.perf_counter() - start) * 1e3)
        if len(took) < ROUNDS:
            memory.close()
    return took, memory


def _lexical_lane(memory: Memory, questions: list[str]) -> tuple[Callable[[str], object], list[str]]:
    """The ten best by words alone, of questions that are taken apart beforehand."""
    index = memory.workspace.open_index()
    asked = {text: parse_query(index, Query(text=text, now=NOW)) for text in questions}
    limits = SearchLimits(k=10)
    return lambda text: search_bm25(
        index, Bm25Scorer(index, asked[text].terms), asked[text].record_filter, limits
    ), questions


def _updates(memory: Memory, root: Path, questions: list[str]) -> dict[str, Times]:
    """One file gets one line more: the whole sync that follows, and a recall right after it.

    One update follows the other, so that Linux tells in which file it was; once a second, and so after any rest, a
    sync looks at all files, as one does that is forced. The first update, which loads the parser, is not counted.
    """
    paths = random.Random(3).sample(sorted(root.rglob("*.md")), 2 * UPDATES + 1)
    lines = {path: path.read_text(encoding="utf-8") for path in paths}
    _append(paths[0])
    memory.sync()
    told: list[Times] = []
    asked: list[Times] = []
    forced: list[Times] = []
    for path, question in zip(paths[1 : UPDATES + 1], questions, strict=False):
        _append(path)
        told.append(_times(lambda _: memory.sync(), (path,)))
        asked.append(_times(lambda question: memory.recall(question, now=NOW), (question,)))
    for path in paths[UPDATES + 1 :]:
        _append(path)
        forced.append(_times(lambda _: memory.sync(force=True), (path,)))
    for path, text in lines.items():
        path.write_text(text, encoding="utf-8")
    memory.sync()
    return {
        "update of one file": _joined(told),
        "update of one file, all files looked at": _joined(forced),
        "recall right after an update": _joined(asked),
    }


def _joined(times: list[Times]) -> Times:
    return sorted(one for wall, _cpu in times for one in wall), sorted(one for _wall, cpu in times for one in cpu)


def _append(path: Path) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(ONE_MORE)


def anonymous_memory() -> float:
    """Megabytes of this process that are not pages of files."""
    gc.collect()
    status = Path("/proc/self/status").read_text(encoding="ascii")
    values = {line.split(":")[0]: line.split()[1] for line in status.split("\n") if line.startswith("RssAnon")}
    return int(values["RssAnon"]) / KILOBYTES


def build(root: Path, records: int) -> None:
    """Write the notebook, make its index, and beside it what one gets without us: FTS5 on the lines."""
    if not root.exists():
        notebook.write(root, records)
    memory, seconds = timed(lambda: _opened(root))
    memory.close()
    print(f"first sync: {records:,} records in {seconds:.1f} s, {records / seconds:,.0f} records/s", flush=True)
    path = root / "plain.sqlite.building"
    path.unlink(missing_ok=True)
    db = apsw.Connection(str(path))
    db.execute("pragma journal_mode = off")
    db.execute("create virtual table plain using fts5(text, tokenize='porter unicode61')")
    with db:
        db.executemany("insert into plain (text) values (?)", ((line,) for line in notebook.lines(root)))
    db.close()
    path.rename(root / "plain.sqlite")


def plain_search(path: Path) -> Callable[[str], list[int]]:
    """The words of a question joined by OR, ranked by the bm25 of FTS5."""
    db = apsw.Connection(str(path))

    def search(query: str) -> list[int]:
        words = [word.strip("?.,") for word in query.split(" ")]
        match = " OR ".join(
            '"' + word.replace('"', '""') + '"' for word in words if word not in notebook.FUNCTION_WORDS
        )
        found = db.execute("select rowid from plain where plain match ? order by rank limit 10", (match,))
        return [row for (row,) in found]

    return search


def unchanged(root: Path) -> None:
    """A sync of 10,000 files of which none changed."""
    memory = _opened(root)
    memory.sync()
    times = [timed(memory.sync)[1] for _ in range(5)]
    print(f"sync of 10,000 unchanged files: {statistics.median(times):.3f} s")
    memory.close()


def write_notebook(root: Path, *, files: int, lines: int) -> list[str]:
    """Daily logs of kept lines only, without conversations; returns their texts."""
    language = notebook.Language(1)
    written: list[str] = []
    for number in range(files):
        day = f"{2000 + number // 336}-{number // 28 % 12 + 1:02d}-{number % 28 + 1:02d}"
        said = [language.sentence() for _ in range(lines)]
        body = [f"- {language.rng.choice('WB')} @{language.rng.choice(notebook.PEOPLE)}: {text}" for text in said]
        path = root / "memory" / f"{number // 336:02d}" / f"{day}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join((f"# {day}", "", "## Retain", "", *body)) + "\n", encoding="utf-8")
        written += said
    return written


def _options(name: str) -> list[str]:
    return [word.partition("=")[2] for word in sys.argv if word.startswith(f"--{name}=")]


def _opened(root: Path) -> Memory:
    memory = Memory.open(root)
    memory.sync()
    return memory


def timed(call: Callable[[], T]) -> tuple[T, float]:
    """What a call returns and the seconds it took."""
    start = time.perf_counter()
    value = call()
    return value, time.perf_counter() - start


if __name__ == "__main__":
    build(Path(sys.argv[1]), int(sys.argv[2]))
