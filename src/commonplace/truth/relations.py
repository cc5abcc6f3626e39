"""Derive what holds among the lines of one signature: which replaces which, and which are twins, in order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from msgspec import Struct

from commonplace.truth.comparison import compare_statements
from commonplace.truth.order import SaidOrder, is_said_later
from commonplace.truth.statements import Statement


class ComparedLine(Struct, frozen=True, gc=False):
    """A line of a group: its row in the index, those of its statements that have the signature, when it was said."""

    row_id: int
    statements: tuple[Statement, ...]
    order: SaidOrder
    is_talk: bool = False


class Replacement(Struct, frozen=True, gc=False):
    """The row `newer` says that the value of `older` is over `since` an ISO date or minute."""

    older: int
    newer: int
    since: str = ""
    old_value: str = ""
    new_value: str = ""
    reason: str = ""


class Relations(Struct, frozen=True):
    """What holds among lines: replacements (every pair, not only the next), and the rows of twins, oldest first."""

    replacements: tuple[Replacement, ...] = ()
    twins: tuple[int, ...] = ()


def derive_relations(lines: Sequence[ComparedLine]) -> Relations:
    """The relations among the lines of one signature and one scope, in whatever order they are given."""
    replacements: list[Replacement] = []
    twins: dict[int, ComparedLine] = {}
    for one, other in combinations(sorted(lines, key=lambda line: line.row_id), 2):
        if not (is_said_later(one.order, other.order) or is_said_later(other.order, one.order)):
            continue
        newer, older = (one, other) if is_said_later(one.order, other.order) else (other, one)
        for new in newer.statements:
            for old in older.statements:
                compared = compare_statements(new, old)
                spans = compared.old_span, compared.new_span, compared.reason
                if compared.verdict == "replaces":
                    replacements.append(Replacement(older.row_id, newer.row_id, newer.order.time, *spans))
                elif compared.verdict == "twins":
                    twins |= {line.row_id: line for line in (older, newer)}
    return Relations(tuple(replacements), tuple(line.row_id for line in sorted(twins.values(), key=_sort_key)))


def _sort_key(line: ComparedLine) -> tuple[str, str, int, int]:
    return line.order.time, line.order.path, line.order.line, line.row_id
