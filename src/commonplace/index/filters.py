"""A Filter as a condition on `records` with bound values."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import lru_cache

from commonplace.index.protocol import OPEN_END, OPEN_START, Filter
from commonplace.index.sql import RANK

Condition = tuple[str, Sequence[object]]

# Only captures have an actor; beside them, lines that merely repeat them say nothing.
EVIDENCE = {"auto": "retold = 0", "none": "actor = ''", "only": "actor <> ''"}
VOUCHED = "(actor = '' or trust = 'trusted')"


@lru_cache(64)
def condition(only: Filter) -> tuple[str, tuple[object, ...]]:
    """SQL after `where` (never empty) and the values to bind; columns are those of `records`."""
    timed = _within(only.since, only.until, bounded=only.bounded)
    plus = "+" if timed[0] else ""  # keeps SQLite from the index of the usual filters: that of times finds far fewer
    current: Condition = (f"{plus}superseded_by = ''", [])
    parts: list[Condition] = [
        (f"{plus}{EVIDENCE[only.evidence]}", []),
        (VOUCHED if only.vouched else "", []),
        _one_of(f"{plus}kind", only.kinds),
        _one_of(f"{plus}category", only.categories),
        _one_of(f"{plus}trust", only.trusts),
        ("", []) if only.scopes is None else _one_of(f"{plus}scope", only.scopes),
        _known_and_held(only.as_of) if only.as_of else ("", []) if only.history else current,
        timed,
    ]
    kept = [part for part in parts if part[0]]
    return " and ".join(part[0] for part in kept) or "1", tuple([value for part in kept for value in part[1]])


def looks_beyond(where: str) -> bool:
    """Whether a condition looks at other records than the one that it is asked of."""
    return "select" in where


def _one_of(column: str, values: tuple[str, ...]) -> Condition:
    if not values:
        return "", []
    return f"{column} in ({', '.join('?' * len(values))})", list(values)


def _known_and_held(end: str) -> Condition:
    """Recorded before `end`, holding in the minute before it, and not replaced by anything recorded before it."""
    known = end.removesuffix("T00:00")  # or a mere date would count as recorded on the day before
    first_day = end.startswith("0001-01-01")  # before which there is no calendar
    last = end if first_day else (datetime.fromisoformat(end) - timedelta(minutes=1)).isoformat(timespec="minutes")
    held = "(time = '' or time < ?) and (starts = '' or starts < ?) and (ends = '' or ends >= ?)"
    current = f"""not exists (
        select 1 from supersessions join records as later on later.rowid = supersessions.record
        where supersessions.target = records.id and later.id <> records.id
        and iif(later.time = '', later.starts, later.time) < ?
        and {RANK.format("later.trust")} >= {RANK.format("records.trust")})"""  # noqa: S608 - constant columns
    return f"{held} and {current}", [known, end, last, known]


def _within(since: str, until: str, *, bounded: bool) -> Condition:
    """Recorded in the stretch, or holding in part of it; if `bounded`, in all of it only with both ends known."""
    if not since and not until:
        return "", []
    bottom, top = since or "0", until or "9999"
    ends = f" and (starts >= ? or ends <> '{OPEN_END}') and (ends < ? or starts <> '{OPEN_START}')" if bounded else ""
    return (
        f"((time <> '' and time >= ? and time < ?) or (starts <> '' and starts < ? and ends >= ?{ends}))",
        [bottom.removesuffix("T00:00"), top.removesuffix("T00:00"), top, bottom, *([bottom, top] if bounded else [])],
    )
