"""`serve`."""

from __future__ import annotations

import os
import select
import sys
from contextlib import suppress
from io import RawIOBase, TextIOWrapper
from threading import Lock
from typing import TYPE_CHECKING, Any

from commonplace.cli.opening import open_memory
from commonplace.cli.streams import say
from commonplace.errors import BadArgument

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from typing_extensions import Buffer

    from commonplace.memory import Memory

PIECE = 512  # bytes that every pipe with room for some has room for


def serve_arguments(parser: ArgumentParser) -> None:
    """Arguments of `serve`."""
    parser.add_argument("--stdio", action="store_true", help="JSON lines on standard input and output, for one program")
    parser.add_argument("--port", type=int, default=None, help="HTTP on loopback too, at this port; 0 takes any")
    parser.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help="the loopback address for --port")


def serve_run(options: Namespace) -> int:
    """Serve until there is nobody left to answer."""
    never_wait_for_readers_of_the_log()
    if options.stdio and options.port is not None:
        raise BadArgument("--stdio and --port are two ways to serve", hint="say one of them")
    if options.stdio:
        return _over_stdio(open_memory(options))
    from commonplace.cli.daemon import serve_http

    return serve_http(options, log)


def _over_stdio(memory: Memory) -> int:
    import gc

    from commonplace import __version__
    from commonplace.stdio import Pipes, serve

    incoming, outgoing = take_over()
    gc.enable()  # a command of one answer goes without
    if serve(memory, __version__, Pipes(incoming, outgoing), log):
        return 0
    os._exit(1)  # threads that do not come to an end must not keep the process


def log(text: str) -> None:
    """Lines of a log, on standard error."""
    say(*(f"commonplace: {line}" for line in text.split("\n")))


class Overflowing(RawIOBase):
    """A descriptor that takes what it can at once; the rest is dropped, and so is all when nobody is there to read."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._lock = Lock()  # one piece at a time: the room that is seen must be there still

    def writable(self) -> bool:
        """See `io`."""
        return True

    def fileno(self) -> int:
        """See `io`."""
        return self._number

    def write(self, data: Buffer) -> int:
        """See `io`."""
        whole = bytes(data)
        with self._lock, suppress(OSError):
            for start in range(0, len(whole), PIECE):
                if select.select([], [self._number], [], 0)[1]:
                    os.write(self._number, whole[start : start + PIECE])
        return len(whole)


def never_wait_for_readers_of_the_log() -> None:
    """Who starts a server and never reads its standard error must not hang it once that pipe is full."""
    with suppress(OSError):  # there is none
        raw: Any = Overflowing(sys.stderr.fileno())
        sys.stderr = TextIOWrapper(raw, sys.stderr.encoding, "backslashreplace", write_through=True)


def take_over() -> tuple[int, int]:
    """Standard input and output as descriptors of our own; whatever else is printed goes to standard error from now on.

    They are moved above the three standard ones, which stay taken: no file of the memory can become one of those.
    """
    from fcntl import F_DUPFD_CLOEXEC, fcntl

    silence, end = os.pipe()  # where a standard descriptor is closed these take its place: nothing comes, nobody reads
    if end > 2:
        os.close(end)
    incoming, outgoing = (fcntl(number, F_DUPFD_CLOEXEC, 3) for number in (0, 1))
    os.dup2(silence, 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return incoming, outgoing
