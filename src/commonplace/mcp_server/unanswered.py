"""The requests that are not answered yet: what they take is bounded, and nobody waits for ever for room."""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Callable

import anyio

MOST_BYTES = 16 << 20  # of requests that are not answered yet, before no more is read
EACH = 256 << 10  # bytes that each counts for at least: its answer, which may be long, waits in memory too
PATIENCE_S = 10.0  # in which something must be answered, else what finds no room is refused: a cancel may come next


class Unanswered:
    """Requests by id. Of two with one id the first is taken to be answered first.

    Where the answers are not taken (`is_taken`), it is not for us that nothing is answered: then all have patience.
    """

    def __init__(self, is_taken: Callable[[], bool] = lambda: True) -> None:
        self._is_taken = is_taken
        self._sizes: defaultdict[bytes, deque[int]] = defaultdict(deque)
        self._size = 0  # of all, in bytes
        self._is_stuck = False  # for as long as nothing is answered
        self._settled = anyio.Event()

    def __len__(self) -> int:
        return len(self._sizes)

    def add(self, key: bytes, size: int) -> None:
        """This is asked."""
        counted = max(size, EACH)
        self._sizes[key].append(counted)
        self._size += counted

    def settle(self, key: bytes) -> None:
        """This is answered, or given up."""
        sizes = self._sizes.pop(key, None)
        if not sizes:
            return
        self._size -= sizes.popleft()
        if sizes:
            self._sizes[key] = sizes
        self._is_stuck = False
        self._settled.set()

    async def has_room(self, size: int) -> bool:
        """Wait until a request of this size may be taken in; False where nothing is answered for long."""
        while self._sizes and self._size + max(size, EACH) > MOST_BYTES:
            if self._is_stuck:
                return False
            self._is_stuck = not await self._next_settled(PATIENCE_S) and self._is_taken()
        return True

    async def all_settled(self, patience_s: float, is_wanted: Callable[[], bool]) -> None:
        """Wait until everything is answered, but no longer than so after the last answer at which more was wanted."""
        with anyio.move_on_after(patience_s) as waiting:
            while self._sizes:
                await self._next_settled(math.inf)
                if is_wanted():
                    waiting.deadline = anyio.current_time() + patience_s

    async def _next_settled(self, within_s: float) -> bool:
        if self._settled.is_set():
            self._settled = anyio.Event()
        settled = self._settled  # for which others may wait too
        with anyio.move_on_after(within_s):
            await settled.wait()
        return settled.is_set()
