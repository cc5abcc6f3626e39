"""The memory as an MCP server: over stdio, or as streamable HTTP on loopback; needs the extra `mcp`."""

from __future__ import annotations

import gc
from importlib.util import find_spec
from typing import TYPE_CHECKING

from commonplace.errors import ExtraMissing
from commonplace.mcp_server.progress import Progress
from commonplace.mcp_server.where import Where

if TYPE_CHECKING:
    from commonplace.errors import CommonplaceError
    from commonplace.operations.worker import Worker

__all__ = ["Progress", "Where", "refuse", "require", "serve_http", "serve_stdio"]


def require() -> None:
    """Raises ExtraMissing where the SDK is not installed."""
    if find_spec("mcp") is None:
        raise ExtraMissing("commonplace mcp", "mcp")


def serve_stdio(worker: Worker, progress: Progress, pipes: tuple[int, int], *, decisions: bool = False) -> bool:
    """Answer the client at two descriptors, which it writes to and reads from, until it hangs up.

    The worker's memory tells `progress` how far it is. False where the client did not take the answers. Raises what
    ended the input before its end, such as CommonplaceError where it cannot be read.
    """
    from commonplace.mcp_server.intake import Intake
    from commonplace.mcp_server.opening import Opening
    from commonplace.stdio.outbox import Outbox

    source, sink = pipes
    outbox = Outbox(sink, lambda: None)
    intake = Intake(source, outbox, Opening(decisions=decisions))  # is at work while the SDK is loaded

    import anyio

    from commonplace.mcp_server.desk import Desk
    from commonplace.mcp_server.running import over_stdio

    _look_for_garbage()
    is_taken = anyio.run(over_stdio, Desk(worker, progress, outbox.has_room), intake, outbox, decisions)
    intake.look()
    return is_taken


def refuse(error: CommonplaceError, pipes: tuple[int, int]) -> None:
    """Answer the first request at two descriptors with what keeps the memory from being opened."""
    from commonplace.mcp_server import refusing

    refusing.refuse(error, pipes)


def serve_http(worker: Worker, progress: Progress, where: Where, *, decisions: bool = False) -> None:
    """Answer any number of clients on loopback that show the token, until a signal.

    Raises BadArgument for a port that cannot be had.
    """
    import anyio

    from commonplace.mcp_server.desk import Desk
    from commonplace.mcp_server.loopback import over_http

    _look_for_garbage()
    anyio.run(over_http, Desk(worker, progress), where, decisions)


def _look_for_garbage() -> None:
    """From now on, for a command of one answer goes without; the SDK, which is loaded, is none."""
    gc.freeze()
    gc.enable()
