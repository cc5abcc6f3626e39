"""From the captures of a session, in their real order, to runs: a goal, what was done for it, and how it ended."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, Literal

from msgspec import Struct

from commonplace.model import Capture, Trust, least_trusted
from commonplace.skills.commands import Part, parts
from commonplace.skills.heard import Heard
from commonplace.skills.similar import goal_of, is_assent
from commonplace.skills.slots import normal
from commonplace.skills.verdicts import reason, verdict

Outcome = Literal["success", "failure"]
LEAST_STEPS = 2
MOST_STEPS = 15
MOST_STEP = 300  # characters
GAP_MINUTES = 30  # of quiet end a run, so that the same captures make the same runs however often they are read
MOST_FIX = 2
LONGEST_CYCLE = 4


class Step(Struct, frozen=True):
    """One thing that was done, in a call that worked, failed, or did not tell."""

    text: str
    is_action: bool
    capture: str
    worked: bool | None = None


class Setback(Struct, frozen=True):
    """A step that failed: the sort of failure, the exit code, and what came between it and the time it worked."""

    text: str
    reason: str = ""
    exit_code: int | None = None
    fix: str = ""
    capture: str = ""


class Run(Struct, frozen=True):
    """Something that was tried: `trust` is the least of all it rests on, `at` when it ended, `captures` its calls."""

    session: str
    scope: str
    goal: str
    goal_id: str
    at: str
    steps: tuple[str, ...]
    setbacks: tuple[Setback, ...]
    outcome: Outcome
    duration_ms: int
    trust: Trust
    captures: tuple[str, ...]


class LeftOut(Struct, frozen=True):
    """Calls that make no run, and why."""

    why: str
    captures: tuple[str, ...]


class Gathered(Struct, frozen=True):
    """The runs of captures, and what was left out."""

    runs: tuple[Run, ...]
    left_out: tuple[LeftOut, ...]


class _Call(Struct, frozen=True):
    """A call that did something, with what its output and exit code said."""

    capture: Capture
    steps: tuple[Step, ...]
    worked: bool | None
    exit_code: int | None
    reason: str
    trust: Trust


def runs(captures: Iterable[Capture], now: str = "") -> tuple[Run, ...]:
    """The runs among these captures, session by session, each in its order; see `gather`."""
    return gather(captures, now).runs


def gather(captures: Iterable[Capture], now: str = "") -> Gathered:
    """The runs among these captures and what was left out; with `now`, a run that may still go on is left for later.

    Give whole sessions, in the order of the journal. A run ends with the next message that names a goal, or after half
    an hour of quiet. It needs two steps, one of which changes something, and a way to tell how it ended.
    """
    sessions: dict[str, list[Capture]] = {}
    for capture in captures:
        sessions.setdefault(capture.session, []).append(capture)
    found = [one for session in sessions.values() for one in _Session(now).read(session)]
    return Gathered(
        tuple(one for one in found if isinstance(one, Run)), tuple(one for one in found if isinstance(one, LeftOut))
    )


class _Session:
    """Walks through a session, and makes a run of what was done for each goal."""

    def __init__(self, now: str) -> None:
        self._now = now
        self._goal: Capture | None = None
        self._calls: list[_Call] = []
        self._heard = Heard(())
        self._done: dict[str, tuple[Part, ...]] = {}
        self._trusts: dict[str, Trust] = {}
        self._found: list[Run | LeftOut] = []

    def read(self, captures: list[Capture]) -> list[Run | LeftOut]:
        self._done = {one.id: _parts(one) for one in captures if one.type == "tool_result"}
        self._heard = Heard(part.text for done in self._done.values() for part in done)
        for capture in captures:
            if capture.type == "tool_result":
                self._call(capture)
            elif capture.type == "message":
                self._message(capture)
            self._trusts[capture.id] = capture.origin
        last = self._calls[-1].capture if self._calls else None
        if last and self._now and _quiet_minutes(last.ts, self._now, 0) <= GAP_MINUTES:
            self._leave("it may still go on")
        self._close()
        return self._found

    def _message(self, capture: Capture) -> None:
        if capture.actor == "owner" and capture.origin == "trusted":
            self._heard.say(capture.text)
        elif capture.actor in ("owner", "tool"):
            self._heard.hear(capture.text)
        if capture.actor == "agent":
            if self._goal is None and not self._calls:
                self._goal = capture
        elif capture.actor != "system" and not (self._goal and is_assent(capture.text)):
            self._close()
            self._goal = capture

    def _call(self, capture: Capture) -> None:
        detail = capture.detail
        duration = _number(detail.get("duration_ms")) or 0
        if self._calls and _quiet_minutes(self._calls[-1].capture.ts, capture.ts, duration) > GAP_MINUTES:
            self._close()
        call = _read_call(capture, self._done[capture.id], self._trust(capture))
        copied = any(self._heard.knows(step.text) for step in call.steps)
        if call.steps:
            trust = least_trusted(call.trust, "untrusted") if copied else call.trust
            self._calls.append(_Call(call.capture, call.steps, call.worked, call.exit_code, call.reason, trust))
        if not copied:
            self._heard.say(" \n ".join(step.text for step in call.steps))
        self._heard.hear(capture.text)

    def _trust(self, capture: Capture) -> Trust:
        """The output is a tool's and untrusted, but the call is the agent's: as good as what it came from."""
        own: Trust = "quarantined" if capture.origin == "quarantined" else "trusted"
        return least_trusted(own, *(self._trusts[one] for one in capture.from_ if one in self._trusts))

    def _close(self) -> None:
        if self._calls:
            why = _why_not(self._goal, self._calls)
            self._leave(why) if why else self._found.append(_run(self._goal, self._calls))
        self._calls = []

    def _leave(self, why: str) -> None:
        self._found.append(LeftOut(why, tuple(call.capture.id for call in self._calls)))
        self._calls = []


def _parts(capture: Capture) -> tuple[Part, ...]:
    return parts(str(capture.detail.get("tool") or ""), capture.detail.get("arguments"))


def _read_call(capture: Capture, done: tuple[Part, ...], trust: Trust) -> _Call:
    exit_code = _number(capture.detail.get("exit_code"))
    worked = verdict(capture.text, exit_code, masked=bool(done) and done[-1].masked)
    steps = tuple(Step(part.text, part.is_action, capture.id, worked) for part in done)
    return _Call(capture, steps, worked, exit_code, "" if worked is not False else reason(capture.text), trust)


def _why_not(goal: Capture | None, calls: list[_Call]) -> str:
    """Why calls make no run; empty if they do."""
    steps = [step for call in calls for step in call.steps]
    if any(capture.detail.get("private") for capture in (*([goal] if goal else []), *(call.capture for call in calls))):
        return "it is private"
    if any("\n" in step.text or len(step.text) > MOST_STEP for step in steps):
        return "a step is a script of its own"
    outcome = _outcome(calls)
    if outcome is None:
        return "nothing tells how it ended"
    if not any(step.is_action for step in steps):
        return "it changed nothing"
    kept = _kept(steps, outcome)
    if len(kept) < LEAST_STEPS:
        return "it is a single step"
    return f"it has more than {MOST_STEPS} steps" if len(kept) > MOST_STEPS else ""


def _run(goal: Capture | None, calls: list[_Call]) -> Run:
    steps = [step for call in calls for step in call.steps]
    outcome = _outcome(calls) or "failure"
    return Run(
        session=calls[-1].capture.session,
        scope=calls[-1].capture.scope,
        goal=goal_of(goal.text) if goal else "",
        goal_id=goal.id if goal else "",
        at=calls[-1].capture.ts,
        steps=_kept(steps, outcome),
        setbacks=_setbacks(calls),
        outcome=outcome,
        duration_ms=sum(_number(call.capture.detail.get("duration_ms")) or 0 for call in calls),
        trust=least_trusted(_goal_trust(goal), *(call.trust for call in calls)),
        captures=tuple(call.capture.id for call in calls),
    )


def _goal_trust(goal: Capture | None) -> Trust:
    """Only the owner's words make a run trusted; where the agent set the goal it is unknown, else untrusted."""
    if goal is None:
        return "untrusted"
    if goal.actor == "owner":
        return goal.origin
    return least_trusted("unknown" if goal.actor == "agent" else "untrusted", goal.origin)


