"""A Filter as a condition on `records` with bound values."""

from __future__ import annotations

from commonplace.index.protocol import Filter

Condition = tuple[str, list[object]]


def condition(only: Filter) -> Condition:
    """SQL after `where` (never empty) and the values to bind; columns are those of `records`."""
    parts: list[Condition] = [
        _one_of("kind", only.kinds),
        _one_of("category", only.categories),
        _one_of("trust", only.trusts),
        ("", []) if only.scopes is None else _one_of("scope", only.scopes),
        _known_and_held(only.as_of) if only.as_of else ("", []) if only.history else ("superseded_by = ''", []),
        _within(only.since, only.until),
    ]
    kept = [part for part in parts if part[0]]
    return " and ".join(part[0] for part in kept) or "1", [value for part in kept for value in part[1]]


def _one_of(column: str, values: tuple[str, ...]) -> Condition:
    if not values:
        return "", []
    return f"{column} in ({', '.join('?' * len(values))})", list(values)


def _known_and_held(minute: str) -> Condition:
    """Recorded by then, valid then, and not yet replaced by something recorded by then."""
    held = "(time = '' or time <= ?) and (starts = '' or starts <= ?) and (ends = '' or ends >= ?)"
    current = """(superseded_by = '' or exists (
        select 1 from records as later where later.id = records.superseded_by and later.time > ?))"""
    return f"{held} and {current}", [minute] * 4


def _within(since: str, until: str) -> Condition:
    """Recorded in the stretch, or holding in part of it."""
    if not since and not until:
        return "", []
    bottom, top = since or "0", until or "9999"
    return (
        "((time >= ? and time < ?) or (starts <> '' and starts < ? and ends >= ?))",
        [bottom.removesuffix("T00:00"), top.removesuffix("T00:00"), top, bottom],
    )
