"""Open the workspace that the options or the environment name, directly or through the running daemon."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from commonplace.cli.streams import is_encodable, print_messages
from commonplace.errors import WorkspaceUnusable
from commonplace.memory import Memory
from commonplace.storage import config

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable
PROGRESS_STEP = 250  # files between two signs of life
BAR_WIDTH = 20  # characters


def open_memory(options: Namespace, progress: Callable[[int, int], None] | None = None) -> Memory:
    """The workspace of `--workspace`, COMMONPLACE_WORKSPACE or the default place; a terminal shows the progress.

    What is waited for, where that takes long, is said on standard error.
    """
    memory = Memory.open(
        options.workspace, progress=progress or (progress_line("files", PROGRESS_STEP) if sys.stderr.isatty() else None)
    )
    memory.workspace.report_wait = _print_wait_notice
    check_folder_name(memory.root)
    return memory


def check_folder_name(folder: str) -> None:
    """Raise WorkspaceUnusable for a name that could not be printed, nor written into any configuration."""
    if not is_encodable(folder):
        raise WorkspaceUnusable(folder, "its name is not valid UTF-8")


def open_memory_or_daemon(options: Namespace) -> Memory:
    """The same with the running daemon before it, if there is one: that answers what it can, in the same words."""
    memory = open_memory(options)
    path = config.socket_path(memory.root, memory.environment) if memory.environment.asks_daemon else ""
    if not path or not os.path.exists(path):
        return memory
    from commonplace.serve.client import DaemonMemory

    return cast("Memory", DaemonMemory(memory, path))


def _print_wait_notice(message: str) -> None:
    with suppress(OSError):  # nobody there to read it
        print_messages(f"commonplace: {message}")
        sys.stderr.flush()


def progress_line(unit: str, step: int = 1) -> Callable[[int, int], None]:
    """Shows one line on the terminal that counts up in steps and is wiped at the end; nothing for less than a step."""

    def show(completed: int, total: int) -> None:
        if total < step:
            return
        if completed >= total:
            sys.stderr.write("\r\x1b[K")
        elif completed % step == 0:
            bar = "█" * (BAR_WIDTH * completed // total)
            sys.stderr.write(f"\r{bar:<{BAR_WIDTH}} {completed} of {total} {unit}")
        sys.stderr.flush()

    return show
