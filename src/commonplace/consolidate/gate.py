"""Decide which candidates are worth keeping, and say why the others are not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct, structs

from commonplace.consolidate.candidates import Candidate, Guards, Near
from commonplace.consolidate.chatter import chatter
from commonplace.consolidate.duplicates import find_duplicate, similarity
from commonplace.consolidate.echoes import is_echo, is_forgotten
from commonplace.consolidate.findability import questions, rank_of, warning
from commonplace.consolidate.importance import BASE, Grade, grade, graded, parse_importance
from commonplace.consolidate.noise import LEAST_WIDTH, is_acknowledgement, is_chore, is_passing, width
from commonplace.facts.clarity import is_unclear
from commonplace.model import Category, Reason

__all__ = [
    "SENTENCES",
    "Candidate",
    "Grade",
    "Guards",
    "Near",
    "Verdict",
    "Why",
    "explain",
    "grade",
    "judge",
    "parse_importance",
    "questions",
    "rank_of",
    "similarity",
    "warning",
]

Why = Literal[
    "too-short", "noise", "chore", "passing", "unclear", "reaction", "announcement", "steering", "truism", "echo",
    "forgotten", "duplicate", "unimportant", "kept",
]  # fmt: skip

LASTING: tuple[Category, ...] = ("preference", "decision", "lesson", "person", "procedure")  # never chores, nor passing
SENTENCES: dict[Why, str] = {
    "too-short": f"too short to say anything by itself (less than {LEAST_WIDTH} columns)",
    "noise": "only acknowledges, greets or fills",
    "chore": "a to-do without reason or deadline, of no use once it is done",
    "passing": "a state that will soon be another",
    "unclear": "points to something that it does not name (`it`, `they`, `this one`)",
    "reaction": "answers what the other said or proposed, and says nothing of one's own",
    "announcement": "announces something without telling it",
    "steering": "steers this conversation, and nothing beyond it",
    "truism": "a general saying, about nothing and nobody in particular",
    "echo": "says again what recall gave out; text that came from the memory is not learned from twice",
    "forgotten": "says what was forgotten on request; to keep it after all, write it into a file yourself",
    "duplicate": "says what a record already says",
    "unimportant": "graded below the least importance that was asked for",
    "kept": "worth keeping",
}


class Verdict(Struct, frozen=True):
    """Whether a candidate is kept, and why.

    `duplicate_of` is the id of the record that says the same already. `features` are what was measured: `width`,
    `similarity` to the nearest record, and `importance`.
    """

    keep: bool
    reason: Why
    importance: Grade
    duplicate_of: str = ""
    features: tuple[Reason, ...] = ()


def judge(candidate: Candidate, near: Sequence[Near], guards: Guards, *, least_importance: float = 0.0) -> Verdict:
    """The verdict on a candidate: the first reason not to keep it, in the order of `Why`.

    Importance is measured and kept as a feature; it keeps nothing out unless `least_importance` says so. What was
    explicitly asked to be remembered passes length, noise, chores, passing states and importance.
    """
    importance = _importance(candidate)
    same, alike = find_duplicate(candidate, near)
    reason = _hollow(candidate) or _guarded(candidate, guards) or ("duplicate" if same else "kept")
    if reason == "kept" and importance.score < least_importance and not candidate.explicit:
        reason = "unimportant"
    features = (
        Reason("width", float(width(candidate.text))),
        Reason("similarity", alike),
        Reason("importance", importance.score),
    )
    return Verdict(reason == "kept", reason, importance, same if reason == "duplicate" else "", features)


def explain(verdict: Verdict) -> str:
    """The verdict in a sentence for people."""
    said = SENTENCES[verdict.reason]
    return f"{said} ({verdict.duplicate_of})" if verdict.duplicate_of else said


def _hollow(candidate: Candidate) -> Why | None:
    """Why a candidate says nothing lasting; None if it does, or if somebody asked to have it remembered."""
    if candidate.explicit:
        kind = chatter(candidate)
        return kind if kind in ("reaction", "steering") else None
    if width(candidate.text) < LEAST_WIDTH:
        return "too-short"
    if is_acknowledgement(candidate.text, candidate.entities):
        return "noise"
    if candidate.category not in LASTING:
        if is_chore(candidate.text, candidate.language):
            return "chore"
        if is_passing(candidate.text, candidate.language):
            return "passing"
    return "unclear" if _is_unclear(candidate) else chatter(candidate)


def _is_unclear(candidate: Candidate) -> bool:
    """Whether a candidate points at what it does not name, and nobody knows whom it is about."""
    known = set(candidate.entities) - {candidate.speaker}
    return not known and is_unclear(candidate.text, (candidate.speaker,))


def _guarded(candidate: Candidate, guards: Guards) -> Why | None:
    if is_echo(candidate, guards):
        return "echo"
    return "forgotten" if is_forgotten(candidate.text, guards) else None


def _importance(candidate: Candidate) -> Grade:
    """Our own grade; words of strangers never lift theirs above the base."""
    own = grade(candidate.text, category=candidate.category, entities=candidate.entities, language=candidate.language)
    if candidate.trust in ("untrusted", "quarantined") and own.score > BASE:
        return structs.replace(graded(BASE, (*own.reasons, "untrusted"), own.method))
    return own
