"""A memory that cannot be opened: the client hears why in answer to the first thing that it asks."""

from __future__ import annotations

import os
import select
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from commonplace.mcp_server.guarding import guarded
from commonplace.mcp_server.intake import MOST_LINE, PIECE
from commonplace.mcp_server.opening import number_of
from commonplace.mcp_server.wording import told
from commonplace.shapes import error_json
from commonplace.stdio.lines import Lines

if TYPE_CHECKING:
    from commonplace.errors import CommonplaceError

INTERNAL_ERROR = -32603
ASKS_S = 2.0  # a client greets at once; who says nothing reads the log


def refuse(error: CommonplaceError, pipes: tuple[int, int]) -> None:
    """Answer the first request that comes soon with the error; to a person at a terminal nothing is answered."""
    source, sink = pipes
    with suppress(OSError):  # nobody there: the log tells of the error too
        number = None if os.isatty(source) else _asked(source)
        if number is not None:
            said = {"code": INTERNAL_ERROR, "message": told(error), "data": guarded(error_json(error))}
            os.write(sink, msgspec.json.encode({"jsonrpc": "2.0", "id": number, "error": said}) + b"\n")


def _asked(source: int) -> int | str | None:
    """The id of the first request; None where nothing is asked in time."""
    lines, until, piece = Lines(MOST_LINE), time.monotonic() + ASKS_S, b"-"
    while piece and select.select([source], [], [], max(0.0, until - time.monotonic()))[0]:
        piece = os.read(source, PIECE)
        for line in lines.feed(piece) if piece else lines.finish():
            number = number_of(line if isinstance(line, bytes) else line.outermost())
            if number is not None:
                return number
    return None
