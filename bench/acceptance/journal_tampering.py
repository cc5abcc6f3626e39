"""Whether `check` names what was done to journals: `python -m bench.acceptance.journal_tampering [--tree DIR]`.

Lines of captures, ledger, receipts and heads are removed and swapped, bytes are changed and files are cut by lot, one
at a time; each must be named by its file and line, and nothing where nothing was done. With `--tree`, an older source
tree (a worktree of this repository) and this one write and read one folder in turn, and neither may miss or report
anything. Prints what was tried and missed; exit code 1 if anything was.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from commonplace import Memory
from commonplace.capture.events import Event

COUNT, SEED, SHOWN = 1_000, 22, 10
DAYS = ("2025-09-30T09:00", "2025-11-29T10:00", "2025-11-30T09:00")
ACTS = ("remove", "swap", "change", "cut")
ROUNDS = 3


class Tampering(NamedTuple):
    """What was done to a file, on which of its lines it can be seen, and its bytes afterwards."""

    act: str
    path: str
    lines: tuple[int, ...]
    data: bytes


def build(root: Path) -> None:
    """A workspace with captures of three months, a ledger, and receipts, of two devices."""
    root.mkdir()
    (root / "notes.md").write_text("The oars are in the blue shed.\n", encoding="utf-8")
    for device in ("desk", "phone"):
        os.environ["COMMONPLACE_DEVICE"] = device
        with Memory.open(root) as memory:
            for number, day in enumerate(DAYS * 3):
                memory.capture_all([Event(text=f"{device} {number} said {each}", ts=day) for each in range(3)])
                memory.retain(f"W @{device}: keeps {number} boats", now=day)
                memory.pack("who keeps boats?", now=day)


def tampered_files(root: Path) -> dict[str, bytes]:
    """Every journal, receipt and head, by path."""
    folders = (root / ".memory/journal", root / ".memory/receipts")
    return {str(path.relative_to(root)): path.read_bytes() for folder in folders for path in sorted(folder.iterdir())}


def draw(chance: random.Random, path: str, data: bytes) -> Tampering:
    """One thing done to a file by lot."""
    lines = data.splitlines(keepends=True)
    whole = (1,) if path.endswith(".head") else ()  # its first row says how many there are
    act = chance.choice(ACTS if len(lines) > 1 else ("remove", "change", "cut"))
    at = chance.randrange(len(lines))
    if act == "remove":
        return Tampering(act, path, (at + 1, *whole), b"".join(lines[:at] + lines[at + 1 :]))
    if act == "swap":
        other = chance.choice([number for number in range(len(lines)) if lines[number] != lines[at]])
        lines[at], lines[other] = lines[other], lines[at]
        seen = (at + 1, other + 1) if whole else (min(at, other) + 1,)
        return Tampering(act, path, seen, b"".join(lines))
    place = chance.randrange(len(data))
    line = data[:place].count(b"\n") + 1
    if act == "cut":
        return Tampering(act, path, (line, *whole), data[:place])
    byte = chance.choice([byte for byte in range(256) if byte != data[place]])
    return Tampering(act, path, (line,), data[:place] + bytes([byte]) + data[place + 1 :])


def is_named(tampering: Tampering, memory: Memory) -> bool:
    """Whether `check` names the file and the line."""
    found = {(problem.path, problem.line) for problem in memory.check().problems}
    return any((tampering.path, line) in found for line in tampering.lines)


def missed(count: int, seed: int = SEED) -> tuple[Counter[str], list[str]]:
    """How often what was tried where, and what `check` did not name."""
    chance, tried, wrong = random.Random(seed), Counter[str](), list[str]()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "w"
        build(root)
        before = tampered_files(root)
        with Memory.open(root) as memory:
            wrong += [f"nothing was done, and {problem}" for problem in memory.check().problems]
            for _each in range(count):
                path = chance.choice(list(before))
                tampering = draw(chance, path, before[path])
                (root / path).write_bytes(tampering.data)
                if not is_named(tampering, memory):
                    wrong.append(f"{tampering.act} {path}:{tampering.lines[0]}")
                (root / path).write_bytes(before[path])
                kind = (
                    "heads"
                    if path.endswith(".head")
                    else path.split("/")[1 if "receipts/" in path else 2].split("-")[0]
                )
                tried[f"{kind} {tampering.act}"] += 1
            memory.rebuild()
            wrong += [f"all is as it was, and {problem}" for problem in memory.check().problems]
    return tried, wrong


def take_turns(tree: Path, rounds: int = ROUNDS) -> list[str]:
    """What an older tree and this one miss or report of what they write to one folder in turn."""
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        root, texts = Path(folder) / "w", list[str]()
        root.mkdir()
        for number in range(rounds):
            for name, source in (("older", tree / "src"), ("newer", Path(__file__).parents[2] / "src")):
                told = f"the {name} boat {number} is green"
                _run(source, root, "capture", told)
                _run(source, root, "capture", f"{told} since May", "--at", "2025-09-30T09:00")
                _run(source, root, "retain", f"W @Ana: {told}, she said")
                _run(source, root, "pack", told)
                texts += [told, f"{told} since May"]
                for reader in (tree / "src", Path(__file__).parents[2] / "src"):
                    whose = "older" if reader == tree / "src" else "newer"
                    if problems := json.loads(_run(reader, root, "check", "--json"))["problems"]:
                        wrong.append(f"the {whose} reports {problems}")
                    for text in texts:
                        hits = json.loads(
                            _run(reader, root, "recall", text, "--evidence", "only", "-k", "50", "--json")
                        )["hits"]
                        wrong += [] if any(hit["text"] == text for hit in hits) else [f"the {whose} misses {text!r}"]
    return wrong


def _run(source: Path, root: Path, *words: str) -> str:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(root.parent),
        "PYTHONPATH": str(source),
        "PYTHONDONTWRITEBYTECODE": "1",
        "COMMONPLACE_DEVICE": "desk",
        "COMMONPLACE_WORKSPACE": str(root),
        "COMMONPLACE_NOW": "2025-11-30T09:00",
    }
    ran = subprocess.run([sys.executable, "-m", "commonplace", *words], env=environment, capture_output=True, text=True)
    if ran.returncode not in (0, 3):
        raise SystemExit(f"{source}: {words}: {ran.stderr}")
    return ran.stdout


def main() -> int:
    """Print what was tried, and what was not named; 1 if there is any."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--tree", type=Path, help="an older source tree that shares a folder with this one")
    given = parser.parse_args()
    tried, wrong = missed(given.count, given.seed)
    print(", ".join(f"{name} {number}" for name, number in sorted(tried.items())))
    print(f"{sum(tried.values()) - len(wrong)} of {sum(tried.values())} are named by file and line")
    if given.tree:
        turns = take_turns(given.tree.resolve())
        print(f"{ROUNDS} turns of an older tree and this one: {len(turns)} lines missed or reported")
        wrong += turns
    for one in wrong[:SHOWN]:
        print(f"  {one}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
