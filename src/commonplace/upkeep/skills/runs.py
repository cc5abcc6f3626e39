"""Runs found in the captures of a session: a goal, the steps taken for it, and how it ended."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, Literal

from msgspec import Struct

from commonplace.language.text import hash_shingles, is_copied
from commonplace.model import Capture, Trust, least_trusted
from commonplace.upkeep.skills.procedures import extract_goal, is_assent
from commonplace.upkeep.skills.steps import CallPart, normalize_step, parse_call_steps

MIN_COPIED_WORDS, MIN_COPIED_CHARS = 4, 20  # anybody may type a step that has less of both
MAX_OUTPUT_CHARS = 6_000
MAX_OUTPUT_LINES = 40

# What went wrong, in our own words: the output itself is a tool's text and never becomes part of a procedure.
FAILURE_REASONS: dict[str, tuple[str, str]] = {
    "permission": ("permission denied", r"permission denied|not permitted|eacces|eperm|access denied|\b403\b"),
    "authentication": (
        "not logged in",
        (
            r"unauthori[sz]ed|not logged in|log ?in required|authenticat\w+ (?:failed|required)"
            r"|invalid (?:credentials|token)|eneedauth|\b401\b|need auth"
        ),
    ),
    "exists": ("it was there already", r"already exists|eexist|duplicate|previously published"),
    "dependency": ("a dependency was missing", r"cannot find module|modulenotfound|no module named|unmet|unresolved"),
    "missing": ("something was missing", r"no such file|not found|does not exist|enoent|\b404\b|unknown host"),
    "conflict": ("a conflict", r"\bconflict|non-fast-forward|\brejected\b|diverged|out of date|stale"),
    "busy": ("it was locked or in use", r"\block(?:ed)?\b|in use|eaddrinuse|\bbusy\b|another process"),
    "network": ("no connection", r"connection (?:refused|reset)|econnrefused|could not resolve|unreachable"),
    "timeout": ("it took too long", r"timed? ?out|deadline exceeded|etimedout"),
    "space": ("no space left", r"no space left|enospc|disk (?:is )?full|quota"),
    "memory": ("out of memory", r"out of memory|\boom\b|heap limit|cannot allocate"),
    "syntax": ("a syntax error", r"syntax ?error|unexpected token|parse error|invalid syntax"),
    "usage": ("it was called wrongly", r"usage:|unknown (?:option|command)|unrecognized|invalid (?:option|argument)"),
    "tests": ("tests failed", r"tests? failed|\d+ (?:failed|failing)|assertion"),
}
_FAILURE_REGEX = (
    r"error\b|\berr!|\bfailed\b|\bfailure\b|\bfail:|\bfatal\b|exception\b|traceback|\bdenied\b|\bnot found\b"
    r"|\bcannot\b|could (?:not|\w+ no)\b|couldn't|\bunable to\b|\binvalid\b|not a valid|\brefused\b|\btimed out\b"
    r"|\baborted\b|\bpanic\b|❌|✗|✘|\bfehler|\bfehlgeschlagen|\berreur|\béchec|\bfalló|失败|失敗|错误|エラー"
)
_SUCCESS_REGEX = (
    r"\bsuccess|\bsucceeded\b|\bdone\b|\bcompleted?\b|\bpublished\b|\bdeployed\b|\bcommitted\b|\binstalled\b|\bpushed\b"
    r"|\bmerged\b|\bcreated\b|\bupdated\b|\bsent\b|\bsaved\b|up to date|\bpassed\b|\bfinished\b|\bok\b|✅|✓|✔"
    r"|\berfolgreich|\bréussi|\bterminé|\bcompletado|\béxito|成功|完成|完了"
)
_NO_FAILURE_REGEX = (
    r"\b(?:0|no|zero|without|keine?|sans|sin)\s+(?:\w+\s+)?"
    r"(?:errors?|failures?|failed|exceptions?|fehler|erreurs?|errores)\b"
)


def judge_call(output: str, exit_code: int | None, *, masked: bool = False) -> bool | None:
    """Whether a call worked; None if nothing tells. An exit code of 0 that was masked counts unless words differ."""
    if exit_code is None:
        return judge_output(output)
    return exit_code == 0 and not (masked and judge_output(output) is False)


def judge_output(output: str) -> bool | None:
    """What the last telling line of an output says."""
    for line in reversed(output[-MAX_OUTPUT_CHARS:].split("\n")[-MAX_OUTPUT_LINES:]):
        plain = re.sub(_NO_FAILURE_REGEX, " ", line, flags=re.IGNORECASE)
        if re.search(_FAILURE_REGEX, plain, re.IGNORECASE):
            return False
        if plain != line or re.search(_SUCCESS_REGEX, plain, re.IGNORECASE):
            return True
    return None


def classify_failure(output: str) -> str:
    """The kind of failure that an output tells of, a key of FAILURE_REASONS; empty if it is none of them."""
    tail = output[-MAX_OUTPUT_CHARS:]
    return next((key for key, (_words, cue) in FAILURE_REASONS.items() if re.search(cue, tail, re.IGNORECASE)), "")


def describe_failure(reason: str, exit_code: int | None) -> str:
    """A failure for a person: `not logged in, exit code 1`."""
    said = [FAILURE_REASONS[reason][0]] if reason in FAILURE_REASONS else []
    return ", ".join(said + ([f"exit code {exit_code}"] if exit_code else []))


RunOutcome = Literal["success", "failure"]
MIN_RUN_STEPS = 2
MAX_RUN_STEPS = 15
MAX_STEP_CHARS = 300  # characters
MAX_QUIET_MINUTES = 30  # of quiet end a run, so that the same captures make the same runs however often they are read
MAX_FIX_STEPS = 2
MAX_CYCLE_STEPS = 4


class FailedStep(Struct, frozen=True):
    """A step that failed: the sort of failure, the exit code, and what came between it and the time it worked."""

    text: str
    reason: str = ""
    exit_code: int | None = None
    fix: str = ""


class ProcedureRun(Struct, frozen=True):
    """Something that was tried: `trust` is the least that it rests on, `ended_at` its end, `capture_ids` its calls."""

    session: str
    scope: str
    goal: str
    goal_id: str
    ended_at: str
    steps: tuple[str, ...]
    failed_steps: tuple[FailedStep, ...]
    outcome: RunOutcome
    duration_ms: int
    trust: Trust
    capture_ids: tuple[str, ...]


class SkippedCalls(Struct, frozen=True):
    """Calls that make no run, and why."""

    reason: str
    capture_ids: tuple[str, ...]


class ExtractedRuns(Struct, frozen=True):
    """The runs of captures, and what was left out."""

    runs: tuple[ProcedureRun, ...]
    left_out: tuple[SkippedCalls, ...]


class _RecordedCall(Struct, frozen=True):
    """A call that did something, whether it worked, and how far it is trusted."""

    capture: Capture
    steps: tuple[CallPart, ...]
    has_succeeded: bool | None
    exit_code: int | None
    trust: Trust


def extract_runs(captures: Iterable[Capture], now: str = "") -> ExtractedRuns:
    """The runs among these captures and what was left out; with `now`, a run that may still go on is left for later.
    Give whole sessions, in the order of the journal. A run ends with the next message that names a goal, or after half
    an hour of quiet. It needs two steps, one of which changes something, and a way to tell how it ended."""
    sessions: dict[str, list[Capture]] = {}
    for capture in captures:
        sessions.setdefault(capture.session, []).append(capture)
    found = [one for session in sessions.values() for one in _RunExtractor(now).extract(session)]
    runs = tuple(one for one in found if isinstance(one, ProcedureRun))
    return ExtractedRuns(runs, tuple(one for one in found if isinstance(one, SkippedCalls)))


class _RunExtractor:
    """Walks through a session, and makes a run of what was done for each goal."""

    def __init__(self, now: str) -> None:
        self._now = now
        self._goal: Capture | None = None
        self._calls: list[_RecordedCall] = []
        self._own_shingles: set[int] = set()  # of what the owner said, and of what the agent did by itself
        self._untrusted_shingles: set[int] = set()  # of what tools and strangers said
        self._trust_by_capture: dict[str, Trust] = {}
        self._results: list[ProcedureRun | SkippedCalls] = []

    def extract(self, captures: list[Capture]) -> list[ProcedureRun | SkippedCalls]:
        for capture in captures:
            if capture.type == "tool_result":
                self._add_tool_result(capture)
            elif capture.type == "message":
                self._add_message(capture)
            self._trust_by_capture[capture.id] = capture.origin
        last = self._calls[-1].capture if self._calls else None
        if last and self._now and _quiet_minutes(last.ts, self._now, 0) <= MAX_QUIET_MINUTES:
            self._results.append(SkippedCalls("it may still go on", tuple(call.capture.id for call in self._calls)))
            self._calls = []
        self._close_run()
        return self._results

    def _add_message(self, capture: Capture) -> None:
        if capture.actor in ("owner", "tool"):
            is_own = capture.actor == "owner" and capture.origin == "trusted"
            (self._own_shingles if is_own else self._untrusted_shingles).update(hash_shingles(capture.text))
        if capture.actor == "agent":
            if self._goal is None and not self._calls:
                self._goal = capture
        elif capture.actor != "system" and not (self._goal and is_assent(capture.text)):
            self._close_run()
            self._goal = capture

    def _add_tool_result(self, capture: Capture) -> None:
        duration = _integer_or_none(capture.detail.get("duration_ms")) or 0
        if self._calls and _quiet_minutes(self._calls[-1].capture.ts, capture.ts, duration) > MAX_QUIET_MINUTES:
            self._close_run()
        steps = parse_call_steps(str(capture.detail.get("tool") or ""), capture.detail.get("arguments"))
        is_foreign = any(self._is_copied_step(step.text) for step in steps)
        if steps:
            exit_code = _integer_or_none(capture.detail.get("exit_code"))
            worked = judge_call(capture.text, exit_code, masked=steps[-1].is_exit_code_masked)
            # The output is a tool's and untrusted, but the call is the agent's: as good as what it came from.
            trust = least_trusted(
                "untrusted" if is_foreign else "trusted",
                "quarantined" if capture.origin == "quarantined" else "trusted",
                *(self._trust_by_capture[one] for one in capture.from_ if one in self._trust_by_capture),
            )
            self._calls.append(_RecordedCall(capture, steps, worked, exit_code, trust))
        if not is_foreign:
            self._own_shingles.update(hash_shingles("\n".join(step.text for step in steps)))
        self._untrusted_shingles.update(hash_shingles(capture.text))

    def _is_copied_step(self, step: str) -> bool:
        """Whether a step stood in what others had said before anybody here did."""
        shingles = hash_shingles(step)
        copied = self._untrusted_shingles.intersection(shingles) - self._own_shingles
        is_telling = len(step.split()) >= MIN_COPIED_WORDS or len(step) >= MIN_COPIED_CHARS
        return is_telling and is_copied(shingles, len(copied))

    def _close_run(self) -> None:
        if self._calls:
            self._results.append(_build_run(self._goal, self._calls))
        self._calls = []


def _build_run(goal: Capture | None, calls: list[_RecordedCall]) -> ProcedureRun | SkippedCalls:
    """The run that calls make, or why they make none."""
    captures = [call.capture for call in calls]
    capture_ids = tuple(capture.id for capture in captures)
    steps = [step for call in calls for step in call.steps]
    # The last exit code decides; without any, the last words that tell.
    proven = [call.has_succeeded for call in calls if call.exit_code is not None]
    told = proven or [call.has_succeeded for call in calls if call.has_succeeded is not None]
    outcome: RunOutcome = "success" if told and told[-1] else "failure"
    objections = {
        "it is private": any(one.detail.get("private") for one in ([goal, *captures] if goal else captures)),
        "a step is a script of its own": any("\n" in one.text or len(one.text) > MAX_STEP_CHARS for one in steps),
        "nothing tells how it ended": not told,
        "it changed nothing": not any(step.is_action for step in steps),
    }
    why = next((reason for reason, is_so in objections.items() if is_so), "")
    kept = () if why else _select_repeatable_steps(calls, outcome)
    if not MIN_RUN_STEPS <= len(kept) <= MAX_RUN_STEPS:
        many = "it is a single step" if len(kept) < MIN_RUN_STEPS else f"it has more than {MAX_RUN_STEPS} steps"
        return SkippedCalls(why or many, capture_ids)
    return ProcedureRun(
        session=captures[-1].session,
        scope=captures[-1].scope,
        goal=extract_goal(goal.text) if goal else "",
        goal_id=goal.id if goal else "",
        ended_at=captures[-1].ts,
        steps=kept,
        failed_steps=_find_failed_steps(calls),
        outcome=outcome,
        duration_ms=sum(_integer_or_none(capture.detail.get("duration_ms")) or 0 for capture in captures),
        trust=least_trusted(_goal_trust(goal), *(call.trust for call in calls)),
        capture_ids=capture_ids,
    )


def _goal_trust(goal: Capture | None) -> Trust:
    """Only the owner's words make a run trusted; where the agent set the goal it is unknown, else untrusted."""
    if goal is None:
        return "untrusted"
    if goal.actor == "owner":
        return goal.origin
    return least_trusted("unknown" if goal.actor == "agent" else "untrusted", goal.origin)


