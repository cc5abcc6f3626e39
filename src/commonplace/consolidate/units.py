"""Captures that were not consolidated yet, as the interactions they belong to."""

from __future__ import annotations

from collections.abc import Container, Iterator
from datetime import datetime, timedelta
from typing import Any, cast

from msgspec import Struct

from commonplace.journal import Entry, Journal
from commonplace.model import ACTORS, TRUSTS, Actor, Capture, CaptureType, Trust
from commonplace.workspace.times import moment

PAUSE_MINUTES = 6 * 60  # after so long a pause something else begins, also within a session
MOST = 80  # captures of one interaction; a longer one goes on in the next

Json = dict[str, Any]


class Unit(Struct, frozen=True):
    """One interaction: captures of one session and scope, in order of time."""

    session: str
    scope: str
    captures: tuple[Capture, ...]

    @property
    def start(self) -> str:
        """When it began: an ISO time."""
        return self.captures[0].ts

    @property
    def day(self) -> str:
        """The day on which it began."""
        return self.start[:10]


def units(journal: Journal, done: Container[str], *, before: str = "") -> tuple[Unit, ...]:
    """The interactions in the journal that are not `done`, oldest first.

    With `before`, an ISO minute, one that went on after it waits for the next time. What stands in Markdown already
    (notes of `retain`) and what its author keeps private is no part of any.
    """
    groups: dict[tuple[str, str], list[Capture]] = {}
    for reading in journal.batches("captures"):
        for entry in reading.entries:
            if entry.fields["id"] not in done and _counts(entry.fields):
                capture = _capture(entry)
                groups.setdefault((capture.session or capture.ts[:10], capture.scope), []).append(capture)
    found = [unit for key, group in groups.items() for unit in _split(key, group)]
    ended = [unit for unit in found if not before or unit.captures[-1].ts < before]
    return tuple(sorted(ended, key=lambda unit: (unit.start, unit.captures[0].id)))


def _counts(fields: Json) -> bool:
    detail = fields.get("detail")
    held_back = isinstance(detail, dict) and (detail.get("kept") or detail.get("private"))
    return not held_back and fields.get("actor") in ACTORS and fields.get("origin") in TRUSTS and bool(fields["ts"])


def _capture(entry: Entry) -> Capture:
    fields = entry.fields
    detail = fields.get("detail")
    return Capture(
        id=fields["id"],
        ts=fields["ts"] if moment(fields["ts"]) else "",
        type=cast("CaptureType", fields.get("type") or "message"),
        actor=cast("Actor", fields["actor"]),
        text=str(fields.get("text") or ""),
        session=str(fields.get("session") or ""),
        agent=str(fields.get("agent") or ""),
        scope=str(fields.get("scope") or ""),
        origin=cast("Trust", fields["origin"]),
        detail=detail if isinstance(detail, dict) else {},
        from_=tuple(str(name) for name in fields.get("from") or ()),
    )


def _split(key: tuple[str, str], group: list[Capture]) -> Iterator[Unit]:
    """A session where it paused for long, or became too long for one episode."""
    session, scope = group[0].session, key[1]
    group = sorted((one for one in group if one.ts), key=lambda one: one.ts)  # stable: equal times as journalled
    start = 0
    for at in range(1, len(group) + 1):
        if at == len(group) or at - start >= MOST or _pause(group[at - 1].ts, group[at].ts):
            yield Unit(session, scope, tuple(group[start:at]))
            start = at


def _pause(earlier: str, later: str) -> bool:
    if earlier[:10] == later[:10] and earlier[11:13] == later[11:13]:
        return False
    return _minute(later) - _minute(earlier) > timedelta(minutes=PAUSE_MINUTES)


def _minute(ts: str) -> datetime:
    return datetime.fromisoformat((moment(ts) + "T00:00")[:16])
