"""Random changes of files below a folder, and a sweep of it that counts."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

from commonplace.storage.workspace.sweep import SWEEPS_BEFORE_WATCHING, IncrementalSweep, Sweep, sweep_files


class Clock:
    """Stands still unless it is told to go on, so that nothing but the word of the system brings a sweep about."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


class Sweeps:
    """Counts how often the files are looked at."""

    def __init__(self) -> None:
        self.done = 0

    def __call__(self, root: str, ignore: tuple[str, ...] = ()) -> Sweep:
        self.done += 1
        return sweep_files(root, ignore)


def settle(kept: IncrementalSweep, sweeps: Sweeps) -> None:
    """Ask until the answer stands."""
    for _time in range(SWEEPS_BEFORE_WATCHING + 3):
        kept.sweep()
    done = sweeps.done
    kept.sweep()
    assert sweeps.done == done


OPERATIONS: tuple[Callable[[Path, random.Random], object], ...] = (
    lambda root, rng: file(root, rng).write_text(str(rng.random())),
    lambda root, rng: append(file(root, rng)),
    lambda root, rng: folder(root, rng).mkdir(parents=True, exist_ok=True),
    lambda root, rng: folder(root, rng).rename(root / f"moved{rng.random()}"),
    lambda root, rng: shutil.rmtree(folder(root, rng)),
    lambda root, rng: file(root, rng).unlink(),
    lambda root, rng: file(root, rng).rename(file(root, rng)),
    lambda root, rng: os.utime(file(root, rng), ns=(1, rng.randrange(10**9))),
    lambda root, rng: file(root, rng).chmod(rng.choice((0o600, 0o644))),
    lambda root, rng: file(root, rng).symlink_to(file(root, rng)),
    lambda root, rng: file(root, rng).hardlink_to(file(root, rng)),
    lambda root, rng: os.truncate(file(root, rng), rng.randrange(9)),
    lambda root, rng: again(folder(root, rng)),
    lambda root, rng: os.mkfifo(folder(root, rng) / "pipe.md"),
)


def folder(root: Path, rng: random.Random) -> Path:
    return root / rng.choice(("x", "x/y", "x/y/z", "w", "w/v", ".hidden"))


def file(root: Path, rng: random.Random) -> Path:
    return folder(root, rng) / rng.choice(("a.md", "b.md", "c.txt", ".d.md"))


def append(path: Path) -> None:
    if path.is_file():
        with path.open("a") as written:
            written.write("x")


def again(path: Path) -> None:
    """The same folder with the same file, but another."""
    shutil.rmtree(path)
    path.mkdir()
    (path / "a.md").write_text("another")
