"""One formula: relevance, the sum of what the lanes say, times bounded priors; every part is a named reason.

    score = (lexical + entity + time + order) · importance× · confidence× · intent× · trust× · form×

Reasons whose names end in `×` are factors, the others are added. A factor stays within 15 % of 1, so that it reorders
near-ties and buries nothing.
"""

from __future__ import annotations

from msgspec import Struct

from commonplace.model import Reason, Record
from commonplace.recall.understand import Understood

WEIGHTS = {"entity_of_match": 1.0, "entity_alone": 0.1, "time": 1.0, "about": 1.0, "order": 0.1}
TRUST_FACTORS = {"trusted": 1.0, "unknown": 0.98, "untrusted": 0.9, "quarantined": 0.85}


class Strengths(Struct, frozen=True):
    """What the lanes say of one record, each between 0 and 1; `order` is its place on an entity's own page, from 0."""

    lexical: float = 0.0
    entity: float = 0.0
    time: float = 0.0
    order: int | None = None


def score(record: Record, found: Strengths, asked: Understood) -> tuple[float, tuple[Reason, ...]]:
    """The score and its parts; parts without effect are left out."""
    added = _relevance(found, asked)
    factors = _priors(record, asked)
    total = sum(part.value for part in added)
    for factor in factors:
        total *= factor.value
    return round(total, 6), (*added, *factors)


def _relevance(found: Strengths, asked: Understood) -> tuple[Reason, ...]:
    """Lexical strength; an entity of the query strengthens what matches and finds a little by itself; time likewise."""
    weight = WEIGHTS["about"] if asked.intent == "about" else WEIGHTS["entity_alone"]
    parts = {
        "lexical": found.lexical,
        "entity": found.entity * (WEIGHTS["entity_of_match"] * found.lexical + weight),
        "time": WEIGHTS["time"] * found.time,
        "order": 0.0 if found.order is None else WEIGHTS["order"] / (1 + found.order),
    }
    return tuple(Reason(name, round(value, 6)) for name, value in parts.items() if value)


def _priors(record: Record, asked: Understood) -> tuple[Reason, ...]:
    opinion = record.kind == "opinion" or record.category == "preference"
    factors = {
        "importance×": 1.0 if record.importance is None else 0.9 + 0.2 * record.importance,
        "confidence×": 1.0 if record.confidence is None else 0.95 + 0.05 * record.confidence,
        "intent×": 1.15 if asked.intent == "opinion" and opinion else 1.0,
        "trust×": TRUST_FACTORS[record.trust],
        "form×": 0.85 if record.form == "heading" else 1.0,
    }
    return tuple(Reason(name, round(value, 6)) for name, value in factors.items() if value != 1.0)
