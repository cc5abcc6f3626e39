"""Whether 200 canaries are gone after `forget --now`: `python -m bench.acceptance.canaries [--quick]`.

A notebook of two devices has canaries in every store, each a word that nobody writes in a sentence of its own; its twin
was made by the same commands without them. They are forgotten by word, id, line, session, scope and entity; then all
bytes below the workspace, in the state folders and the folder for temporary files are read in eight views, and the
answers to other questions are compared with those of the twin. Prints a figure and its bound per line, and where what
is left lies; exit code 1 if a bound is broken.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import filterfalse
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from bench.acceptance.canary_parts import scanner
from bench.acceptance.canary_parts.notebook import (
    COUNTS,
    LATE_TURNS,
    NOTE_FILES,
    NOW,
    OTHER,
    OWN,
    SAMPLE,
    Builder,
    Canary,
    Size,
    canaries_of,
    leave_killed,
    opened,
    ordinary_questions,
    ordinary_turns,
)
from bench.acceptance.measuring import Report
from commonplace import Memory
from commonplace.capture import Event
from commonplace.errors import CommonplaceError, NotFound
from commonplace.model import Hits
from commonplace.operations.parameters import ForgetRequest
from tests.support.vector_server import serving
from tests.support.vector_server import settings as vector_settings

QUESTIONS, QUESTIONS_UNDONE, SHOWN, BATCH = 500, 200, 12, 80
BY_WORD = (  # stores of which one canary is forgotten by its word
    *("note", "core", "day", "capture", "other device", "artifact", "buffer", "pending", "conflict copy", "episode"),
)
WITHOUT_RECORD = (  # stores of which the index knows nothing: only words can name what is there
    *("question", "set-aside", "session", "skill", "model answer", "leftover", "deep in an artifact", "detail"),
    *("undone", "learning"),
)
DEEP = b"A long report begins here."  # a capture whose canary is only in its artifact: it may stay without that
NEVER_SAID = ("question", "model answer", "leftover")  # in no text that could be captured again
STATE_FOLDERS = ("state", "config", "runtime", "tmp")
PLAIN_TABLES = "select name from sqlite_master where type = 'table' and sql not like 'create virtual%'"


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


def measure(run: Run, report: Report) -> None:
    """All figures of a run, in the order in which they can be had."""
    with serving() as server:
        settings = vector_settings(server.url) if run.size.counts is COUNTS else ""
        builder = Builder(run.root, run.size, settings=settings)
        builder.build()
        Builder(run.twin, run.size, settings=settings, is_planted=False).build()
        measure_forgetting(run, builder, report)


def measure_forgetting(run: Run, builder: Builder, report: Report) -> None:
    """The figures of notebooks that were built."""
    before = run.scan()
    views = scanner.by_view(before)
    planted = {one.number for one in canaries_of(run.size)}
    seen = {hit.number for hit in before} & planted
    report.add("canaries", f"{len(planted)}, of which {len(seen)} are in some file")
    report.add("hits before", _shown(views), "> 0", holds=bool(before))
    copy = run.top / "other-copy"
    shutil.copytree(run.root, copy)
    negative_controls(run, report)
    backup = make_backup(run, report)
    kept = Kept(run.root)
    with opened(run.root, OTHER) as second, opened(run.root, OWN) as memory:
        second.recall("what is in the house?", now=NOW)
        problems = problem_names(memory)
        manifests = forget_all(memory, canaries_of(run.size), report)
        report.at_most("answers of a second process with a canary", leaking(second, run.size), 0)
        report.at_most("old indexes still open", open_indexes(), 0)
        report_hits(report, "hits after", run, run.scan())
        kept.compare(report)
        new = [name for name in problem_names(memory) if name not in problems]
        report.add("new problems of `check`", len(new), "0", holds=not new)
        show(new)
    compare_with_twin(run, report)
    verify_manifests(run, manifests, report)
    come_back(run, builder, copy, report)
    restore_backup(run, backup, manifests, report)


# forgetting


def forget(memory: Memory, **wish: Any) -> list[str]:
    """Erase what a wish concerns; the paths of the manifests."""
    done = memory.forget(ForgetRequest(erase=True, apply=True, **wish))
    return [done.manifest.path] if done.manifest else []


def forget_all(memory: Memory, canaries: Sequence[Canary], report: Report) -> list[str]:
    """Erase every canary, in all the ways in which a wish can name one; the paths of the manifests."""
    manifests, calls, failed = list[str](), 0, list[str]()
    singles, begun = Counter[str](), monotonic()

    def call(what: str, **wish: Any) -> None:
        nonlocal calls
        calls += 1
        try:
            manifests.extend(forget(memory, now=NOW, **wish))
        except CommonplaceError as error:
            failed.append(f"{what}: {type(error).__name__}: {error.message}")

    for one in canaries:
        singles[one.store] += 1
        if one.store == "retain" and singles[one.store] <= 2:
            call(f"entity {one.word}", entity=one.word.capitalize())
        elif one.store in WITHOUT_RECORD or (one.store in BY_WORD and singles[one.store] == 1):
            call(f"query {one.word} ({one.store})", query=one.word)
        elif one.store == "log" and singles[one.store] == 1:
            done = command(memory.root, "forget", "--query", one.word, "--now", "--apply", "--json")
            failed += (
                [] if not done.returncode else [f"the command, {one.word}: {done.returncode} {done.stderr[-200:]}"]
            )
            calls += 1
    for session in ("about-0", "own-0"):
        if any(one.store == ("capture" if session == "own-0" else "consolidated") for one in canaries):
            call(f"session {session}", session=session)
    if sum(one.store == "capture" for one in canaries) > 5:
        call("scope heron", scope="heron")
    left = dict.fromkeys(record for one in canaries for record in concerned(memory, one))
    ids = list(left)
    for at in range(0, len(ids), BATCH):
        if at + BATCH >= len(ids):
            leave_killed(memory)
        call("ids", references=tuple(ids[at : at + BATCH]))
    report.add("seconds for a call of forget", f"{(monotonic() - begun) / calls:.1f}")
    report.add("calls of forget that failed", f"{len(failed)} of {calls}", "0", holds=not failed)
    show(failed)
    return manifests


def concerned(memory: Memory, canary: Canary) -> list[str]:
    """The ids of what a preview shows for the word of a canary."""
    try:
        return [one.record.id for one in memory.forget(ForgetRequest(query=canary.word)).selected]
    except NotFound:
        return []


# what is compared


class Kept:
    """Markdown and journals of captures as they were, to be compared with what they are."""

    def __init__(self, root: Path) -> None:
        self._root = root
        paths = [path for path in root.rglob("*.md") if ".memory" not in path.parts]
        self._pages = {path: path.read_bytes().split(b"\n") for path in paths}
        journals = sorted((root / ".memory/journal").glob("captures-*.jsonl"))
        self._journals = {path: path.read_bytes().split(b"\n") for path in journals}

    def compare(self, report: Report) -> None:
        """What differs besides the canaries."""
        wrong, gone, frames, lines = list[str](), 0, 0, 0
        for path, before in self._pages.items():
            others = [line for line in before if not has_canary(line)]
            lines += len(others)
            name = str(path.relative_to(self._root))
            after = path.read_bytes().split(b"\n") if path.exists() else []
            if not path.exists():
                gone += 1
                is_canarys = len(others) < len(before) and ("episodes/" in name or all(map(is_frame, others)))
                wrong += [] if is_canarys else [f"{name} is gone"]
            elif after != others:
                is_framed = list(filterfalse(is_frame, after)) == list(filterfalse(is_frame, others))
                frames += len(others) - len(after) if is_framed else 0
                wrong += [] if is_framed else [f"{name}: {difference(others, after)}"]
        report.add("pages that went as a whole, and headings that went with what was below them", f"{gone}, {frames}")
        report.add("pages of which another line differs", f"{len(wrong)} ({lines} lines)", "0", holds=not wrong)
        show(wrong)
        changed = list[str]()
        for path, before in self._journals.items():
            if "sync-conflict" in path.name and not path.exists():
                continue
            after = path.read_bytes().split(b"\n")
            changed += [] if len(before) == len(after) else [f"{path.name}: {len(before)} lines, now {len(after)}"]
            for number, (old, new) in enumerate(zip(before, after, strict=False), 1):
                if has_canary(old) and not is_stub(new):
                    changed.append(f"{path.name}:{number} is no stub: {new[:80]!r}")
                elif not has_canary(old) and old != new and not (DEEP in old and is_stub(new)):
                    changed.append(f"{path.name}:{number} differs: {new[:80]!r}")
        report.add("lines of captures that are wrong", len(changed), "0", holds=not changed)
        show(changed)


def has_canary(line: bytes) -> bool:
    """Whether a line has a canary in any view."""
    return any(True for _hit in scanner.scan_bytes(line))


def is_frame(line: bytes) -> bool:
    """Whether a line of a page says nothing by itself: a heading, tags, a blank line."""
    return not line.strip() or line.startswith((b"#", b"> last_verified:", b"last_updated:", b"---"))


def difference(before: list[bytes], after: list[bytes]) -> str:
    """The first line that differs."""
    at = next((at for at, (one, other) in enumerate(zip(before, after, strict=False)) if one != other), None)
    if at is None:
        return f"{len(before)} lines, now {len(after)}"
    return f"line {at + 1}: {before[at][:70]!r} is {after[at][:70]!r}"


def is_stub(line: bytes) -> bool:
    """Whether a line keeps no more than what its chain needs."""
    fields = json.loads(line) if line else {}
    return {"digest", "forgotten"} <= set(fields) <= {"v", "ts", "digest", "prev", "forgotten", "crc"}


def problem_names(memory: Memory) -> list[str]:
    """What `check` reports, without the numbers of lines that move when others go."""
    return [f"{one.code} {one.path} {re.sub('[0-9]+', 'N', one.message)}" for one in memory.check().problems]


def leaking(memory: Memory, size: Size) -> int:
    """How many hits of questions about canaries have one: each word, and every third sentence."""
    memory.sync()
    every = canaries_of(size)
    questions = [one.word for one in every] + [one.sentence for one in every[::3]]
    answered = (memory.recall(question, now=NOW, history=True, sync=False) for question in questions)
    return sum(scanner.ENDING in hit.record.text.lower() for answer in answered for hit in answer.hits)


def open_indexes() -> int:
    """How many descriptors of this process are of an index that no longer has a name."""
    links = (Path("/proc/self/fd") / name for name in os.listdir("/proc/self/fd"))
    names = (os.readlink(link) for link in links if link.is_symlink())
    return sum("index.sqlite" in name and name.endswith(" (deleted)") for name in names)


def answers(memory: Memory, size: Size, questions: Iterable[str]) -> list[list[tuple[str, float]]]:
    """The ids and scores of the hits of each question, in order."""
    late = frozenset(turn.text for turn in ordinary_turns(size)[-LATE_TURNS:])
    return [named(memory.recall(question, now=NOW, sync=False), late) for question in questions]


def named(hits: Hits, late: frozenset[str]) -> list[tuple[str, float]]:
    """Hits by their ids; those of captures that lie behind canaries by time and text, for their ids are of a place."""
    names = ((hit.record, hit.score) for hit in hits.hits)
    return [(f"{one.time} {one.text}" if one.text in late else one.id, score) for one, score in names]


def compare_with_twin(run: Run, report: Report) -> None:
    """Other questions, to the notebook and to its twin."""
    questions = list(ordinary_questions(run.size, run.twin, QUESTIONS))
    with opened(run.root, OWN) as memory:
        memory.sync()
        ours = answers(memory, run.size, questions)
    with opened(run.twin, OWN) as memory:
        memory.sync()
        theirs = answers(memory, run.size, questions)
    found = sum(map(bool, theirs))
    same = sum(one == other for one, other in zip(ours, theirs, strict=True))
    report.add(f"answers as in the twin, {found} with hits", f"{same} of {len(ours)}", "all", holds=same == len(ours))
    show(
        f"{question!r}: {next((both for both in zip(one, other, strict=False) if both[0] != both[1]), 'their number')}"
        for question, one, other in zip(questions, ours, theirs, strict=True)
        if one != other
    )
    more = vector_digests(run.root) - vector_digests(run.twin)
    report.add(
        "vectors of texts that the twin has not", f"{len(more)} of {len(vector_digests(run.root))}", "0", holds=not more
    )
    pages = {name: page_lines(folder) for name, folder in (("ours", run.root), ("twin", run.twin))}
    only = [
        f"{name}: {line}" for name, other in (("ours", "twin"), ("twin", "ours")) for line in pages[name] - pages[other]
    ]
    report.add("lines of Markdown that only one of both has", len(only))
    show(only)


def vector_digests(root: Path) -> set[str]:
    """The digests of the texts that have a vector; of no text where vectors are off."""
    path = root / ".memory/vectors.sqlite"
    if not path.exists():
        return set()
    with closing(sqlite3.connect(path)) as database:
        return {digest for (digest,) in database.execute("select digest from texts")}


def page_lines(root: Path) -> Counter[str]:
    """All lines of Markdown with their files."""
    return Counter(
        f"{path.relative_to(root)}: {line}"
        for path in root.rglob("*.md")
        for line in path.read_text(encoding="utf-8").split("\n")
        if line.strip()
    )


def report_hits(report: Report, name: str, run: Run, hits: list[scanner.Hit]) -> None:
    """The hits in each view, and where they are."""
    views = scanner.by_view(hits)
    for view in (*scanner.VIEWS, "name"):
        report.at_most(f"{name}, {view}", views[view], 0)
    stores = {one.number: one.store for one in canaries_of(run.size)}
    places = Counter[str]()
    kinds = dict[str, set[str]]()
    for hit in hits:
        (place,) = scanner.by_store([hit], run.root)
        places[place] += 1
        kinds.setdefault(place, set()).add(stores.get(hit.number, "part of a word"))
    show(
        (f"{count} in {place}, of {', '.join(sorted(kinds[place]))}" for place, count in places.most_common()), most=40
    )


# the ways back


def come_back(run: Run, builder: Builder, copy: Path, report: Report) -> None:
    """Give everything to the notebook again, then let the other device's older files arrive."""
    with opened(run.root, OWN) as memory:
        capture_again(memory, builder)
        memory.consolidate(apply=True, now=NOW)
        report.at_most("answers with a canary after all was captured again", leaking(memory, run.size), 0)
        report_hits(report, "hits after all was captured again", run, run.scan())
    with opened(copy, OTHER) as other:
        other.capture("The old copy goes on by itself.", session="phone-alone", now=NOW)
    for path in sorted((copy / ".memory").rglob(f"*{OTHER}*")):
        if path.is_file() and "sync-conflict" not in path.name:
            place = run.root / path.relative_to(copy)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, place)
    settle(run, report, "the older journals of the other device")
    for name in (*NOTE_FILES, "MEMORY.md", "memory/2026-09-07.md"):
        shutil.copy(copy / name, run.root / name)
    settle(run, report, "older pages of the other device")


