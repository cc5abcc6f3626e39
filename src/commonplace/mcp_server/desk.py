"""Ask a worker from an event loop: a question whose caller goes away is cancelled; long work is reported."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import anyio
from anyio.lowlevel import current_token
from anyio.to_thread import run_sync

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from commonplace.mcp_server.progress import Progress
    from commonplace.operations.worker import Worker
    from commonplace.shapes import Json

    Report = Callable[[float, float], Awaitable[None]]

MOST_AT_WORK = 4  # questions of a client who takes his answers one after another: they may be long
LOOK_S = 1.0


class Desk:
    """Takes questions from requests to the worker and answers back.

    With `has_room`, which waits for so many seconds at most, there is one client, and nothing is begun for it while its
    answers find no room.
    """

    def __init__(self, worker: Worker, progress: Progress, has_room: Callable[[float], bool] | None = None) -> None:
        self._worker, self._progress, self._has_room = worker, progress, has_room
        self._turns = anyio.CapacityLimiter(MOST_AT_WORK if has_room else math.inf)

    async def ask(self, name: str, params: Json, report: Report) -> Json:
        """The answer of an operation. Raises CommonplaceError; a cancelled caller stops the work.

        `report` is told how many of how many files were read, where that takes long.
        """
        async with self._turns:
            while self._has_room and not self._has_room(0):
                await run_sync(self._has_room, LOOK_S, abandon_on_cancel=True)
            return await self._answered(name, params, report)

    async def _answered(self, name: str, params: Json, report: Report) -> Json:
        waiter = _Waiter()
        job = self._worker.submit(name, params)
        job.when_done(lambda _job: waiter.wake())
        try:
            with self._progress.heard_by(waiter.hear):
                while not job.is_done:
                    await waiter.woken()
                    if waiter.news is not None:
                        news, waiter.news = waiter.news, None
                        await report(*news)
        finally:
            self._worker.cancel(job)  # of one that is done this does nothing
        try:
            return job.result(0)
        finally:
            del job  # an error holds this frame


class _Waiter:
    """Waits in the event loop for what other threads do."""

    def __init__(self) -> None:
        self._loop: Any = current_token().native_token
        self._event = anyio.Event()
        self.news: tuple[int, int] | None = None

    def hear(self, done: int, total: int) -> None:
        """From any thread: so much of so much is done."""
        self.news = (done, total)
        self.wake()

    def wake(self) -> None:
        """From any thread."""
        with suppress(RuntimeError):  # the loop has ended, so nobody waits
            self._loop.call_soon_threadsafe(self._rouse)

    async def woken(self) -> None:
        """Until the next call of `wake`."""
        await self._event.wait()
        self._event = anyio.Event()

    def _rouse(self) -> None:
        self._event.set()
