"""How a procedure stands: what the ledger counted of it, its quality, and how it wears off when it fails or lies idle.

The weights and steps are those of Memoria's procedural memory; that risk lowers safety is ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from msgspec import Struct, structs

OP = "procedure"
RELIABILITY_WEIGHT, SAFETY_WEIGHT, SPEED_WEIGHT, ELEGANCE_WEIGHT = 0.35, 0.25, 0.25, 0.15
NEW_RELIABILITY, NEW_SAFETY, NEW_SPEED = 0.5, 0.8, 0.5
RISK_STEP = 0.2  # of safety, for each risky step
BEST_STEP = 0.05  # of speed, for each personal best
ELEGANCE_STEP, LEAST_ELEGANCE = 0.1, 0.2
WORSE, BETTER = 0.15, 0.20
DEGRADED = 0.5
IDLE_DAYS, FADING_DAYS, MOST_STALENESS = 30, 60, 0.3
MOST_FAILURES = 10
DRAFT_SUCCESSES, DRAFT_QUALITY, DRAFT_REPEATS = 3, 0.6, 7


class Failure(Struct, frozen=True):
    """One dated failure: its sort (a key of `verdicts.REASONS`) and exit code."""

    at: str
    reason: str = ""
    exit_code: int | None = None


class Standing(Struct, frozen=True):
    """What is known of a procedure beside its text. `degradation` is without staleness, which depends on the day."""

    id: str
    successes: int = 0
    failures: int = 0
    last_success: str = ""
    last_failure: str = ""
    last_used: str = ""
    best_ms: int = 0
    speed: float = NEW_SPEED
    steps: int = 0
    risky: int = 0
    degradation: float = 0.0
    reasons: tuple[Failure, ...] = ()

    @property
    def repeats(self) -> int:
        """How often it was tried."""
        return self.successes + self.failures

    @property
    def reliability(self) -> float:
        """The share of successes; a single try says nothing yet."""
        return self.successes / self.repeats if self.repeats > 1 else NEW_RELIABILITY

    @property
    def safety(self) -> float:
        """Less for each step that destroys or forces something."""
        return max(0.0, NEW_SAFETY - RISK_STEP * self.risky)

    @property
    def elegance(self) -> float:
        """Less for each step."""
        return max(LEAST_ELEGANCE, 1 - ELEGANCE_STEP * self.steps)

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

    def worn(self, now: str) -> float:
        """Degradation with staleness on that day: nothing for 30 idle days, then up to 0.3 over 60 more."""
        idle = _days(self.last_used, now) - IDLE_DAYS
        stale = MOST_STALENESS * min(1.0, max(0, idle) / FADING_DAYS)
        return round(min(1.0, self.degradation + stale), 4)

    def is_stale(self, now: str) -> bool:
        """Whether nobody used it for 30 days."""
        return _days(self.last_used, now) > IDLE_DAYS

    def is_degraded(self, now: str) -> bool:
        """Whether it failed, or lay idle, so much that it should not be relied on."""
        return self.worn(now) > DEGRADED

    def earns_draft(self, now: str) -> bool:
        """Three successes and a quality of 0.6, or seven tries of which one worked; never while degraded."""
        good = self.successes >= DRAFT_SUCCESSES and self.quality >= DRAFT_QUALITY
        often = self.repeats >= DRAFT_REPEATS and self.successes > 0
        return (good or often) and not self.is_degraded(now)


def tally(entries: Iterable[Mapping[str, Any]]) -> dict[str, Standing]:
    """Standings by procedure from ledger lines, the same in whatever order the lines come.

    Runs count in the order in which they happened; a capture counts once, whoever counted it.
    """
    lines = list(entries)
    standings: dict[str, Standing] = {}
    counted: set[str] = set()
    for line in sorted((line for line in lines if is_run(line)), key=_when):
        captures = set(line["captures"])
        if counted.isdisjoint(captures):
            counted |= captures
            known = standings.get(line["procedure"]) or Standing(line["procedure"])
            standings[known.id] = _after(known, line)
    for line in lines:
        if line.get("op") == "used":
            _use(standings, line)
    return standings


def is_run(line: Mapping[str, Any]) -> bool:
    """Whether a ledger line counts a run."""
    captures = line.get("captures")
    return (
        line.get("op") == OP
        and line.get("did") in ("success", "failure")
        and isinstance(line.get("procedure"), str)
        and isinstance(captures, list)
        and all(isinstance(capture, str) for capture in captures)
    )


def _when(line: Mapping[str, Any]) -> tuple[str, list[str]]:
    return str(line.get("at") or line.get("ts") or ""), sorted(line["captures"])


def _after(known: Standing, line: Mapping[str, Any]) -> Standing:
    at = _when(line)[0]
    known = structs.replace(
        known, last_used=max(known.last_used, at), risky=max(known.risky, _number(line.get("risky")))
    )
    if line["did"] == "failure":
        failure = Failure(at, str(line.get("reason") or ""), line.get("exit_code"))
        return structs.replace(
            known,
            failures=known.failures + 1,
            last_failure=at,
            degradation=round(min(1.0, known.degradation + WORSE), 4),
            reasons=(*known.reasons, failure)[-MOST_FAILURES:],
            steps=known.steps or _number(line.get("steps")),
        )
    duration = _number(line.get("duration_ms"))
    is_best = 0 < duration < known.best_ms
    return structs.replace(
        known,
        successes=known.successes + 1,
        last_success=at,
        degradation=round(max(0.0, known.degradation - BETTER), 4),
        best_ms=duration if is_best or not known.best_ms else known.best_ms,
        speed=round(min(1.0, known.speed + BEST_STEP), 4) if is_best else known.speed,
        steps=_number(line.get("steps")),
    )


def _use(standings: dict[str, Standing], line: Mapping[str, Any]) -> None:
    """A recalled line that was used keeps its procedure from growing stale; its lines are named after it."""
    for record in line.get("records") or ():
        known = standings.get(str(record).partition("-")[0])
        if known is not None and (at := str(line.get("ts") or "")) > known.last_used:
            standings[known.id] = structs.replace(known, last_used=at)


def _number(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _days(before: str, after: str) -> int:
    try:
        return (date.fromisoformat(after[:10]) - date.fromisoformat(before[:10])).days
    except ValueError:
        return 0