def capture_again(memory: Memory, builder: Builder) -> None:
    """Give a notebook everything once more: the same events and transcripts, and each sentence without a key."""
    sentences = [one.sentence for one in canaries_of(builder.size) if one.store not in NEVER_SAID]
    bare = [Event(text=one, session="again", ts="2026-11-19T10:00:00") for one in sentences]
    memory.capture_all([*builder.own_events(), *builder.consolidated_events(), *bare], now=NOW)
    builder.ingest(memory)
    rows = [{"ts": "2026-11-19T11:00", "actor": "owner", "session": "r", "text": one} for one in sentences]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    memory.ingest(io.BytesIO(lines.encode()), format="jsonl", name="again.jsonl", now=NOW)


def settle(run: Run, report: Report, what: str) -> None:
    """What our sync and our upkeep make of files that arrived."""
    with opened(run.root, OWN) as memory:
        memory.sync()
        report.at_most(f"answers with a canary after {what}", leaking(memory, run.size), 0)
        done = command(run.root, "forget", "--due", "--apply")
        report.add("`forget --due --apply`", done.returncode, "0", holds=not done.returncode)
        memory.consolidate(apply=True, now=NOW)
        problems = Counter(one.code for one in memory.check().problems)
        report.add(f"problems of `check` after {what}", dict(problems))
    report_hits(report, f"hits after {what}", run, run.scan())


