"""Decide when something was said, and which of two lines was said later."""

from __future__ import annotations

from msgspec import Struct

from commonplace.model import Record


class SaidOrder(Struct, frozen=True, gc=False):
    """When something was said: an ISO date or minute, empty if unknown, and the path and line where it stands.

    `is_journal` is true of captures and of what was made of them, whose places are those of the capture; `is_latest` if
    it may have been said at any time until then: a line without a date that was there on that day.
    """

    time: str = ""
    path: str = ""
    line: int = 0
    is_journal: bool = False
    is_latest: bool = False


def said_order(record: Record, source: Record | None = None, recorded: str = "") -> SaidOrder:
    """The order of a record; `source` is the newest capture behind it, `recorded` when the ledger first knew it."""
    if source is not None or record.is_evidence:
        said = source or record
        return SaidOrder(said.time, said.source.path, said.source.line_start, is_journal=True)
    is_seen = not record.time and len(recorded) == len("2025-11-27")  # the ledger has minutes of what it wrote itself
    return SaidOrder(record.time or recorded, record.source.path, record.source.line_start, is_latest=is_seen)


def is_said_later(order: SaidOrder, other: SaidOrder) -> bool:
    """Whether what has this order was said after the `other`; false both ways where that is not known."""
    if order.is_latest and not other.is_latest:
        return False
    length = min(len(order.time), len(other.time))
    if order.time[:length] != other.time[:length]:
        return bool(length) and order.time > other.time
    if order.path == other.path:
        return order.line > other.line
    return (
        bool(length) and order.is_journal and other.is_journal and (order.time, order.path) > (other.time, other.path)
    )
