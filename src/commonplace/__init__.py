"""Commonplace: the memory of AI agents, in Markdown that people own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.errors import CommonplaceError
    from commonplace.memory import Memory
else:
    __getattr__ = lazy_names(__name__, errors="CommonplaceError", memory="Memory")

__all__ = ["CommonplaceError", "Memory"]

__version__ = "0.1.0"
