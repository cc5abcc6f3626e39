"""Derive what holds among the lines of one signature: which replaces which, and which are twins, in order."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import Struct

from commonplace.index import Relations, Replacement
from commonplace.truth.comparison import Comparison, compare_statements
from commonplace.truth.order import SaidOrder, is_said_later
from commonplace.truth.statements import Statement


class ComparedLine(Struct, frozen=True, gc=False):
    """A line of a group: its row in the index, those of its statements that have the signature, when it was said.

    `valid_from` is the start that it states; `trust` grows with how much it is trusted. A capture (`is_evidence`) ends
    no line, because evidence does not become true by being there.
    """

    row_id: int
    statements: tuple[Statement, ...]
    order: SaidOrder
    valid_from: str = ""
    trust: int = 0
    is_evidence: bool = False


def derive_relations(lines: Sequence[ComparedLine], held_pairs: Collection[frozenset[int]] = ()) -> Relations:
    """The relations among the lines of one signature and one scope, which come in the order of path and place, lines
    before captures.

    A line is replaced by the first later one that is trusted as much, unless both hold according to `held_pairs`.
    """
    ordered = sorted(lines, key=lambda line: (line.order.time, line.order.path, line.order.line))
    replacements: list[Replacement] = []
    twins: set[int] = set()
    for number, older in enumerate(ordered):
        is_replaced = False
        for newer in ordered[number + 1 :]:
            may_replace = not is_replaced and _may_replace(newer, older)
            may_pair = not {older.row_id, newer.row_id} <= twins
            if not (may_replace or may_pair) or {older.row_id, newer.row_id} in held_pairs:
                continue
            if not is_said_later(newer.order, older.order):
                continue
            compared = _compare_lines(newer, older)
            if compared is None:
                continue
            if compared.verdict == "twins":
                twins |= {older.row_id, newer.row_id}
            elif may_replace:
                is_replaced = True
                order = newer.order  # lines of Markdown move in their files, those of journals do not
                order_key = order.time + (f" {order.path} {order.line:09}" if order.is_journal else "")
                since, spans = newer.valid_from or order.time, (compared.old_span, compared.new_span)
                replacements.append(Replacement(older.row_id, newer.row_id, since, order_key, *spans, compared.reason))
    return Relations(tuple(replacements), _order_twins([line for line in ordered if line.row_id in twins]))


def _may_replace(newer: ComparedLine, older: ComparedLine) -> bool:
    return (
        newer.trust >= older.trust
        and newer.is_evidence <= older.is_evidence
        and any(
            not statement.guard
            and (statement.has_cue or statement.is_single_valued or statement.is_retraction or statement.given_up)
            for statement in newer.statements
        )
    )


def _compare_lines(newer: ComparedLine, older: ComparedLine) -> Comparison | None:
    """The comparison of two statements of these lines by which one line replaces the other, or else is its twin."""
    found: Comparison | None = None
    for new in newer.statements:
        for old in older.statements:
            compared = compare_statements(new, old)
            if compared.verdict == "replaces":
                return compared
            if compared.verdict == "twins":
                found = found or compared
    return found


def _order_twins(ordered: list[ComparedLine]) -> tuple[tuple[int, ...], ...]:
    """The rows by position: those between which no order is known stand at one; none if all do."""
    positions: list[list[ComparedLine]] = []
    for line in ordered:
        group = [line]
        while positions and not all(is_said_later(now.order, other.order) for now in group for other in positions[-1]):
            group = positions.pop() + group
        positions.append(group)
    return tuple(tuple(line.row_id for line in group) for group in positions) if len(positions) > 1 else ()
