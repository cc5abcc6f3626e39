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


def claim_of(capture: Capture, claims: tuple[Claim, ...], owner: str) -> Claim | None:
    """The statement as one claim, filed as it was there; None if what it claims is better told claim by claim."""
    category = _category(capture)
    if len(claims) > 1:
        return None
    if claims and claims[0].span[1] - claims[0].span[0] >= MOST_CLAIMED * len(capture.text):
        return None if category is None or claims[0].category == category else _filed(claims[0], category)
    said = text.one_line(capture.text)
    category = category or (claims[0].category if claims else "fact")
    entity = (claims[0].entity if claims else "") or (owner if category in OF_OWNER else "")
    sort = SORTS.get(category, "attribute")
    return Claim(sort, category, "world", said, (0, len(capture.text)), entity=entity, confidence=_confidence(capture))


def _filed(claim: Claim, category: Category) -> Claim:
    return structs.replace(claim, category=category)


def _told(capture: Capture) -> dict[str, Any]:
    told = capture.detail.get("import")
    return told if isinstance(told, dict) else {}


def _category(capture: Capture) -> Category | None:
    category = _told(capture).get("category")
    return cast("Category", category) if category in CATEGORIES else None


def _confidence(capture: Capture) -> float:
    found = _told(capture).get("confidence")
    return float(found) if isinstance(found, int | float) and 0 <= found <= 1 else SURE
