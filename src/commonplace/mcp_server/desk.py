"""Ask a worker from an event loop: a question whose caller goes away is cancelled; long work is reported."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import anyio
from anyio.lowlevel import current_token

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from commonplace.operations.worker import Worker
    from commonplace.shapes import Json

    Report = Callable[[float, float], Awaitable[None]]


class Desk:
    """Takes questions from requests to the worker and answers back."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker

    async def ask(self, name: str, params: Json) -> Json:
        """The answer of an operation. Raises CommonplaceError; a cancelled caller stops the work."""
        job = self._worker.submit(name, params)
        done = anyio.Event()
        loop: Any = current_token().native_token

        def tell(_job: object) -> None:
            with suppress(RuntimeError):  # the loop has ended, so nobody waits
                loop.call_soon_threadsafe(done.set)

        job.when_done(tell)
        try:
            await done.wait()
        finally:
            self._worker.cancel(job)  # of one that is done this does nothing
        return job.result(0)
