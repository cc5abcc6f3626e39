"""Requests in progress: submitted to the worker, cancelled with their caller, and bounded in total size."""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import anyio
from anyio.lowlevel import current_token
from anyio.to_thread import run_sync

from commonplace.serve.dispatch import Worker
from commonplace.serve.mcp.start_options import ProgressReporter
from commonplace.shapes import Json

Report = Callable[[float, float], Awaitable[None]]
MAX_CONCURRENT = 4  # questions of a client who takes his answers one after another: they may be long
ROOM_WAIT_S = 1.0


class AsyncDispatcher:
    """Takes questions from requests to the worker and answers back.

    With `has_room`, which waits for so many seconds at most, there is one client, and nothing is begun for it while its
    answers find no room.
    """

    def __init__(
        self, worker: Worker, progress: ProgressReporter, has_room: Callable[[float], bool] | None = None
    ) -> None:
        self._worker, self._progress, self._has_room = worker, progress, has_room
        self._slots = anyio.CapacityLimiter(MAX_CONCURRENT if has_room else math.inf)

    async def ask(self, name: str, arguments: Json, report: Report) -> Json:
        """The answer of an operation. Raises CommonplaceError; a cancelled caller stops the work.

        `report` is told how many of how many files were read, where that takes long.
        """
        async with self._slots:
            while self._has_room and not self._has_room(0):
                await run_sync(self._has_room, ROOM_WAIT_S, abandon_on_cancel=True)
            return await self._run_operation(name, arguments, report)

    async def _run_operation(self, name: str, arguments: Json, report: Report) -> Json:
        waiter = _LoopWaiter()
        job = self._worker.submit(name, arguments)
        job.when_done(lambda _job: waiter.wake())
        try:
            with self._progress.listening(waiter.set_progress):
                while not job.is_done:
                    await waiter.wait()
                    if waiter.progress is not None:
                        news, waiter.progress = waiter.progress, None
                        await report(*news)
        finally:
            self._worker.cancel(job)  # of one that is done this does nothing
        try:
            return job.result(0)
        finally:
            del job  # an error holds this frame


class _LoopWaiter:
    """Waits in the event loop for the work of other threads."""

    def __init__(self) -> None:
        self._loop: Any = current_token().native_token
        self._event = anyio.Event()
        self.progress: tuple[int, int] | None = None

    def set_progress(self, completed: int, total: int) -> None:
        """From any thread: so much of so much is done."""
        self.progress = (completed, total)
        self.wake()

    def wake(self) -> None:
        """From any thread."""
        with suppress(RuntimeError):  # the loop has ended, so nobody waits
            self._loop.call_soon_threadsafe(lambda: self._event.set())

    async def wait(self) -> None:
        """Until the next call of `wake`."""
        await self._event.wait()
        self._event = anyio.Event()


MAX_PENDING_BYTES = 16 << 20  # of requests that are not answered yet, before no more is read
MIN_REQUEST_BYTES = 256 << 10  # bytes that each counts for at least: its answer, which may be long, waits in memory too
ROOM_TIMEOUT_S = 10.0  # in which something must be answered, else what finds no room is refused: a cancel may come next


class PendingRequests:
    """Requests by id. Of two with one id the first is taken to be answered first.

    Where the answers are not taken (`is_client_reading`), it is not for us that nothing is answered: then all have
    patience.
    """

    def __init__(self, is_client_reading: Callable[[], bool] = lambda: True) -> None:
        self._is_client_reading = is_client_reading
        self._sizes: defaultdict[bytes, deque[int]] = defaultdict(deque)
        self._size = 0  # of all, in bytes
        self._is_stuck = False  # for as long as nothing is answered
        self._settled = anyio.Event()

    def __len__(self) -> int:
        return len(self._sizes)

    def add(self, key: bytes, size: int) -> None:
        """This is asked."""
        counted = max(size, MIN_REQUEST_BYTES)
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
        """Wait until a request of this size may be taken in; False if nothing is answered for long."""
        while self._sizes and self._size + max(size, MIN_REQUEST_BYTES) > MAX_PENDING_BYTES:
            if self._is_stuck:
                return False
            self._is_stuck = not await self._next_settled(ROOM_TIMEOUT_S) and self._is_client_reading()
        return True

    async def all_settled(self, timeout_s: float, may_extend: Callable[[], bool]) -> None:
        """Wait until everything is answered, but at most this long after the last answer."""
        with anyio.move_on_after(timeout_s) as waiting:
            while self._sizes:
                await self._next_settled(math.inf)
                if may_extend():
                    waiting.deadline = anyio.current_time() + timeout_s

    async def _next_settled(self, within_s: float) -> bool:
        if self._settled.is_set():
            self._settled = anyio.Event()
        settled = self._settled  # for which others may wait too
        with anyio.move_on_after(within_s):
            await settled.wait()
        return settled.is_set()
