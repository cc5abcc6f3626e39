"""Explain a receipt to a person: what went into the pack, what did not, and the arithmetic of one record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from commonplace.errors import NotFound
from commonplace.model import Considered, Receipt, Record
from commonplace.pack.lines import GAP
from commonplace.pack.quoting import quoted
from commonplace.recall.score import arithmetic
from commonplace.text import one_line

EXCERPT = 90  # characters of a record's text
MOST_OUT = 20  # records left out that are listed; the rest is counted

Lookup = Callable[[str], Record | None]


def explain(receipt: Receipt, record_id: str | None, lookup: Lookup) -> str:
    """Lines for a person; of one record where `record_id` is given (raises NotFound if it was not considered).

    `lookup` finds the record of an id as it stands today, for its text: the receipt has none.
    """
    if record_id is None:
        return "\n".join((_summary(receipt), *_inside(receipt, lookup), *_outside(receipt, lookup)))
    found = next((one for one in receipt.considered if one.record_id == record_id), None)
    if found is None:
        near = tuple(one.record_id for one in receipt.considered if one.record_id.startswith(record_id[:3]))
        raise NotFound(f"record in receipt {receipt.id}", record_id, near[:3])
    return "\n".join(
        (_head(found, lookup), f"  {_excerpt(found, lookup)}", f"  {_outcome(found)}", *_arithmetic(found))
    )


def _summary(receipt: Receipt) -> str:
    inside = sum(one.included for one in receipt.considered)
    asked = f" for {one_line(receipt.query)!r}" if receipt.query else ""
    searched = f"; found by {', '.join(receipt.lanes)}" if receipt.lanes else ""
    return (
        f"{receipt.id} of {receipt.ts}{asked}: {receipt.tokens} of {receipt.budget_tokens} tokens, "
        f"{inside} in, {len(receipt.considered) - inside} out{searched}"
    )


def _inside(receipt: Receipt, lookup: Lookup) -> list[str]:
    taken = [one for one in receipt.considered if one.included]
    lines = [
        line for one in taken for line in (f"  {_head(one, lookup)}  {_outcome(one)}", f"      {_excerpt(one, lookup)}")
    ]
    return ["in", *lines] if lines else ["in: nothing"]


def _outside(receipt: Receipt, lookup: Lookup) -> list[str]:
    left = [one for one in receipt.considered if not one.included]
    lines = [f"  {_head(one, lookup)}  {_outcome(one)}" for one in left[:MOST_OUT]]
    rest = Counter(one.reason for one in left[MOST_OUT:])
    lines += [f"  and {number} more: {reason}" for reason, number in sorted(rest.items())]
    return ["out", *lines] if lines else []


def _head(one: Considered, lookup: Lookup) -> str:
    """The citation as it was given, and where the record stands by now if that is elsewhere."""
    record = lookup(one.record_id)
    place = record.source.citation if record else one.citation
    moved = f" (now {one_line(place)})" if place != one.citation else ""
    return f"{one_line(one.citation)}{moved}  {one.record_id}"


def _outcome(one: Considered) -> str:
    cost = f", {one.tokens} tokens" if one.included else ""
    score = f", score {one.score:g}" if one.reasons else ""
    return f"{one.reason}{cost}{score}"


def _excerpt(one: Considered, lookup: Lookup) -> str:
    record = lookup(one.record_id)
    if record is None:
        return "(no longer there)"
    text = quoted(one_line(record.text[: 4 * EXCERPT]))
    return text if len(text) <= EXCERPT else text[: EXCERPT - 1].rstrip() + GAP


def _arithmetic(one: Considered) -> list[str]:
    """A sum of what the lanes say, times the factors."""
    if not one.reasons:
        core = one.included and one.reason.startswith("core")
        return ["  always packed, in the order of its file" if core else "  no score: no lane of recall found it"]
    return [f"  {line}" for line in arithmetic(one.reasons, one.score)]
