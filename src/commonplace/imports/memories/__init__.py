"""Other memories become events: folders, databases and exports of other programs, read and never written."""

from __future__ import annotations

from commonplace.imports.memories.nouns import SYSTEMS, Place, System

__all__ = ["SYSTEMS", "Place", "System"]
