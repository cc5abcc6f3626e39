"""The dispatch package."""

from __future__ import annotations

from commonplace.serve.dispatch.handlers import (
    OPERATIONS,
    Effect,
    Operation,
    decode_parameters,
    find_operation,
    run_operation,
)

__all__ = ["OPERATIONS", "Effect", "Operation", "decode_parameters", "find_operation", "run_operation"]
