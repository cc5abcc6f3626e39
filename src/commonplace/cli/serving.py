"""`serve`."""

from __future__ import annotations

import os
import select
import sys
from contextlib import suppress
from io import RawIOBase, TextIOWrapper
from stat import S_ISFIFO, S_ISSOCK
from threading import RLock
from typing import TYPE_CHECKING, Any

from commonplace.cli.opening import open_memory
from commonplace.cli.streams import say
from commonplace.errors import BadArgument

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from typing_extensions import Buffer

    from commonplace.memory import Memory

PATIENCE_S = 1.0  # for who reads the log of a pipe that is full; once, until there is room
DROPPED = "commonplace: {} lines of this log were dropped, for nobody read it\n"


def serve_arguments(parser: ArgumentParser) -> None:
    """Arguments of `serve`."""
    parser.add_argument("--stdio", action="store_true", help="JSON lines on standard input and output, for one program")
    parser.add_argument("--port", type=int, default=None, help="HTTP on loopback too, at this port; 0 takes any")
    parser.add_argument("--host", default=None, metavar="ADDRESS", help="the loopback address for --port")


def serve_run(options: Namespace) -> int:
    """Serve until there is nobody left to answer."""
    never_wait_for_readers_of_the_log()
    if options.stdio and options.port is not None:
        raise BadArgument("--stdio and --port are two ways to serve", hint="say one of them")
    if options.host is not None and options.port is None:
        raise BadArgument("--host is the address for --port", hint="say --port, too; 0 takes any that is free")
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
    """A descriptor that is not waited for for long where it is a pipe that nobody reads; files and terminals are.

    What finds no room in a pipe is dropped line by line, and counted for whoever reads on.
    """

    def __init__(self, number: int) -> None:
        mode = os.fstat(number).st_mode
        self._number = number
        self._is_pipe = S_ISFIFO(mode) or S_ISSOCK(mode)
        self._is_unread = self._is_cut = False  # the last that was written found no room, and was begun
        self._dropped = 0  # lines
        self._lock = RLock()  # one line at a time; what is collected meanwhile may complain here too

    def writable(self) -> bool:
        """See `io`."""
        return True

    def isatty(self) -> bool:
        """See `io`."""
        return os.isatty(self._number)

    def fileno(self) -> int:
        """See `io`."""
        return self._number

    def write(self, data: Buffer) -> int:
        """See `io`."""
        whole = bytes(data)
        with self._lock, suppress(OSError):  # nobody there to read it
            if self._put(self._before() + whole):
                self._dropped = 0
            else:
                self._dropped += whole.count(b"\n")
        return len(whole)

    def _before(self) -> bytes:
        """What must be told before the next line."""
        note = DROPPED.format(self._dropped) if self._dropped else ""
        return (b"\n" if self._is_cut else b"") + note.encode("ascii")

    def _put(self, whole: bytes) -> bool:
        """Write all of it; False where a pipe has no room."""
        left = whole
        while left and self._has_room():
            left = left[os.write(self._number, left[: select.PIPE_BUF]) :]
            self._is_cut = bool(left)
        return not left

    def _has_room(self) -> bool:
        patience = (0.0 if self._is_unread else PATIENCE_S) if self._is_pipe else None
        self._is_unread = not select.select([], [self._number], [], patience)[1]
        return not self._is_unread


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
