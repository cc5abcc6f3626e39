"""The commands that change a workspace, what each acknowledges, and the workspaces they are tried on.

A new command is one more line of `DEEDS`.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from crash.orders import Outcome
from crash.stage import NOW, Stage
from crash.verdict import Ids

DAY = f"memory/{NOW[:10]}.md"
HUMAN = """# 2025-11-27

Walked to the harbour before breakfast; the ferry was late.

## Retain

- W @Ada: Keeps the violin in the cellar.

Updated: morning
Decisions: none
Signal: quiet
Open: the roof
"""


class Deed(Struct, frozen=True):
    """A command, the workspace it starts from, and how to read from its output what it acknowledges."""

    name: str
    command: tuple[str, ...]
    prepare: Callable[[Stage, Path], None]
    acknowledged: Callable[[str], Ids]
    stdin: str = ""
    then: tuple[str, ...] = ()

    @property
    def commands(self) -> tuple[tuple[str, ...], ...]:
        """The command, and the one that tells what it did where it does not say so itself."""
        return (self.command, self.then) if self.then else (self.command,)


def nothing(_stage: Stage, _root: Path) -> None:
    """There is no workspace yet."""


def bare(_stage: Stage, root: Path) -> None:
    """A folder in which somebody keeps notes; nothing of ours is in it."""
    (root / "memory").mkdir(parents=True)
    (root / DAY).write_text(HUMAN, encoding="utf-8")
    (root / "MEMORY.md").write_text("# Mine\n\n- I like tea.\n", encoding="utf-8")


def lived_in(stage: Stage, root: Path) -> None:
    """A notebook with a past: lines by hand and by us, journals, an index, a receipt."""
    bare(stage, root)
    done = stage.run(
        root,
        ("init",),
        ("retain", "W @Peter: Moved to Trieste."),
        ("log", "The boiler was repaired."),
        ("retain", "O(c=0.9) @Peter: Prefers trains."),
        ("pack", "where is Peter?"),
    )
    assert set(done.codes) == {0}, done.err


def changed(stage: Stage, root: Path) -> None:
    """A notebook in which files were written, renamed and removed by hand since."""
    lived_in(stage, root)
    (root / "notes").mkdir()
    (root / "notes/boat.md").write_text("# Boat\n\n- The boat is green.\n", encoding="utf-8")
    (root / DAY).rename(root / "memory/2025-11-26.md")
    (root / "MEMORY.md").unlink()


def unindexed(stage: Stage, root: Path) -> None:
    """A notebook whose index somebody deleted."""
    lived_in(stage, root)
    for path in (root / ".memory").glob("index.sqlite*"):
        path.unlink()


def kept(out: str) -> Ids:
    """`retain` and `log` print the record's id: it is one line, one capture, one origin, one row."""
    ids = [line.split()[0] for line in out.split("\n") if line]
    return {"lines": ids, "kept": ids, "origins": ids, "index": ids}


def explained(out: str) -> Ids:
    """`why --json` names the receipt of the pack before it."""
    return {"receipts": [json.loads(out)["id"]]} if out.startswith("{") else {}


def silent(_out: str) -> Ids:
    """What changes only what is derived acknowledges nothing that could be lost."""
    return {}


DEEDS: tuple[Deed, ...] = (
    Deed("init where nothing is", ("init",), nothing, silent),
    Deed("init over a person's notes", ("init",), bare, silent),
    Deed("retain, the first", ("retain", "W @Peter: Has a green boat."), bare, kept),
    Deed("retain", ("retain", "W @Peter: Has a green boat."), lived_in, kept),
    Deed("retain without an index", ("retain", "W @Peter: Has a green boat."), unindexed, kept),
    Deed("log", ("log", "Went rowing at noon."), lived_in, kept),
    Deed("log, the first", ("log", "Went rowing at noon."), bare, kept),
    Deed("sync", ("sync",), changed, silent),
    Deed("rebuild", ("rebuild",), lived_in, silent),
    Deed("pack", ("pack", "what does Ada keep?"), lived_in, explained, then=("why", "--json")),
)


class Bases:
    """Prepared workspaces, each made once and copied for every run."""

    def __init__(self, stage: Stage, folder: Path) -> None:
        self._stage, self._folder = stage, folder

    def copy(self, deed: Deed, target: Path) -> Path:
        """The workspace that the deed starts from, at `target`; whatever was there goes."""
        base = self._folder / deed.prepare.__name__
        if not base.exists():
            base.parent.mkdir(parents=True, exist_ok=True)
            base.mkdir() if deed.prepare is nothing else deed.prepare(self._stage, base)
        shutil.rmtree(target, ignore_errors=True)
        if deed.prepare is not nothing:
            shutil.copytree(base, target, symlinks=True)
        return target


def said(deed: Deed, outcome: Outcome) -> Ids:
    """What a run acknowledged: only a command that ended well does."""
    ids: Ids = {}
    for code, out in zip(outcome.codes, outcome.out, strict=True):
        if code == 0:
            for field, found in deed.acknowledged(out).items():
                ids.setdefault(field, []).extend(found)
    return ids
