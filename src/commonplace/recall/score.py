"""One formula: relevance, the sum of what the lanes say, times bounded priors; every part is a named reason.

    score = (lexical + entity + kind + time) × agent × confidence × ended × evidence × form
        × importance × recent × trust × limit

A question for all that is known of an entity has `about` in place of the first three, and no priors: its order is that
of reading. Reasons whose names end in `×` are factors, the others are added.
"""

from __future__ import annotations

import math
from datetime import datetime

from msgspec import Struct

from commonplace.model import Reason, Record
from commonplace.recall.intents import is_agent, suits
from commonplace.recall.understand import Understood

ALONE = 0.1  # what an entity or a sort that is asked for finds by itself; what matches, it doubles
ASKED_ALONE = 1.0  # the same for a sort if nothing else is asked for
BESIDE = 0.4  # what only says a name, beside what is about its bearer: below the least strength of that lane
TRUST = {"trusted": 1.0, "unknown": 0.98, "untrusted": 0.9, "quarantined": 0.85}
EVIDENCE = 0.95  # what was merely said, beside what was kept of it
FRESH_DAYS = 90  # in which half of what a fresh opinion or decision is given goes
LEAST, MOST = 0.7, 1.3  # all factors together: they reorder near-ties and bury nothing


class Strengths(Struct, frozen=True):
    """What the lanes say of one record, each between 0 and 1."""

    lexical: float = 0.0
    entity: float = 0.0
    kind: float = 0.0
    time: float = 0.0
    about: float = 0.0


def relevance(found: Strengths, asked: Understood) -> dict[str, float]:
    """The parts that are added, by name."""
    if asked.intent == "about":
        return {"about": found.about, "lexical": 0.0 if found.about else BESIDE * found.lexical, "time": found.time}
    return {
        "lexical": found.lexical,
        "entity": found.entity * (found.lexical + ALONE),
        "kind": found.kind * (found.lexical + (ASKED_ALONE if asked.bare else ALONE)),
        "time": found.time,
    }


def score(record: Record, found: Strengths, asked: Understood) -> tuple[float, tuple[Reason, ...]]:
    """The score and its parts; parts without effect are left out."""
    parts = relevance(found, asked)
    factors = {} if asked.intent == "about" else priors(record, asked)
    total = sum(parts.values()) * math.prod(factors.values())
    reasons = [Reason(name, round(value, 6)) for name, value in parts.items() if value]
    reasons += [Reason(f"{name}×", round(value, 6)) for name, value in factors.items() if value != 1.0]
    return round(total, 6), tuple(reasons)


def priors(record: Record, asked: Understood) -> dict[str, float]:
    """The factors by name; `limit` leads their product back where it leaves .7 to 1.3."""
    changes = asked.intent in ("opinion", "decision") and suits(record, asked.intent)
    factors = {
        "agent": 0.7 if is_agent(record.speaker) and not asked.of_agent else 1.0,
        "confidence": 1.0 if record.confidence is None else 0.95 + 0.05 * record.confidence,
        "ended": 0.85 if _has_ended(record, asked) else 1.0,
        "evidence": EVIDENCE if record.is_evidence else 1.0,
        "form": 0.85 if record.form == "heading" else 1.0,
        "importance": 1.0 if record.importance is None else 0.9 + 0.2 * record.importance,
        "recent": _freshness(record, asked.at) if changes else 1.0,
        "trust": TRUST[record.trust],
    }
    whole = math.prod(factors.values())
    return factors | {"limit": min(max(whole, LEAST), MOST) / whole}


def _has_ended(record: Record, asked: Understood) -> bool:
    """Whether a record no longer holds; of a time that is named, or asked for with `as_of`, it may well tell."""
    if asked.windows or asked.only.as_of:
        return False
    end = record.valid_to
    return bool(record.superseded_by) or bool(end and end < asked.at[: len(end)])


def _freshness(record: Record, at: str) -> float:
    """From 1.05 for today down to .95: of several opinions or decisions the newest holds."""
    if not record.time:
        return 1.0
    days = (datetime.fromisoformat(at[:10]) - datetime.fromisoformat(record.time[:10])).days
    return 0.95 + 0.1 * math.pow(0.5, max(days, 0) / FRESH_DAYS)
