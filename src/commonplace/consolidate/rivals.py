"""Two statements about one thing: the newer one replaces the older if it is trusted no less; else both stand."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, structs

from commonplace.consolidate.drafts import Draft
from commonplace.consolidate.past import value_key
from commonplace.consolidate.shelf import Stated
from commonplace.model import TRUSTS

Way = Literal["new", "same", "newer", "older", "conflict"]


class Ruling(Struct, frozen=True):
    """How a draft stands to what is stated already: the draft as it is to be kept, and those it meets.

    `newer`: it supersedes `others`; `older`: it came in late, and what holds now stays; `conflict`: it is trusted less
    than what it contradicts; `same`: it says what `others` say.
    """

    way: Way
    draft: Draft
    others: tuple[Stated, ...] = ()


def rule(draft: Draft, rivals: tuple[Stated, ...]) -> Ruling:
    """The ruling on a draft by those that state the same attribute of the same entity."""
    if not rivals:
        return Ruling("new", draft)
    value = value_key(draft.value)
    same = tuple(rival for rival in rivals if rival.value == value)
    other = tuple(rival for rival in rivals if rival.value != value)
    if same and not other:
        return Ruling("same", draft, same)
    stronger = tuple(rival for rival in other if TRUSTS.index(rival.trust) > TRUSTS.index(draft.trust))
    if stronger:
        return Ruling("conflict", draft, stronger)
    later = tuple(rival for rival in other if rival.time > draft.time)
    if later:  # what was said before is no news; it held until the first of those
        return Ruling("older", structs.replace(draft, valid_to=min(rival.time for rival in later)[:10]), later)
    return Ruling("newer", structs.replace(draft, supersedes=tuple(rival.id for rival in other)), other)
