"""Run the server over a transport."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from mcp.server.stdio import stdio_server

from commonplace.mcp_server.building import build
from commonplace.mcp_server.wire import Wire

if TYPE_CHECKING:
    import anyio

    from commonplace.mcp_server.desk import Desk


async def over_stdio(desk: Desk, source: int, sink: int, decisions: bool) -> None:
    """One client at the two descriptors, until it hangs up and everything that it asked is answered."""
    server = build(desk, decisions=decisions)
    wire = cast("anyio.AsyncFile[str]", Wire(source, sink))  # the transport reads its lines, writes and flushes
    async with stdio_server(wire, wire) as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
