"""The track record of a procedure, and skills as JSON files: drafted, validated, and identified by a digest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, Literal

import msgspec
from msgspec import Struct, structs

from commonplace.errors import NotFound, OutsideWorkspace
from commonplace.language.text import sanitize_line
from commonplace.model import Problem
from commonplace.shapes import Json
from commonplace.storage import files
from commonplace.storage.journal import parse_json_line as parse_json
from commonplace.upkeep.skills.procedures import (
    Procedure,
    called_words,
    content_stems,
    goal_trigger,
    shape_id,
    skill_name_for_goal,
)
from commonplace.upkeep.skills.steps import PARAMETER_KINDS, find_parameters, split_call

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


class RecordedFailure(Struct, frozen=True):
    """One dated failure: its sort (a key of `verdicts.REASONS`) and exit code."""

    at: str
    reason: str = ""
    exit_code: int | None = None


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
    recent_failures: tuple[RecordedFailure, ...] = ()

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
        return round(
            RELIABILITY_WEIGHT * self.reliability
            + SAFETY_WEIGHT * self.safety
            + SPEED_WEIGHT * self.speed
            + ELEGANCE_WEIGHT * self.elegance,
            4,
        )

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
    """Standings by procedure from ledger lines, the same in whatever order the lines come.

    Runs count in the order in which they happened; a capture counts once, whoever counted it.
    """
    lines = list(ledger_lines)
    standings: dict[str, TrackRecord] = {}
    counted: set[str] = set()
    for line in sorted(filter(is_run_line, lines), key=_run_sort_key):
        captures = set(line["captures"])
        if counted.isdisjoint(captures):
            counted |= captures
            known = standings.get(line["procedure"]) or TrackRecord(line["procedure"])
            standings[known.id] = _add_run(known, line)
    for line in lines:  # a line that was used keeps its procedure from growing stale; its lines are named after it
        for record in (line.get("records") or ()) if line.get("op") == "used" else ():
            used = standings.get(str(record).partition("-")[0])
            if used is not None and (at := str(line.get("ts") or "")) > used.last_used:
                standings[used.id] = structs.replace(used, last_used=at)
    return standings


def is_run_line(ledger_line: Mapping[str, Any]) -> bool:
    """Whether a ledger line counts a run."""
    captures = ledger_line.get("captures")
    return (
        ledger_line.get("op") == PROCEDURE_OP
        and ledger_line.get("did") in ("success", "failure")
        and isinstance(ledger_line.get("procedure"), str)
        and isinstance(captures, list)
        and all(isinstance(capture, str) for capture in captures)
    )


def _run_sort_key(ledger_line: Mapping[str, Any]) -> tuple[str, list[str]]:
    return str(ledger_line.get("at") or ledger_line.get("ts") or ""), sorted(ledger_line["captures"])


def _add_run(track_record: TrackRecord, ledger_line: Mapping[str, Any]) -> TrackRecord:
    at, _captures = _run_sort_key(ledger_line)
    track_record = structs.replace(
        track_record,
        last_used=max(track_record.last_used, at),
        risky_step_count=max(track_record.risky_step_count, _positive_integer(ledger_line.get("risky"))),
    )
    if ledger_line["did"] == "failure":
        failure = RecordedFailure(at, str(ledger_line.get("reason") or ""), ledger_line.get("exit_code"))
        return structs.replace(
            track_record,
            failures=track_record.failures + 1,
            last_failure=at,
            degradation=round(min(1.0, track_record.degradation + DEGRADATION_PER_FAILURE), 4),
            recent_failures=(*track_record.recent_failures, failure)[-MAX_RECENT_FAILURES:],
            step_count=track_record.step_count or _positive_integer(ledger_line.get("steps")),
        )
    duration = _positive_integer(ledger_line.get("duration_ms"))
    is_best = 0 < duration < track_record.best_duration_ms
    return structs.replace(
        track_record,
        successes=track_record.successes + 1,
        last_success=at,
        degradation=round(max(0.0, track_record.degradation - RECOVERY_PER_SUCCESS), 4),
        best_duration_ms=duration if is_best or not track_record.best_duration_ms else track_record.best_duration_ms,
        speed=round(min(1.0, track_record.speed + SPEED_BONUS_PER_BEST), 4) if is_best else track_record.speed,
        step_count=_positive_integer(ledger_line.get("steps")),
    )


def _positive_integer(json_value: Any) -> int:
    return json_value if isinstance(json_value, int) and not isinstance(json_value, bool) and json_value > 0 else 0


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

SkillStatus = Literal["draft", "approved", "unapproved", "rejected"]


class SkillParameter(Struct, frozen=True):
    """A parameter of a skill."""

    type: str = "text"
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
    procedure: str = ""
    sources: tuple[str, ...] = ()
    was_edited: bool = False

    @property
    def is_active(self) -> bool:
        """Whether it may be offered: approved, and unchanged since."""
        return self.status == "approved"


class SkillDraft(Struct, frozen=True):
    """A draft that is to be put into its file."""

    name: str
    path: str
    data: bytes
    procedure: str
    shape: str
    digest: str


class SkillDecisions:
    """The decisions about skills in the ledger, the latest for each content."""

    def __init__(self) -> None:
        self._decision_by_digest: dict[str, str] = {}
        self._shapes: set[str] = set()
        self._procedures: set[str] = set()

    def add(self, ledger_line: Mapping[str, Any]) -> None:
        """Take a ledger line in."""
        did = str(ledger_line.get("did"))
        if did in ("approved", "rejected"):
            self._decision_by_digest[str(ledger_line.get("content"))] = did
        if did in ("approved", "rejected", "drafted"):
            self._shapes |= {str(shape) for shape in ledger_line.get("shapes") or ()}
            self._procedures.add(str(ledger_line.get("procedure") or "-"))

    def find_decision(self, digest: str) -> str:
        """`approved`, `rejected`, or nothing."""
        return self._decision_by_digest.get(digest, "")

    def is_open(self, procedure: str, shape: str) -> bool:
        """Whether nothing was drafted, approved or rejected for this procedure or for the same steps."""
        return procedure not in self._procedures and shape not in self._shapes


def decision_line(decision: str, now: str, procedure: str, *, shape: str, digest: str) -> Json:
    """A ledger line: which content was drafted, approved or rejected, by digests only."""
    return {"op": SKILL_OP, "ts": now, "did": decision, "procedure": procedure, "shapes": [shape], "content": digest}


def draft_skill(
    procedure: Procedure, track_record: TrackRecord, *, now: str, sources: tuple[str, ...], used_names: set[str]
) -> SkillDraft:
    """A draft from a procedure as it is in Markdown, with the captures it rests on, under a name not used yet."""
    name = skill_name_for_goal(procedure.goal)
    name = name if name not in used_names else f"{name}-{procedure.id[-4:]}"
    needs = {key: {"type": kind, "optional": False} for key, kind in find_parameters(procedure.steps).items()}
    steps = [
        {"action": "call_tool", "params": {"tool": tool, "input": text}}
        for tool, text in map(split_call, procedure.steps)
    ]
    said = {"goal": procedure.goal, "triggers": _choose_triggers(procedure), "preconditions": needs, "steps": steps}
    digest = skill_digest(said)
    fields = {
        "name": name,
        "status": "draft",
        **said,
        "hash": digest,
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
    path = f"{SKILLS_FOLDER}/{name}{DRAFT_SUFFIX}"
    return SkillDraft(name, path, encode_skill(fields), procedure.id, shape_id(procedure.steps, ""), digest)


def write_draft(root: str, skill_draft: SkillDraft) -> None:
    """Write a draft, unless a file has its name."""
    files.create_file(root, skill_draft.path, skill_draft.data)


def read_skills(root: str, decisions: SkillDecisions) -> tuple[tuple[Skill, ...], tuple[Problem, ...]]:
    """Every skill, by name, and what is wrong with those that cannot be read."""
    found = [
        read_skill(root, f"{SKILLS_FOLDER}/{name}", decisions)
        for name in files.list_file_sizes(root, SKILLS_FOLDER)
        if name.endswith(SKILL_SUFFIX)
    ]
    skills = tuple(one for one in found if isinstance(one, Skill))
    return skills, tuple(one for one in found if isinstance(one, Problem))


def read_skill(root: str, path: str, decisions: SkillDecisions) -> Skill | Problem:
    """The skill in a file, or what is wrong with it."""
    try:
        fields = parse_json(files.read_file(root, path, MAX_SKILL_BYTES).removeprefix(b"\xef\xbb\xbf"))
    except (NotFound, OutsideWorkspace) as error:
        return Problem("bad-skill", f"this skill cannot be read: {error.message}", path)
    why = fields if isinstance(fields, str) else _skill_format_error(path, fields)
    if why:
        return Problem("bad-skill", f"this skill is set aside: {why}", path, hint="mend the file, or remove it")
    assert isinstance(fields, dict)
    return _skill_from_fields(path, fields, decisions)


def read_skill_fields(root: str, path: str) -> Json:
    """The file's own fields, with those that we do not know; empty if it is not a JSON object."""
    fields = parse_json(files.read_file(root, path, MAX_SKILL_BYTES).removeprefix(b"\xef\xbb\xbf"))
    return fields if isinstance(fields, dict) else {}


