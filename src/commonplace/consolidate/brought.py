"""What another memory had distilled: a statement made to be kept, which is one line here as it was one there."""

from __future__ import annotations

from typing import Any, cast

from msgspec import structs

from commonplace import text
from commonplace.facts import Claim, Sort
from commonplace.model import CATEGORIES, Capture, Category

MOST = 600  # characters; a longer one is a text, which stays evidence
MOST_CLAIMED = 0.6  # of a statement that one claim must cover to stand for it
OF_OWNER: tuple[Category, ...] = ("preference", "person")  # said of nobody else, these are about whose memory it was
SORTS: dict[Category, Sort] = {"decision": "decision", "event": "event", "plan": "commitment"}
SURE = 0.8  # where the other memory does not say


def is_distilled(capture: Capture) -> bool:
    """Whether a capture is a statement that another memory had made to be kept."""
    return bool(_told(capture).get("distilled")) and len(capture.text) <= MOST


def stated(capture: Capture, claims: tuple[Claim, ...], owner: str) -> tuple[Claim, ...]:
    """What a statement claims, filed as it was there and no surer than it was there.

    It is kept as it was stated, unless `claims`, which were read in it, tell nearly all of it.
    """
    category, sure = _category(capture), _confidence(capture)
    if len(claims) > 1:
        return tuple(structs.replace(one, confidence=min(one.confidence, sure)) for one in claims)
    if claims and claims[0].span[1] - claims[0].span[0] >= MOST_CLAIMED * len(capture.text):
        [only] = claims
        return (structs.replace(only, category=category or only.category, confidence=min(only.confidence, sure)),)
    category = category or (claims[0].category if claims else "fact")
    entity = (claims[0].entity if claims else "") or (owner if category in OF_OWNER else "")
    said, span, sort = text.one_line(capture.text), (0, len(capture.text)), SORTS.get(category, "attribute")
    return (Claim(sort, category, "world", said, span, entity=entity, confidence=sure),)


def _told(capture: Capture) -> dict[str, Any]:
    told = capture.detail.get("import")
    return told if isinstance(told, dict) else {}


def _category(capture: Capture) -> Category | None:
    category = _told(capture).get("category")
    return cast("Category", category) if category in CATEGORIES else None


def _confidence(capture: Capture) -> float:
    found = _told(capture).get("confidence")
    return float(found) if isinstance(found, int | float) and 0 <= found <= 1 else SURE
