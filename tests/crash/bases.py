"""The workspaces that commands are tried on, each made once and copied for every run."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from commonplace.capture import WriteContext
from commonplace.storage.journal import Journal
from commonplace.storage.workspace import parse_document
from commonplace.storage.workspace.edits import update_file
from commonplace.upkeep.consolidate.file_edits import ReviewItem
from commonplace.upkeep.consolidate.history import LedgerHistory
from commonplace.upkeep.consolidate.planning import ConsolidationPlan
from commonplace.upkeep.consolidate.runs import write_plan
from crash.stage import NOW, Stage

if TYPE_CHECKING:
    from crash.deeds import Deed
Prepare = Callable[[Stage, Path], None]

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
CONVERSATION = """\
{"ts": "2025-11-27T09:00", "actor": "owner", "session": "s1", "text": "My sister Ana lives in Porto."}
{"ts": "2025-11-27T09:01", "actor": "agent", "session": "s1", "text": "Noted. What about the database?"}
{"ts": "2025-11-27T09:02", "actor": "owner", "session": "s1", "text": "We decided to use Postgres because of JSON."}
{"ts": "2025-11-27T09:03", "actor": "owner", "session": "s1", "text": "Remember that the spare key is at the bakery."}
"""
TASK = ("The port is 8443.", "The ladder stands behind the shed.")
CITY = "Ana's city is Bern"
DRAFT = "memory/skills/brew-tea.draft.json"
SKILL = {
    "name": "brew-tea",
    "goal": "Brew tea",
    "triggers": ["brew tea"],
    "preconditions": {},
    "steps": [{"action": "call_tool", "params": {"tool": "shell", "input": f"kettle {way}"}} for way in ("on", "off")],
}
TOKEN = "ghp_" + "n3Tg" * 9


def nothing(_stage: Stage, root: Path) -> None:
    """A folder that is empty."""
    root.mkdir()


def bare(_stage: Stage, root: Path) -> None:
    """A folder in which somebody keeps notes; Commonplace is not in it."""
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


BOAT, BOAT_COPY = "notes/boat.md", "notes/boat.sync-conflict-20251127-090000-ABCDEFG.md"


def conflicted(stage: Stage, root: Path) -> None:
    """A notebook with a file of which a sync tool has made a copy."""
    lived_in(stage, root)
    (root / "notes").mkdir()
    (root / BOAT).write_text("# Boat\n\n- The boat is green.\n", encoding="utf-8")
    (root / BOAT_COPY).write_text("# Boat\n\n- The boat is green.\n- The boat leaks.\n", encoding="utf-8")


def unindexed(stage: Stage, root: Path) -> None:
    """A notebook whose index somebody deleted."""
    lived_in(stage, root)
    for path in (root / ".memory").glob("index.sqlite*"):
        path.unlink()


def captured(stage: Stage, root: Path) -> None:
    """A notebook with a day's conversation in its journal, of which nothing is in Markdown yet."""
    lived_in(stage, root)
    done = stage.run(root, ("ingest", "-", "--owner", "Ana"), stdin=CONVERSATION)
    assert set(done.codes) == {0}, done.err


def buffered(stage: Stage, root: Path) -> None:
    """A notebook in the midst of a task: lines in the working buffer."""
    lived_in(stage, root)
    done = stage.run(root, *(("buffer", "add", text, "--task", "the roof") for text in TASK))
    assert set(done.codes) == {0}, done.err


def decidable(stage: Stage, root: Path) -> None:
    """A notebook in whose queue something waits for a yes or no."""
    lived_in(stage, root)
    wait(root, ReviewItem("waiting1", CITY, "person", "doubt", "not sure", entity="Ana"))


def contradicted(stage: Stage, root: Path) -> None:
    """The same, and what waits contradicts a line that stands."""
    lived_in(stage, root)
    (stands,) = (
        record.id for record in parse_document(DAY, (root / DAY).read_bytes()).records if "Trieste" in record.text
    )
    wait(root, ReviewItem("waiting1", CITY, "person", "conflict", "it was Trieste", entity="Ana", against=(stands,)))


