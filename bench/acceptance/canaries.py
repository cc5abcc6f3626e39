"""Whether 200 canaries are gone after `forget --now`: `python -m bench.acceptance.canaries [--quick]`.

A notebook of two devices has canaries in every store, each a word that nobody writes in a sentence of its own; its twin
was made by the same commands without them. They are forgotten by word, id, line, session, scope and entity; then all
bytes below the workspace, in the state folders and the folder for temporary files are read in eight views, and the
answers to other questions are compared with those of the twin. Prints a figure and its bound per line, and where what
is left lies; exit code 1 if a bound is broken.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from time import monotonic
from typing import Any

from bench.acceptance.canary_parts import scanner
from bench.acceptance.canary_parts.comparison import Kept, compare_with_twin, report_hits
from bench.acceptance.canary_parts.notebook import (
    COUNTS,
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
)
from bench.acceptance.canary_parts.returns import come_back, make_backup, restore_backup, verify_manifests
from bench.acceptance.canary_parts.run import (
    Run,
    answers,
    command,
    concerned,
    file_bytes,
    leaking,
    problem_names,
    show,
    surroundings,
)
from bench.acceptance.measuring import Report
from commonplace import Memory
from commonplace.errors import CommonplaceError
from commonplace.operations.parameters import ForgetRequest
from tests.support.vector_server import serving
from tests.support.vector_server import settings as vector_settings

QUESTIONS_UNDONE, BATCH = 200, 40
BY_WORD = (  # stores of which one canary is forgotten by its word
    *("note", "core", "day", "capture", "other device", "artifact", "buffer", "pending", "conflict copy", "episode"),
)
WITHOUT_RECORD = (  # stores of which the index knows nothing: only words can name what is there
    *("question", "set-aside", "session", "skill", "model answer", "leftover", "deep in an artifact", "detail"),
    *("undone", "learning"),
)
PLAIN_TABLES = "select name from sqlite_master where type = 'table' and sql not like 'create virtual%'"


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
    for ids in remaining_ids(memory, canaries):
        call("ids", references=ids)
    report.add("seconds for a call of forget", f"{(monotonic() - begun) / calls:.1f}")
    report.add("calls of forget that failed", f"{len(failed)} of {calls}", "0", holds=not failed)
    show(failed)
    return manifests


def remaining_ids(memory: Memory, canaries: Sequence[Canary]) -> Iterator[tuple[str, ...]]:
    """The ids of what the wishes before have left, in batches; before the last a killed `check` leaves its copy."""
    for at in range(0, len(canaries), BATCH):
        if at + BATCH >= len(canaries):
            leave_killed(memory)
        if ids := dict.fromkeys(record for one in canaries[at : at + BATCH] for record in concerned(memory, one)):
            yield tuple(ids)


def open_indexes() -> int:
    """How many descriptors of this process are of an index that no longer has a name."""
    links = (Path("/proc/self/fd") / name for name in os.listdir("/proc/self/fd"))
    names = (os.readlink(link) for link in links if link.is_symlink())
    return sum("index.sqlite" in name and name.endswith(" (deleted)") for name in names)


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
