"""The review queue as it stands in `memory/pending.md`: items to lines and back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal

from msgspec import Struct

from commonplace.model import CATEGORIES, Category, Record, Trust
from commonplace.workspace import parse
from commonplace.workspace.render import one_line, render_annotation

PATH = "memory/pending.md"
HEAD = "# Pending\n\nWhat waits for a yes or no: `commonplace pending` lists it, approves or rejects it.\n"
Reason = Literal["conflict", "doubt", "proposal"]
HEADINGS: dict[Reason, str] = {"conflict": "Conflicts", "doubt": "Doubts", "proposal": "Proposals"}


class Item(Struct, frozen=True):
    """One thing to decide: the text to be kept as `category` about `entity`, why it waits, on what it rests.

    `against` are the records that it contradicts; `record` is the line as it stands, None for one to be written.
    """

    id: str
    text: str
    category: Category
    reason: Reason
    why: str
    entity: str = ""
    sources: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    trust: Trust = "trusted"
    scope: str = ""
    record: Record | None = None


def line_of(item: Item) -> str:
    """An item as its line: `- person, Ana: Ana lives in Bern. (contradicts abc1: …) <!-- … -->`."""
    about = f", {one_line(item.entity)}" if item.entity else ""
    against = f" [against {', '.join(item.against)}]" if item.against else ""
    annotation = render_annotation(
        {
            "id": item.id,
            "origin": "" if item.trust == "trusted" else item.trust,
            "from": item.sources,
            "project": item.scope,
        }
    )
    return f"- {item.category}{about}: {one_line(item.text)} (why: {one_line(item.why)}){against} {annotation}"


def items_of(data: bytes) -> tuple[Item, ...]:
    """The items of the queue as it stands, in order; what a person wrote there besides is no item."""
    return tuple(_items(data))


def _items(data: bytes) -> Iterator[Item]:
    reasons = {heading: reason for reason, heading in HEADINGS.items()}
    for record in parse(PATH, data).records:
        found = _form().fullmatch(" ".join(record.text.split()))
        if not (record.annotated and found and found["category"] in CATEGORIES):
            continue
        yield Item(
            id=record.id,
            text=found["text"],
            category=found["category"],
            reason=reasons.get(record.heading[-1] if record.heading else "", "doubt"),
            why=found["why"],
            entity=found["entity"] or "",
            sources=record.sources,
            against=tuple(filter(None, re.split(r", ?", found["against"] or ""))),
            trust=record.trust,
            scope=record.scope,
            record=record,
        )


@cache
def _form() -> re.Pattern[str]:
    return re.compile(
        r"(?P<category>[a-z]+)(?:, (?P<entity>[^:]{1,120}))?: (?P<text>.+?) \(why: (?P<why>[^)]*)\)"
        r"(?: \[against (?P<against>[a-z0-9, -]+)\])?"
    )
