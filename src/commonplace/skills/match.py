"""Which skills a request calls for: by the words of their triggers and by what they are for, with reasons."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from commonplace.model import Reason
from commonplace.skills.drafts import Skill
from commonplace.skills.shelf import Shelf
from commonplace.skills.similar import means

TRIGGER_WEIGHT, INTENT_WEIGHT = 0.6, 0.4
FIRST_WORD, NEXT_WORD = 0.5, 0.25  # of a trigger; three words are as telling as it gets
DEGRADED_FACTOR = 0.5
LEAST = 0.3


class Match(Struct, frozen=True):
    """A skill that a request calls for, and the named parts of its score."""

    skill: Skill
    score: float
    reasons: tuple[Reason, ...]


def match(shelf: Shelf, text: str, now: str) -> tuple[Match, ...]:
    """The active skills that a text calls for, best first; whole words count, in any inflection."""
    asked = frozenset(form for forms in means(text) for form in forms)
    found = [_match(shelf, skill, asked, now) for skill in shelf.skills if skill.is_active]
    called = (one for one in found if one.score >= LEAST)
    return tuple(sorted(called, key=lambda one: (-one.score, one.skill.name)))


def _match(shelf: Shelf, skill: Skill, asked: frozenset[str], now: str) -> Match:
    trigger = max((_trigger(means(phrase), asked) for phrase in skill.triggers), default=0.0)
    intent = _share(means(skill.goal), asked)
    reasons = [
        Reason("trigger", round(TRIGGER_WEIGHT * trigger, 4)),
        Reason("intent", round(INTENT_WEIGHT * intent, 4)),
    ]
    score = sum(reason.value for reason in reasons)
    stands = shelf.standing(skill)
    if stands is not None and stands.is_degraded(now):
        reasons.append(Reason("degraded×", DEGRADED_FACTOR))
        score *= DEGRADED_FACTOR
    return Match(skill, round(score, 4), tuple(reason for reason in reasons if reason.value))


def _trigger(phrase: list[frozenset[str]], asked: frozenset[str]) -> float:
    """How telling a trigger is of which every word was said; 0 for any other."""
    if not phrase or not all(asked & forms for forms in phrase):
        return 0.0
    return min(1.0, FIRST_WORD + NEXT_WORD * (len(phrase) - 1))


def _share(wanted: Iterable[frozenset[str]], asked: frozenset[str]) -> float:
    known = list(wanted)
    return sum(bool(asked & forms) for forms in known) / len(known) if known else 0.0
