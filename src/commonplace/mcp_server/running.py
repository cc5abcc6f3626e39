"""Run the server over a transport."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from mcp.server.stdio import stdio_server

from commonplace.mcp_server.building import build
from commonplace.mcp_server.wire import Wire

if TYPE_CHECKING:
    import anyio

    from commonplace.mcp_server.desk import Desk


async def over_stdio(desk: Desk, source: int, sink: int, decisions: bool) -> bool:
    """One client at the two descriptors, until it hangs up and everything that it asked is answered.

    False where it did not take the answers.
    """
    server = build(desk, decisions=decisions)
    wire = Wire(source, sink)
    streams = cast("anyio.AsyncFile[str]", wire)  # the transport reads its lines, writes and flushes
    async with stdio_server(streams, streams) as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
    return wire.close()
