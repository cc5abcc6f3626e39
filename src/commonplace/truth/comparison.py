"""Compare a new statement with an old one."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from commonplace.truth.statements import SlotType, Statement

Verdict = Literal["same", "enriches", "replaces", "twins", "conflicts", "independent"]


class Comparison(Struct, frozen=True):
    """The relation of a new statement to an old one, the reason for it, and the two spans that differ."""

    verdict: Verdict
    reason: str
    new_span: str = ""
    old_span: str = ""
    slot: SlotType | Literal[""] = ""


def compare_statements(new: Statement, old: Statement) -> Comparison:
    """The relation of the new statement to the old one."""
    return Comparison("same" if new.text == old.text else "independent", "text")
