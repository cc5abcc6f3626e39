"""Commonplace: the memory of AI agents, in Markdown that people own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from commonplace.errors import CommonplaceError
    from commonplace.memory import Memory

__all__ = ["CommonplaceError", "Memory"]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for: the command line is started on every turn of an agent."""
    if name == "Memory":
        from commonplace.memory import Memory

        return Memory
    if name == "CommonplaceError":
        from commonplace.errors import CommonplaceError

        return CommonplaceError
    message = f"module 'commonplace' has no attribute {name!r}"
    raise AttributeError(message)
