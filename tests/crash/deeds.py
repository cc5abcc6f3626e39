"""The commands that change a workspace, what each acknowledges, and what it does in several places.

A new command is one more line of `DEEDS`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct, structs

from commonplace.storage.journal import has_valid_checksum
from crash import bases
from crash.bases import CITY, CONVERSATION, DAY, DRAFT, TASK, TOKEN, Prepare
from crash.orders import Outcome
from crash.verdict import ID, Ids, Seen, judge

Parts = Callable[[Path], tuple[bool, ...]]


class Deed(Struct, frozen=True):
    """A command, the workspace it starts from, and how to read from its output what it acknowledges.

    `…` in the command is what `named` finds in the workspace. `parts` are the places in which it changes something,
    true where that is done: all or none of them must be after the next start, and all once it was acknowledged.
    """

    name: str
    command: tuple[str, ...]
    prepare: Prepare
    acknowledged: Callable[[str], Ids]
    stdin: str = ""
    then: tuple[str, ...] = ()
    named: Callable[[Path], str] | None = None
    parts: Parts = lambda _root: ()
    takes: tuple[str, ...] = ()  # words of the lines that it takes away or changes
    ends_alike: bool = False  # done again after a crash, it ends with the same Markdown as if there had been none
    once: bool = False  # done again after it was done, it may say that there is nothing to be done
    erases: bool = False  # what it takes goes from the journals too

    def commands(self, root: Path) -> tuple[tuple[str, ...], ...]:
        """The command, and the one that tells what it did where it does not say so itself."""
        found = self.named(root) if self.named else "…"
        command = tuple(word.replace("…", found) for word in self.command)
        return (command, self.then) if self.then else (command,)


def wrong_with(deed: Deed, root: Path, states: tuple[Seen, Seen], outcome: Outcome, *forgiven: str) -> list[str]:
    """What is wrong after a run that died or failed; `states` are the workspace untouched, and as it is now."""
    before, after = spared(*states, deed.takes, erased=deed.erases)
    found = judge(before, after, said(deed, outcome), *forgiven)
    found += halves(deed, root)
    was_told = set(outcome.codes) == {0} or (outcome.died and len(outcome.out) == 1 and bool(outcome.out[0]))
    return [*found, "acknowledged, and not done"] if was_told and not all(deed.parts(root)) else found


def halves(deed: Deed, root: Path) -> list[str]:
    """The complaint that some of it is done and some is not."""
    parts = deed.parts(root)
    return [f"half done: {parts}"] if len(set(parts)) > 1 else []


GONE = ("kept", "origins")


def spared(before: Seen, after: Seen, words: tuple[str, ...], *, erased: bool = False) -> tuple[Seen, Seen]:
    """The two without the lines of the first that have these words: nobody misses them, nor what they rested on; nor,
    if they are `erased`, what journals say of them, and the receipts that name them."""
    pages = {path: text.split("\n") for path, text in before.markdown.items()}
    going = [line for lines in pages.values() for line in lines if any(word in line for word in words)]
    ids = {found.decode() for line in going for found in ID.findall(line.encode())}
    markdown = {path: "\n".join(line for line in lines if line not in going) for path, lines in pages.items()}
    lines = {name: many for name, many in before.lines.items() if name not in ids}
    unsaid = tuple(name for name in after.unsaid if name not in ids)
    if erased:
        rest = {
            field: {name: many for name, many in getattr(before, field).items() if name not in ids} for field in GONE
        }
        before = structs.replace(before, receipts={}, **rest)
    return structs.replace(before, markdown=markdown, lines=lines), structs.replace(after, unsaid=unsaid)


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


def waiting(root: Path) -> str:
    """The id of what waits for review."""
    assert b"id: waiting1" in (root / "memory/pending.md").read_bytes()
    return "waiting1"


def change(root: Path) -> str:
    """The id of the change by which a line was written."""
    (found,) = (path for path in (root / ".memory/changes").iterdir() if "Moved to Trieste." in after_of(path))
    return found.stem


def after_of(path: Path) -> str:
    """The lines that a change wrote."""
    return str(json.loads(path.read_bytes())["after"])


def undone(root: Path) -> tuple[bool, ...]:
    """`undo` takes a line out."""
    return ("Moved to Trieste." not in (root / DAY).read_text("utf-8"),)


def approved(root: Path) -> tuple[bool, ...]:
    """`pending approve` writes a line to its home, tells the ledger, and takes an item off the queue."""
    home = root / "memory/semantic/contacts.md"
    stands = home.exists() and f"- {CITY}" in home.read_text("utf-8")
    return (stands, '"approved"' in ledger(root), CITY not in (root / "memory/pending.md").read_text("utf-8"))


def rejected(root: Path) -> tuple[bool, ...]:
    """`pending reject` tells the ledger, and takes an item off the queue."""
    return ('"rejected"' in ledger(root), CITY not in (root / "memory/pending.md").read_text("utf-8"))


def edited(root: Path) -> tuple[bool, ...]:
    """`pending edit` changes a line of the queue."""
    queue = (root / "memory/pending.md").read_text("utf-8")
    return ("Basel" in queue, CITY not in queue)


def ledger(root: Path) -> str:
    """All whole lines of the ledgers."""
    return whole(root, "ledger-*.jsonl")


def whole(root: Path, glob: str) -> str:
    """The lines of journals that are neither torn nor spoilt."""
    pages = (path.read_bytes() for path in (root / ".memory/journal").glob(glob))
    return "\n".join(line.decode() for page in pages for line in page.split(b"\n") if has_valid_checksum(line))


def active(root: Path) -> tuple[bool, ...]:
    """`skills approve` tells the ledger, makes a skill, and moves its draft to the archive."""
    skill = root / DRAFT.replace(".draft", "")
    is_whole = skill.exists() and json.loads(skill.read_bytes())["status"] == "approved"
    return ('"approved"' in ledger(root), is_whole, *archived_file(root))


def archived(root: Path) -> tuple[bool, ...]:
    """`skills reject` tells the ledger, and moves a draft to the archive."""
    return ('"did":"rejected"' in ledger(root), *archived_file(root))


def archived_file(root: Path) -> tuple[bool, ...]:
    """Whether the draft is where it was, and whether it lies in the archive, whole, once."""
    there = [path.read_bytes() for path in (root / "memory/archive").rglob("brew-tea*")]
    return (not (root / DRAFT).exists(), [bool(data) for data in there] == [True])


def learned(root: Path) -> tuple[bool, ...]:
    """`consolidate` writes a page of what tools did, and drafts a skill of it; the next run goes on where one broke off."""
    found = (*(root / "memory/procedural").glob("*.md"), *(root / "memory/skills").glob("*.json"))
    return (len(found) == 2,)


def replaced(root: Path) -> tuple[bool, ...]:
    """`consolidate` strikes out a line and writes the one that replaces it; the next run goes on where one broke off."""
    home = (root / "memory/semantic/contacts.md").read_text("utf-8")
    return ("lives in Porto.~~" in home and "lives in Turin" in home,)


def clean(root: Path) -> tuple[bool, ...]:
    """`scrub` takes a secret out of every file."""
    found = [path for path in root.rglob("*") if path.is_file() and "locks" not in path.parts]
    held = {path.relative_to(root).as_posix() for path in found if TOKEN.encode() in path.read_bytes()}
    places = (r".*\.md", r".*captures-.*", r".*ledger-.*", r".*sessions/.*", r".*changes/.*", r".*index\.sqlite.*")
    rest = any(not any(re.fullmatch(place, path) for place in places) for path in held)
    return (*(not any(re.fullmatch(place, path) for path in held) for place in places), *([False] if rest else []))


def erased(root: Path) -> tuple[bool, ...]:
    """`forget --now` takes a text out of every file, and says in the ledger that it did."""
    paths = [path for path in root.rglob("*") if path.is_file() and ".memory/doing" not in path.as_posix()]
    held = {path.relative_to(root).as_posix() for path in paths if b"Trieste" in path.read_bytes()}
    places = (r"memory/.*\.md", r".*captures-.*", r".*changes/.*", r".*index\.sqlite.*")
    rest = any(not any(re.fullmatch(place, path) for place in places) for path in held)
    gone = (not any(re.fullmatch(place, path) for path in held) for place in places)
    return (*gone, '"forgotten"' in ledger(root), *([False] if rest else []))


MOVED = (*TASK, "Buy paint.", "Oil it.", "# Working Buffer", "Active Task", "created: ", "last_active: ")


def noted_line(root: Path) -> tuple[bool, ...]:
    """`buffer add` captures, and writes a line."""
    buffer = root / "memory/working-buffer.md"
    return (TASK[0] in whole(root, "captures-*.jsonl"), buffer.exists() and TASK[0] in buffer.read_text("utf-8"))


def rotated(root: Path) -> tuple[bool, ...]:
    """`buffer rotate` moves lines from the buffer to the note of the day."""
    buffer, day = ((root / path).read_text("utf-8") for path in ("memory/working-buffer.md", DAY))
    return (*(text in day for text in TASK), *(text not in buffer for text in TASK))


def united(root: Path) -> tuple[bool, ...]:
    """`merge` adds the lines of a copy to its file, and sets the copy aside."""
    aside = [path.read_text("utf-8") for path in (root / ".memory/set-aside").glob("*")]
    stands = "The boat leaks." in (root / bases.BOAT).read_text("utf-8")
    return (stands, not (root / bases.BOAT_COPY).exists(), any("The boat leaks." in text for text in aside))


def session(root: Path) -> str:
    """What is kept of the session."""
    return "".join(path.read_text("utf-8") for path in (root / ".memory/sessions").glob("*.json"))


def begun(root: Path) -> tuple[bool, ...]:
    """`session start` keeps the goal."""
    return ("Mend the roof" in session(root),)


def stepped(root: Path) -> tuple[bool, ...]:
    """`session step` keeps what was observed, and that a step is done."""
    return ("Slates are here." in session(root), '"done":true' in session(root))


def decision(words: tuple[str, ...], prepare: Prepare, parts: Parts, what: str = "", *takes: str) -> Deed:
    """What a person decides about the one that waits in the queue."""
    command, lost = ("pending", *words), (CITY, *takes)
    name = f"pending {words[0]}{what}"
    return Deed(name, command, prepare, silent, named=waiting, parts=parts, takes=lost, ends_alike=True)


DEEDS: tuple[Deed, ...] = (
    Deed("init where nothing is", ("init",), bases.nothing, silent, ends_alike=True),
    Deed("init over a person's notes", ("init",), bases.bare, silent, ends_alike=True),
    Deed("retain, the first", ("retain", "W @Peter: Has a green boat."), bases.bare, kept),
    Deed("retain", ("retain", "W @Peter: Has a green boat."), bases.lived_in, kept),
    Deed("retain without an index", ("retain", "W @Peter: Has a green boat."), bases.unindexed, kept),
    Deed("log", ("log", "Went rowing at noon."), bases.lived_in, kept),
    Deed("log, the first", ("log", "Went rowing at noon."), bases.bare, kept),
    Deed("sync", ("sync",), bases.changed, silent, ends_alike=True),
    Deed("rebuild", ("rebuild",), bases.lived_in, silent, ends_alike=True),
    Deed("pack", ("pack", "what does Ada keep?"), bases.lived_in, explained, then=("why", "--json")),
    Deed("capture", ("capture", "My sister Ana lives in Porto."), bases.lived_in, noted),
    Deed("capture, the first", ("capture", "Ana lives in Porto.", "--key", "m1"), bases.bare, noted, ends_alike=True),
    Deed("ingest", ("ingest", "-"), bases.lived_in, ingested, stdin=CONVERSATION, ends_alike=True),
    Deed(
        "ingest with lines that are none",
        ("ingest", "-"),
        bases.lived_in,
        ingested,
        stdin=f"{{\n{CONVERSATION}null\n",
        ends_alike=True,
    ),
    Deed("capture, a large one", ("capture", "-", "--key", "m2"), bases.lived_in, noted, stdin="A long day. " * 20_000),
    Deed("consolidate", ("consolidate", "--apply"), bases.captured, silent, ends_alike=True),
    Deed(
        "consolidate what tools did", ("consolidate", "--apply"), bases.worked, silent, parts=learned, ends_alike=True
    ),
    Deed(
        "consolidate a change of mind",
        ("consolidate", "--apply"),
        bases.changed_mind,
        silent,
        parts=replaced,
        takes=("lives in Porto",),
        ends_alike=True,
    ),
    decision(("approve", "…"), bases.decidable, approved),
    decision(("approve", "…"), bases.contradicted, approved, " what contradicts", "Moved to Trieste."),
    decision(("reject", "…"), bases.decidable, rejected),
    decision(("edit", "…", "Ana's city is Basel"), bases.decidable, edited),
    Deed(
        "undo",
        ("undo", "…"),
        bases.lived_in,
        silent,
        named=change,
        parts=undone,
        takes=("Moved to Trieste.",),
        ends_alike=True,
    ),
    Deed("skills approve", ("skills", "approve", "brew-tea"), bases.drafted, silent, parts=active, ends_alike=True),
    Deed("skills reject", ("skills", "reject", "brew-tea"), bases.drafted, silent, parts=archived, once=True),
    Deed("scrub", ("scrub", "--apply"), bases.leaky, silent, parts=clean, takes=(TOKEN,), ends_alike=True),
    Deed(
        "forget --now",
        ("forget", "--query", "Trieste", "--now", "--apply"),
        bases.lived_in,
        silent,
        parts=erased,
        takes=("Trieste",),
        erases=True,
    ),
    Deed(
        "merge",
        ("merge", bases.BOAT_COPY, "--apply"),
        bases.conflicted,
        silent,
        parts=united,
        takes=("oat",),
        once=True,
    ),
    Deed("buffer add", ("buffer", "add", "The port is 8443."), bases.lived_in, buffer_line, parts=noted_line),
    Deed(
        "buffer add, the fourth task",
        ("buffer", "add", "Paint it.", "--task", "door"),
        bases.full,
        buffer_line,
        takes=MOVED,
    ),
    Deed("buffer rotate", ("buffer", "rotate"), bases.buffered, silent, parts=rotated, takes=MOVED, ends_alike=True),
    Deed(
        "session start",
        ("session", "start", "Mend the roof", "--session", "s1"),
        bases.lived_in,
        silent,
        parts=begun,
        ends_alike=True,
    ),
    Deed(
        "session step",
        ("session", "step", "Slates are here.", "--session", "s1", "--did", "1"),
        bases.at_work,
        silent,
        parts=stepped,
    ),
    Deed(
        "session done",
        ("session", "done", "--session", "s1"),
        bases.at_work,
        silent,
        parts=lambda root: (not list((root / ".memory/sessions").glob("*.json")),),
        takes=MOVED,
    ),
    Deed("resume", ("resume",), bases.at_work, silent, takes=("last_active",), ends_alike=True),
)


OWNERS_BUFFER_ADD = Deed(  # unlike what an agent adds, it is on disk before an index is opened
    "the owner's buffer add", ("buffer", "add", "The port is 8443.", "--actor", "owner"), bases.lived_in, buffer_line
)
LOOPED = Deed("a looping writer", ("retain", "…"), bases.lived_in, kept)


def said(deed: Deed, outcome: Outcome) -> Ids:
    """What a run acknowledged: what it printed, if it did not fail afterwards."""
    ids: Ids = {}
    codes = outcome.codes or (0,) * len(outcome.out)
    for code, out in zip(codes, outcome.out, strict=True):
        if code == 0:
            for field, found in deed.acknowledged(out).items():
                ids.setdefault(field, []).extend(found)
    return ids
