"""The memory as an MCP server: over stdio, or as streamable HTTP on loopback; needs the extra `mcp`."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from commonplace.errors import ExtraMissing

if TYPE_CHECKING:
    from commonplace.operations.worker import Worker

__all__ = ["require", "serve_stdio"]


def require() -> None:
    """Raises ExtraMissing where the SDK is not installed."""
    if find_spec("mcp") is None:
        raise ExtraMissing("commonplace mcp", "mcp")


def serve_stdio(worker: Worker, source: int, sink: int, *, decisions: bool = False) -> None:
    """Answer the client that writes to the descriptor `source` and reads from `sink`, until it hangs up."""
    import anyio

    from commonplace.mcp_server.running import over_stdio

    anyio.run(over_stdio, worker, source, sink, decisions)
