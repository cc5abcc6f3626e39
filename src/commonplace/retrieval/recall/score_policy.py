"""Policy: the parts of the score that no benchmark set asks for, kept for what they promise, in one table.

Questions of the sets are of lines without confidence, importance or trust of their own, none of which is superseded.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime

from msgspec import Struct

from commonplace.model import Form, Record, day_of
from commonplace.retrieval.recall.query import ParsedQuery
from commonplace.retrieval.recall.question_analysis import matches_intent
from commonplace.retrieval.shares import HALF, TENTH
from commonplace.storage.workspace import HOST_FILES

RAISED, LOWERED = 1 + TENTH, 1 - TENTH  # a prior
HARDLY_LOWERED = 1 - TENTH * TENTH  # decides between equals
RETELLING_PENALTY = HALF * TENTH  # what was kept of a capture that was found too: in fewer words than the capture
TRUST_PRIORS = {"trusted": 1.0, "unknown": HARDLY_LOWERED, "untrusted": LOWERED, "quarantined": LOWERED * LOWERED}
EPISODES_FOLDER = "memory/episodes/"  # these tell what was said
USUAL_IMPORTANCE = 0.6  # the grade that changes nothing
ASIDE_FOLDERS = frozenset(("archive", "archives", "archived", "assets", "attachments"))
MAX_LISTED_NOTEBOOK = 20  # records that a filter lets through: of so few all are listed, up to k
RECENCY_HALF_LIFE_DAYS = 90  # in which half of what a fresh opinion or decision is given goes

FORM_PRIORS: dict[Form, float] = {"heading": LOWERED, "row": RAISED}  # that has nothing below it; that is short
Weigh = Callable[..., float]  # (signals, or the record of a prior; the query) -> what is added, or a factor


class ScorePart(Struct, frozen=True):
    """A part of the score: its formula, as `--explain` prints it, and the function that computes it."""

    formula: str
    weigh: Weigh


def _ended_prior(record: Record, parsed: ParsedQuery) -> float:
    if parsed.time_windows or parsed.record_filter.as_of:
        return 1.0
    end = record.valid_to
    return LOWERED if record.superseded_by or (end and end < parsed.reference_time[: len(end)]) else 1.0


def _recent_prior(record: Record, parsed: ParsedQuery) -> float:
    if parsed.intent not in ("opinion", "decision") or not record.time or not matches_intent(record, parsed.intent):
        return 1.0
    return 1 + TENTH * (math.pow(HALF, age_in_days(record, parsed) / RECENCY_HALF_LIFE_DAYS) - HALF)


def _file_prior(path: str) -> float:
    if path in HOST_FILES:
        return RAISED
    return 1.0 if ASIDE_FOLDERS.isdisjoint(path.split("/")[:-1]) else LOWERED


def age_in_days(record: Record, parsed: ParsedQuery) -> int:
    """Whole days from a record's time to the minute at which things hold; 0 for what lies ahead."""
    return max(
        (datetime.fromisoformat(day_of(parsed.reference_time)) - datetime.fromisoformat(day_of(record.time))).days, 0
    )


def _importance_prior(record: Record, parsed: ParsedQuery) -> float:
    if parsed.is_period_only:
        ungraded = 0.0 if record.is_evidence else HALF
        return 1 + HALF * ((ungraded if record.importance is None else record.importance) - USUAL_IMPORTANCE)
    return 1.0 if record.importance is None else 1 + TENTH * (record.importance - USUAL_IMPORTANCE)


PRIORS: dict[str, ScorePart] = {
    "confidence": ScorePart(
        ".95 + .05 · confidence: how sure an opinion is.",
        lambda record, _parsed: 1.0 if record.confidence is None else 1 - HALF * TENTH * (1 - record.confidence),
    ),
    "ended": ScorePart(
        ".9 for what no longer holds, unless a time is named or asked for with `as_of`: of that it may well tell.",
        _ended_prior,
    ),
    "evidence": ScorePart(
        ".99 for a capture and a line of an episode: what was kept comes before what was merely said.",
        lambda record, _parsed: (
            HARDLY_LOWERED if record.is_evidence or record.source.path.startswith(EPISODES_FOLDER) else 1.0
        ),
    ),
    "file": ScorePart(
        "1.1 for a line of a file that a host loads at each start (USER.md, TOOLS.md, …); .9 in archives and assets.",
        lambda record, _parsed: _file_prior(record.source.path),
    ),
    "form": ScorePart(
        ".9 for a heading that has nothing below it; 1.1 for a row of a table.",
        lambda record, _parsed: FORM_PRIORS.get(record.form, 1.0),
    ),
    "importance": ScorePart(
        ".94 + .1 · importance: what was marked as important; .6 is the usual grade and changes nothing. .7 + .5 ·"
        " importance if the question has nothing but a time, with .5 for a line without a grade and 0 for a capture.",
        _importance_prior,
    ),
    "recent": ScorePart(
        ".95 + .1 · .5^(days / 90): of several opinions or decisions that are asked for the newest holds.",
        _recent_prior,
    ),
    "trust": ScorePart(
        "1, .99, .9, .81 for trusted, unknown, untrusted, quarantined: how far the record is trusted.",
        lambda record, _parsed: TRUST_PRIORS[record.trust],
    ),
}
POLICY: dict[str, ScorePart] = {
    "about": ScorePart(
        "as found: its place among all that is known of a name, from 1 down to .5; the question is for nothing else.",
        lambda signals, _parsed: signals.about,
    ),
    "retells": ScorePart(
        "1 - .05 · retells: what was kept of a capture that was found too, and does not stand in its place.",
        lambda signals, _parsed: 1 - RETELLING_PENALTY * signals.retells,
    ),
    **PRIORS,
}
