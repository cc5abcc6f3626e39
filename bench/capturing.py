"""What capturing and consolidating cost: a batch, one durable capture beside a bare append, ten times as much."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.quality import SHARED
from commonplace import Memory
from commonplace.capture import Event

CHARACTERS = 300
BATCH = 20_000
SINGLE = 200
SMALL, LARGE = 10_000, 100_000
TURNS_OF_SESSION = 25


def run(sizes: tuple[int, int] = (SMALL, LARGE)) -> None:
    """Print the figures; says so when the conversations are not there."""
    if not (SHARED / "bench").is_dir():
        print(f"no benchmark sets at {SHARED}: capturing was not measured")
        return
    turns = list(_turns())
    print(_batch(turns))
    print(_single(turns))
    (clock, cpu), (clock_more, cpu_more) = (_consolidated(turns, size) for size in sizes)
    ratios = f"{clock_more / clock:.1f} times as long, {cpu_more / cpu:.1f} times the CPU"
    print(f"consolidation, {sizes[1]:,} beside {sizes[0]:,} captures: {ratios}")


def _turns() -> Iterator[str]:
    for name in ("locomo", "lme_pool"):
        with gzip.open(SHARED / "bench" / name / "corpus.jsonl.gz", "rt", encoding="utf-8") as file:
            yield from (text for line in file if (text := json.loads(line)["text"].strip()))


@contextmanager
def _workspace() -> Iterator[Memory]:
    root = tempfile.mkdtemp(prefix="commonplace-capturing-")
    with Memory.open(root) as memory:
        yield memory
    shutil.rmtree(root)


def _batch(turns: list[str]) -> str:
    texts = [(turn * (CHARACTERS // len(turn) + 1))[:CHARACTERS] for turn in turns]
    lines = [
        json.dumps({"text": texts[n % len(texts)], "ts": f"2025-11-{n % 28 + 1:02}T09:{n % 60:02}", "id": f"m{n}"})
        for n in range(BATCH)
    ]
    data = "\n".join(lines).encode()
    with _workspace() as memory:
        start = time.perf_counter()
        done = memory.ingest(io.BytesIO(data), format="jsonl", name="bench")
        seconds = time.perf_counter() - start
    return f"ingest, batch of {done.captured:,} captures of {CHARACTERS} characters: {done.captured / seconds:,.0f}/s"


def _single(turns: list[str]) -> str:
    """One capture at a time beside a bare append and fsync of as many bytes, alternating."""
    ours, bare = [], []
    with _workspace() as memory:
        path = Path(memory.root) / "bare.txt"
        memory.capture("first")
        for number in range(SINGLE):
            text = turns[number % len(turns)][:CHARACTERS]
            start = time.perf_counter()
            memory.capture(text, session="s", detail={"speaker": "Peter"})
            middle = time.perf_counter()
            with path.open("ab") as file:
                file.write(text.encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
            ours.append(middle - start)
            bare.append(time.perf_counter() - middle)
    mine, plain = (statistics.median(times) * 1e3 for times in (ours, bare))
    return f"one durable capture: {mine:.2f} ms; a bare append and fsync: {plain:.2f} ms (medians of {SINGLE})"


def _consolidated(turns: list[str], size: int) -> tuple[float, float]:
    """Seconds by the clock and of CPU for `size` captures: the conversations over and over, each with other people."""
    with _workspace() as memory:
        for start in range(0, size, 5_000):
            memory.capture_all([_event(turns, number) for number in range(start, min(start + 5_000, size))])
        memory.sync()
        start_s, start_cpu = time.perf_counter(), time.process_time()
        run = memory.consolidate(apply=True)
        seconds, cpu = time.perf_counter() - start_s, time.process_time() - start_cpu
    kept = sum(len(plan.lines) for plan in run.plans)
    print(f"consolidation of {size:,} captures: {seconds:.1f} s, {cpu:.1f} s of CPU, {kept:,} lines kept", flush=True)
    return seconds, cpu


def _event(turns: list[str], number: int) -> Event:
    copy, place = divmod(number, len(turns))
    text = re.sub(r"\b([A-Z][a-z]{3,})\b", rf"\g<1>{copy}" if copy else r"\g<1>", turns[place])
    session = number // TURNS_OF_SESSION
    day = f"2025-{session // 28 % 12 + 1:02}-{session % 28 + 1:02}"
    speaker = f"Speaker{copy}x{session % 40}"
    return Event(
        text=text,
        ts=f"{day}T{session // 336 % 24:02}:{number % 60:02}",
        session=f"s{session}",
        detail={"speaker": speaker},
    )
