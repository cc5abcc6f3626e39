"""Policy: the parts of the score that no benchmark set asks for, in one table.

Questions of the sets are each asked by themselves, of lines without confidence, importance or trust of their own, none
of which is superseded or was made of a capture. So these parts change no figure there; they are kept for what they
promise, and each has an example in the tests of the score.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime

from commonplace.model import Record
from commonplace.retrieval.recall.lane_input import Signals
from commonplace.retrieval.recall.query import ParsedQuery
from commonplace.retrieval.recall.question_analysis import matches_intent

ABSENT_PENALTY = 0.5  # talk among others than those who are asked about
RETELLING_PENALTY = 0.06  # what was kept of a capture that was found too: in fewer words than the capture
TRUST_PRIORS = {"trusted": 1.0, "unknown": 0.98, "untrusted": 0.9, "quarantined": 0.85}
ENDED_PRIOR = 0.85  # what is superseded or over
EVIDENCE_PRIOR = 0.99  # what was merely said, beside what was kept of it
EPISODES_FOLDER = "memory/episodes/"  # these tell what was said
HEADING_PRIOR = 0.85  # a heading that has nothing below it
RECENCY_HALF_LIFE_DAYS = 90  # in which half of what a fresh opinion or decision is given goes

Prior = Callable[[Record, ParsedQuery], float]


def about_part(signals: Signals, _parsed: ParsedQuery) -> float:
    """as found: its place among all that is known of a name, from 1 down to .5; the question is for nothing else."""
    return signals.about


def absent_feature(signals: Signals, _parsed: ParsedQuery) -> float:
    """1 - .5 · absent: talk between people in which who is asked about neither speaks nor is named."""
    return 1 - ABSENT_PENALTY * signals.absent


def retells_feature(signals: Signals, _parsed: ParsedQuery) -> float:
    """1 - .06 · retells: what was kept of a capture that was found too, and does not stand in its place."""
    return 1 - RETELLING_PENALTY * signals.retells


def confidence_prior(record: Record, _parsed: ParsedQuery) -> float:
    """.95 + .05 · confidence: how sure an opinion is."""
    return 1.0 if record.confidence is None else 0.95 + 0.05 * record.confidence


def ended_prior(record: Record, parsed: ParsedQuery) -> float:
    """.85 for what no longer holds, unless a time is named or asked for with `as_of`: of that it may well tell."""
    if parsed.time_windows or parsed.record_filter.as_of:
        return 1.0
    end = record.valid_to
    return ENDED_PRIOR if record.superseded_by or (end and end < parsed.reference_time[: len(end)]) else 1.0


def evidence_prior(record: Record, _parsed: ParsedQuery) -> float:
    """.99 for a capture and a line of an episode: what was kept comes before what was merely said."""
    return EVIDENCE_PRIOR if record.is_evidence or record.source.path.startswith(EPISODES_FOLDER) else 1.0


def form_prior(record: Record, _parsed: ParsedQuery) -> float:
    """.85 for a heading that has nothing below it."""
    return HEADING_PRIOR if record.form == "heading" else 1.0


def importance_prior(record: Record, _parsed: ParsedQuery) -> float:
    """.94 + .1 · importance: what was marked as important; .6 is the usual grade and changes nothing."""
    return 1.0 if record.importance is None else 0.94 + 0.1 * record.importance


def recent_prior(record: Record, parsed: ParsedQuery) -> float:
    """.95 + .1 · .5^(days / 90): of several opinions or decisions that are asked for the newest holds."""
    if parsed.intent not in ("opinion", "decision") or not record.time or not matches_intent(record, parsed.intent):
        return 1.0
    return 0.95 + 0.1 * math.pow(0.5, age_in_days(record, parsed) / RECENCY_HALF_LIFE_DAYS)


def trust_prior(record: Record, _parsed: ParsedQuery) -> float:
    """1, .98, .9, .85 for trusted, unknown, untrusted, quarantined: how far the record is trusted."""
    return TRUST_PRIORS[record.trust]


def age_in_days(record: Record, parsed: ParsedQuery) -> int:
    """Whole days from a record's time to the minute at which things hold; 0 for what lies ahead."""
    return max((datetime.fromisoformat(parsed.reference_time[:10]) - datetime.fromisoformat(record.time[:10])).days, 0)


PRIORS: dict[str, Prior] = {
    "confidence": confidence_prior,
    "ended": ended_prior,
    "evidence": evidence_prior,
    "form": form_prior,
    "importance": importance_prior,
    "recent": recent_prior,
    "trust": trust_prior,
}
POLICY: dict[str, Callable[..., float]] = {
    "about": about_part,
    "absent": absent_feature,
    "retells": retells_feature,
    **PRIORS,
}
