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
    forgiven: tuple[str, ...] = ()  # beginnings of complaints about what it is meant to do
    ends_alike: bool = False  # done again after a crash, it ends with the same Markdown as if there had been none

    @property
    def commands(self) -> tuple[tuple[str, ...], ...]:
        """The command, and the one that tells what it did where it does not say so itself."""
        return (self.command, self.then) if self.then else (self.command,)


def nothing(_stage: Stage, root: Path) -> None:
    """A folder that is empty."""
    root.mkdir()


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


def captured(stage: Stage, root: Path) -> None:
    """A notebook with a day's conversation in its journal, of which nothing is in Markdown yet."""
    lived_in(stage, root)
    done = stage.run(root, ("ingest", "-"), stdin=CONVERSATION)
    assert set(done.codes) == {0}, done.err


def buffered(stage: Stage, root: Path) -> None:
    """A notebook in the midst of a task: lines in the working buffer."""
    lived_in(stage, root)
    done = stage.run(root, *(("buffer", "add", text, "--task", "the roof") for text in TASK))
    assert set(done.codes) == {0}, done.err


def kept(out: str) -> Ids:
    """`retain` and `log` print the record's id: it is one line, one capture, one origin, one row."""
    ids = [line.split()[0] for line in out.split("\n")[:-1]]
    return {"lines": ids, "kept": ids, "origins": ids, "index": ids}


def noted(out: str) -> Ids:
    """`capture` prints the id of the capture, and nothing for one that is known."""
    return {"captures": out.split("\n")[:-1]}


def ingested(out: str) -> Ids:
    """`ingest` says how many it took: together with an earlier attempt, all of them, each once."""
    return {"texts": [json.loads(line)["text"] for line in CONVERSATION.split("\n")[:-1]]} if out else {}


def buffer_line(out: str) -> Ids:
    """`buffer add` prints the id of its line."""
    ids = [line.split()[0] for line in out.split("\n")[:-1]]
    return {"lines": ids, "index": ids}


def explained(out: str) -> Ids:
    """`why --json` names the receipt of the pack before it."""
    return {"receipts": [json.loads(out)["id"]]} if out.startswith("{") and out.endswith("\n") else {}


def silent(_out: str) -> Ids:
    """What changes only what is derived acknowledges nothing that could be lost."""
    return {}


CONVERSATION = """\
{"ts": "2025-11-27T09:00", "actor": "owner", "session": "s1", "text": "My sister Ana lives in Porto."}
{"ts": "2025-11-27T09:01", "actor": "agent", "session": "s1", "text": "Noted. What about the database?"}
{"ts": "2025-11-27T09:02", "actor": "owner", "session": "s1", "text": "We decided to use Postgres because of JSON."}
{"ts": "2025-11-27T09:03", "actor": "owner", "session": "s1", "text": "Remember that the spare key is at the bakery."}
"""
TASK = ("The port is 8443.", "The ladder stands behind the shed.")

DEEDS: tuple[Deed, ...] = (
    Deed("init where nothing is", ("init",), nothing, silent, ends_alike=True),
    Deed("init over a person's notes", ("init",), bare, silent, ends_alike=True),
    Deed("retain, the first", ("retain", "W @Peter: Has a green boat."), bare, kept),
    Deed("retain", ("retain", "W @Peter: Has a green boat."), lived_in, kept),
    Deed("retain without an index", ("retain", "W @Peter: Has a green boat."), unindexed, kept),
    Deed("log", ("log", "Went rowing at noon."), lived_in, kept),
    Deed("log, the first", ("log", "Went rowing at noon."), bare, kept),
    Deed("sync", ("sync",), changed, silent, ends_alike=True),
    Deed("rebuild", ("rebuild",), lived_in, silent, ends_alike=True),
    Deed("pack", ("pack", "what does Ada keep?"), lived_in, explained, then=("why", "--json")),
    Deed("capture", ("capture", "My sister Ana lives in Porto."), lived_in, noted),
    Deed("capture, the first", ("capture", "Ana lives in Porto.", "--key", "m1"), bare, noted, ends_alike=True),
    Deed("ingest", ("ingest", "-"), lived_in, ingested, stdin=CONVERSATION, ends_alike=True),
    Deed("consolidate", ("consolidate", "--apply"), captured, silent, ends_alike=True),
    Deed(
        "buffer add",
        ("buffer", "add", "The port is 8443."),
        lived_in,
        buffer_line,
        forgiven=("a capture without its line", "leftover"),  # open: nobody finishes it
    ),
    Deed(
        "buffer rotate",
        ("buffer", "rotate"),
        buffered,
        silent,
        forgiven=(
            "a line went: memory/working-buffer.md",
            *("doubled", "complaint: duplicate-id", "leftover"),  # open: only the next rotation ends one that was begun
        ),
        ends_alike=True,
    ),
    Deed(
        "session start",
        ("session", "start", "Mend the roof", "--session", "s1"),
        lived_in,
        silent,
        forgiven=("leftover",),  # open: its files are not written within `files.doing`
        ends_alike=True,
    ),
)


LOOPED = Deed("a looping writer", ("retain", "…"), lived_in, kept)


class Bases:
    """Prepared workspaces, each made once and copied for every run."""

    def __init__(self, stage: Stage, folder: Path) -> None:
        self._stage, self._folder = stage, folder

    def copy(self, deed: Deed, target: Path) -> Path:
        """The workspace that the deed starts from, at `target`; whatever was there goes."""
        base = self._folder / deed.prepare.__name__
        if not base.exists():
            base.parent.mkdir(parents=True, exist_ok=True)
            deed.prepare(self._stage, base)
        return self.copied(base, target)

    @staticmethod
    def copied(source: Path, target: Path) -> Path:
        """A workspace as it is, at `target`; whatever was there goes."""
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(source, target, symlinks=True)
        return target


def said(deed: Deed, outcome: Outcome) -> Ids:
    """What a run acknowledged: what it printed, if it did not fail afterwards."""
    ids: Ids = {}
    codes = outcome.codes or (0,) * len(outcome.out)
    for code, out in zip(codes, outcome.out, strict=True):
        if code == 0:
            for field, found in deed.acknowledged(out).items():
                ids.setdefault(field, []).extend(found)
    return ids
