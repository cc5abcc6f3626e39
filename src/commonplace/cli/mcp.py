"""`mcp`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from commonplace.cli.opening import open_memory
from commonplace.cli.serving import log, take_over

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

CLOSING_S = 20.0  # for what was begun, when it is to end


def mcp_arguments(parser: ArgumentParser) -> None:
    """Arguments of `mcp`."""
    parser.add_argument(
        "--allow-decisions", action="store_true", help="offer the tool that approves, rejects and takes back too"
    )


def mcp_run(options: Namespace) -> int:
    """Serve until the client hangs up."""
    import gc

    from commonplace.mcp_server import Progress, require, serve_stdio
    from commonplace.operations.worker import Worker

    require()
    progress = Progress()
    worker = Worker(open_memory(options, progress), say=log)
    pipes = take_over()
    gc.enable()  # a command of one answer goes without
    serve_stdio(worker, progress, pipes, decisions=options.allow_decisions)
    if worker.close(CLOSING_S):
        return 0
    sys.stderr.flush()
    os._exit(1)  # threads that do not come to an end must not keep the process
