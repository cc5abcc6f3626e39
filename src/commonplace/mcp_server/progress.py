"""How far long work is, for whoever waits for it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Hear = Callable[[int, int], None]

STEP = 100  # files between two reports


class Progress:
    """What a memory calls while it reads many files; those who wait are told, on the thread that reads."""

    def __init__(self) -> None:
        self._hearers: tuple[Hear, ...] = ()

    def __call__(self, done: int, total: int) -> None:
        """So many of so many files are read."""
        if total >= STEP and done % STEP == 0:
            for hear in self._hearers:
                hear(done, total)

    @contextmanager
    def heard_by(self, hear: Hear) -> Iterator[None]:
        """Tell somebody for as long as this lasts."""
        self._hearers = (*self._hearers, hear)
        try:
            yield
        finally:
            self._hearers = tuple(one for one in self._hearers if one != hear)