def _outcome(calls: list[_Call]) -> Outcome | None:
    """The last exit code decides; without any, the last words that tell."""
    proven = [call.worked for call in calls if call.exit_code is not None]
    told = proven or [call.worked for call in calls if call.worked is not None]
    return None if not told else "success" if told[-1] else "failure"


def _kept(steps: list[Step], outcome: Outcome) -> tuple[str, ...]:
    """What is worth doing again: without what failed on the way, and each round of a repetition once."""
    done = [step.text for step in steps if outcome == "failure" or step.worked is not False]
    return _without_rounds(done)


def _without_rounds(texts: list[str]) -> tuple[str, ...]:
    """`edit, test, edit, test` is `edit, test`; the last round's words are kept."""
    kept: list[tuple[str, str]] = []
    for text in texts:
        kept.append((normal(text), text))
        for size in range(1, LONGEST_CYCLE + 1):
            rounds = [shape for shape, _text in kept[-2 * size :]]
            if len(rounds) == 2 * size and rounds[:size] == rounds[size:]:
                del kept[-2 * size : -size]
                break
    return tuple(text for _shape, text in kept)


def _setbacks(calls: list[_Call]) -> tuple[Setback, ...]:
    """Each call that failed, once, with what came between it and the first time that it worked."""
    found: dict[str, Setback] = {}
    for number, call in enumerate(calls):
        if call.worked is not False or not any(step.is_action for step in call.steps):
            continue
        text = " && ".join(step.text for step in call.steps)
        fix = _fix(calls, number)
        found.setdefault(normal(text), Setback(text, call.reason, call.exit_code, fix, call.capture.id))
    return tuple(found.values())


def _fix(calls: list[_Call], failed: int) -> str:
    shape = [normal(step.text) for step in calls[failed].steps]
    later = range(failed + 1, len(calls))
    worked = next((n for n in later if calls[n].worked and [normal(s.text) for s in calls[n].steps] == shape), failed)
    between = [step.text for call in calls[failed + 1 : worked] if call.worked is not False for step in call.steps]
    return ", ".join(between[-MOST_FIX:])


def _quiet_minutes(before: str, after: str, duration_ms: int) -> float:
    """The minutes in which nothing happened; 0 where the times cannot be read."""
    try:
        first, last = datetime.fromisoformat(before[:19]), datetime.fromisoformat(after[:19])
    except ValueError:
        return 0
    return (last - first - timedelta(milliseconds=duration_ms)).total_seconds() / 60


def _number(value: Any) -> int | None:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
