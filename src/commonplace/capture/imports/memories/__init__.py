"""Other memories become events: folders, databases and exports of other programs, read and never written."""

from __future__ import annotations

from commonplace.capture.imports.memories.imported_memory import SYSTEMS, MemoryLocation, MemorySystem

__all__ = ["SYSTEMS", "MemoryLocation", "MemorySystem"]
