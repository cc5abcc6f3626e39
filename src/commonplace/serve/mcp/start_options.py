"""The options with which the MCP server is started: its tools, a progress reporter, and how HTTP is served."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

ProgressListener = Callable[[int, int], None]
PROGRESS_STEP = 100  # files between two reports


class ProgressReporter:
    """A callback for a memory that reads many files; it calls its listeners on the thread that reads."""

    def __init__(self) -> None:
        self._listeners: tuple[ProgressListener, ...] = ()

    def __call__(self, completed: int, total: int) -> None:
        """Report that `completed` of `total` files have been read."""
        if total >= PROGRESS_STEP and completed % PROGRESS_STEP == 0:
            for hear in self._listeners:
                hear(completed, total)

    @contextmanager
    def listening(self, listener: ProgressListener) -> Iterator[None]:
        """Tell somebody for as long as this lasts."""
        self._listeners = (*self._listeners, listener)
        try:
            yield
        finally:
            self._listeners = tuple(one for one in self._listeners if one != listener)


class ToolOptions(NamedTuple):
    """Which tools are offered: all of them, those that decide for the person; and whether answers are JSON too."""

    all_tools: bool = False
    decisions: bool = False
    structured: bool = False


class HttpEndpoint(NamedTuple):
    """The port (0 takes any), the folder where the token lies, who is told that it has begun, and the scope to which
    the clients are pinned, if they are."""

    port: int
    folder: str
    log: Callable[[str], None]
    scope: str = ""
