"""What uvicorn and the SDK of MCP have to complain of, as lines of our log."""

from __future__ import annotations

import asyncio
import logging
from traceback import walk_tb
from typing import TYPE_CHECKING

import anyio

from commonplace.operations.failures import traceback_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SOURCES = ("mcp", "sse_starlette", "uvicorn")
ENDED = (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream, asyncio.CancelledError)
OURS = __name__.partition(".")[0]


def hear(say: Callable[[str], None]) -> None:
    """From now on one line is said of what is complained of; of an error that went through us, its traceback too."""
    for name in SOURCES:
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [_Hearer(say)], False


class _Hearer(logging.Handler):
    def __init__(self, say: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._say = say

    def emit(self, record: logging.LogRecord) -> None:
        """See `logging`."""
        said = f"{record.name.partition('.')[0]}: {' '.join(record.getMessage().split())}"
        error = record.exc_info[1] if record.exc_info else None
        if error is None:
            return self._say(said)
        causes = list(_causes(error))
        if all(isinstance(cause, ENDED) for cause in causes):
            return self._say(f"{said}: the session or the connection was ended before the answer was there")
        if any(_went_through_us(cause) for cause in (error, *causes)):
            return self._say(f"{said}\n{traceback_of(error)}")
        return self._say(f"{said}: {'; '.join(map(_told, causes))}")


def _told(cause: BaseException) -> str:
    """Its first line: below it pydantic repeats what was asked or answered, which is nothing for a log."""
    return f"{type(cause).__name__}: {str(cause).partition(chr(10))[0]}"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error, or what a group of them is made of."""
    if not isinstance(error, BaseExceptionGroup):
        yield error
        return
    for one in error.exceptions:
        yield from _causes(one)


def _went_through_us(error: BaseException) -> bool:
    names = (frame.f_globals.get("__name__", "") for frame, _line in walk_tb(error.__traceback__))
    return any(name.partition(".")[0] == OURS for name in names)
