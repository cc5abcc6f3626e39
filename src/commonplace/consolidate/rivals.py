"""Two statements about one thing: the newer one replaces the older if it is trusted no less; else both stand."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from commonplace.consolidate.drafts import Draft
from commonplace.consolidate.past import value_key
from commonplace.model import TRUSTS, Trust

Way = Literal["new", "same", "newer", "older", "conflict"]


class Stated(Struct, frozen=True):
    """What a record or draft states of an entity: the key of the value, when that was said, how far it is trusted.

    `time` is empty for a line without a date; `valid_from` is what the line says itself. `path` is empty for a draft.
    """

    id: str
    text: str
    value: str
    time: str
    trust: Trust
    sources: tuple[str, ...] = ()
    path: str = ""
    valid_from: str = ""


class Ruling(Struct, frozen=True):
    """How a draft stands to what is stated already, and which of those it meets.

    `newer`: it replaces the `others`; `older`: it came in late, and what holds now stays, since the first of the
    `others`; `conflict`: it cannot replace what it contradicts; `same`: it says what the first of the `others` says.
    """

    way: Way
    others: tuple[Stated, ...] = ()


def rule(draft: Draft, rivals: tuple[Stated, ...], lately: str) -> Ruling:
    """The ruling on a draft by those that state the same attribute of the same entity.

    A line without a date was written before what was said `lately`, an ISO time, or after it; before what was said
    earlier than that, nobody can tell.
    """
    value = value_key(draft.value)
    same = tuple(rival for rival in rivals if rival.value == value and _rank(rival.trust) >= _rank(draft.trust))
    other = tuple(rival for rival in rivals if rival.value != value)
    if same and (not other or _rank(same[0].trust) > _rank(draft.trust)):
        return Ruling("same", same)
    stronger = tuple(rival for rival in other if _rank(rival.trust) > _rank(draft.trust))
    if stronger:
        return Ruling("conflict", stronger)
    later = tuple(rival for rival in other if rival.time > draft.time)
    if later:
        return Ruling("older", tuple(sorted(later, key=lambda rival: rival.time)))
    undated = tuple(rival for rival in other if not rival.time)
    if undated and draft.time < lately:
        return Ruling("conflict", undated)
    return Ruling("newer", rivals) if rivals else Ruling("new")


def _rank(trust: Trust) -> int:
    return TRUSTS.index(trust)
