"""Decide which of two lines was said later, which of those of one signature replaces which, and which are twins."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import Struct

from commonplace.index import Relations, Replacement
from commonplace.model import Record
from commonplace.truth.comparison import compare_all
from commonplace.truth.signatures import Statement


class SaidOrder(Struct, frozen=True, gc=False):
    """When something was said: an ISO date or minute, empty if unknown, and the path and line where it stands;
    `is_journal` is true of captures and of what was made of them, at the place of the capture, `is_latest` of a line
    without a date that was there on that day."""

    time: str = ""
    path: str = ""
    line: int = 0
    is_journal: bool = False
    is_latest: bool = False


def said_order(record: Record, source: Record | None = None) -> SaidOrder:
    """The order of a record; `source` is the newest capture behind it."""
    if source is not None or record.is_evidence:
        said = source or record
        return SaidOrder(said.time, said.source.path, said.source.line_start, is_journal=True)
    # The ledger has minutes of what it wrote itself.
    is_seen = not record.time and len(record.recorded) == len("2025-11-27")
    return SaidOrder(record.time or record.recorded, record.source.path, record.source.line_start, is_latest=is_seen)


def is_said_later(order: SaidOrder, other: SaidOrder) -> bool:
    """Whether what has this order was said after the `other`; false both ways where that is not known."""
    if order.is_latest and not other.is_latest:
        return False
    length = min(len(order.time), len(other.time))
    if order.time[:length] != other.time[:length]:
        return bool(length) and order.time > other.time
    if order.path == other.path:
        return order.line > other.line
    are_written = order.is_journal and other.is_journal
    return bool(length) and are_written and (order.time, order.path) > (other.time, other.path)


class ComparedLine(Struct, frozen=True, gc=False):
    """A line of a group: its row in the index, those of its statements that have the signature, when it was said, the
    start that it states, and how much it is trusted. A capture (`is_evidence`) ends no line."""

    row_id: int
    statements: tuple[Statement, ...]
    order: SaidOrder
    valid_from: str = ""
    trust: int = 0
    is_evidence: bool = False


def derive_relations(lines: Sequence[ComparedLine], held_pairs: Collection[frozenset[int]] = ()) -> Relations:
    """The relations among the lines of one signature and one scope, which come in the order of path and place, lines
    before captures. The first later line that is trusted as much replaces one; of `held_pairs` both hold, as twins."""
    ordered = sorted(lines, key=lambda line: (line.order.time, line.order.path, line.order.line))
    replacements: list[Replacement] = []
    twins: set[int] = set()
    for number, older in enumerate(ordered):
        is_replaced = False
        for newer in ordered[number + 1 :]:
            pair = {older.row_id, newer.row_id}
            may_replace = not is_replaced and newer.trust >= older.trust and newer.is_evidence <= older.is_evidence
            may_replace &= any(one.has_cue or one.is_single_valued for one in newer.statements if not one.guard)
            if (not may_replace and pair <= twins) or not is_said_later(newer.order, older.order):
                continue
            compared = compare_all(newer.statements, older.statements)
            if compared.verdict == "twins" or (compared.verdict == "replaces" and pair in held_pairs):
                twins |= pair
            elif compared.verdict == "replaces" and may_replace:
                is_replaced = True
                order = newer.order  # lines of Markdown move in their files, those of journals do not
                order_key = order.time + (f" {order.path} {order.line:09}" if order.is_journal else "")
                since, spans = newer.valid_from or order.time, (compared.old_span, compared.new_span)
                replacements.append(Replacement(older.row_id, newer.row_id, since, order_key, *spans, compared.reason))
    return Relations(tuple(replacements), _order_twins([line for line in ordered if line.row_id in twins]))


def _order_twins(ordered: list[ComparedLine]) -> tuple[tuple[int, ...], ...]:
    """The rows by position: those between which no order is known stand at one; none if all do."""
    positions: list[list[ComparedLine]] = []
    for line in ordered:
        group = [line]
        while positions and not all(is_said_later(now.order, other.order) for now in group for other in positions[-1]):
            group = positions.pop() + group
        positions.append(group)
    return tuple(tuple(line.row_id for line in group) for group in positions) if len(positions) > 1 else ()
