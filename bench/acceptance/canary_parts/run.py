"""A run of the canaries: its folders, and what is asked and told in all parts of it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from bench.acceptance.canary_parts import scanner
from bench.acceptance.canary_parts.notebook import FERRY, LATE_TURNS, NOW, Canary, Size, canaries_of, ordinary_turns
from commonplace import Memory
from commonplace.errors import NotFound
from commonplace.model import Hits
from commonplace.operations.parameters import ForgetRequest

SHOWN = 12
STATE_FOLDERS = ("state", "config", "runtime", "tmp")


class Run(NamedTuple):
    """The folders of a run: the notebook, its twin, and all in which bytes are looked for."""

    top: Path
    size: Size

    @property
    def root(self) -> Path:
        """The notebook."""
        return self.top / "notebook"

    @property
    def twin(self) -> Path:
        """The notebook without canaries."""
        return self.top / "twin"

    def scan(self) -> list[scanner.Hit]:
        """The hits below the notebook and in the folders of the machine."""
        return scanner.scan([self.root, *(self.top / name for name in STATE_FOLDERS)])


@contextmanager
def surroundings(top: Path) -> Iterator[None]:
    """Nothing of the machine: all folders of a run are below `top`, and the clock stands still."""
    before = dict(os.environ)
    for name in STATE_FOLDERS:
        (top / name).mkdir()
    variables = ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "TMPDIR")
    os.environ.update({name: str(top / folder) for name, folder in zip(variables, STATE_FOLDERS, strict=True)})
    os.environ.update(HOME=str(top / "home"), COMMONPLACE_NOW=NOW, COMMONPLACE_HOOKS="off")
    os.environ.pop("COMMONPLACE_WORKSPACE", None)
    tempfile.tempdir = None
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        tempfile.tempdir = None


def command(root: Path | str, *words: str) -> subprocess.CompletedProcess[str]:
    """A run of the command on a workspace."""
    line = [sys.executable, "-m", "commonplace", "--workspace", str(root), *words]
    return subprocess.run(line, capture_output=True, text=True, check=False)


def problem_names(memory: Memory) -> list[str]:
    """What `check` reports, without the numbers of lines that move when others go."""
    return [f"{one.code} {one.path} {re.sub('[0-9]+', 'N', one.message)}" for one in memory.check().problems]


def concerned(memory: Memory, canary: Canary) -> list[str]:
    """The ids of what a preview shows for the word of a canary."""
    try:
        return [one.record.id for one in memory.forget(ForgetRequest(query=canary.word)).selected]
    except NotFound:
        return []


def leaking(memory: Memory, size: Size) -> int:
    """How many hits of questions about canaries have one: each word, and every third sentence."""
    memory.sync()
    every = canaries_of(size)
    questions = [one.word for one in every] + [one.sentence for one in every[::3]]
    answered = (memory.recall(question, now=NOW, history=True, sync=False) for question in questions)
    return sum(scanner.ENDING in hit.record.text.lower() for answer in answered for hit in answer.hits)


def answers(memory: Memory, size: Size, questions: Iterable[str]) -> list[list[tuple[str, float]]]:
    """The ids and scores of the hits of each question, in order."""
    late = frozenset((FERRY, *(turn.text for turn in ordinary_turns(size)[-LATE_TURNS:])))
    return [named(memory.recall(question, now=NOW, sync=False), late) for question in questions]


def named(hits: Hits, late: frozenset[str]) -> list[tuple[str, float]]:
    """Hits by their ids; those of captures that lie behind canaries by time and text, for their ids are of a place."""
    names = ((hit.record, hit.score) for hit in hits.hits)
    return [(f"{one.time} {one.text}" if one.text in late else one.id, score) for one, score in names]


def file_bytes(root: Path) -> dict[Path, bytes]:
    """Markdown and journals of captures."""
    paths = [*root.rglob("*.md"), *(root / ".memory/journal").glob("captures-*.jsonl")]
    return {path: path.read_bytes() for path in paths}


def show(lines: Iterable[str], most: int = SHOWN) -> None:
    """The first of many lines, indented."""
    for number, line in enumerate(lines):
        if number == most:
            print("    …")
            return
        print(f"    {line[:220]}")
