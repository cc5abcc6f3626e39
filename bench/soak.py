"""One hour of the daemon: a file changes every second, ten requests a second; what grows, what is slow, what is lost.

The changing files lose as many lines as they gain, so that what grows is the process and not what it serves. Each
change is asked for by its own word a little after it was made; at the end what should be there is there, and no more.

`make soak`, or `make soak ARGS="--minutes 5"`.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import sys
import tempfile
import threading
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bench import notebook
from bench.running_daemon import Running, running, runtime

RECORDS = 10_000
PER_SECOND = 10
SETTINGS = "[daemon]\nconsolidate_minutes = 4\nidle_minutes = 1\n"  # so that it runs while it is warming up, and on
FILES = 40  # among which the changes go round
HELD = 10  # lines of each of them, the newest
SETTLED = 10  # changes that come after one before it is asked for
WARM = 1 / 4  # of the time, at most ten minutes: what grows in it is not counted
WARM_MINUTES = 10
SAMPLE_S = 10
SLOPE_MB_H, TAIL = 1.0, 5.0  # bounds: growth, and p99 over p50
SPREAD = 3  # descriptors and threads may come and go by so many


@dataclass
class Seen:
    """What was measured: seconds of recalls by minute, and (second, bytes, descriptors, threads)."""

    recalls: dict[int, list[float]] = field(default_factory=dict)
    samples: list[tuple[float, int, int, int]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    late: list[int] = field(default_factory=list)  # changes that were not found a little after
    changes: int = 0
    requests: int = 0


def main() -> int:
    """Run it, print a line a minute and the verdict; 0 where all of it holds."""
    parser = ArgumentParser(prog="make soak")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--records", type=int, default=RECORDS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cpl-soak-") as folder, runtime() as place:
        workspace = Path(folder)
        notebook.write(workspace, options.records)
        (workspace / "commonplace.toml").write_text(SETTINGS, "utf-8")
        with running(workspace, place) as daemon:
            seen = Seen()
            questions = asked(workspace)
            for question in questions:  # the cache of pages fills up to the size of the index
                daemon.ask("recall", text=question)
            soak(daemon, workspace, questions, seen, options.minutes * 60)
            lost = seen.late + wrong(daemon, seen.changes)
            code = daemon.stop()
    return verdict(seen, lost, code, options.minutes)


def asked(workspace: Path) -> list[str]:
    """Questions such as people ask, made of what the notebook says."""
    return notebook.questions(workspace, 200, seed=3)


def soak(daemon: Running, workspace: Path, questions: list[str], seen: Seen, seconds: float) -> None:
    """Change, ask and look, each in its own rhythm, until the time is up."""
    start, over = time.monotonic(), threading.Event()
    threads = (
        threading.Thread(target=change, args=(workspace, seen, over)),
        threading.Thread(target=watch, args=(daemon, seen, over, start)),
    )
    for thread in threads:
        thread.start()
    print("| minute | requests | p50 ms | p99 ms | RSS MB | fds | threads | lag s |\n|---|---|---|---|---|---|---|---|")
    try:
        ask(daemon, questions, seen, start, seconds)
    finally:
        over.set()
        for thread in threads:
            thread.join()


def ticks(start: float, every: float, over: threading.Event) -> Iterator[int]:
    """Count up in a rhythm that does not drift; what is late is not made up for."""
    number = 0
    while not over.wait(max(0.0, start + number * every - time.monotonic())):
        yield number
        number = max(number + 1, int((time.monotonic() - start) / every))


def change(workspace: Path, seen: Seen, over: threading.Event) -> None:
    """One file a second says one thing anew: written in place, or beside and renamed, as editors do."""
    for _number in ticks(time.monotonic(), 1.0, over):
        number = seen.changes
        path = workspace / f"changing/{number % FILES}.md"
        path.parent.mkdir(exist_ok=True)
        shown = range(number % FILES, number + 1, FILES)[-HELD:]
        text = f"# Shelf {number % FILES}\n\n" + "".join(f"- Crate {one} holds item{one}x.\n" for one in shown)
        if number % 2:
            path.write_text(text, "utf-8")
        else:
            beside = path.with_suffix(".tmp")
            beside.write_text(text, "utf-8")
            os.replace(beside, path)
        seen.changes = number + 1


def ask(daemon: Running, questions: list[str], seen: Seen, start: float, seconds: float) -> None:
    """Ten requests a second, most of them recalls; a line of the table each minute."""
    rng, never, told = random.Random(7), threading.Event(), 0
    for number in ticks(start, 1 / PER_SECOND, never):
        passed = time.monotonic() - start
        if int(passed / 60) > told or passed >= seconds:
            row(daemon, seen, told)
            told = int(passed / 60)
        if passed >= seconds:
            return
        settled = seen.changes - SETTLED
        if number % PER_SECOND == 1 and settled >= 0:
            seen.late += [] if is_found(daemon, settled) else [settled]
        operation, given = one_of(rng, questions, number)
        began = time.perf_counter()
        reply = daemon.ask(operation, **given)
        if reply.status != 200:
            seen.failures.append(f"{operation}: {reply.status} {reply.body[:200]!r}")
        if operation == "recall":
            seen.recalls.setdefault(int(passed / 60), []).append(time.perf_counter() - began)
        seen.requests += 1


def one_of(rng: random.Random, questions: list[str], number: int) -> tuple[str, dict[str, object]]:
    """What is asked this time: 9 of 10 are recalls."""
    if number % 10:
        return "recall", {"text": rng.choice(questions)}
    text = f"Message {number} of the soak: {rng.choice(questions)}"
    others: tuple[tuple[str, dict[str, object]], ...] = (
        ("pack", {"text": rng.choice(questions), "automatic": True}),
        ("capture", {"text": text, "session": f"s{number // 600}", "keys": [f"k{number}"]}),
        ("timeline", {"at_most": 20}),
        ("status", {}),
        ("show", {"reference": "changing/0.md#L1"}),
    )
    return others[number // 10 % len(others)]


def watch(daemon: Running, seen: Seen, over: threading.Event, start: float) -> None:
    """Memory, descriptors and threads of the daemon, as the system counts them."""
    here = Path("/proc", str(daemon.process.pid))
    for _number in ticks(start, SAMPLE_S, over):
        pages = int((here / "statm").read_text("ascii").split()[1])
        sample = (pages * os.sysconf("SC_PAGE_SIZE"), len(os.listdir(here / "fd")), len(os.listdir(here / "task")))
        seen.samples.append((time.monotonic() - start, *sample))


def row(daemon: Running, seen: Seen, minute: int) -> None:
    """One line of the table."""
    times = seen.recalls.get(minute, [0.0])
    _second, size, descriptors, threads = seen.samples[-1]
    lag = daemon.get("/healthz").json["index_lag_seconds"]
    ms = f"{1e3 * statistics.median(times):.1f} | {1e3 * percentile(times, 0.99):.1f}"
    print(f"| {minute} | {seen.requests} | {ms} | {size / 1e6:.1f} | {descriptors} | {threads} | {lag} |", flush=True)


def percentile(times: list[float], part: float) -> float:
    """The value below which this part of them lies."""
    return sorted(times)[min(len(times) - 1, int(part * len(times)))]


def wrong(daemon: Running, changes: int) -> list[int]:
    """The changes that should be found and are not, or should be gone and are found, a little after the last."""
    pause = threading.Event()
    for _try in range(100):
        if daemon.get("/healthz").json["index_lag_seconds"] == 0:
            break
        pause.wait(0.1)
    return [number for number in range(changes) if is_found(daemon, number) != (number >= changes - FILES * HELD)]


def is_found(daemon: Running, number: int) -> bool:
    """Whether a question for the word of a change brings it, without a look at the files."""
    hits = daemon.ask("recall", text=f"item{number}x", k=3, sync=False).json["hits"]
    return any(f"item{number}x" in hit["text"] for hit in hits)


def verdict(seen: Seen, lost: list[int], code: int, minutes: float) -> int:
    """Print what holds and what does not; 0 where all does."""
    warm = min(WARM_MINUTES * 60, minutes * 60 * WARM)
    steady = [sample for sample in seen.samples if sample[0] >= warm]
    times = [one for minute, some in seen.recalls.items() if (minute + 1) * 60 > warm for one in some]
    middle, tail = statistics.median(times), percentile(times, 0.99)
    slope = statistics.linear_regression([one[0] / 3600 for one in steady], [one[1] / 1e6 for one in steady]).slope
    spreads = [max(values) - min(values) for values in ([one[2] for one in steady], [one[3] for one in steady])]
    holds = {
        f"RSS grows by {slope:.2f} MB an hour after {warm / 60:.1f} minutes (bound {SLOPE_MB_H:g})": slope < SLOPE_MB_H,
        f"{len(lost)} of {seen.changes} changes are lost, late or left behind {lost[:5] or ''}": not lost,
        f"p99 of recall {1e3 * tail:.1f} ms, p50 {1e3 * middle:.1f} ms: {tail / middle:.1f} (bound {TAIL:g})": tail
        <= TAIL * middle,
        f"descriptors and threads come and go by {spreads[0]} and {spreads[1]} (bound {SPREAD})": max(spreads)
        <= SPREAD,
        f"{len(seen.failures)} of {seen.requests} requests failed {seen.failures[:3] or ''}": not seen.failures,
        f"it ended with code {code}": code == 0,
    }
    for told, well in holds.items():
        print(f"{'ok  ' if well else 'FAIL'}  {told}")
    print(
        json.dumps(
            {"minutes": minutes, "changes": seen.changes, "requests": seen.requests, "holds": all(holds.values())}
        )
    )
    return 0 if all(holds.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
