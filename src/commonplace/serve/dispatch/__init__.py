"""Runs operations for every interface that serves other programs."""

from __future__ import annotations

from commonplace.serve.dispatch.handlers import HANDLERS, decode_parameters, find_operation, run_operation

__all__ = ["HANDLERS", "decode_parameters", "find_operation", "run_operation"]
