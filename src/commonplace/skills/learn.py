"""Learn procedures from what was done: count each run once, write down what worked and what to watch out for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

from msgspec import Struct, structs

from commonplace import files
from commonplace.capture import KEY, KEY_BYTES, text_key, workspace_key
from commonplace.journal import Journal
from commonplace.model import Capture, Problem
from commonplace.redact import redact
from commonplace.skills import drafts, standing
from commonplace.skills.commands import is_risky
from commonplace.skills.pages import (
    FOLDER,
    MOST_BYTES,
    Gotcha,
    Own,
    Procedure,
    Revision,
    code,
    gotcha_id,
    read_pages,
    revise,
    step_id,
)
from commonplace.skills.runs import LeftOut, Run, Setback, gather
from commonplace.skills.similar import Nearest, shape_id, title_of, topic_of
from commonplace.skills.slots import generalised, parametrised
from commonplace.skills.standing import OP, Standing
from commonplace.skills.verdicts import told
from commonplace.workspace import parse
from commonplace.workspace.write import update

LOCK = "skills"


class Counted(Struct, frozen=True):
    """One run that was counted: for which procedure, how it ended, and whether the procedure was new."""

    procedure: str
    outcome: str
    goal: str
    captures: tuple[str, ...]
    is_new: bool = False


class Learned(Struct, frozen=True):
    """What was learned, or would be: runs counted, pages written, drafts made; what was left out and why."""

    counted: tuple[Counted, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    pages: tuple[str, ...] = ()
    drafts: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


class Book:
    """What the ledger knows of procedures: runs counted, shapes met, lines written, standings, skills decided."""

    def __init__(self, lines: Iterable[Mapping[str, Any]]) -> None:
        self.lines: list[Mapping[str, Any]] = []
        self.counted: dict[str, str] = {}
        self.shapes: dict[str, str] = {}
        self.written: set[str] = set()
        self._own: set[tuple[str, str]] = set()
        self.decided = drafts.Decisions()
        for line in lines:
            self.add(line)

    def add(self, line: Mapping[str, Any]) -> None:
        """Take one ledger line in."""
        if line.get("op") == "origin":
            self._own.add((str(line.get("record")), str(line.get("digest"))))
        elif line.get("op") == drafts.OP:
            self.decided.add(line)
        elif standing.is_run(line):
            self.lines.append(line)
            self.counted |= dict.fromkeys(line["captures"], line["procedure"])
            self.shapes.setdefault(str(line.get("shape")), line["procedure"])
        elif line.get("op") == OP and line.get("did") == "written":
            self.written |= {str(record) for record in line.get("records") or ()}
        elif line.get("op") == "used":
            self.lines.append(line)

    @property
    def procedures(self) -> set[str]:
        """The ids of all procedures that were ever met."""
        return set(self.shapes.values())

    @property
    def own(self) -> Own:
        """The lines that we wrote, and what they said."""
        return frozenset(self._own)

    def standings(self) -> dict[str, Standing]:
        """See `standing.tally`."""
        return standing.tally(self.lines)


def read_book(journal: Journal) -> Book:
    """The book as the ledgers of all devices have it."""
    return Book(entry.fields for entry in journal.read("ledger").entries)


def learn(root: str, journal: Journal, captures: Iterable[Capture], now: str, *, apply: bool = True) -> Learned:
    """Count the runs among captures, write procedures and warnings, draft skills; again changes nothing.

    Give whole sessions: what was counted before counts once, and what a crash left unwritten is written now. Only what
    the owner asked for teaches. With `apply=False` nothing is written. Raises LockBusy, WriteConflict.
    """
    gathered = gather(captures, now)
    if not apply:
        stand_in = files.find(root, KEY) or bytes(KEY_BYTES)  # a preview makes no key
        return _planned(_Plan(journal, now, stand_in), gathered.runs).learned(gathered.left_out)
    with files.hold(root, LOCK):
        plan = _planned(_Plan(journal, now, workspace_key(root)), gathered.runs)
        plan.apply(journal)
    return plan.learned(gathered.left_out)


def _planned(plan: _Plan, runs: Sequence[Run]) -> _Plan:
    for run in runs:
        plan.take(run)
    plan.draft()
    return plan


class _Plan:
    """What learning comes to, as data: ledger lines, revisions of pages, drafts."""

    def __init__(self, journal: Journal, now: str, key: bytes) -> None:
        self._root, self._now, self._key = journal.root, now, key
        self._book = book = read_book(journal)
        pages, self._problems = read_pages(self._root, book.procedures)
        self._pages = {procedure.id: procedure for procedure in pages}
        self._near: dict[str, Nearest] = {}
        for procedure in pages:
            self._nearest(procedure.scope).add(procedure.id, procedure.steps, procedure.goal)
        self._lines: list[dict[str, Any]] = []
        self._counted: list[Counted] = []
        self._left_out: list[LeftOut] = []
        self._revisions: dict[str, Revision] = {}
        self._drafts: list[drafts.Draft] = []

    def take(self, run: Run) -> None:
        """One run: counted if it is new, and what it teaches, unless that was written before."""
        if run.trust != "trusted":
            self._left_out.append(LeftOut(f"it is {run.trust}: the owner did not ask for it", run.captures))
            return
        steps = self._clean(parametrised(run.steps))
        shape = shape_id(run.steps, run.scope)
        counted = next((self._book.counted[one] for one in run.captures if one in self._book.counted), "")
        procedure = counted or self._book.shapes.get(shape) or self._nearest(run.scope).find(steps, run.goal) or shape
        if not counted:
            self._count(run, procedure, shape)
        if run.outcome == "success":
            self._write(run, procedure, steps)
        for setback in run.setbacks:
            self._warn(run, procedure, setback)

    def draft(self) -> None:
        """A draft for each procedure that earned one and about which nothing was decided."""
        standings, decided = self._book.standings(), self._book.decided
        skills, problems = drafts.read_all(self._root, decided)
        self._problems += problems
        taken = drafts.names(self._root)
        there = {skill.procedure for skill in skills} | {skill.shape for skill in skills}
        for procedure in self._pages.values():
            stands, shape = standings.get(procedure.id), shape_id(procedure.steps, "")
            is_open = decided.is_open(procedure.id, shape) and there.isdisjoint((procedure.id, shape))
            enough = len(procedure.steps) >= drafts.LEAST_STEPS
            if stands is not None and is_open and enough and stands.earns_draft(self._now):
                made = drafts.make(procedure, stands, drafts.Making(self._now, self._captures(procedure.id), taken))
                taken.add(made.name)
                there |= {procedure.id, shape}
                self._drafts.append(made)

    def apply(self, journal: Journal) -> None:
        """Ledger first, then Markdown, then drafts; each is told to the ledger when it stands."""
        if self._lines:
            journal.extend(self._lines, "ledger")
        for revision in self._revisions.values():
            if not revision.is_empty:
                self._apply_page(journal, revision)
        with files.doing(self._root) if self._drafts else nullcontext():
            for draft in self._drafts:
                drafts.put(self._root, draft)
                journal.append(draft.line(self._now), "ledger")

    def learned(self, left_out: tuple[LeftOut, ...]) -> Learned:
        """What the plan comes to, for those who read it."""
        return Learned(
            counted=tuple(self._counted),
            left_out=(*left_out, *self._left_out),
            pages=tuple(path for path, revision in self._revisions.items() if not revision.is_empty),
            drafts=tuple(draft.path for draft in self._drafts),
            problems=self._problems,
        )

    def _nearest(self, scope: str) -> Nearest:
        return self._near.setdefault(scope, Nearest())

    def _count(self, run: Run, procedure: str, shape: str) -> None:
        is_new = procedure not in self._book.procedures
        last = run.setbacks[-1] if run.setbacks and run.outcome == "failure" else Setback("")
        line: dict[str, Any] = {
            "op": OP,
            "ts": self._now,
            "did": run.outcome,
            "at": run.at,
            "procedure": procedure,
            "shape": shape,
            "duration_ms": run.duration_ms,
            "steps": len(run.steps),
            "risky": sum(map(is_risky, run.steps)),
            "captures": list(run.captures),
        }
        if last.text:
            line |= {"reason": last.reason, "exit_code": last.exit_code}
        self._lines.append(line)
        self._book.add(line)
        self._counted.append(Counted(procedure, run.outcome, run.goal, run.captures, is_new))

    def _write(self, run: Run, procedure: str, steps: tuple[str, ...]) -> None:
        known = self._pages.get(procedure)
        if known is None:
            if procedure in self._book.written:  # its owner took it out
                return
            path = f"{FOLDER}/{topic_of(steps)}.md"
            goal = self._clean((run.goal,))[0]
            ids = tuple(step_id(procedure, number) for number in range(1, len(steps) + 1))
            made = Procedure(procedure, goal, steps, run.scope, path, title_of(goal), run.goal_id, ids)
            self._pages[procedure] = self._revision(path).added[procedure] = made
            self._nearest(run.scope).add(procedure, steps, goal)
            return
        merged = self._merged(known, steps)
        if merged == known.steps:
            return
        self._keep(structs.replace(known, steps=merged))
        if procedure not in self._revision(known.path).added:
            changed = zip(known.step_ids, known.steps, merged, strict=True)
            self._revision(known.path).reworded |= {one: after for one, before, after in changed if before != after}

    def _merged(self, known: Procedure, steps: tuple[str, ...]) -> tuple[str, ...]:
        """The known steps with parameters where this run differs; a line that its owner changed stays."""
        merged = generalised(known.steps, steps)
        if known.id in self._revision(known.path).added:
            return merged
        own = self._book.own
        lines = zip(known.step_ids, known.steps, merged, strict=True)
        return tuple(after if (name, text_key(code(step))) in own else step for name, step, after in lines)

    def _warn(self, run: Run, procedure: str, setback: Setback) -> None:
        known = self._pages.get(procedure)
        if known is None:
            return
        failed, fix = self._clean(parametrised((setback.text, setback.fix)))
        why = told(setback.reason, setback.exit_code)
        remedy = f"; it worked after {code(fix)}" if fix else ""
        text = f"{code(failed)} failed{f' ({why})' if why else ''}{remedy}."
        name = gotcha_id(procedure, text)
        if name in self._book.written or name in known.records:
            return
        self._keep(structs.replace(known, records=(*known.records, name)))
        self._revision(known.path).gotchas.append(Gotcha(name, procedure, f"Watch out ({run.at[:10]}): {text}"))

    def _keep(self, procedure: Procedure) -> None:
        self._pages[procedure.id] = procedure
        added = self._revision(procedure.path).added
        if procedure.id in added:
            added[procedure.id] = procedure

    def _captures(self, procedure: str) -> tuple[str, ...]:
        return tuple(capture for capture, counted in self._book.counted.items() if counted == procedure)

    def _revision(self, path: str) -> Revision:
        return self._revisions.setdefault(path, Revision(path))

    def _clean(self, texts: Sequence[str]) -> tuple[str, ...]:
        """Captures are redacted, but a command that was cut or joined is looked at once more."""
        return tuple(redact(text, key=self._key).text for text in texts)

    def _apply_page(self, journal: Journal, revision: Revision) -> None:
        own, scopes = self._book.own, {procedure.id: procedure.scope for procedure in self._pages.values()}
        wanted = {*revision.reworded, *(gotcha.id for gotcha in revision.gotchas)}
        for procedure in revision.added.values():
            wanted |= {procedure.id, *procedure.step_ids}
        page = revise(files.find(self._root, revision.path, MOST_BYTES) or b"", revision, own, scopes)
        ours = [record for record in parse(revision.path, page).records if record.id in wanted]
        fresh = [record for record in ours if (record.id, text_key(record.text)) not in own]
        origins = [
            {
                "op": "origin",
                "ts": self._now,
                "record": record.id,
                "digest": text_key(record.text),
                "trust": "trusted",
                "actor": "agent",
            }
            for record in fresh
        ]
        if origins:
            journal.extend(origins, "ledger")
        update(self._root, revision.path, lambda data: revise(data, revision, own, scopes), now=self._now)
        line = {"op": OP, "ts": self._now, "did": "written", "records": sorted(wanted)}
        journal.append(line, "ledger")
