"""Which calls of a deed are tried: all of them, or a sample that is the same each time and leaves no kind out."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

Point = tuple[str, int]  # the name of a call, and how many of that name came before it
T = TypeVar("T")
CHANCE = re.compile(r"(?<=/doing/)[0-9a-f]{16}$|(?<=\.)[0-9a-f]{16}(?=\.tmp$)|(?<=sqlite\.)\d+")


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


def state_of(root: Path) -> str:
    """A digest of all that a workspace holds: what is found in one state is found in each that is the same.

    What chance has made of it aside: names of temporary files, the key.
    """
    held = []
    for path in root.rglob("*"):
        if path.is_file() and path.suffix != ".lock" and not path.name.endswith("-shm"):
            name = CHANCE.sub("#", str(path.relative_to(root)))
            data = b"" if name == ".memory/key" else path.read_bytes()
            held.append(f"{name} {path.stat().st_size} {blake2b(data).hexdigest()}")
    return "\n".join(sorted(held))
