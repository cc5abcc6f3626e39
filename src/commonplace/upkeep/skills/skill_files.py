"""The track record of a procedure, and skills as JSON files: drafted, validated, and identified by a digest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, structs

from commonplace.errors import NotFound, OutsideWorkspace
from commonplace.model import Problem
from commonplace.shapes import Json
from commonplace.storage import files
from commonplace.storage.journal import parse_json_line
from commonplace.storage.workspace import BOM
from commonplace.upkeep.skills.procedures import (
    Procedure,
    called_words,
    content_stems,
    goal_trigger,
    shape_id,
    skill_name_for_goal,
)
from commonplace.upkeep.skills.runs import RunOutcome
from commonplace.upkeep.skills.steps import ParameterKind, find_parameters, split_call

PROCEDURE_OP = "procedure"
RELIABILITY_WEIGHT, SAFETY_WEIGHT, SPEED_WEIGHT, ELEGANCE_WEIGHT = 0.35, 0.25, 0.25, 0.15
INITIAL_RELIABILITY, INITIAL_SAFETY, INITIAL_SPEED = 0.5, 0.8, 0.5
SAFETY_PENALTY_PER_RISKY_STEP = 0.2  # of safety, for each risky step
SPEED_BONUS_PER_BEST = 0.05  # of speed, for each personal best
ELEGANCE_PENALTY_PER_STEP, MIN_ELEGANCE = 0.1, 0.2
DEGRADATION_PER_FAILURE, RECOVERY_PER_SUCCESS = 0.15, 0.20
DEGRADED_THRESHOLD = 0.5
IDLE_DAYS, STALENESS_DAYS, MAX_STALENESS = 30, 60, 0.3
MAX_RECENT_FAILURES = 10
MIN_DRAFT_SUCCESSES, MIN_DRAFT_QUALITY, MIN_DRAFT_ATTEMPTS = 3, 0.6, 7


class RunLine(Struct, frozen=True):
    """A run in the ledger; `at` is when it ended, `reason` a key of FAILURE_REASONS."""

    procedure: str
    did: RunOutcome
    captures: tuple[str, ...]
    ts: str = ""
    at: str = ""
    shape: str = ""
    duration_ms: int = 0
    steps: int = 0
    risky: int = 0
    reason: str = ""
    exit_code: int | None = None


def read_run_line(ledger_line: Mapping[str, Any]) -> RunLine | None:
    """The run that a ledger line counts; None for any other line."""
    try:
        return msgspec.convert(ledger_line, RunLine) if ledger_line.get("op") == PROCEDURE_OP else None
    except msgspec.ValidationError:
        return None


class TrackRecord(Struct, frozen=True):
    """What is known of a procedure beside its text. `degradation` is without staleness, which depends on the day."""

    id: str
    successes: int = 0
    failures: int = 0
    last_success: str = ""
    last_failure: str = ""
    last_used: str = ""
    best_duration_ms: int = 0
    speed: float = INITIAL_SPEED
    step_count: int = 0
    risky_step_count: int = 0
    degradation: float = 0.0
    recent_failures: tuple[RunLine, ...] = ()

    @property
    def attempts(self) -> int:
        """The number of attempts."""
        return self.successes + self.failures

    @property
    def reliability(self) -> float:
        """The share of successes; a single try says nothing yet."""
        return self.successes / self.attempts if self.attempts > 1 else INITIAL_RELIABILITY

    @property
    def safety(self) -> float:
        """Less for each step that destroys or forces something."""
        return max(0.0, INITIAL_SAFETY - SAFETY_PENALTY_PER_RISKY_STEP * self.risky_step_count)

    @property
    def elegance(self) -> float:
        """Less for each step."""
        return max(MIN_ELEGANCE, 1 - ELEGANCE_PENALTY_PER_STEP * self.step_count)

    @property
    def quality(self) -> float:
        """0.35 reliability + 0.25 safety + 0.25 speed + 0.15 elegance."""
        trusted = RELIABILITY_WEIGHT * self.reliability + SAFETY_WEIGHT * self.safety
        return round(trusted + SPEED_WEIGHT * self.speed + ELEGANCE_WEIGHT * self.elegance, 4)

    def degradation_on(self, now: str) -> float:
        """Degradation with staleness on that day: nothing for 30 idle days, then up to 0.3 over 60 more."""
        idle = _days_from_to(self.last_used, now) - IDLE_DAYS
        stale = MAX_STALENESS * min(1.0, max(0, idle) / STALENESS_DAYS)
        return round(min(1.0, self.degradation + stale), 4)

    def is_degraded(self, now: str) -> bool:
        """Whether it failed, or lay idle, so much that it should not be relied on."""
        return self.degradation_on(now) > DEGRADED_THRESHOLD

    def has_earned_draft(self, now: str) -> bool:
        """Three successes and a quality of 0.6, or seven tries of which one worked; never while degraded."""
        good = self.successes >= MIN_DRAFT_SUCCESSES and self.quality >= MIN_DRAFT_QUALITY
        often = self.attempts >= MIN_DRAFT_ATTEMPTS and self.successes > 0
        return (good or often) and not self.is_degraded(now)


def compute_track_records(ledger_lines: Iterable[Mapping[str, Any]]) -> dict[str, TrackRecord]:
    """Standings by procedure from ledger lines in any order: runs count in the order in which they happened, and a
    capture once, whoever counted it."""
    lines = list(ledger_lines)
    standings: dict[str, TrackRecord] = {}
    counted: set[str] = set()
    runs = (structs.replace(run, at=run.at or run.ts) for run in map(read_run_line, lines) if run)
    for run in sorted(runs, key=lambda run: (run.at, sorted(run.captures))):
        if counted.isdisjoint(run.captures):
            counted.update(run.captures)
            standings[run.procedure] = _add_run(standings.get(run.procedure) or TrackRecord(run.procedure), run)
    for line in lines:  # a line that was used keeps its procedure from growing stale; its lines are named after it
        for record in (line.get("records") or ()) if line.get("op") == "used" else ():
            used = standings.get(str(record).partition("-")[0])
            if used is not None and (at := str(line.get("ts") or "")) > used.last_used:
                standings[used.id] = structs.replace(used, last_used=at)
    return standings


def _add_run(track_record: TrackRecord, run: RunLine) -> TrackRecord:
    track_record = structs.replace(
        track_record,
        last_used=max(track_record.last_used, run.at),
        risky_step_count=max(track_record.risky_step_count, run.risky),
    )
    if run.did == "failure":
        return structs.replace(
            track_record,
            failures=track_record.failures + 1,
            last_failure=run.at,
            degradation=round(min(1.0, track_record.degradation + DEGRADATION_PER_FAILURE), 4),
            recent_failures=(*track_record.recent_failures, run)[-MAX_RECENT_FAILURES:],
            step_count=track_record.step_count or run.steps,
        )
    best = track_record.best_duration_ms
    is_best = 0 < run.duration_ms < best
    return structs.replace(
        track_record,
        successes=track_record.successes + 1,
        last_success=run.at,
        degradation=round(max(0.0, track_record.degradation - RECOVERY_PER_SUCCESS), 4),
        best_duration_ms=run.duration_ms if is_best or not best else best,
        speed=round(min(1.0, track_record.speed + SPEED_BONUS_PER_BEST), 4) if is_best else track_record.speed,
        step_count=run.steps,
    )


def _days_from_to(earlier: str, later: str) -> int:
    try:
        return (date.fromisoformat(later[:10]) - date.fromisoformat(earlier[:10])).days
    except ValueError:
        return 0


SKILL_OP = "skill"
SKILLS_FOLDER = "memory/skills"
DRAFT_SUFFIX, SKILL_SUFFIX = ".draft.json", ".json"
MAX_SKILL_BYTES = 1_000_000
MIN_DRAFT_STEPS = 2
MAX_TRIGGERS = 4
MAX_SOURCES = 64
_DIGESTED_FIELDS = ("goal", "triggers", "preconditions", "steps")  # what approval is given to

_VisibleText = Annotated[str, Meta(pattern=r"\S")]
SkillStatus = Literal["draft", "approved", "unapproved", "rejected"]


class SkillParameter(Struct, frozen=True):
    """A parameter of a skill."""

    type: ParameterKind = "text"
    optional: bool = False
    default: str = ""


class Skill(Struct, frozen=True):
    """A skill as its file has it. `digest` is that of what it says; `was_edited`, that a person changed it since."""

    name: str
    path: str
    status: SkillStatus
    goal: str
    triggers: tuple[str, ...]
    preconditions: dict[str, SkillParameter]
    steps: tuple[tuple[str, str], ...]  # tool, input
    digest: str
    shape: str
    fields: Json  # of its file, with those that we do not know
    procedure: str = ""
    was_edited: bool = False


def decision_line(decision: str, now: str, skill: Skill) -> Json:
    """A ledger line: which content was drafted, approved or rejected, by digests only."""
    ids = {"procedure": skill.procedure, "shapes": [skill.shape], "content": skill.digest}
    return {"op": SKILL_OP, "ts": now, "did": decision, **ids}


def draft_skill(
    procedure: Procedure, track_record: TrackRecord, *, now: str, sources: tuple[str, ...], used_names: set[str]
) -> Skill | Problem:
    """A draft from a procedure as it is in Markdown, with the captures it rests on, under an unused name; a problem if
    its goal has no words that call for it."""
    name = skill_name_for_goal(procedure.goal)
    name = name if name not in used_names else f"{name}-{procedure.id[-4:]}"
    needs = {key: {"type": kind, "optional": False} for key, kind in find_parameters(procedure.steps).items()}
    calls = map(split_call, procedure.steps)
    steps = [{"action": "call_tool", "params": {"tool": tool, "input": text}} for tool, text in calls]
    said = {"goal": procedure.goal, "triggers": _choose_triggers(procedure), "preconditions": needs, "steps": steps}
    fields = {
        "name": name,
        "status": "draft",
        **said,
        "hash": skill_digest(said),
        "_meta": {
            "procedure": procedure.id,
            "page": procedure.path,
            "sources": list(sources[-MAX_SOURCES:]),
            "createdAt": now,
            "successes": track_record.successes,
            "failures": track_record.failures,
            "quality": track_record.quality,
        },
    }
    return parse_skill(f"{SKILLS_FOLDER}/{name}{DRAFT_SUFFIX}", fields, {})


def write_skill(root: str, path: str, skill_fields: Json) -> None:
    """Write the file of a skill, unless there is one."""
    files.create_file(root, path, msgspec.json.format(msgspec.json.encode(skill_fields), indent=2) + b"\n")


def read_skills(root: str, decisions: Mapping[str, str]) -> tuple[tuple[Skill, ...], tuple[Problem, ...]]:
    """Every skill, by name, and what is wrong with those that cannot be read."""
    names = (name for name in files.list_file_sizes(root, SKILLS_FOLDER) if name.endswith(SKILL_SUFFIX))
    found = [read_skill(root, f"{SKILLS_FOLDER}/{name}", decisions) for name in names]
    skills = tuple(one for one in found if isinstance(one, Skill))
    return skills, tuple(one for one in found if isinstance(one, Problem))


def read_skill(root: str, path: str, decisions: Mapping[str, str]) -> Skill | Problem:
    """The skill in a file, or what is wrong with it; `decisions` are those of the ledger, by digest."""
    try:
        data = files.read_file(root, path, MAX_SKILL_BYTES)
    except (NotFound, OutsideWorkspace) as error:
        return Problem("bad-skill", f"this skill cannot be read: {error.message}", path)
    return parse_skill(path, parse_json_line(data.removeprefix(BOM)), decisions)


class _Call(Struct, frozen=True):
    tool: _VisibleText
    input: str


class _Step(Struct, frozen=True):
    params: _Call


class _SkillContent(Struct, frozen=True):
    """The fields of a skill that must be right."""

    name: Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9._-]*$")]
    triggers: Annotated[tuple[_VisibleText, ...], Meta(min_length=1)]
    steps: Annotated[tuple[_Step, ...], Meta(min_length=1)]
    goal: str = ""
    preconditions: dict[str, SkillParameter] | None = None


def parse_skill(path: str, skill_fields: Json | str, decisions: Mapping[str, str]) -> Skill | Problem:
    """The skill of these fields, or what is wrong with them; a text says why there are none."""
    try:
        content = msgspec.convert(skill_fields, _SkillContent)
        stem = path.rpartition("/")[2].removesuffix(SKILL_SUFFIX).removesuffix(".draft")
        why = "" if content.name == stem else f"its `name` is not that of its file, {stem!r}"
    except msgspec.ValidationError as error:
        why = skill_fields if isinstance(skill_fields, str) else str(error)
    if why or isinstance(skill_fields, str):
        return Problem("bad-skill", f"this skill is set aside: {why}", path, hint="mend the file, or remove it")
    digest = skill_digest(skill_fields)
    decision = decisions.get(digest, "")
    status: SkillStatus = "approved" if decision == "approved" else "unapproved"
    status = "rejected" if decision == "rejected" else "draft" if path.endswith(DRAFT_SUFFIX) else status
    meta = skill_fields.get("_meta")
    steps = tuple((step.params.tool, step.params.input) for step in content.steps)
    needs = content.preconditions or {}
    used = find_parameters([text for _tool, text in steps])
    return Skill(
        name=content.name,
        path=path,
        status=status,
        goal=content.goal,
        triggers=content.triggers,
        preconditions=needs | {name: SkillParameter(kind) for name, kind in used.items() if name not in needs},
        steps=steps,
        digest=digest,
        shape=shape_id([text if tool == "shell" else f"{tool}({text})" for tool, text in steps], ""),
        fields=skill_fields,
        procedure=str(meta.get("procedure") or "") if isinstance(meta, dict) else "",
        was_edited=skill_fields.get("hash") != digest,
    )


def skill_digest(skill_fields: Mapping[str, Any]) -> str:
    """The digest of what a skill says: goal, triggers, preconditions and steps."""
    said = {key: skill_fields.get(key) for key in _DIGESTED_FIELDS}
    return files.content_digest(msgspec.json.encode(said, order="sorted"))


def _choose_triggers(procedure: Procedure) -> list[str]:
    """Phrases that call for it: the words of its goal, and those of its calls that share a word with the goal."""
    goal = set(content_stems(procedure.goal))
    calls = [" ".join(called_words((step,))) for step in procedure.steps]
    telling = (call for call in calls if len(call.split()) > 1 and goal.intersection(content_stems(call)))
    phrases = [goal_trigger(procedure.goal), *telling]
    return list(dict.fromkeys(phrase for phrase in phrases if content_stems(phrase)))[:MAX_TRIGGERS]
