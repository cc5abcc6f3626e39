"""Whom or what a line is about: a subject that has a name, else who speaks, else nobody."""

from __future__ import annotations

from msgspec import structs

from commonplace.consolidate.chatter import is_personal
from commonplace.facts import Claim
from commonplace.facts.subjects import is_subject
from commonplace.model import Category

OF_THINGS: tuple[Category, ...] = ("tool", "project", "procedure")


def about(claim: Claim, speaker: str, said: str) -> Claim:
    """The claim, about what its line can stand below.

    An opinion is of who holds it, and so is a taste unless it is told of somebody who has a name. What is told of no
    subject that has a name is of who speaks where it says `I`; it is then no state of a thing, and gives no attribute.
    """
    if claim.sort == "relation" or claim.entity in ("", speaker):
        return claim
    if is_subject(claim.entity) and not (claim.sort == "opinion" and speaker):
        return claim
    held = claim.category == "preference" or is_personal(said[slice(*claim.span)])
    owner = speaker if held else ""
    category = "fact" if owner and claim.category in OF_THINGS else claim.category
    named = tuple(one for one in claim.entities if one != claim.entity)
    entities = tuple(dict.fromkeys((*((owner,) if owner else ()), *named)))
    return structs.replace(claim, category=category, entity=owner, attribute="", value="", entities=entities)
