"""The review queue as it stands in `memory/pending.md`: items to lines and back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal

from msgspec import Struct

from commonplace.consolidate.past import Statement
from commonplace.model import CATEGORIES, Category, Record, Trust
from commonplace.workspace import parse
from commonplace.workspace.annotations import is_id
from commonplace.workspace.render import one_line, render_annotation

PATH = "memory/pending.md"
HEAD = "# Pending\n\nWhat waits for a yes or no: `commonplace pending` lists it, approves or rejects it.\n"
Reason = Literal["conflict", "doubt", "proposal"]
HEADINGS: dict[Reason, str] = {"conflict": "Conflicts", "doubt": "Doubts", "proposal": "Proposals"}
MOST_ENTITY = 120


class Item(Struct, frozen=True):
    """One thing to decide: the text to be kept as `category` about `entity`, why it waits, on what it rests.

    `against` are the records that it contradicts; `record` is the line as it stands, None for one to be written.
    `states` is what the ledger is told of it, which its line does not say.
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
    importance: float | None = None
    valid_from: str = ""
    valid_to: str = ""
    record: Record | None = None
    states: Statement | None = None


def line_of(item: Item) -> str:
    """An item as its line: `- person, Ana: Ana lives in Bern. (why: not sure: 0.50) [against abc1] <!-- … -->`."""
    entity = " ".join(one_line(item.entity).replace(":", " ").split())[:MOST_ENTITY].strip()
    about = f", {entity}" if entity else ""
    why = one_line(item.why).replace("(", "").replace(")", "")
    against = f" [against {', '.join(item.against)}]" if item.against else ""
    annotation: dict[str, str | float | tuple[str, ...]] = {
        "id": item.id,
        "valid": f"{item.valid_from}..{item.valid_to}" if item.valid_from or item.valid_to else "",
        "origin": "" if item.trust == "trusted" else item.trust,
        "from": item.sources,
        "project": item.scope,
    }
    if item.importance is not None:
        annotation["importance"] = item.importance
    told = f"{item.category}{about}: {one_line(item.text)} (why: {why}){against}"
    return f"- {told} {render_annotation(annotation)}"


def items_of(data: bytes) -> tuple[Item, ...]:
    """The items of the queue as it stands, in order; what a person wrote there besides is no item.

    A person may change their words, move them, or leave out why they wait.
    """
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
            why=found["why"] or "",
            entity=found["entity"] or "",
            sources=record.sources,
            against=tuple(one for one in re.split(r", ?", found["against"] or "") if is_id(one)),
            trust=record.trust,
            scope=record.scope,
            importance=record.importance,
            valid_from=record.valid_from,
            valid_to=record.valid_to,
            record=record,
        )


@cache
def _form() -> re.Pattern[str]:
    return re.compile(
        rf"(?P<category>[a-z]+)(?:, (?P<entity>[^:]{{1,{MOST_ENTITY}}}))?: (?P<text>.+?)(?: \(why: (?P<why>[^()]*)\))?"
        r"(?: \[against (?P<against>[a-z0-9, -]+)\])?"
    )
