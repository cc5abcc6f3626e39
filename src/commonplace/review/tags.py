"""The tags of a notebook: which there are, how often, and where one stands."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from commonplace.index import Filter, Index
from commonplace.model import Record
from commonplace.text import fold

EVERY = 1_000_000


class Tag(Struct, frozen=True):
    """A tag, the records that bear it, and the files in which they stand."""

    name: str
    records: int
    paths: tuple[str, ...]


def tags(index: Index) -> tuple[Tag, ...]:
    """Every tag, most borne first."""
    counts: Counter[str] = Counter()
    paths: dict[str, dict[str, None]] = {}
    for tag, path in index.tagged():
        counts[tag] += 1
        paths.setdefault(tag, {})[path] = None
    order = sorted(counts, key=lambda tag: (-counts[tag], tag))
    return tuple(Tag(tag, counts[tag], tuple(paths[tag])) for tag in order)


def tagged(index: Index, name: str, at_most: int) -> tuple[Record, ...]:
    """The newest records that bear a tag (case aside)."""
    wanted = fold(name.removeprefix("#"))
    rows = index.bearing(wanted)
    seen = index.lengths(rows, Filter(evidence="none"))
    return tuple(row.record for row in index.fetch(index.newest(seen, at_most)).values())
