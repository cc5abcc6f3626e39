"""A memory served to other processes: stdio, HTTP, MCP, and the client that asks it."""
