"""What differs from a notebook as it was, and from one that never had a canary."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from itertools import filterfalse
from pathlib import Path

from bench.acceptance.canary_parts import scanner
from bench.acceptance.canary_parts.notebook import OWN, canaries_of, opened, ordinary_questions
from bench.acceptance.canary_parts.run import Run, answers, show
from bench.acceptance.measuring import Report

QUESTIONS = 500
DEEP = b"A long report begins here."  # a capture whose canary is only in its artifact: it may stay without that


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
