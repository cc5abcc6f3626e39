"""One formula: relevance, the sum of what the lanes say, times bounded priors; every part is a named reason.

    score = (lexical + session + near + answers + close + coverage + entity + kind + time)
        × agent × answer × length × speaker
        × confidence × ended × evidence × form × importance × recent × trust × limit

The first factors say how a line fits the question, the others are priors. A question for all that is known of an
entity has `about` in place of the first parts, and no factors: its order is that of reading. Reasons whose names end
in `×` are factors, the others are added.
"""

from __future__ import annotations

import math
from datetime import datetime

from msgspec import Struct

from commonplace.model import Reason, Record
from commonplace.recall.fit import Said, fit, is_by_agent
from commonplace.recall.intents import suits
from commonplace.recall.understand import Understood

CLOSE, COVERAGE, TIME = 0.36, 0.035, 1.2
ALONE = 0.1  # what an entity or a sort that is asked for finds by itself; what matches, it doubles
ASKED_ALONE = 1.0  # the same for a sort if nothing else is asked for
BESIDE = 0.4  # what only says a name, beside what is about its bearer: below the least strength of that lane
TRUST = {"trusted": 1.0, "unknown": 0.98, "untrusted": 0.9, "quarantined": 0.85}
EVIDENCE = 0.95  # what was merely said, beside what was kept of it
EPISODES = "memory/episodes/"  # these tell what was said
FRESH_DAYS = 90  # in which half of what a fresh opinion or decision is given goes
LEAST, MOST = 0.7, 1.3  # all factors together: they reorder near-ties and bury nothing


class Strengths(Struct, frozen=True):
    """What the lanes say of one record: between 0 and 1, but for what is measured by the best match, which may be more.

    `speaks` is 1 where who said it is asked about, `length` how much it says: min(ln(1 + tokens) / 4, 1).
    """

    lexical: float = 0.0
    entity: float = 0.0
    kind: float = 0.0
    time: float = 0.0
    about: float = 0.0
    session: float = 0.0
    near: float = 0.0
    answers: float = 0.0
    close: float = 0.0
    coverage: float = 0.0
    speaks: float = 0.0
    length: float = 0.0


def relevance(found: Strengths, asked: Understood) -> dict[str, float]:
    """The parts that are added, by name."""
    if asked.intent == "about":
        return {"about": found.about, "lexical": 0.0 if found.about else BESIDE * found.lexical, "time": found.time}
    return {
        "lexical": found.lexical,
        "session": found.session,
        "near": found.near,
        "answers": found.answers,
        "close": CLOSE * found.close,
        "coverage": COVERAGE * found.coverage,
        "entity": found.entity * (ALONE if found.speaks else found.lexical + ALONE),
        "kind": found.kind * (found.lexical + (ASKED_ALONE if asked.bare else ALONE)),
        "time": TIME * found.time,
    }


def score(record: Record, found: Strengths, asked: Understood) -> tuple[float, tuple[Reason, ...]]:
    """The score and its parts; parts without effect are left out."""
    parts = relevance(found, asked)
    factors = {} if asked.intent == "about" else fits(record, found, asked) | priors(record, asked)
    total = sum(parts.values()) * math.prod(factors.values())
    reasons = [Reason(name, round(value, 6)) for name, value in parts.items() if value]
    reasons += [Reason(f"{name}×", round(value, 6)) for name, value in factors.items() if value != 1.0]
    return round(total, 6), tuple(reasons)


def fits(record: Record, found: Strengths, asked: Understood) -> dict[str, float]:
    """The factors that say how a record fits the form of the question, by name."""
    said = Said(record.text, is_by_agent(record.speaker, record.actor), found.speaks, found.length)
    return fit(said, asked.answer, of_agent=asked.of_agent)


def priors(record: Record, asked: Understood) -> dict[str, float]:
    """The factors by name; `limit` leads their product back where it leaves .7 to 1.3."""
    changes = asked.intent in ("opinion", "decision") and suits(record, asked.intent)
    factors = {
        "confidence": 1.0 if record.confidence is None else 0.95 + 0.05 * record.confidence,
        "ended": 0.85 if _has_ended(record, asked) else 1.0,
        "evidence": EVIDENCE if record.is_evidence or record.source.path.startswith(EPISODES) else 1.0,
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
