"""What ledger lines say, as the index keeps it."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from commonplace.model import Trust

LedgerRelationOp = Literal[
    "both", "corrected", "delivered", "edited", "origin", "seen", "superseded", "supported", "unsupported"
]
LedgerRelation = tuple[str, LedgerRelationOp, str, str]


class LedgerFacts(Struct, frozen=True):
    """Facts from new ledger lines: trust by record id, text digest, or both; moved files, use, intended removals.

    A move is (path, first place, when and where the line stands): of two moves to one path the later by that counts.
    `hidden` are (id of a record or capture, id of the ledger line that forgets it, which of its sentences as a JSON
    list, empty for all), `restored` the ids of such lines that were undone. `relations` are (record id, operation,
    other id or digest of the text, time as an ISO minute or day); of a correction the first is the key of a session,
    and the other the capture that tells it.
    """

    origins: tuple[tuple[str, Trust], ...] = ()
    moves: tuple[tuple[str, str, str], ...] = ()
    included: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    explained: tuple[str, ...] = ()
    hidden: tuple[tuple[str, str, str], ...] = ()
    restored: tuple[str, ...] = ()
    relations: tuple[LedgerRelation, ...] = ()
