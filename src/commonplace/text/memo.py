"""What was made of short texts already seen: words repeat, so most cost one look-up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

CHARS = 24  # longer texts seldom come twice
Made = TypeVar("Made")


class Memo(dict[str, Made], Generic[Made]):
    """Ask it by `memo[text]`: `make` is called for what was not asked for lately.

    It holds what was asked for lately and what was before that, each of no more than half of `most`; so what comes
    often stays, and a process that lasts does not grow with all that it has ever seen.
    """

    def __init__(self, make: Callable[[str], Made], most: int) -> None:
        super().__init__()
        self._make, self._half = make, most // 2
        self._before: dict[str, Made] = {}

    def __missing__(self, text: str) -> Made:
        before = self._before  # another thread may put another in its place
        made = before[text] if text in before else self._make(text)
        if len(text) <= CHARS:
            if len(self) >= self._half:
                self._before = dict(self)
                self.clear()
            self[text] = made
        return made
