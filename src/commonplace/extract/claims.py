"""The claims that extraction returns, and the statements and drafts that its steps hand on."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from commonplace.model import Category, Kind

ClaimType = Literal[
    "remember", "preference", "decision", "correction", "commitment", "relation", "attribute", "event", "error_fix",
    "dead_end", "opinion",
]  # fmt: skip


class Claim(Struct, frozen=True):
    """One thing that a text says and that is worth keeping.

    `text` is a sentence of its own that quotes the source or rewrites it minimally; `span` holds the exact characters
    of the source it rests on; `entity`, `attribute` and `value` are the triple, where there is one; `valid_from` and
    `valid_to` are ISO days, both inclusive; `corrects` are the words that a correction puts right, if it names them.
    """

    claim_type: ClaimType
    category: Category
    kind: Kind
    text: str
    span: tuple[int, int]
    entity: str = ""
    attribute: str = ""
    value: str = ""
    entities: tuple[str, ...] = ()
    confidence: float = 0.8
    valid_from: str = ""
    valid_to: str = ""
    corrects: str = ""


class Statement(Struct, frozen=True):
    """A span of the source that may contain a claim: `text` is the source from `start`, `low` the same in lower case
    with plain apostrophes and without the ends of placeholders, character for character; `stop` is the punctuation mark
    that ended it in the source."""

    text: str
    low: str
    start: int
    stop: str = ""


class ClaimDraft(Struct, frozen=True):
    """A claim before it is written out; `start` and `end` count in the statement's text."""

    claim_type: ClaimType
    category: Category
    start: int
    end: int
    entity: str = ""
    attribute: str = ""
    value: str = ""
    confidence: float = 0.8
    corrects: str = ""


_CLAIM_TYPES: dict[Category, ClaimType] = {
    "lesson": "error_fix", "decision": "decision", "plan": "commitment", "preference": "preference", "event": "event",
}  # fmt: skip


def claim_type_of_category(category: Category) -> ClaimType:
    """The kind of a claim of which only the category is known."""
    return _CLAIM_TYPES.get(category, "attribute")