def _select_repeatable_steps(calls: list[_RecordedCall], outcome: RunOutcome) -> tuple[str, ...]:
    """The steps that are worth repeating, without those that failed; of `edit, test, edit, test` the last two."""
    done = [call for call in calls if outcome == "failure" or call.has_succeeded is not False]
    kept: list[tuple[str, str]] = []
    for text in [step.text for call in done for step in call.steps]:
        kept.append((normalize_step(text), text))
        for size in range(1, MAX_CYCLE_STEPS + 1):
            rounds = [shape for shape, _text in kept[-2 * size :]]
            if len(rounds) == 2 * size and rounds[:size] == rounds[size:]:
                del kept[-2 * size : -size]
                break
    return tuple(text for _shape, text in kept)


def _find_failed_steps(calls: list[_RecordedCall]) -> tuple[FailedStep, ...]:
    """Each call that failed, once, with what came between it and the first time that it worked."""
    found: dict[str, FailedStep] = {}
    for number, call in enumerate(calls):
        if call.has_succeeded is not False or not any(step.is_action for step in call.steps):
            continue
        text = " && ".join(step.text for step in call.steps)
        later = calls[number + 1 :]
        shape = [normalize_step(step.text) for step in call.steps]
        shapes = ([normalize_step(step.text) for step in one.steps] if one.has_succeeded else None for one in later)
        attempt = next((at for at, other in enumerate(shapes) if other == shape), 0)
        between = [other for other in later[:attempt] if other.has_succeeded is not False]
        fix = ", ".join([step.text for other in between for step in other.steps][-MAX_FIX_STEPS:])
        reason = classify_failure(call.capture.text)
        found.setdefault(normalize_step(text), FailedStep(text, reason, call.exit_code, fix))
    return tuple(found.values())


def _quiet_minutes(earlier: str, later: str, duration_ms: int) -> float:
    """The minutes in which nothing happened; 0 if the times cannot be read."""
    try:
        first, last = datetime.fromisoformat(earlier[:19]), datetime.fromisoformat(later[:19])
    except ValueError:
        return 0
    return (last - first - timedelta(milliseconds=duration_ms)).total_seconds() / 60


def _integer_or_none(json_value: Any) -> int | None:
    return int(json_value) if isinstance(json_value, int | float) and not isinstance(json_value, bool) else None
