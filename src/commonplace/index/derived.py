"""Values that are derived among lines: which replaces which, and twins in order."""

from __future__ import annotations

from msgspec import Struct


class HiddenPlace(Struct, frozen=True):
    """Where the text of a hidden record or capture stands: path and 1-based lines, both inclusive; `id` is its id."""

    path: str
    first_line: int
    last_line: int
    id: str


class Replacement(Struct, frozen=True, gc=False):
    """The row `newer` gives a new value in place of that of the row `older`, `since` an ISO date or minute.

    `order_key` sorts replacements by when the newer line was said; of equal ones path and place decide.
    """

    older: int
    newer: int
    since: str = ""
    order_key: str = ""
    old_value: str = ""
    new_value: str = ""
    reason: str = ""


class Relations(Struct, frozen=True):
    """What holds among lines: which replaces which, and the rows of twins, oldest first; of the rows at one position it
    is not known which is older."""

    replacements: tuple[Replacement, ...] = ()
    twins: tuple[tuple[int, ...], ...] = ()


class RowRelations(Struct, frozen=True):
    """The relations of one row: what replaces it, what it replaces, and the chains of twins that it is in."""

    replaced_by: tuple[Replacement, ...] = ()
    replaces: tuple[Replacement, ...] = ()
    chains: tuple[tuple[tuple[int, ...], ...], ...] = ()