def wait(root: Path, item: ReviewItem) -> None:
    """Put something into the queue, as a consolidation does."""
    place = WriteContext(str(root), "desk", NOW)
    write_plan(
        place, ConsolidationPlan(pending=(item,)), LedgerHistory(Journal(place.root, place.device)), "consolidate"
    )


def changed_mind(stage: Stage, root: Path) -> None:
    """A notebook in which a line stands that a capture contradicts."""
    lived_in(stage, root)
    said = ("Ana lives in Porto.", "Ana lives in Turin now.")
    for number, (text, then) in enumerate(zip(said, (("consolidate", "--apply"), ("sync",)), strict=True)):
        at = f"2025-11-27T09:0{number}"
        done = stage.run(root, ("capture", text, "--session", f"s{number}", "--at", at), then)
        assert set(done.codes) == {0}, done.err


def full(stage: Stage, root: Path) -> None:
    """A notebook with as many tasks in the working buffer as it can hold."""
    lived_in(stage, root)
    tasks = zip((*TASK, "Oil it."), ("roof", "wall", "gate"), strict=True)
    done = stage.run(root, *(("buffer", "add", text, "--task", task) for text, task in tasks))
    assert set(done.codes) == {0}, done.err


def drafted(stage: Stage, root: Path) -> None:
    """A notebook with a draft of a skill."""
    lived_in(stage, root)
    (root / DRAFT).parent.mkdir(parents=True)
    (root / DRAFT).write_text(json.dumps(SKILL, indent=1), encoding="utf-8")


def leaky(stage: Stage, root: Path) -> None:
    """A notebook that holds a secret in its texts, its journals, what the system keeps, and its index."""
    lived_in(stage, root)
    (root / "notes").mkdir()
    (root / "notes/keys.md").write_text(f"# Keys\n\n- The token is {TOKEN} since May.\n", encoding="utf-8")
    update_file(str(root), DAY, lambda data: data.replace(b"the ferry was late", f"call {TOKEN}".encode()), now=NOW)
    journal = Journal(str(root), "desk")
    entry = {"ts": NOW, "type": "note", "actor": "owner", "origin": "trusted", "text": f"It is {TOKEN}."}
    journal.append({**entry, "session": "", "scope": "", "detail": {}, "from": []}, "captures")
    journal.append({"ts": NOW, "op": "used", "records": [], "query": TOKEN}, "ledger")
    journal.append({"ts": NOW, "op": "used", "records": []}, "ledger")
    (root / ".memory/sessions").mkdir()
    (root / ".memory/sessions/s1.json").write_text(json.dumps({"goal": TOKEN}), encoding="utf-8")
    assert set(stage.run(root, ("sync",)).codes) == {0}


def at_work(stage: Stage, root: Path) -> None:
    """A notebook in the midst of a session, half an hour ago: a goal, a plan, lines in the working buffer."""
    lived_in(stage, root)
    goal = ("session", "start", "Mend the roof", "--session", "s1", "--plan", "Buy slates", "--plan", "Climb")
    done = stage.run(root, goal, *(("buffer", "add", text) for text in TASK), now="2025-11-27T09:30")
    assert set(done.codes) == {0}, done.err


def worked(stage: Stage, root: Path) -> None:
    """A notebook with captures of tools that did the same in several sessions."""
    lived_in(stage, root)
    done = stage.run(root, ("ingest", "-", "--owner", "Ana"), stdin="".join(map(_session, range(1, 5))))
    assert set(done.codes) == {0}, done.err


def _session(day: int) -> str:
    at, session = f"2025-11-{day:02}T09:0", f"p{day}"
    said = {"ts": f"{at}0", "actor": "owner", "session": session, "text": "Publish the package on npm."}
    calls = (f"npm version 1.{day}.0", "npm publish", "git push --follow-tags")
    ran = [
        {
            "ts": f"{at}{number}",
            "type": "tool_result",
            "actor": "tool",
            "session": session,
            "text": f"done {day}.{number}",
            "detail": {"tool": "bash", "arguments": {"command": call}, "exit_code": 0, "duration_ms": 100},
        }
        for number, call in enumerate(calls, 1)
    ]
    return "".join(json.dumps(line) + "\n" for line in (said, *ran))


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
