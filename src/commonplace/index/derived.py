"""What ledger lines say, as the index keeps it, and what is derived among lines: which replaces which, and twins."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from commonplace.model import Trust

LedgerRelationOp = Literal[
    "both", "corrected", "delivered", "edited", "origin", "rejected", "seen", "superseded", "supported", "unsupported"
]
LedgerRelation = tuple[str, LedgerRelationOp, str, str]


class LedgerFacts(Struct, frozen=True):
    """Facts from new ledger lines: trust by record id, text digest, or both; moved files, use, intended removals.

    A move is (path, first place, when and where the line stands): of two moves to one path the later by that counts.
    `hidden` are (id of a record or capture, id of the ledger line that forgets it, which of its sentences as a JSON
    list, empty for all), `restored` the ids of such lines that were undone. `relations` are (record id, operation,
    other id or digest of the text, time as an ISO minute or day); of a correction the first is the key of a session,
    and the other the capture that tells it; of what was rejected the digest of its words, and the other the item.
    """

    origins: tuple[tuple[str, Trust], ...] = ()
    moves: tuple[tuple[str, str, str], ...] = ()
    included: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    explained: tuple[str, ...] = ()
    hidden: tuple[tuple[str, str, str], ...] = ()
    restored: tuple[str, ...] = ()
    relations: tuple[LedgerRelation, ...] = ()


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
