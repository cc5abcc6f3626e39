"""Runs found in the captures of a session: a goal, the steps taken for it, and how it ended."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Literal

from msgspec import Struct

from commonplace.model import Capture, Trust, least_trusted
from commonplace.upkeep.skills.procedures import extract_goal, is_assent
from commonplace.upkeep.skills.steps import CallPart, normalize_step, parse_call_steps

NGRAM_WORDS = 4  # words
MIN_SHORT_STEP_CHARS = 20  # of a command that is shorter than that many words
MIN_COPIED_SHARE = 0.3  # share of the grams
_EDGE_PUNCTUATION = "`'\"$#>*.,;:()[]"

_NGram = tuple[str, ...]


class CopiedStepDetector:
    """What was said in a session so far, by strangers and by the owner or the agent itself, of the steps it will take.

    Only runs of words that some step holds are kept, so a session costs no more than reading it once.
    """

    def __init__(self, steps: Iterable[str]) -> None:
        self._step_ngrams_by_word: dict[str, set[_NGram]] = {}
        for step in steps:
            for gram in _step_ngrams(step):
                self._step_ngrams_by_word.setdefault(gram[0], set()).add(gram)
        self._untrusted_ngrams: set[_NGram] = set()
        self._own_ngrams: set[_NGram] = set()

    def add_untrusted_text(self, text: str) -> None:
        """A tool or a stranger said this."""
        self._untrusted_ngrams |= self._step_ngrams_in(text)

    def add_own_text(self, text: str) -> None:
        """The owner said this, or the agent did it by itself."""
        self._own_ngrams |= self._step_ngrams_in(text)

    def is_copied(self, step: str) -> bool:
        """Whether at least three tenths of a step stood in what others had said before anybody here did."""
        grams = _step_ngrams(step)
        copied = (grams & self._untrusted_ngrams) - self._own_ngrams
        return bool(grams) and len(copied) >= MIN_COPIED_SHARE * len(grams)

    def _step_ngrams_in(self, text: str) -> set[_NGram]:
        if not self._step_ngrams_by_word:
            return set()
        words = _split_step_words(text)
        return {
            gram
            for at, word in enumerate(words)
            for gram in self._step_ngrams_by_word.get(word, ())
            if tuple(words[at : at + len(gram)]) == gram
        }


def _step_ngrams(step: str) -> set[_NGram]:
    """The runs of four words in a step; the whole of one that has fewer, if it is long enough to tell."""
    words = _split_step_words(step)
    if len(words) < NGRAM_WORDS:
        return {tuple(words)} if len(" ".join(words)) >= MIN_SHORT_STEP_CHARS else set()
    return {tuple(words[at : at + NGRAM_WORDS]) for at in range(len(words) - NGRAM_WORDS + 1)}


def _split_step_words(text: str) -> list[str]:
    return [word for raw in text.casefold().split() if (word := raw.strip(_EDGE_PUNCTUATION))]


MAX_OUTPUT_CHARS = 6_000
MAX_OUTPUT_LINES = 40

# What went wrong, in our own words: the output itself is a tool's text and never becomes part of a procedure.
FAILURE_REASONS: dict[str, tuple[str, str]] = {
    "permission": (
        "permission denied",
        r"permission denied|not permitted|eacces|eperm|access denied|\b403\b",
    ),
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
    r"\berror\b|\berr!|\bfailed\b|\bfailure\b|\bfail:|\bfatal\b|\bexception\b|traceback|\bdenied\b|\bnot found\b"
    r"|\bcannot\b|could not|couldn't|\brefused\b|\btimed out\b|\baborted\b|\bpanic\b|❌|✗|✘|\bfehler|\bfehlgeschlagen"
    r"|\berreur|\béchec|\bfalló|失败|失敗|错误|エラー"
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
    if exit_code == 0 and masked:
        return judge_output(output) is not False
    return exit_code == 0


def judge_output(output: str) -> bool | None:
    """What the last telling line of an output says."""
    for line in reversed(output[-MAX_OUTPUT_CHARS:].split("\n")[-MAX_OUTPUT_LINES:]):
        plain = _output_pattern(_NO_FAILURE_REGEX).sub(" ", line)
        if _output_pattern(_FAILURE_REGEX).search(plain):
            return False
        if plain != line or _output_pattern(_SUCCESS_REGEX).search(plain):
            return True
    return None


def classify_failure(output: str) -> str:
    """The sort of failure that an output tells of, a key of `REASONS`; empty if it is none of them."""
    tail = output[-MAX_OUTPUT_CHARS:]
    return next((key for key, (_words, cue) in FAILURE_REASONS.items() if _output_pattern(cue).search(tail)), "")


def describe_failure(reason: str, exit_code: int | None) -> str:
    """A failure for a person: `not logged in, exit code 1`."""
    said = [FAILURE_REASONS[reason][0]] if reason in FAILURE_REASONS else []
    return ", ".join(said + ([f"exit code {exit_code}"] if exit_code else []))


@cache
def _output_pattern(regex: str) -> re.Pattern[str]:
    return re.compile(regex, re.IGNORECASE)


RunOutcome = Literal["success", "failure"]
MIN_RUN_STEPS = 2
MAX_RUN_STEPS = 15
MAX_STEP_CHARS = 300  # characters
MAX_QUIET_MINUTES = 30  # of quiet end a run, so that the same captures make the same runs however often they are read
MAX_FIX_STEPS = 2
MAX_CYCLE_STEPS = 4


class RunStep(Struct, frozen=True):
    """One thing that was done, in a call that worked, failed, or did not tell."""

    text: str
    is_action: bool
    capture_id: str
    has_succeeded: bool | None = None


class FailedStep(Struct, frozen=True):
    """A step that failed: the sort of failure, the exit code, and what came between it and the time it worked."""

    text: str
    reason: str = ""
    exit_code: int | None = None
    fix: str = ""
    capture_id: str = ""


class ProcedureRun(Struct, frozen=True):
    """Something that was tried: `trust` is the least of all it rests on, `ended_at` when it ended, `capture_ids` its
    calls."""

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
    """A call that did something, with what its output and exit code said."""

    capture: Capture
    steps: tuple[RunStep, ...]
    has_succeeded: bool | None
    exit_code: int | None
    reason: str
    trust: Trust


def extract_runs(captures: Iterable[Capture], now: str = "") -> ExtractedRuns:
    """The runs among these captures and what was left out; with `now`, a run that may still go on is left for later.

    Give whole sessions, in the order of the journal. A run ends with the next message that names a goal, or after half
    an hour of quiet. It needs two steps, one of which changes something, and a way to tell how it ended.
    """
    sessions: dict[str, list[Capture]] = {}
    for capture in captures:
        sessions.setdefault(capture.session, []).append(capture)
    found = [one for session in sessions.values() for one in _RunExtractor(now).extract(session)]
    return ExtractedRuns(
        tuple(one for one in found if isinstance(one, ProcedureRun)),
        tuple(one for one in found if isinstance(one, SkippedCalls)),
    )


class _RunExtractor:
    """Walks through a session, and makes a run of what was done for each goal."""

    def __init__(self, now: str) -> None:
        self._now = now
        self._goal: Capture | None = None
        self._calls: list[_RecordedCall] = []
        self._copied_steps = CopiedStepDetector(())
        self._parts_by_capture: dict[str, tuple[CallPart, ...]] = {}
        self._trust_by_capture: dict[str, Trust] = {}
        self._results: list[ProcedureRun | SkippedCalls] = []

    def extract(self, captures: list[Capture]) -> list[ProcedureRun | SkippedCalls]:
        self._parts_by_capture = {one.id: _parse_captured_call(one) for one in captures if one.type == "tool_result"}
        self._copied_steps = CopiedStepDetector(part.text for done in self._parts_by_capture.values() for part in done)
        for capture in captures:
            if capture.type == "tool_result":
                self._add_tool_result(capture)
            elif capture.type == "message":
                self._add_message(capture)
            self._trust_by_capture[capture.id] = capture.origin
        last = self._calls[-1].capture if self._calls else None
        if last and self._now and _quiet_minutes(last.ts, self._now, 0) <= MAX_QUIET_MINUTES:
            self._skip_calls("it may still go on")
        self._close_run()
        return self._results

    def _add_message(self, capture: Capture) -> None:
        if capture.actor == "owner" and capture.origin == "trusted":
            self._copied_steps.add_own_text(capture.text)
        elif capture.actor in ("owner", "tool"):
            self._copied_steps.add_untrusted_text(capture.text)
        if capture.actor == "agent":
            if self._goal is None and not self._calls:
                self._goal = capture
        elif capture.actor != "system" and not (self._goal and is_assent(capture.text)):
            self._close_run()
            self._goal = capture

    def _add_tool_result(self, capture: Capture) -> None:
        detail = capture.detail
        duration = _integer_or_none(detail.get("duration_ms")) or 0
        if self._calls and _quiet_minutes(self._calls[-1].capture.ts, capture.ts, duration) > MAX_QUIET_MINUTES:
            self._close_run()
        call = _record_call(capture, self._parts_by_capture[capture.id], self._call_trust(capture))
        copied = any(self._copied_steps.is_copied(step.text) for step in call.steps)
        if call.steps:
            trust = least_trusted(call.trust, "untrusted") if copied else call.trust
            self._calls.append(
                _RecordedCall(call.capture, call.steps, call.has_succeeded, call.exit_code, call.reason, trust)
            )
        if not copied:
            self._copied_steps.add_own_text(" \n ".join(step.text for step in call.steps))
        self._copied_steps.add_untrusted_text(capture.text)

    def _call_trust(self, capture: Capture) -> Trust:
        """The output is a tool's and untrusted, but the call is the agent's: as good as what it came from."""
        own: Trust = "quarantined" if capture.origin == "quarantined" else "trusted"
        return least_trusted(
            own, *(self._trust_by_capture[one] for one in capture.from_ if one in self._trust_by_capture)
        )

    def _close_run(self) -> None:
        if self._calls:
            why = _skip_reason(self._goal, self._calls)
            self._skip_calls(why) if why else self._results.append(_build_run(self._goal, self._calls))
        self._calls = []

    def _skip_calls(self, reason: str) -> None:
        self._results.append(SkippedCalls(reason, tuple(call.capture.id for call in self._calls)))
        self._calls = []


def _parse_captured_call(capture: Capture) -> tuple[CallPart, ...]:
    return parse_call_steps(str(capture.detail.get("tool") or ""), capture.detail.get("arguments"))


def _record_call(capture: Capture, call_parts: tuple[CallPart, ...], trust: Trust) -> _RecordedCall:
    exit_code = _integer_or_none(capture.detail.get("exit_code"))
    worked = judge_call(capture.text, exit_code, masked=bool(call_parts) and call_parts[-1].is_exit_code_masked)
    steps = tuple(RunStep(part.text, part.is_action, capture.id, worked) for part in call_parts)
    return _RecordedCall(
        capture, steps, worked, exit_code, "" if worked is not False else classify_failure(capture.text), trust
    )


def _skip_reason(goal: Capture | None, calls: list[_RecordedCall]) -> str:
    """Why calls make no run; empty if they do."""
    steps = [step for call in calls for step in call.steps]
    if any(capture.detail.get("private") for capture in (*([goal] if goal else []), *(call.capture for call in calls))):
        return "it is private"
    if any("\n" in step.text or len(step.text) > MAX_STEP_CHARS for step in steps):
        return "a step is a script of its own"
    outcome = _run_outcome(calls)
    if outcome is None:
        return "nothing tells how it ended"
    if not any(step.is_action for step in steps):
        return "it changed nothing"
    kept = _select_repeatable_steps(steps, outcome)
    if len(kept) < MIN_RUN_STEPS:
        return "it is a single step"
    return f"it has more than {MAX_RUN_STEPS} steps" if len(kept) > MAX_RUN_STEPS else ""


def _build_run(goal: Capture | None, calls: list[_RecordedCall]) -> ProcedureRun:
    steps = [step for call in calls for step in call.steps]
    outcome = _run_outcome(calls) or "failure"
    return ProcedureRun(
        session=calls[-1].capture.session,
        scope=calls[-1].capture.scope,
        goal=extract_goal(goal.text) if goal else "",
        goal_id=goal.id if goal else "",
        ended_at=calls[-1].capture.ts,
        steps=_select_repeatable_steps(steps, outcome),
        failed_steps=_find_failed_steps(calls),
        outcome=outcome,
        duration_ms=sum(_integer_or_none(call.capture.detail.get("duration_ms")) or 0 for call in calls),
        trust=least_trusted(_goal_trust(goal), *(call.trust for call in calls)),
        capture_ids=tuple(call.capture.id for call in calls),
    )


def _goal_trust(goal: Capture | None) -> Trust:
    """Only the owner's words make a run trusted; where the agent set the goal it is unknown, else untrusted."""
    if goal is None:
        return "untrusted"
    if goal.actor == "owner":
        return goal.origin
    return least_trusted("unknown" if goal.actor == "agent" else "untrusted", goal.origin)


