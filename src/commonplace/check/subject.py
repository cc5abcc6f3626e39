"""What is checked: a workspace, its index, and a second index built from nothing for comparison."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from commonplace.index import Index
from commonplace.journal import Journal


class Subject(Struct, frozen=True):
    """A workspace to be checked.

    `rebuilt` gives the canonical dump of an index made anew; `notes` say why the index could not be brought up to date
    just now, and are empty if it was; `index_path` is where it lies.
    """

    root: str
    index: Index
    journal: Journal
    rebuilt: Callable[[], list[str]]
    most_bytes: int
    notes: tuple[str, ...] = ()
    index_path: str = ""