def command(root: Path | str, *words: str) -> subprocess.CompletedProcess[str]:
    """A run of the command on a workspace."""
    line = [sys.executable, "-m", "commonplace", "--workspace", str(root), *words]
    return subprocess.run(line, capture_output=True, text=True, check=False)


def verify_manifests(run: Run, manifests: list[str], report: Report) -> None:
    """`forget --verify`, as things are, and after a canary was put back."""
    if not manifests:
        report.add("manifests", 0, "> 0", holds=False)
        return
    chosen = manifests[:: max(1, len(manifests) // 5)]
    codes = [command(run.root, "forget", "--verify", path).returncode for path in chosen]
    report.add("manifests verified", f"{codes.count(0)} of {len(chosen)}", "all", holds=not any(codes))
    back = run.root / "notes/back.md"
    back.write_text("".join(f"- {one.sentence}\n" for one in canaries_of(run.size)), encoding="utf-8")
    codes = [command(run.root, "forget", "--verify", path).returncode for path in chosen]
    back.unlink()
    report.add(
        "manifests that see what came back", f"{len(chosen) - codes.count(0)} of {len(chosen)}", "all", holds=all(codes)
    )


def make_backup(run: Run, report: Report) -> Path | None:
    """A backup of the notebook with its canaries."""
    target = run.top / "backup"
    done = command(run.root, "backup", str(target))
    if done.returncode:
        report.add("backup", f"skipped: {(done.stderr.splitlines() or ['nothing was said'])[-1]}")
        return None
    return target


def restore_backup(run: Run, backup: Path | None, manifests: list[str], report: Report) -> None:
    """What a backup brings back that was made before anything was forgotten."""
    if backup is None:
        return
    newest = ("--manifest", str(run.root / manifests[-1])) if manifests else ()
    for number, options in enumerate(((), newest)):
        target = run.top / f"restored-{number}"
        done = command(target, "restore", str(backup), str(target), *options)
        if done.returncode:
            report.add("restore", done.stderr.strip()[-200:], "exit code 0", holds=False)
            continue
        with opened(target, OWN) as memory:
            report.at_most("answers with a canary of a restored backup", leaking(memory, run.size), 0)
            memory.consolidate(apply=True, now=NOW)
        hits = scanner.scan([target])
        report.at_most(f"hits in a restored backup {options[:1]}", len(hits), 0)
        show(f"{count} in {place}" for place, count in scanner.by_store(hits, target).most_common())


# controls


def negative_controls(run: Run, report: Report) -> None:
    """That the scanner sees what a database leaves; that what is only hidden is in the files and in no answer."""
    missed = [
        view
        for view, forms in scanner.planted_views(4711).items()
        for form in forms
        if 4711 not in {number for seen, number in scanner.scan_bytes(b"\0 before " + form + b" after") if seen == view}
    ]
    report.add("planted views that the scanner misses", len(missed), "0", holds=not missed)
    control = run.top / "control"
    control.mkdir()
    for name, is_vacuumed in (("`delete`", False), ("`delete` and `vacuum`", True)):
        path = control / "index.sqlite"
        shutil.copyfile(run.root / ".memory/index.sqlite", path)
        delete_rows(path, is_vacuumed=is_vacuumed)
        report.add(
            f"hits in the index after {name}", len(scanner.scan([control])), "> 0", holds=bool(scanner.scan([control]))
        )
    hide_and_undo(run, report)


def delete_rows(path: Path, *, is_vacuumed: bool) -> None:
    """Delete the rows of records with a canary, as somebody would who knows SQL."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("pragma foreign_keys = off")
        for (name,) in database.execute(PLAIN_TABLES).fetchall():
            columns = [row[1] for row in database.execute(f'pragma table_info("{name}")') if row[1] == "text"]
            for column in columns:
                database.execute(f'delete from "{name}" where "{column}" like ?', (f"%{scanner.ENDING}%",))
        database.commit()
        if is_vacuumed:
            database.execute("vacuum")


def hide_and_undo(run: Run, report: Report) -> None:
    """`forget` without `--now`, and `undo`, on a copy."""
    root = run.top / "hidden"
    shutil.copytree(run.root, root)
    questions = list(ordinary_questions(run.size, run.twin, QUESTIONS_UNDONE // 2))
    questions += [one.word for one in canaries_of(run.size)][: QUESTIONS_UNDONE // 2]
    with opened(root, OWN) as memory:
        memory.sync()
        before, files = answers(memory, run.size, questions), file_bytes(root)
        ids = dict.fromkeys(record for one in canaries_of(run.size) for record in concerned(memory, one))
        hidden = memory.forget(ForgetRequest(tuple(ids), apply=True, now=NOW))
        report.at_most("hidden: answers with a canary", leaking(memory, run.size), 0)
        hits = len(scanner.scan([root]))
        report.add("hidden: hits in the files", hits, "> 0", holds=hits > 0)
        memory.undo(hidden.id, now=NOW)
        same = sum(one == other for one, other in zip(before, answers(memory, run.size, questions), strict=True))
        report.add("undone: answers as before", f"{same} of {len(questions)}", "all", holds=same == len(questions))
        changed = [str(path) for path, data in files.items() if path.read_bytes() != data]
        report.add("undone: pages and captures that differ", len(changed), "0", holds=not changed)
        show(changed)
    shutil.rmtree(root)


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


def _shown(views: Counter[str]) -> str:
    return ", ".join(f"{view} {count}" for view, count in sorted(views.items()))


def measure_in(folder: Path, size: Size, report: Report, act: Callable[[Run, Report], None] = measure) -> None:
    """Measure in an empty folder."""
    with surroundings(folder):
        act(Run(folder, size), report)


def main() -> int:
    """Print the figures; 1 if one is beyond its bound."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="ten canaries, for a first impression")
    parser.add_argument("--keep", type=Path, help="an empty folder for the notebooks, which stay there")
    given = parser.parse_args()
    os.fsync = lambda _descriptor: None
    report = Report(given)
    size = Size(SAMPLE, notes=12, days=3, turns=40) if given.quick else Size(COUNTS)
    if given.keep:
        given.keep.mkdir(parents=True)
        measure_in(given.keep, size, report)
        return int(report.is_beyond)
    with tempfile.TemporaryDirectory(prefix="canaries-") as folder:
        measure_in(Path(folder), size, report)
    return int(report.is_beyond)


if __name__ == "__main__":
    raise SystemExit(main())
