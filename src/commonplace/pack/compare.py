"""Two receipts side by side: what entered the pack, what left it, what moved, and which part of the score did it."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from commonplace.model import Considered, Reason, Receipt

Fate = Literal["entered", "left", "moved", "changed"]

FATES: tuple[Fate, ...] = ("entered", "left", "moved", "changed")
ABSENT = "not considered"


class Part(Struct, frozen=True):
    """One named part of a score before and after; None where the score has no such part."""

    name: str
    before: float | None
    after: float | None


class Standing(Struct, frozen=True):
    """How a record stands in one receipt: its rank among those with a score (0 without one), and what became of it."""

    included: bool = False
    rank: int = 0
    score: float = 0.0
    tokens: int = 0
    reason: str = ABSENT


class Difference(Struct, frozen=True):
    """What became of one record from the one receipt to the other; `parts` are those that differ."""

    record_id: str
    citation: str
    fate: Fate
    before: Standing
    after: Standing
    parts: tuple[Part, ...]


class Comparison(Struct, frozen=True):
    """Two receipts and every record that is or was in the pack and stands otherwise now."""

    before: Receipt
    after: Receipt
    differences: tuple[Difference, ...]
    same: int  # records in both packs of which nothing changed

    @property
    def same_question(self) -> bool:
        """Whether both were asked the same, in the same scope."""
        asked, asked_then = self.after, self.before
        return (asked.query_digest, asked.scope) == (asked_then.query_digest, asked_then.scope)


def compare(before: Receipt, after: Receipt) -> Comparison:
    """What entered, left, moved and changed its score, in this order, each in the order of its receipt."""
    then, now = _standings(before), _standings(after)
    found: list[Difference] = []
    same = 0
    for name in dict.fromkeys((*now, *then)):
        one = _difference(name, then.get(name), now.get(name))
        if one:
            found.append(one)
        else:
            same += name in now and now[name].standing.included
    found.sort(key=lambda one: FATES.index(one.fate))
    return Comparison(before, after, tuple(found), same)


class _Seen(Struct, frozen=True):
    """A record in one receipt."""

    citation: str
    standing: Standing
    reasons: tuple[Reason, ...]


NOWHERE = _Seen("", Standing(), ())


def _standings(receipt: Receipt) -> dict[str, _Seen]:
    """Every record by its id; a core record that was also found is named twice: it is in, and has a rank."""
    found: dict[str, _Seen] = {}
    rank = 0
    for one in receipt.considered:
        rank += bool(one.reasons)
        seen = _seen(one, rank if one.reasons else 0)
        known = found.get(one.record_id)
        found[one.record_id] = _both(known, seen) if known else seen
    return found


def _seen(one: Considered, rank: int) -> _Seen:
    return _Seen(one.citation, Standing(one.included, rank, one.score, one.tokens, one.reason), one.reasons)


def _both(first: _Seen, second: _Seen) -> _Seen:
    kept = first.standing if first.standing.included or not second.standing.included else second.standing
    scored = first if first.reasons else second
    standing = Standing(kept.included, scored.standing.rank, scored.standing.score, kept.tokens, kept.reason)
    return _Seen(first.citation, standing, scored.reasons)


def _difference(name: str, before: _Seen | None, after: _Seen | None) -> Difference | None:
    then, now = before or NOWHERE, after or NOWHERE
    parts = _parts(then.reasons, now.reasons)
    fate = _fate(then.standing, now.standing)
    if fate is None:
        return None
    return Difference(name, now.citation or then.citation, fate, then.standing, now.standing, parts)


def _fate(then: Standing, now: Standing) -> Fate | None:
    """What a person calls the change; None for a record that is in neither pack or stands as it stood."""
    if then.included != now.included:
        return "entered" if now.included else "left"
    if not now.included:
        return None
    if then.rank != now.rank:
        return "moved"
    differs = (then.score, then.tokens, then.reason) != (now.score, now.tokens, now.reason)
    return "changed" if differs else None


def _parts(before: tuple[Reason, ...], after: tuple[Reason, ...]) -> tuple[Part, ...]:
    then = {reason.name: reason.value for reason in before}
    now = {reason.name: reason.value for reason in after}
    names = dict.fromkeys((*now, *then))
    return tuple(Part(name, then.get(name), now.get(name)) for name in names if then.get(name) != now.get(name))
