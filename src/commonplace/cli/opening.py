"""Open the workspace that the options or the environment name, and speak about long work on a terminal."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from commonplace import config
from commonplace.cli.streams import is_text, say
from commonplace.errors import WorkspaceUnusable
from commonplace.memory import Memory

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

STEP = 250  # files between two signs of life


def open_memory(options: Namespace, progress: Callable[[int, int], None] | None = None) -> Memory:
    """The workspace of `--workspace`, COMMONPLACE_WORKSPACE or the default place; a terminal shows the progress.

    What is waited for, where that takes long, is said on standard error.
    """
    memory = Memory.open(options.workspace, progress=progress or (_progress if sys.stderr.isatty() else None))
    memory.tell = _tell
    refuse_odd(memory.root)
    return memory


def refuse_odd(folder: str) -> None:
    """Raise WorkspaceUnusable for a name that could not be printed, nor written into any configuration."""
    if not is_text(folder):
        raise WorkspaceUnusable(folder, "its name is not valid UTF-8")


def open_nearby(options: Namespace) -> Memory:
    """The same with the running daemon before it, if there is one: that answers what it can, in the same words."""
    memory = open_memory(options)
    path = config.socket_path(memory.root, memory.around) if memory.around.asks_daemon else ""
    if not path or not os.path.exists(path):
        return memory
    from commonplace.client.nearby import Nearby

    return cast("Memory", Nearby(memory, path))


def _tell(words: str) -> None:
    with suppress(OSError):  # nobody there to read it
        say(f"commonplace: {words}")
        sys.stderr.flush()


def _progress(done: int, total: int) -> None:
    """One line on the terminal that counts up and is wiped at the end."""
    if total < STEP:
        return
    if done >= total:
        sys.stderr.write("\r\x1b[K")
    elif done % STEP == 0:
        bar = "█" * (20 * done // total)
        sys.stderr.write(f"\r{bar:<20} {done} of {total} files")
    sys.stderr.flush()
