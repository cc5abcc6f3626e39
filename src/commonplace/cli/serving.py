"""`serve`."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from commonplace.cli.opening import open_memory
from commonplace.cli.streams import say
from commonplace.errors import BadArgument

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from commonplace.memory import Memory


def serve_arguments(parser: ArgumentParser) -> None:
    """Arguments of `serve`."""
    parser.add_argument("--stdio", action="store_true", help="JSON lines on standard input and output, for one program")
    parser.add_argument("--port", type=int, default=None, help="HTTP on loopback too, at this port; 0 takes any")
    parser.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help="the loopback address for --port")


def serve_run(options: Namespace) -> int:
    """Serve until there is nobody left to answer."""
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
    """Lines of a log, on standard error; nobody there to read them is no reason to stop serving."""
    with suppress(OSError):
        say(*(f"commonplace: {line}" for line in text.split("\n")))
        sys.stderr.flush()


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
