"""Priors: what speaks for a record whatever is asked; one function each, all together within bounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime

from commonplace.model import Record
from commonplace.recall.intents import suits
from commonplace.recall.understand import Understood

TRUST = {"trusted": 1.0, "unknown": 0.98, "untrusted": 0.9, "quarantined": 0.85}
ENDED = 0.85  # what is superseded or over
EVIDENCE = 0.99  # what was merely said, beside what was kept of it
EPISODES = "memory/episodes/"  # these tell what was said
HEADING = 0.85  # a heading that has nothing below it
FRESH_DAYS = 90  # in which half of what a fresh opinion or decision is given goes
LEAST, MOST = 0.7, 1.3  # all priors together: they reorder near-ties and bury nothing

Prior = Callable[[Record, Understood], float]


def confidence(record: Record, _asked: Understood) -> float:
    """.95 + .05 · confidence: how sure an opinion is."""
    return 1.0 if record.confidence is None else 0.95 + 0.05 * record.confidence


def ended(record: Record, asked: Understood) -> float:
    """.85 for what no longer holds, unless a time is named or asked for with `as_of`: of that it may well tell."""
    if asked.windows or asked.only.as_of:
        return 1.0
    end = record.valid_to
    return ENDED if record.superseded_by or (end and end < asked.at[: len(end)]) else 1.0


def evidence(record: Record, _asked: Understood) -> float:
    """.99 for a capture and a line of an episode: what was kept comes before what was merely said."""
    return EVIDENCE if record.is_evidence or record.source.path.startswith(EPISODES) else 1.0


def form(record: Record, _asked: Understood) -> float:
    """.85 for a heading that has nothing below it."""
    return HEADING if record.form == "heading" else 1.0


def importance(record: Record, _asked: Understood) -> float:
    """.94 + .1 · importance: what was marked as important; .6 is the usual grade and changes nothing."""
    return 1.0 if record.importance is None else 0.94 + 0.1 * record.importance


def recent(record: Record, asked: Understood) -> float:
    """.95 + .1 · .5^(days / 90): of several opinions or decisions that are asked for the newest holds."""
    if asked.intent not in ("opinion", "decision") or not record.time or not suits(record, asked.intent):
        return 1.0
    return 0.95 + 0.1 * math.pow(0.5, age(record, asked) / FRESH_DAYS)


def trust(record: Record, _asked: Understood) -> float:
    """1, .98, .9, .85 for trusted, unknown, untrusted, quarantined: how far the record is trusted."""
    return TRUST[record.trust]


PRIORS: dict[str, Prior] = {
    "confidence": confidence,
    "ended": ended,
    "evidence": evidence,
    "form": form,
    "importance": importance,
    "recent": recent,
    "trust": trust,
}


def priors(asked: Understood) -> dict[str, Prior]:
    """Those that are not switched off; a question for all that is known of a name has none."""
    if asked.intent == "about":
        return {}
    return {name: prior for name, prior in PRIORS.items() if name not in asked.without}


def limit(whole: float) -> float:
    """The product of the priors brought back to .7 … 1.3, over that product; it is a promise, and always kept."""
    return min(max(whole, LEAST), MOST) / whole


def age(record: Record, asked: Understood) -> int:
    """Whole days from a record's time to the minute at which things hold; 0 for what lies ahead."""
    return max((datetime.fromisoformat(asked.at[:10]) - datetime.fromisoformat(record.time[:10])).days, 0)