def _run_outcome(calls: list[_RecordedCall]) -> RunOutcome | None:
    """The last exit code decides; without any, the last words that tell."""
    proven = [call.has_succeeded for call in calls if call.exit_code is not None]
    told = proven or [call.has_succeeded for call in calls if call.has_succeeded is not None]
    return None if not told else "success" if told[-1] else "failure"


def _select_repeatable_steps(steps: list[RunStep], outcome: RunOutcome) -> tuple[str, ...]:
    """What is worth doing again: without what failed on the way, and each round of a repetition once."""
    done = [step.text for step in steps if outcome == "failure" or step.has_succeeded is not False]
    return _collapse_repetitions(done)


def _collapse_repetitions(step_texts: list[str]) -> tuple[str, ...]:
    """`edit, test, edit, test` is `edit, test`; the last round's words are kept."""
    kept: list[tuple[str, str]] = []
    for text in step_texts:
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
        fix = _find_fix(calls, number)
        found.setdefault(normalize_step(text), FailedStep(text, call.reason, call.exit_code, fix, call.capture.id))
    return tuple(found.values())


def _find_fix(calls: list[_RecordedCall], failed_position: int) -> str:
    shape = [normalize_step(step.text) for step in calls[failed_position].steps]
    later = range(failed_position + 1, len(calls))
    worked = next(
        (n for n in later if calls[n].has_succeeded and [normalize_step(s.text) for s in calls[n].steps] == shape),
        failed_position,
    )
    between = [
        step.text
        for call in calls[failed_position + 1 : worked]
        if call.has_succeeded is not False
        for step in call.steps
    ]
    return ", ".join(between[-MAX_FIX_STEPS:])


def _quiet_minutes(earlier: str, later: str, duration_ms: int) -> float:
    """The minutes in which nothing happened; 0 where the times cannot be read."""
    try:
        first, last = datetime.fromisoformat(earlier[:19]), datetime.fromisoformat(later[:19])
    except ValueError:
        return 0
    return (last - first - timedelta(milliseconds=duration_ms)).total_seconds() / 60


def _integer_or_none(json_value: Any) -> int | None:
    return int(json_value) if isinstance(json_value, int | float) and not isinstance(json_value, bool) else None
