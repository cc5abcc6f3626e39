"""The stdio package."""

from __future__ import annotations

from commonplace.serve.stdio.server import PROTOCOL, Pipes, serve_stdio_pipes

__all__ = ["PROTOCOL", "Pipes", "serve_stdio_pipes"]
