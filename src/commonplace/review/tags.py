"""The tags of a notebook: which there are, how often, and where one stands."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from commonplace.errors import NotFound
from commonplace.index import Filter, Index
from commonplace.model import Record
from commonplace.text import fold

NEAR = 3


class Tag(Struct, frozen=True):
    """A tag as it is written most often, the records that bear it, and the files in which they stand."""

    name: str
    records: int
    paths: tuple[str, ...]


def tags(index: Index) -> tuple[Tag, ...]:
    """Every tag, case aside, most borne first."""
    spelled: dict[str, Counter[str]] = {}
    paths: dict[str, dict[str, None]] = {}
    for tag, path in index.tagged():
        key = fold(tag)
        spelled.setdefault(key, Counter())[tag] += 1
        paths.setdefault(key, {})[path] = None
    order = sorted(spelled, key=lambda key: (-spelled[key].total(), key))
    return tuple(
        Tag(spelled[key].most_common(1)[0][0], spelled[key].total(), tuple(sorted(paths[key]))) for key in order
    )


def tagged(index: Index, name: str, at_most: int) -> tuple[Record, ...]:
    """The newest records that bear a tag, case aside. Raises NotFound, which names tags that are near."""
    wanted = fold(name.removeprefix("#"))
    written = {tag for tag, _path in index.tagged()}
    rows = {row for tag in written if fold(tag) == wanted for row in index.bearing(tag)}
    if not rows:
        import difflib

        raise NotFound("tag", name, tuple(difflib.get_close_matches(wanted, sorted(set(map(fold, written))), NEAR)))
    newest = index.newest(index.lengths(rows, Filter(evidence="none")), at_most)
    found = index.fetch(newest)
    return tuple(found[row].record for row in newest)
