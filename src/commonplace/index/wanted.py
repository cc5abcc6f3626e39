"""Which tokens records must hold, as values, and as a query of FTS5."""

from __future__ import annotations

from msgspec import Struct


class All(Struct, frozen=True):
    """Every part is wanted."""

    parts: tuple[Wanted, ...]


class Either(Struct, frozen=True):
    """One part is enough."""

    parts: tuple[Wanted, ...]


Wanted = str | All | Either


def expression(wanted: Wanted) -> str:
    """What FTS5 is asked for; tokens are quoted, so that none of them is an operator."""
    if isinstance(wanted, str):
        return '"' + wanted.replace('"', '""') + '"'
    parts = [expression(part) for part in wanted.parts]
    if len(parts) == 1:
        return parts[0]
    return "(" + (" AND " if isinstance(wanted, All) else " OR ").join(parts) + ")"
