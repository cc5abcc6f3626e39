"""The mcp package."""

from __future__ import annotations

from commonplace.serve.mcp.start import (
    HttpEndpoint,
    ProgressReporter,
    refuse_first_request,
    require_mcp_sdk,
    serve_mcp_http,
    serve_mcp_stdio,
)

__all__ = [
    "HttpEndpoint",
    "ProgressReporter",
    "refuse_first_request",
    "require_mcp_sdk",
    "serve_mcp_http",
    "serve_mcp_stdio",
]
