"""Answers the first MCP request with the error that keeps the workspace from being opened."""

from __future__ import annotations

import os
import select
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from commonplace.serve.mcp.handshake import MAX_MESSAGE_BYTES, READ_BYTES, request_id_of
from commonplace.serve.mcp.rendering import error_text, quote_untrusted
from commonplace.serve.stdio import LineSplitter
from commonplace.shapes import problem_json

if TYPE_CHECKING:
    from commonplace.errors import CommonplaceError
INTERNAL_ERROR = -32603
FIRST_REQUEST_TIMEOUT_S = 2.0  # a client greets at once; who says nothing reads the log


def answer_first_request(error: CommonplaceError, pipes: tuple[int, int]) -> None:
    """Answer the first request that comes soon with the error; to a person at a terminal nothing is answered."""
    source, sink = pipes
    with suppress(OSError):  # nobody there: the log tells of the error too
        number = None if os.isatty(source) else _first_request_id(source)
        if number is not None:
            said = {"code": INTERNAL_ERROR, "message": error_text(error), "data": quote_untrusted(problem_json(error))}
            os.write(sink, msgspec.json.encode({"jsonrpc": "2.0", "id": number, "error": said}) + b"\n")


def _first_request_id(source: int) -> int | str | None:
    """The id of the first request; None where nothing is asked in time."""
    lines, until, piece = LineSplitter(MAX_MESSAGE_BYTES), time.monotonic() + FIRST_REQUEST_TIMEOUT_S, b"-"
    while piece and select.select([source], [], [], max(0.0, until - time.monotonic()))[0]:
        piece = os.read(source, READ_BYTES)
        for line in lines.feed(piece) if piece else lines.finish():
            number = request_id_of(line if isinstance(line, bytes) else line.outer_members())
            if number is not None:
                return number
    return None
