"""`mcp`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from commonplace.cli.opening import open_memory
from commonplace.cli.options import at_least
from commonplace.cli.serving import log, never_wait_for_readers_of_the_log, take_over
from commonplace.errors import CommonplaceError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from commonplace.mcp_server import Progress
    from commonplace.memory import Memory

CLOSING_S = 20.0  # for what was begun, when it is to end


def mcp_arguments(parser: ArgumentParser) -> None:
    """Arguments of `mcp`."""
    parser.add_argument(
        "--http", type=at_least(0), default=None, metavar="PORT", help="streamable HTTP on loopback; 0 takes any port"
    )
    parser.add_argument(
        "--allow-decisions", action="store_true", help="offer the tool that approves, rejects and takes back too"
    )


def mcp_run(options: Namespace) -> int:
    """Serve until the client hangs up, or until a signal."""
    from commonplace.mcp_server import Progress, Where, require, serve_http, serve_stdio
    from commonplace.operations.worker import Worker

    require()
    never_wait_for_readers_of_the_log()
    progress = Progress()
    memory = _opened(options, progress)
    folder = f"{memory.around.state_home}/commonplace"
    worker = Worker(memory, say=log)
    is_taken = True
    if options.http is None:
        is_taken = serve_stdio(worker, progress, take_over(), decisions=options.allow_decisions)
    else:
        serve_http(worker, progress, Where(options.http, folder, log), decisions=options.allow_decisions)
    if worker.close(CLOSING_S) and is_taken:
        return 0
    os._exit(1)  # threads that do not come to an end must not keep the process


def _opened(options: Namespace, progress: Progress) -> Memory:
    try:
        return open_memory(options, progress)
    except CommonplaceError as error:
        if options.http is None:
            from commonplace.mcp_server import refuse

            refuse(error, take_over())
        raise
