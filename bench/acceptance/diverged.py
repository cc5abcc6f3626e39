"""Two clones of one workspace diverge and are merged by git: whether anything is lost, stands twice, or differs.

`python -m bench.acceptance.diverged [HISTORIES] [--operations N] [--seed N]`. In each history two clones, in every
second one of them under the same device name, do operations by lot: retain, capture, consolidate, undo, forget
(hidden or erased), and lines added, edited and removed by hand. Each then merges the state of the other.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Set
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random

import msgspec

from bench.acceptance.measuring import all_records
from commonplace import Memory
from commonplace.bridges import hosts
from commonplace.errors import CommonplaceError
from commonplace.operations.parameters import ForgetRequest
from commonplace.storage import journal
from commonplace.storage.workspace import parse_document, strip_annotation

HISTORIES, OPERATIONS = 300, 100
NOW = "2026-11-02T10:{:02d}"
CITIES = (
    *("Bern", "Porto", "Turin", "Tartu", "Lyon", "Gent", "Riga", "Split"),
    *("Cork", "Bari", "Vilnius", "Graz", "Aarhus", "Nice", "Basel", "Linz"),
)
PEOPLE = (
    *("Ana", "Ben", "Cleo", "Dora", "Egon", "Fay", "Gus", "Hugo"),
    *("Ida", "Jon", "Kai", "Lea", "Max", "Nell", "Otto", "Pia"),
)
THINGS = (
    *("violin", "ladder", "kettle", "lantern", "saddle", "anchor"),
    *("compass", "barrel", "hammer", "basket", "mirror", "candle"),
)
ERASED_SHARE = 0.5  # of what is forgotten
LINKS = ("id", "prev", "crc")  # of a line of a journal: an id that two lines have is another in one of them
NOTES = "notes/boat.md"
HISTORY_START = "# Boat\n\n- The boat is green.\n- The oars are in the shed.\n\nA paragraph about the ferry.\n"
OPERATION_WEIGHTS = {
    "retain": 40,
    "capture": 20,
    "add": 15,
    "edit": 10,
    "remove": 6,
    "undo": 6,
    "forget": 4,
    "consolidate": 3,
}


class Clone:
    """A clone of the workspace under a device name, and what was done in it."""

    def __init__(self, root: Path, device: str, seed: str) -> None:
        self.root, self.device, self.lot = root, device, Random(seed)
        self.removed = set[str]()  # words that were taken out
        self.stubs = set[str]()  # lines of journals that were erased
        self.erased = set[str]()  # texts of records that were erased

    def git(self, *arguments: str) -> str:
        """The output of git in the clone. Raises CalledProcessError."""
        identity = ("-c", "user.name=Ana", "-c", "user.email=ana@example.org", "-c", "commit.gpgsign=false")
        command = ["git", *identity, *arguments]
        return subprocess.run(command, cwd=self.root, check=True, capture_output=True, text=True).stdout

    def install(self) -> None:
        """Install the merge driver."""
        paths = hosts.read_host_paths()
        plan = hosts.plan_install(hosts.InstallChoice("git", str(self.root)), paths)
        hosts.apply_install(plan, paths, "now")

    def commit(self) -> None:
        """Commit all that git does not ignore."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "notes")

    @contextmanager
    def open(self) -> Iterator[Memory]:
        """The memory, under the name of the device."""
        before = os.environ.get("COMMONPLACE_DEVICE")
        os.environ["COMMONPLACE_DEVICE"] = self.device
        try:
            with Memory.open(self.root) as memory:
                yield memory
        finally:
            os.environ.pop("COMMONPLACE_DEVICE") if before is None else os.environ.update(COMMONPLACE_DEVICE=before)

    def live(self, operations: int) -> None:
        """Do operations by lot."""
        with self.open() as memory:
            names = self.lot.choices(list(OPERATION_WEIGHTS), list(OPERATION_WEIGHTS.values()), k=operations)
            for number, name in enumerate(names):
                now = NOW.format(number % 60)
                if name in ("add", "edit", "remove"):
                    self._edit(name)
                else:
                    self._operate(memory, name, now)

    def _operate(self, memory: Memory, name: str, now: str) -> None:
        text = f"{self.lot.choice(PEOPLE)} lives in {self.lot.choice(CITIES)}."
        if name == "retain":
            with suppress(CommonplaceError):  # it was erased before
                memory.retain(f"W {text}", now=now)
        elif name == "capture":
            memory.capture(text, session=f"s{self.lot.randrange(9)}", ts=now, now=now)
        elif name == "consolidate":
            memory.consolidate(apply=True, now="2026-11-02T23:00")
        else:
            before, lines = set(self.words()), set(self.journal_entries())
            try:
                memory.undo("last", now=now) if name == "undo" else self._forget(memory, now)
            except CommonplaceError:  # it was undone before, or the lines were edited since; nothing says this
                return
            self.removed |= before - set(self.words())
            self.stubs |= lines - set(self.journal_entries())

    def _forget(self, memory: Memory, now: str) -> None:
        """Hide or erase a line."""
        named, erase = self.lot.choice(all_records(memory)).id, self.lot.random() < ERASED_SHARE
        done = memory.forget(ForgetRequest((named,), apply=True, erase=erase, now=now))
        if erase:
            self.erased |= {words_of(one.record.text) for one in done.selected}

    def _edit(self, name: str) -> None:
        """Change a file by hand."""
        path = self.root / self.lot.choice((NOTES, f"memory/{NOW[:10]}.md"))
        lines = path.read_text(encoding="utf-8").split("\n") if path.exists() else ["## Retain", ""]
        items = [number for number, line in enumerate(lines) if line.startswith("- ")]
        if name == "add" or not items:
            at = self.lot.choice(items) + 1 if items else len(lines) - 1
            lines.insert(at, f"- The {self.lot.choice(THINGS)} is from {self.lot.choice(CITIES)}.")
        elif name == "edit":
            at = self.lot.choice(items)
            self.removed.add(words_of(lines[at]))
            lines[at] = lines[at].replace(".", f", says {self.lot.choice(PEOPLE)}.", 1)
        else:
            self.removed.add(words_of(lines.pop(self.lot.choice(items))))
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(lines), encoding="utf-8")

    def words(self) -> list[str]:
        """The words of all lines of Markdown, without annotations."""
        paths = sorted(path for path in self.root.rglob("*.md") if ".git/" not in str(path))
        return [words_of(line) for path in paths for line in path.read_text(encoding="utf-8").split("\n")]

    def journal_entries(self) -> dict[str, str]:
        """The ids of all lines of all journals that are no stubs, by the rest of the line but its links."""
        folder = self.root / journal.JOURNAL_FOLDER
        lines = [line for path in sorted(folder.glob("*.jsonl")) for line in path.read_bytes().split(b"\n")]
        entries = [msgspec.json.decode(line) for line in lines if line and b'"forgotten"' not in line]
        return {repr({key: value for key, value in one.items() if key not in LINKS}): one["id"] for one in entries}

    def tree(self) -> dict[str, bytes]:
        """The bytes of all files in the working tree, without what git ignores."""
        names = self.git("ls-files", "-co", "--exclude-standard").split("\n")
        return {name: (self.root / name).read_bytes() for name in names if name}


