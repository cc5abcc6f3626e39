"""The MCP server."""

from __future__ import annotations

from commonplace.serve.mcp.start import refuse_first_request as refuse_first_request
from commonplace.serve.mcp.start import require_mcp_sdk as require_mcp_sdk
from commonplace.serve.mcp.start import serve_mcp_http as serve_mcp_http
from commonplace.serve.mcp.start import serve_mcp_stdio as serve_mcp_stdio
from commonplace.serve.mcp.start_options import HttpEndpoint as HttpEndpoint
from commonplace.serve.mcp.start_options import ProgressReporter as ProgressReporter
from commonplace.serve.mcp.start_options import ToolOptions as ToolOptions