def skill_digest(skill_fields: Mapping[str, Any]) -> str:
    """The digest of what a skill says: goal, triggers, preconditions and steps."""
    said = {key: skill_fields.get(key) for key in _DIGESTED_FIELDS}
    return files.content_digest(msgspec.json.encode(said, order="sorted"))


def encode_skill(skill_fields: Mapping[str, Any]) -> bytes:
    """A skill as its file has it."""
    return msgspec.json.format(msgspec.json.encode(skill_fields), indent=2) + b"\n"


def _choose_triggers(procedure: Procedure) -> list[str]:
    """Phrases that call for it: the words of its goal, and those of its calls that share a word with the goal."""
    goal = set(content_stems(procedure.goal))
    calls = [" ".join(called_words((step,))) for step in procedure.steps]
    telling = (call for call in calls if len(call.split()) > 1 and goal.intersection(content_stems(call)))
    phrases = [goal_trigger(procedure.goal), *telling]
    return list(dict.fromkeys(phrase for phrase in phrases if content_stems(phrase)))[:MAX_TRIGGERS]


def _skill_from_fields(path: str, skill_fields: Json, decisions: SkillDecisions) -> Skill:
    digest = skill_digest(skill_fields)
    decision = decisions.find_decision(digest)
    status: SkillStatus = "approved" if decision == "approved" else "unapproved"
    if decision == "rejected":
        status = "rejected"
    elif path.endswith(DRAFT_SUFFIX):
        status = "draft"
    meta = skill_fields.get("_meta")
    about = meta if isinstance(meta, dict) else {}
    steps = tuple((str(step["params"]["tool"]), str(step["params"]["input"])) for step in skill_fields["steps"])
    needs = msgspec.convert(skill_fields.get("preconditions") or {}, dict[str, SkillParameter])
    used = find_parameters([text for _tool, text in steps])
    return Skill(
        name=str(skill_fields["name"]),
        path=path,
        status=status,
        goal=str(skill_fields.get("goal") or ""),
        triggers=tuple(skill_fields["triggers"]),
        preconditions=needs | {name: SkillParameter(kind) for name, kind in used.items() if name not in needs},
        steps=steps,
        digest=digest,
        shape=shape_id([text if tool == "shell" else f"{tool}({text})" for tool, text in steps], ""),
        procedure=str(about.get("procedure") or ""),
        sources=tuple(map(str, about.get("sources") or ())) if isinstance(about.get("sources"), list) else (),
        was_edited=skill_fields.get("hash") != digest,
    )