def words_of(line: str) -> str:
    """The words of a line, without its annotation."""
    return strip_annotation(line.strip())


def try_history(folder: Path, number: int, operations: int) -> list[str]:
    """What is wrong after one history."""
    devices = ("laptop", "laptop" if number % 2 else "desk")
    first = Clone(folder / "first", devices[0], f"{number}-first")
    first.root.mkdir()
    (first.root / "notes").mkdir()
    (first.root / NOTES).write_text(HISTORY_START, encoding="utf-8")
    first.git("init", "-q", "-b", "main")
    first.install()
    first.live(operations // 5)
    first.commit()
    subprocess.run(["git", "clone", "-q", "first", "second"], cwd=folder, check=True, capture_output=True)
    second = Clone(folder / "second", devices[1], f"{number}-second")
    second.install()
    clones = (first, second)
    before = {"words": set(first.words()), "lines": set(first.journal_entries())}
    for clone in clones:
        clone.live(operations)
        clone.commit()
    lines = {line for clone in clones for line in clone.journal_entries()} - first.stubs - second.stubs
    words = [set(clone.words()) for clone in clones]
    for clone, other in (clones, clones[::-1]):
        clone.git("fetch", "-q", str(other.root), "main")
    problems = []
    for clone in clones:
        try:
            clone.git("merge", "-q", "--no-edit", "FETCH_HEAD")
        except subprocess.CalledProcessError as error:
            return [f"git merge exits {error.returncode}: {error.stdout.strip()} {error.stderr.strip()}"]
    if first.tree() != second.tree():
        differing = [name for name, data in first.tree().items() if second.tree().get(name) != data]
        problems.append(f"the merged files differ: {differing}")
    added = (words[0] | words[1]) - before["words"] - first.removed - second.removed
    problems += [f"lost: {line}" for line in sorted(added - set(first.words())) if ":" not in line[:10]]
    problems += [f"lost: {line}" for line in sorted(lines - set(first.journal_entries()))]
    problems += [problem for clone in clones for problem in find_faults(clone, first.erased | second.erased)]
    return problems + compare_indexes(first, second)


def find_faults(clone: Clone, erased: Set[str] = frozenset()) -> list[str]:
    """What is wrong in a clone after the next start; no record may say what was erased on either side."""
    with clone.open() as memory:
        memory.sync()
        if erased:  # what the other side still had; upkeep does it otherwise
            memory.forget(ForgetRequest(due=True, apply=True))
        health = memory.check()
        records = all_records(memory)
    codes = {
        "device-name-shared",
        "open-permissions",
        "source-changed",
    }  # which follow from the operations, and from git
    problems = [f"{one.code}: {one.path}: {one.message}" for one in health.problems if one.code not in codes]
    problems += [f"erased, and there again: {one.text}" for one in records if words_of(one.text) in erased]
    ids = list(clone.journal_entries().values())
    problems += [f"id twice: {one}" for one in sorted({one for one in ids if ids.count(one) > 1})]
    for path in sorted(clone.root.rglob("*.md")):
        document = parse_document(str(path.relative_to(clone.root)), path.read_bytes())
        problems += [f"{one.code}: {path.name}: {one.message}" for one in document.problems]
    return problems


def compare_indexes(first: Clone, second: Clone) -> list[str]:
    """Where the rebuilt indexes of two clones differ."""
    dumps: list[set[str]] = []
    for clone in (first, second):
        with clone.open() as memory:
            dumps.append({line for line in memory.workspace.dump_rebuilt_index() if "problem" not in line[:12]})
    return [f"the indexes differ: {line[:300]}" for line in sorted(dumps[0] ^ dumps[1])][:5]


def main() -> int:
    """Try the histories; 1 if anything is wrong in one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("histories", nargs="?", type=int, default=HISTORIES)
    parser.add_argument("--operations", type=int, default=OPERATIONS)
    parser.add_argument("--seed", type=int, default=0, help="The number of the first history.")
    given = parser.parse_args()
    os.fsync = lambda fd: None  # nothing here is about what survives a power cut
    os.environ["COMMONPLACE_NOW"] = "2026-11-03T08:00"
    wrong = 0
    for number in range(given.seed, given.seed + given.histories):
        with tempfile.TemporaryDirectory(prefix="diverged-") as folder:
            os.environ["XDG_STATE_HOME"] = f"{folder}/state"
            problems = try_history(Path(folder), number, given.operations)
        wrong += bool(problems)
        for problem in problems[:5]:
            print(f"history {number}: {problem}")
    print(f"{given.histories} histories of two times {given.operations} operations; {wrong} with a loss or difference")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
