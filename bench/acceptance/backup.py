"""A backup of 100,000 captures: verified, restored and compared byte by byte; and what a second run costs.

`--captures N` and `--folder DIR` (a disk of one's choice) change the size and the place.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.acceptance.measuring import Report
from commonplace import Memory
from commonplace.capture.write_context import workspace_key
from commonplace.model import Capture
from commonplace.shapes import capture_json
from commonplace.storage.journal import Journal
from commonplace.upkeep.backup.backups import back_up

CAPTURES, NOTES, BATCH, REPEATS = 100_000, 1_000, 5_000, 7
NOW = "2025-11-27T09:00"
MAX_SECOND_SHARE = 0.05
OWN = ("backups.json", "doing", "key", "locks", "index.sqlite")
WORDS = (
    "harbour",
    "boiler",
    "violin",
    "ferry",
    "ladder",
    "cellar",
    "Peter",
    "Ana",
    "Trieste",
    "Monday",
    "port",
    "keys",
)


def write_workspace(root: Path, captures: int) -> None:
    """A year of captures in the journals, and a thousand notes."""
    lot = random.Random(24)
    journal = Journal(str(root), "desk")
    for first in range(0, captures, BATCH):
        numbers = range(first, min(first + BATCH, captures))
        journal.append_all([capture_json(make_capture(number, captures, lot)) for number in numbers], "captures")
    for number in range(NOTES):
        note = root / f"memory/notes/{number % 50}/{number}.md"
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(f"# Note {number}\n\n" + "".join(f"- {sentence(lot)}\n" for _ in range(20)), encoding="utf-8")
    workspace_key(str(root))


def make_capture(number: int, captures: int, lot: random.Random) -> Capture:
    """One message of the year."""
    ts = f"2025-{1 + number * 11 // captures:02}-{1 + number % 28:02}T{number % 24:02}:{number % 60:02}"
    text = " ".join(sentence(lot) for _ in range(3))
    return Capture(f"obs:b{number:07}", ts, "message", "owner", text, session=f"s{number // 40}")


def sentence(lot: random.Random) -> str:
    """Words by lot, with a full stop."""
    return " ".join(lot.choices(WORDS, k=9)).capitalize() + "."


def tree(root: Path) -> dict[str, tuple[int, bytes]]:
    """The files that must come back, with their modes."""
    own = tuple(f".memory/{name}" for name in OWN)
    found = {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()}
    return {name: (path.stat().st_mode, path.read_bytes()) for name, path in found.items() if not name.startswith(own)}


def timed(action: Callable[[], Any]) -> tuple[Any, float, float]:
    """What it returns, its seconds, and its seconds of CPU."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = action()
    return result, time.perf_counter() - wall, time.process_time() - cpu


def measure(folder: Path, captures: int, report: Report) -> None:
    """Back up, once and again, add a capture, verify, restore, compare."""
    root, copies = folder / "notes", folder / "copies"
    root.mkdir()
    write_workspace(root, captures)

    def run() -> Any:
        return back_up(str(root), str(copies), now=NOW, started_ns=time.time_ns())

    first, wall, cpu = timed(run)
    report.add("first run", f"{first.files} files, {first.bytes / 1e6:.1f} MB, {wall:.2f} s, {cpu:.2f} s of CPU")
    again = [timed(run) for _ in range(REPEATS)]
    report.at_most("objects stored by further runs", max(done.stored_objects for done, _, _ in again), 0)
    for name, base, figures in (("wall", wall, [two for _, two, _ in again]), ("CPU", cpu, [two for *_, two in again])):
        median = statistics.median(figures)
        report.add(f"median of {REPEATS} further runs, {name}", f"{median * 1e3:.1f} ms")
        report.at_most(f"share of the first run, {name}", median / base, MAX_SECOND_SHARE)
    Journal(str(root), "desk").append(capture_json(make_capture(captures - 1, captures, random.Random(1))), "captures")
    grown, wall, cpu = timed(run)
    report.add(
        "one capture later", f"{grown.stored_bytes} bytes stored, {wall * 1e3:.1f} ms, {cpu * 1e3:.1f} ms of CPU"
    )
    verified, wall, _ = timed(lambda: Memory.verify_backup(str(copies)))
    report.at_most(f"damaged of {verified.objects} objects ({wall:.2f} s)", len(verified.problems), 0)
    _, wall, _ = timed(lambda: Memory.restore(str(copies), str(folder / "again")))
    before, after = tree(root), tree(folder / "again")
    different = [path for path in before.keys() | after.keys() if before.get(path) != after.get(path)]
    report.at_most(f"files that differ of {len(before)} restored ({wall:.2f} s)", len(different), 0)
    batches = Journal(str(folder / "again"), "desk").read_batches("captures")
    report.at_least("captures in the restored journals", sum(len(batch.entries) for batch in batches), captures)


def main() -> int:
    """Print the figures beside their bounds; 1 where one is beyond."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--captures", type=int, default=CAPTURES)
    parser.add_argument("--folder", type=Path, help="where the workspace and its copies are made, and removed")
    given = parser.parse_args()
    report = Report()
    with tempfile.TemporaryDirectory(prefix="commonplace-backup-", dir=given.folder) as folder:
        measure(Path(folder), given.captures, report)
    return int(report.is_beyond)


if __name__ == "__main__":
    sys.exit(main())
