"""Which calls of a deed are tried: all of them, or a sample that is the same each time and leaves no kind out."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar

Point = tuple[str, int]  # the name of a call, and how many of that name came before it
T = TypeVar("T")


def points(calls: Iterable[str], without: Sequence[str] = ()) -> list[Point]:
    """The calls of a run, each by its name and number."""
    before: Counter[str] = Counter()
    found = []
    for name in calls:
        found.append((name, before[name]))
        before[name] += 1
    return [point for point in found if point[0] not in without]


def sample(items: Sequence[T], many: int, seed: str) -> list[T]:
    """Some of the items in their order, the same for the same seed."""
    if len(items) <= many:
        return list(items)
    chosen = sorted(random.Random(seed).sample(range(len(items)), many))
    return [items[at] for at in chosen]


def sample_points(found: Sequence[Point], many: int, seed: str) -> list[Point]:
    """Some of the points; of each name at least one."""
    chance = random.Random(seed)
    names = sorted({name for name, _at in found})
    firsts = [chance.choice([point for point in found if point[0] == name]) for name in names]
    rest = [point for point in found if point not in firsts]
    return [*firsts, *sample(rest, max(0, many - len(firsts)), seed)]
