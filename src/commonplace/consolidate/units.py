"""Captures that were not consolidated yet, as the interactions they belong to."""

from __future__ import annotations

from collections.abc import Container, Iterator
from datetime import datetime, timedelta
from typing import Any, cast

from msgspec import Struct

from commonplace.journal import Journal
from commonplace.model import ACTORS, TRUSTS, Actor, Capture, CaptureType, Trust
from commonplace.workspace.times import moment

PAUSE = timedelta(hours=6)  # after so long a pause something else begins, also within a session
MOST = 80  # captures of one interaction; a longer one goes on in the next
DAY = len("2025-11-27")

Json = dict[str, Any]
Key = tuple[str, str, str]  # session, day of what belongs to none, scope


class Unit(Struct, frozen=True):
    """One interaction: captures of one session and scope, in order of time."""

    session: str
    scope: str
    captures: tuple[Capture, ...]

    @property
    def start(self) -> str:
        """When it began: an ISO time."""
        return self.captures[0].ts


def units(journal: Journal, done: Container[str], *, before: str = "") -> tuple[Unit, ...]:
    """The interactions in the journal that are not `done`, oldest first.

    With `before`, an ISO minute, one that went on after it waits for the next time. What stands in Markdown already
    (notes of `retain`) and what its author keeps private is no part of any.
    """
    groups: dict[Key, list[Capture]] = {}
    for reading in journal.batches("captures"):
        for entry in reading.entries:
            if entry.fields["id"] not in done and _counts(entry.fields):
                capture = _capture(entry.fields)
                groups.setdefault(_key(capture), []).append(capture)
    found = [unit for group in groups.values() for unit in _split(group)]
    ended = [unit for unit in found if not before or unit.captures[-1].ts < before]
    return tuple(sorted(ended, key=lambda unit: (unit.start, unit.captures[0].id)))


def whole_sessions(journal: Journal, sessions: Container[str]) -> list[Capture]:
    """All captures of some sessions as they were journalled, also those that are done."""
    found = (entry.fields for reading in journal.batches("captures") for entry in reading.entries)
    return [_capture(fields) for fields in found if fields.get("session") in sessions and _counts(fields)]


def _counts(fields: Json) -> bool:
    """Whether a line is a capture that may be learned from; what cannot be read as one is passed over."""
    detail = fields.get("detail")
    held_back = isinstance(detail, dict) and (detail.get("kept") or detail.get("private"))
    dated = len(moment(fields["ts"])) >= DAY
    return dated and not held_back and fields.get("actor") in ACTORS and fields.get("origin") in TRUSTS


def _capture(fields: Json) -> Capture:
    detail, sources = fields.get("detail"), fields.get("from")
    return Capture(
        id=fields["id"],
        ts=fields["ts"],
        type=cast("CaptureType", fields.get("type") or "message"),
        actor=cast("Actor", fields["actor"]),
        text=str(fields.get("text") or ""),
        session=str(fields.get("session") or ""),
        agent=str(fields.get("agent") or ""),
        scope=str(fields.get("scope") or ""),
        origin=cast("Trust", fields["origin"]),
        detail=detail if isinstance(detail, dict) else {},
        from_=tuple(map(str, sources)) if isinstance(sources, list) else (),
    )


def _key(capture: Capture) -> Key:
    return capture.session, "" if capture.session else capture.ts[:DAY], capture.scope


def _split(group: list[Capture]) -> Iterator[Unit]:
    """A session where it paused for long, or became too long for one episode."""
    group = sorted(group, key=lambda one: one.ts)  # stable: equal times as journalled
    start = 0
    for at in range(1, len(group) + 1):
        if at == len(group) or at - start >= MOST or _pause(group[at - 1].ts, group[at].ts):
            yield Unit(group[0].session, group[0].scope, tuple(group[start:at]))
            start = at


def _pause(earlier: str, later: str) -> bool:
    if earlier[:13] == later[:13]:  # within an hour, as nearly always
        return False
    return _minute(later) - _minute(earlier) > PAUSE


def _minute(ts: str) -> datetime:
    return datetime.fromisoformat((moment(ts) + "T00:00")[:16])
