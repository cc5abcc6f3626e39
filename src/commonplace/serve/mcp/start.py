"""Starts the MCP server over stdio or over HTTP on loopback; needs the extra `mcp`."""

from __future__ import annotations

import gc
import os
import select
import time
from contextlib import suppress
from importlib.util import find_spec

import msgspec

from commonplace.errors import CommonplaceError, ExtraMissing
from commonplace.serve.dispatch import Worker
from commonplace.serve.mcp.start_options import HttpEndpoint, ProgressReporter, ToolOptions
from commonplace.shapes import problem_json

INTERNAL_ERROR = -32603
FIRST_REQUEST_TIMEOUT_S = 2.0  # a client greets at once; who says nothing reads the log


def require_mcp_sdk() -> None:
    """Raises ExtraMissing where the SDK is not installed."""
    if find_spec("mcp") is None:
        raise ExtraMissing("commonplace mcp", "mcp")


def serve_mcp_stdio(
    worker: Worker, progress: ProgressReporter, pipes: tuple[int, int], tool_options: ToolOptions
) -> bool:
    """Answer the client at two descriptors, which it writes to and reads from, until it hangs up.

    The worker's memory tells `progress` how far it is. False where the client did not take the answers. Raises what
    ended the input before its end, such as CommonplaceError where it cannot be read.
    """
    from commonplace.serve.mcp.handshake import Handshake, StdinReader
    from commonplace.serve.stdio import Outbox

    source, sink = pipes
    outbox = Outbox(sink, lambda: None)
    intake = StdinReader(source, outbox, Handshake(tool_options))  # is at work while the SDK is loaded

    import anyio

    from commonplace.serve.mcp.pending_requests import AsyncDispatcher
    from commonplace.serve.mcp.stdio_transport import run_over_stdio

    _enable_garbage_collection()
    dispatcher = AsyncDispatcher(worker, progress, outbox.has_room)
    is_taken = anyio.run(run_over_stdio, dispatcher, intake, outbox, tool_options)
    intake.raise_failure()
    return is_taken


def refuse_first_request(error: CommonplaceError, pipes: tuple[int, int]) -> None:
    """Answer the first request that comes soon at two descriptors with what keeps the memory from being opened.

    To a person at a terminal nothing is answered.
    """
    from commonplace.serve.mcp.output_schemas import lean_answer
    from commonplace.serve.mcp.rendering import error_text

    source, sink = pipes
    with suppress(OSError):  # nobody there: the log tells of the error too
        number = None if os.isatty(source) else _first_request_id(source)
        if number is not None:
            told = {"code": INTERNAL_ERROR, "message": error_text(error), "data": lean_answer(problem_json(error))}
            os.write(sink, msgspec.json.encode({"jsonrpc": "2.0", "id": number, "error": told}) + b"\n")


def _first_request_id(source: int) -> int | str | None:
    """The id of the first request; None if nothing is asked in time."""
    from commonplace.serve.mcp.handshake import MAX_MESSAGE_BYTES, READ_BYTES, request_id_of
    from commonplace.serve.stdio import LineSplitter

    lines, until, piece = LineSplitter(MAX_MESSAGE_BYTES), time.monotonic() + FIRST_REQUEST_TIMEOUT_S, b"-"
    while piece and select.select([source], [], [], max(0.0, until - time.monotonic()))[0]:
        piece = os.read(source, READ_BYTES)
        for line in lines.feed(piece) if piece else lines.finish():
            number = request_id_of(line if isinstance(line, bytes) else line.outer_members())
            if number is not None:
                return number
    return None


def serve_mcp_http(
    worker: Worker, progress: ProgressReporter, endpoint: HttpEndpoint, tool_options: ToolOptions
) -> None:
    """Answer any number of clients on loopback that show the token, until a signal.

    Raises BadArgument for a port that cannot be had.
    """
    import anyio

    from commonplace.serve.mcp.http_transport import run_over_http
    from commonplace.serve.mcp.pending_requests import AsyncDispatcher

    _enable_garbage_collection()
    anyio.run(run_over_http, AsyncDispatcher(worker, progress), endpoint, tool_options)


def _enable_garbage_collection() -> None:
    """Enable garbage collection, which is off for commands with a single answer; the SDK itself stays exempt."""
    gc.freeze()
    gc.enable()
