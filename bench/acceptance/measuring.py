"""What the commands of acceptance have in common: figures beside bounds, another source tree, temporary workspaces."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.adapter import Captured, Logs, captured, factory
from bench.behaviour_parts.notebooks import SHARED
from commonplace import Memory
from commonplace.model import Record

ROOT = Path(__file__).parents[2]
Figures = dict[str, Any]
Store = Logs | Captured
WAYS: dict[str, Callable[..., Store]] = {"logs": factory, "captured": captured}


class Report:
    """Prints a figure and its bound per line, and remembers whether one was beyond its bound."""

    def __init__(self, given: argparse.Namespace | None = None) -> None:
        self.is_beyond = False
        self.given = given or argparse.Namespace()

    def add(self, name: str, figure: object, bound: str = "", *, holds: bool = True) -> None:
        """Print one line; a figure without a bound is for reading."""
        self.is_beyond |= not holds
        print(" | ".join(filter(None, (f"{name}: {figure}", bound, "" if holds else "BEYOND"))), flush=True)

    def at_least(self, name: str, figure: float, bound: float, base: object = None) -> None:
        """A figure that must not be lower than its bound."""
        self.add(name, shown(figure, base), f">= {bound:g}", holds=figure >= bound)

    def at_most(self, name: str, figure: float, bound: float, base: object = None) -> None:
        """A figure that must not be higher than its bound."""
        self.add(name, shown(figure, base), f"<= {bound:g}", holds=figure <= bound)


def shown(figure: object, base: object = None) -> str:
    """A figure, and that of the other tree behind it."""
    text = f"{figure:g}" if isinstance(figure, float) else str(figure)
    return text if base is None else f"{text} (base {base:g})" if isinstance(base, float) else f"{text} (base {base})"


def run_command(
    description: str | None,
    measure: Callable[[argparse.Namespace], Figures],
    judge: Callable[[Figures, Figures | None, Report], None],
    extend: Callable[[argparse.ArgumentParser], object] = lambda _parser: None,
) -> int:
    """Measure, compare with the figures of `--base`, print the figures beside their bounds; 1 where one is beyond.

    `--base` is a source tree, which is measured by the same command, or a file that `--save` wrote.
    """
    parser = argparse.ArgumentParser(description=(description or "").split("\n")[0])
    parser.add_argument("--base", "--tree", type=Path, help="another source tree, or figures that --save wrote")
    parser.add_argument("--save", type=Path, help="write the figures of this tree here, and judge nothing")
    parser.add_argument("--quick", action="store_true", help="a sample, for a first impression")
    extend(parser)
    given = parser.parse_args()
    os.fsync = lambda _descriptor: None
    ours = measure(given)
    if given.save:
        given.save.write_text(json.dumps(ours), encoding="utf-8")
        return 0
    report = Report(given)
    judge(ours, figures_of(given.base) if given.base else None, report)
    return int(report.is_beyond)


def figures_of(base: Path) -> Figures:
    """What the command that runs measures in another source tree, with its other options."""
    if base.is_file():
        return dict(json.loads(base.read_bytes()))
    command = sys.modules["__main__"].__spec__
    assert command is not None
    with tempfile.TemporaryDirectory(prefix="commonplace-base-") as folder:
        saved = Path(folder) / "figures.json"
        environment = os.environ | {
            "PYTHONPATH": str(base.resolve() / "src"),
            "PYTHONPYCACHEPREFIX": folder,
            "COMMONPLACE_SHARED": str(SHARED),
        }
        arguments = ["-m", command.name, *_options_without_base(sys.argv[1:]), "--save", str(saved)]
        subprocess.run([sys.executable, *arguments], env=environment, cwd=ROOT, check=True)
        return dict(json.loads(saved.read_bytes()))


def _options_without_base(arguments: list[str]) -> list[str]:
    names = ("--base", "--tree")
    return [
        one
        for before, one in zip(["", *arguments], arguments, strict=False)
        if before not in names and one.partition("=")[0] not in names
    ]


@contextmanager
def workspace(settings: str = "") -> Iterator[Memory]:
    """An open, empty workspace, which is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="commonplace-truth-") as folder:
        if settings:
            Path(folder, "commonplace.toml").write_text(settings, encoding="utf-8")
        with Memory.open(folder) as memory:
            yield memory


def all_records(memory: Memory) -> list[Record]:
    """The records of all Markdown files, in order."""
    index = memory.workspace.synced_index()
    rows = [row for path in sorted(index.files()) for row in index.rows_of_file(path)]
    found = index.fetch(rows)
    return [found[row].record for row in rows if row in found]


def add_line(memory: Memory, path: str, heading: str, line: str) -> None:
    """Write a line into a file as a person or a host would, below a heading that is made where it is missing."""
    place = Path(memory.root, path)
    place.parent.mkdir(parents=True, exist_ok=True)
    text = place.read_text(encoding="utf-8") if place.exists() else f"# {place.stem}\n"
    if f"\n## {heading}\n" not in text:
        text += f"\n## {heading}\n\n"
    place.write_text(f"{text}{line}\n", encoding="utf-8")


def part_of(name: str, query: Figures, *, spaces: int) -> str:
    """Whether a question is one to work with or one to check with: sets of many conversations are parted by these."""
    key = f"{name}/{query['ns']}" if spaces >= 5 else f"{name}/{query['id']}"
    return "proof" if hashlib.sha256(key.encode()).digest()[0] % 2 else "work"


def score(name: str, answers: Iterable[Figures], queries: Iterable[Figures] | None = None) -> Figures:
    """What the set's own `score.py` says of answers; of these questions alone, where some are named."""
    folder = SHARED / "bench" / name
    with tempfile.TemporaryDirectory(prefix="commonplace-score-") as scratch:
        path = Path(scratch, "answers.jsonl")
        path.write_text("".join(json.dumps(one) + "\n" for one in answers), encoding="utf-8")
        command = [sys.executable, str(folder / "score.py"), "--answers", str(path)]
        if queries is not None:
            asked = Path(scratch, "queries.jsonl")
            asked.write_text("".join(json.dumps(one) + "\n" for one in queries), encoding="utf-8")
            for conflicts in folder.glob("conflicts*"):
                Path(scratch, conflicts.name).write_bytes(conflicts.read_bytes())
            command += ["--queries", str(asked)]
        return dict(json.loads(subprocess.run(command, check=True, capture_output=True).stdout))