def _skill_format_error(path: str, skill_fields: Json) -> str:
    """The reason why an object is not a valid skill; empty if it is."""
    name = skill_fields.get("name")
    if not isinstance(name, str) or not re.fullmatch(r"[a-z0-9][a-z0-9._-]*", name):
        return "its `name` is no plain name"
    if not isinstance(skill_fields.get("goal", ""), str):
        return "its `goal` is no text"
    triggers = skill_fields.get("triggers")
    if not isinstance(triggers, list) or not triggers or not all(_is_visible_text(one) for one in triggers):
        return "its `triggers` are no list of words"
    needs = skill_fields.get("preconditions")
    if needs is not None and not (isinstance(needs, dict) and all(map(_is_valid_parameter, needs.values()))):
        return f"its `preconditions` do not name parameters with a type ({', '.join(PARAMETER_KINDS)})"
    steps = skill_fields.get("steps")
    if not isinstance(steps, list) or not steps or not all(map(_is_valid_step, steps)):
        return "its `steps` are no calls with `params` of `tool` and `input`"
    stem = path.rpartition("/")[2].removesuffix(SKILL_SUFFIX).removesuffix(".draft")
    return "" if name == stem else f"its `name` is not that of its file, {stem!r}"


def _is_visible_text(json_value: Any) -> bool:
    return isinstance(json_value, str) and bool(sanitize_line(json_value))


def _is_valid_parameter(json_value: Any) -> bool:
    try:
        return msgspec.convert(json_value, SkillParameter).type in PARAMETER_KINDS
    except msgspec.ValidationError:
        return False


def _is_valid_step(json_value: Any) -> bool:
    given = json_value.get("params") if isinstance(json_value, dict) else None
    return isinstance(given, dict) and _is_visible_text(given.get("tool")) and isinstance(given.get("input"), str)
