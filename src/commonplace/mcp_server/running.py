"""Run the server over a transport."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from mcp.server.stdio import stdio_server

from commonplace.mcp_server.building import build
from commonplace.mcp_server.wire import Wire

if TYPE_CHECKING:
    import anyio

    from commonplace.mcp_server.desk import Desk
    from commonplace.mcp_server.intake import Intake
    from commonplace.stdio.outbox import Outbox


async def over_stdio(desk: Desk, intake: Intake, outbox: Outbox, decisions: bool) -> bool:
    """The one client that the intake hears, until it hangs up and everything that it asked is answered.

    False where it did not take the answers.
    """
    server = build(desk, decisions=decisions)
    wire = Wire(intake, outbox)
    streams = cast("anyio.AsyncFile[str]", wire)  # the transport reads its lines, writes and flushes
    async with stdio_server(streams, streams) as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
    return wire.close()
