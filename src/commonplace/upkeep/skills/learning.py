"""Learn procedures from captures: count each run once in the ledger, write steps and gotchas to pages, draft skills."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import nullcontext

from msgspec import Struct, structs

from commonplace.capture import KEY_BYTES, KEY_PATH, text_key, workspace_key
from commonplace.model import Capture, Problem
from commonplace.redact import redact
from commonplace.shapes import Json
from commonplace.storage import files
from commonplace.storage.journal import Journal
from commonplace.storage.workspace import join_lines, parse_document, render_annotation, update_file
from commonplace.upkeep.skills import procedures, skill_files
from commonplace.upkeep.skills.runs import FailedStep, ProcedureRun, SkippedCalls, describe_failure, extract_runs
from commonplace.upkeep.skills.skill_files import PROCEDURE_OP, Skill
from commonplace.upkeep.skills.steps import generalize_steps, is_risky, parametrize_steps

SKILLS_LOCK = "skills"


class CountedRun(Struct, frozen=True):
    """One run that was counted: for which procedure, how it ended, and whether the procedure was new."""

    procedure_id: str
    outcome: str
    goal: str
    capture_ids: tuple[str, ...]
    is_new: bool = False


class LearningResult(Struct, frozen=True):
    """The result of learning, done or planned: runs counted, pages written, drafts made; what was left out and why."""

    counted: tuple[CountedRun, ...] = ()
    left_out: tuple[SkippedCalls, ...] = ()
    pages: tuple[str, ...] = ()
    drafts: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


class ProcedureLedger:
    """The ledger's data about procedures: its lines about runs, lines written, decisions about skills by digest, and
    the procedures and shapes (`decided`) for which a skill was drafted, approved or rejected."""

    def __init__(self, journal: Journal) -> None:
        self.run_lines: list[Json] = []
        self.procedure_by_capture: dict[str, str] = {}
        self.procedure_by_shape: dict[str, str] = {}
        self.written_record_ids: set[str] = set()
        self.own_lines: set[tuple[str, str]] = set()
        self.decisions: dict[str, str] = {}
        self.decided: set[str] = set()
        for entry in journal.read("ledger").entries:
            self.add(entry.fields)

    def add(self, ledger_line: Json) -> None:
        """Take one ledger line in."""
        op, did = ledger_line.get("op"), str(ledger_line.get("did"))
        if op == "origin":
            self.own_lines.add((str(ledger_line.get("record")), str(ledger_line.get("digest"))))
        elif op == skill_files.SKILL_OP and did in ("approved", "rejected", "drafted"):
            if did != "drafted":
                self.decisions[str(ledger_line.get("content"))] = did
            self.decided.update(map(str, (*(ledger_line.get("shapes") or ()), ledger_line.get("procedure") or "-")))
        elif op == "used":
            self.run_lines.append(ledger_line)
        elif run := skill_files.read_run_line(ledger_line):
            self.run_lines.append(ledger_line)
            self.procedure_by_capture |= dict.fromkeys(run.captures, run.procedure)
            self.procedure_by_shape.setdefault(run.shape, run.procedure)
        elif op == PROCEDURE_OP and did == "written":
            self.written_record_ids |= {str(record) for record in ledger_line.get("records") or ()}


def learn_procedures(
    root: str, journal: Journal, captures: Iterable[Capture], now: str, *, apply: bool = True
) -> LearningResult:
    """Count the runs among captures, write procedures and warnings, draft skills; again changes nothing. Give whole
    sessions; only what the owner asked for teaches. With `apply=False` nothing is written. Raises LockBusy,
    WriteConflict."""
    gathered = extract_runs(captures, now)
    if not apply:
        stand_in = files.read_file_if_exists(root, KEY_PATH) or bytes(KEY_BYTES)  # a preview makes no key
        return _LearningPlan(journal, now, stand_in, gathered.runs).build_result(gathered.left_out)
    with files.hold_workspace_lock(root, SKILLS_LOCK):
        plan = _LearningPlan(journal, now, workspace_key(root), gathered.runs)
        plan.apply(journal)
    return plan.build_result(gathered.left_out)


class _LearningPlan:
    """What learning comes to, as data: ledger lines, revisions of pages, drafts."""

    def __init__(self, journal: Journal, now: str, key: bytes, runs: Iterable[ProcedureRun]) -> None:
        self._root, self._now, self._key = journal.root, now, key
        self._ledger = ledger = ProcedureLedger(journal)
        pages, self._problems = procedures.read_procedures(self._root, ledger.procedure_by_shape.values())
        self._procedures_by_id = {procedure.id: procedure for procedure in pages}
        self._index_by_scope: dict[str, procedures.ProcedureIndex] = {}
        for procedure in pages:
            self._scope_index(procedure.scope).add(procedure.id, procedure.steps, procedure.goal)
        self._ledger_lines: list[Json] = []
        self._counted_runs: list[CountedRun] = []
        self._left_out: list[SkippedCalls] = []
        self._revisions: dict[str, procedures.PageRevision] = {}
        self._drafts: list[Skill] = []
        for run in runs:
            self._add_run(run)
        self._draft_skills()

    def _add_run(self, run: ProcedureRun) -> None:
        """One run: counted if it is new, and what it teaches, unless that was written before."""
        if run.trust != "trusted":
            self._left_out.append(SkippedCalls(f"it is {run.trust}: the owner did not ask for it", run.capture_ids))
            return
        steps = self._redact_texts(parametrize_steps(run.steps))
        shape = procedures.shape_id(run.steps, run.scope)
        known = self._ledger.procedure_by_capture
        counted = next((known[one] for one in run.capture_ids if one in known), "")
        procedure = counted or self._ledger.procedure_by_shape.get(shape)
        procedure = procedure or self._scope_index(run.scope).find_most_similar(steps, run.goal) or shape
        if not counted:
            self._count_run(run, procedure, shape)
        if run.outcome == "success":
            self._write_steps(run, procedure, steps)
        for failed_step in run.failed_steps:
            self._add_gotcha(run, procedure, failed_step)

    def _draft_skills(self) -> None:
        """A draft for each procedure that earned one and about which nothing was decided."""
        standings = skill_files.compute_track_records(self._ledger.run_lines)
        skills, problems = skill_files.read_skills(self._root, self._ledger.decisions)
        self._problems += problems
        names = files.list_file_sizes(self._root, skill_files.SKILLS_FOLDER)
        taken = {name.removesuffix(skill_files.SKILL_SUFFIX).removesuffix(".draft") for name in names}
        captures = self._ledger.procedure_by_capture.items()
        there = self._ledger.decided.union(*((skill.procedure, skill.shape) for skill in skills))
        for procedure in self._procedures_by_id.values():
            stands = standings.get(procedure.id)
            is_open = there.isdisjoint((procedure.id, procedures.shape_id(procedure.steps, "")))
            enough = len(procedure.steps) >= skill_files.MIN_DRAFT_STEPS
            if stands is not None and is_open and enough and stands.has_earned_draft(self._now):
                sources = tuple(capture for capture, counted in captures if counted == procedure.id)
                made = skill_files.draft_skill(procedure, stands, now=self._now, sources=sources, used_names=taken)
                if isinstance(made, Skill):
                    taken.add(made.name)
                    there |= {procedure.id, made.shape}
                    self._drafts.append(made)

    def apply(self, journal: Journal) -> None:
        """Write the ledger first, then Markdown, then drafts; each write is recorded in the ledger when it is done."""
        if self._ledger_lines:
            journal.append_all(self._ledger_lines, "ledger")
        for revision in self._revisions.values():
            if not revision.is_empty:
                self._write_page(journal, revision)
        with files.log_intent(self._root) if self._drafts else nullcontext():
            for draft in self._drafts:
                skill_files.write_skill(self._root, draft.path, draft.fields)
                journal.append(skill_files.decision_line("drafted", self._now, draft), "ledger")

    def build_result(self, left_out: tuple[SkippedCalls, ...]) -> LearningResult:
        """The result of the plan."""
        return LearningResult(
            counted=tuple(self._counted_runs),
            left_out=(*left_out, *self._left_out),
            pages=tuple(path for path, revision in self._revisions.items() if not revision.is_empty),
            drafts=tuple(draft.path for draft in self._drafts),
            problems=self._problems,
        )

    def _scope_index(self, scope: str) -> procedures.ProcedureIndex:
        return self._index_by_scope.setdefault(scope, procedures.ProcedureIndex())

    def _count_run(self, run: ProcedureRun, procedure_id: str, shape: str) -> None:
        is_new = procedure_id not in self._ledger.procedure_by_shape.values()
        last = run.failed_steps[-1] if run.failed_steps and run.outcome == "failure" else FailedStep("")
        line: Json = {
            "op": PROCEDURE_OP,
            "ts": self._now,
            "did": run.outcome,
            "at": run.ended_at,
            "procedure": procedure_id,
            "shape": shape,
            "duration_ms": run.duration_ms,
            "steps": len(run.steps),
            "risky": sum(map(is_risky, run.steps)),
            "captures": list(run.capture_ids),
        }
        if last.text:
            line |= {"reason": last.reason, "exit_code": last.exit_code}
        self._ledger_lines.append(line)
        self._ledger.add(line)
        self._counted_runs.append(CountedRun(procedure_id, run.outcome, run.goal, run.capture_ids, is_new))

    def _write_steps(self, run: ProcedureRun, procedure_id: str, steps: tuple[str, ...]) -> None:
        known = self._procedures_by_id.get(procedure_id)
        if known is None:
            if procedure_id in self._ledger.written_record_ids:  # its owner took it out
                return
            path = f"{procedures.PROCEDURES_FOLDER}/{procedures.choose_page_topic(steps)}.md"
            goal = self._redact_texts((run.goal,))[0]
            ids = tuple(f"{procedure_id}-{number}" for number in range(1, len(steps) + 1))
            title = procedures.render_goal_title(goal)
            made = procedures.Procedure(procedure_id, goal, steps, run.scope, path, title, run.goal_id, ids)
            self._procedures_by_id[procedure_id] = self._page_revision(path).new_procedures[procedure_id] = made
            self._scope_index(run.scope).add(procedure_id, steps, goal)
            return
        revision, own = self._page_revision(known.path), self._ledger.own_lines
        merged = generalize_steps(known.steps, steps)
        is_new = procedure_id in revision.new_procedures
        if is_new:
            self._update_procedure(structs.replace(known, steps=merged))
            return
        lines = list(zip(known.step_ids, known.steps, merged, strict=True))  # one that its owner changed stays
        fresh = {at: one for at, step, one in lines if (at, text_key(procedures.render_code_span(step))) in own}
        self._update_procedure(structs.replace(known, steps=tuple(fresh.get(at, step) for at, step, _after in lines)))
        revision.new_step_texts |= {at: fresh[at] for at, step, _after in lines if fresh.get(at, step) != step}

    def _add_gotcha(self, run: ProcedureRun, procedure_id: str, failed_step: FailedStep) -> None:
        known = self._procedures_by_id.get(procedure_id)
        if known is None:
            return
        failed, fix = self._redact_texts(parametrize_steps((failed_step.text, failed_step.fix)))
        why = describe_failure(failed_step.reason, failed_step.exit_code)
        remedy = f"; it worked after {procedures.render_code_span(fix)}" if fix else ""
        text = f"{procedures.render_code_span(failed)} failed{f' ({why})' if why else ''}{remedy}."
        name = f"{procedure_id}-g{files.text_digest(text)[:8]}"  # the same for the same failure and remedy
        if name in self._ledger.written_record_ids or name in known.record_ids:
            return
        self._update_procedure(structs.replace(known, record_ids=(*known.record_ids, name)))
        annotation = render_annotation({"id": name, "project": known.scope})
        line = f"- {join_lines(f'Watch out ({run.ended_at[:10]}): {text}')} {annotation}"
        self._page_revision(known.path).gotchas.setdefault(procedure_id, {})[name] = line

    def _update_procedure(self, procedure: procedures.Procedure) -> None:
        self._procedures_by_id[procedure.id] = procedure
        added = self._page_revision(procedure.path).new_procedures
        if procedure.id in added:
            added[procedure.id] = procedure

    def _page_revision(self, path: str) -> procedures.PageRevision:
        return self._revisions.setdefault(path, procedures.PageRevision(path))

    def _redact_texts(self, step_texts: Sequence[str]) -> tuple[str, ...]:
        """The texts redacted again: a command of a capture may have been cut or joined since."""
        return tuple(redact(text, key=self._key).text for text in step_texts)

    def _write_page(self, journal: Journal, revision: procedures.PageRevision) -> None:
        own = self._ledger.own_lines
        wanted = {*revision.new_step_texts, *(name for lines in revision.gotchas.values() for name in lines)}
        for procedure in revision.new_procedures.values():
            wanted |= {procedure.id, *procedure.step_ids}
        before = files.read_file_if_exists(self._root, revision.path, procedures.MAX_PAGE_BYTES) or b""
        records = parse_document(revision.path, procedures.revise_page(before, revision, own)).records
        digests = [(record.id, text_key(record.text)) for record in records if record.id in wanted]
        origins = [
            {"op": "origin", "ts": self._now, "record": name, "digest": digest, "trust": "trusted", "actor": "agent"}
            for name, digest in digests
            if (name, digest) not in own
        ]
        if origins:
            journal.append_all(origins, "ledger")
        update_file(self._root, revision.path, lambda data: procedures.revise_page(data, revision, own), now=self._now)
        line = {"op": PROCEDURE_OP, "ts": self._now, "did": "written", "records": sorted(wanted)}
        journal.append(line, "ledger")
