"""Recall with vectors beside recall without, in one workspace of 100,000 records and in one process.

`python -m bench.acceptance.vectors_at_size [--records N] [--folder DIR]`. All texts have seeded vectors of 512 numbers:
of each word one by lot, of a text the mean of its words. The two ways are asked in turn, either first, warm and without
a sweep; what the seeded encoder takes is left out, and what that of the extra `semantic` takes is printed beside, where
it is installed. Memory is the peak of a process that asks all questions in one of the ways. In a folder that is named
the workspace stays, and is built only once.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from importlib.machinery import PathFinder
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

from bench import notebook
from bench.acceptance.measuring import Report
from bench.embedded import Seeded
from bench.peers.drivers.job import most_held
from commonplace import Memory
from commonplace.models.sentence_encoder import SentenceEncoder
from commonplace.storage.settings import EXTRA_MODULE

RECORDS, QUESTIONS, WARM_UPS, UPDATES = 100_000, 180, 60, 5
MOST_TIMES = 2.5
NOW = "2031-01-01T00:00"
SETTINGS = '[vectors]\nmode = "hybrid"\nprovider = "use"\n'
Times = dict[str, list[float]]
T = TypeVar("T")


def open_memory(root: Path, *, with_vectors: bool) -> tuple[Memory, Seeded]:
    """The workspace, asked in one of the two ways."""
    memory, encoder = Memory.open(root), Seeded()
    memory.workspace.vectors_mode = "hybrid" if with_vectors else "none"
    memory.workspace.open_embedder = lambda _seconds: encoder
    return memory, encoder


def build(root: Path, records: int) -> None:
    """Write the notebook, fill its index, and give every text its vectors."""
    notebook.write(root, records)
    (root / "commonplace.toml").write_text(SETTINGS, encoding="utf-8")
    began = time.perf_counter()
    memory, _encoder = open_memory(root, with_vectors=True)
    with memory:
        memory.sync()
        print(f"indexed in {time.perf_counter() - began:.0f} s", flush=True)
        memory.embed(_print_progress)


def _print_progress(done: int, total: int) -> None:
    if done == total or done % (total // 8 + 1) < 64:
        print(f"{done:,} of {total:,} texts have vectors", flush=True)


def compare(root: Path, questions: list[str], report: Report) -> None:
    """Ask both ways in turn, and print the times beside the bound."""
    opened = {way: open_memory(root, with_vectors=way == "with") for way in ("without", "with")}
    first = {way: ask(*opened[way], questions[0]) for way in opened}
    wall: Times = {way: [] for way in opened}
    cpu: Times = {way: [] for way in opened}
    for number, question in enumerate(questions):
        for way in sorted(opened, reverse=bool(number % 2)):
            spent = ask(*opened[way], question)
            if number >= WARM_UPS:
                wall[way].append(spent[0])
                cpu[way].append(spent[1])
    for name, times in (("CPU", cpu), ("wall", wall)):
        without, with_vectors = (statistics.median(times[way]) for way in ("without", "with"))
        report.add(f"recall, median {name}", f"{without:.1f} ms without, {with_vectors:.1f} ms with")
        report.at_most(f"ratio of the medians, {name}", round(with_vectors / without, 2), MOST_TIMES)
    report.add("the first question of a process, CPU", " ".join(f"{first[way][1]:.0f} ms {way}" for way in opened))
    changed: Times = {way: [] for way in opened}
    for number in range(UPDATES):
        with (root / "more.md").open("a", encoding="utf-8") as file:
            file.write(f"- One line more, of number {number}.\n")
        opened["without"][0].sync()
        for way in opened:
            changed[way].append(ask(*opened[way], questions[number])[1])
    (root / "more.md").unlink()
    opened["without"][0].sync()
    medians = (f"{statistics.median(times):.0f} ms {way}" for way, times in changed.items())
    report.add("a question after a line more, CPU", " ".join(medians))
    for memory, _encoder in opened.values():
        memory.close()


def ask(memory: Memory, encoder: Seeded, question: str) -> tuple[float, float]:
    """The milliseconds of a question, on the clock and of the processor, without those of the encoder."""
    encoder.wall = encoder.cpu = 0.0
    began = time.perf_counter(), time.process_time()
    hits = memory.recall(question, now=NOW, sync=False)
    wall, cpu = time.perf_counter() - began[0], time.process_time() - began[1]
    assert not hits.notes, hits.notes
    return (wall - encoder.wall) * 1e3, (cpu - encoder.cpu) * 1e3


def ask_all(root: Path, questions: list[str], with_vectors: bool) -> float:
    """The peak in MB of a process that asks all questions in one of the ways."""
    memory, encoder = open_memory(root, with_vectors=with_vectors)
    with memory:
        for question in questions:
            ask(memory, encoder, question)
    return most_held(os.getpid())


def load_encoder(questions: list[str]) -> tuple[float, float]:
    """The peak in MB of a process that has the encoder of the extra, and its median milliseconds of CPU a question."""
    encoder, spent = SentenceEncoder(), []
    for question in questions:
        began = time.process_time()
        encoder.embed([question])
        spent.append((time.process_time() - began) * 1e3)
    return most_held(os.getpid()), statistics.median(spent)


def in_process(act: Callable[..., T], *arguments: object) -> T:
    """What an act returns that is done in a process of its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(act, *arguments).result()


def measure(root: Path, records: int, report: Report) -> None:
    """All figures of one size."""
    if not (root / ".memory/vectors.sqlite").exists():
        in_process(build, root, records)
    questions = notebook.questions(root, QUESTIONS, seed=2)
    compare(root, questions, report)
    without, with_vectors = (in_process(ask_all, root, questions, way) for way in (False, True))
    report.add("peak memory", f"{without:.0f} MB without, {with_vectors:.0f} MB with, the encoder not counted")
    sizes = {name: (root / ".memory" / name).stat().st_size / 1e6 for name in ("index.sqlite", "vectors.sqlite")}
    report.add("on disk", ", ".join(f"{name} {size:.0f} MB" for name, size in sizes.items()))
    if PathFinder.find_spec(EXTRA_MODULE):
        peak, spent = in_process(load_encoder, questions)
        report.add("the encoder of the extra", f"{spent:.1f} ms of CPU a question, a process with it {peak:.0f} MB")


def main() -> int:
    """Print the figures beside their bounds; 1 where one is beyond."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--records", type=int, default=RECORDS)
    parser.add_argument("--folder", type=Path, help="where the workspace is built, or was")
    given = parser.parse_args()
    report = Report()
    if given.folder:
        measure(given.folder / str(given.records), given.records, report)
        return int(report.is_beyond)
    with tempfile.TemporaryDirectory(prefix="commonplace-vectors-") as folder:
        measure(Path(folder), given.records, report)
    return int(report.is_beyond)


if __name__ == "__main__":
    sys.exit(main())
